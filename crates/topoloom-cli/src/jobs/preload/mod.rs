//! Jobs into which the recorder's library is preloaded: the folder where ranks write, and how the
//! library reaches them.

pub mod stale;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::interrupt::{self, Interrupt};
use crate::jobs::launcher::environment::handing_on;
use crate::jobs::launcher::kind::Kind;

/// The library from the build; empty if it cannot be built here.
const LIBRARY: &[u8] = include_bytes!(env!("TOPOLOOM_RECORDER"));

/// The variable that the dynamic loader reads.
pub const PRELOAD: &str = "LD_PRELOAD";

/// A folder for the files of the ranks, with the library in it. It is removed at the end, unless it
/// holds data that is not written elsewhere.
pub struct Scratch {
    folder: PathBuf,
    library: PathBuf,
    /// Whether ranks are recorded and their recording has not been written yet.
    holds_recordings: bool,
    /// Locked while the folder is in use.
    _owner: File,
}

impl Scratch {
    /// A new folder in `parent`, which every host must reach.
    pub fn new(parent: &Path, purpose: &str) -> anyhow::Result<Scratch> {
        if LIBRARY.is_empty() {
            bail!("{purpose} works only on 64-bit Linux");
        }
        let parent = fs::canonicalize(parent).with_context(|| {
            format!("{}: not a folder that can be written to", parent.display())
        })?;
        stale::clean(&parent);
        Interrupt::catch()?;
        // A unique name: this process may have the same number as one in another container.
        let folder = tempfile::Builder::new()
            .prefix(&format!("{}{purpose}-", stale::PREFIX))
            .rand_bytes(12)
            .tempdir_in(&parent)
            .with_context(|| format!("{}: cannot make a folder in it", parent.display()))?
            .keep();
        interrupt::remove_at_end(&folder);
        let cannot_write = || format!("{}: cannot write", folder.display());
        let owner = stale::claim(&folder).with_context(cannot_write)?;
        let library = folder.join("recorder.so");
        let scratch =
            Scratch { library, folder: folder.clone(), holds_recordings: false, _owner: owner };
        // The loader treats both as separators.
        if scratch.library.as_os_str().as_encoded_bytes().iter().any(|byte| b" :".contains(byte)) {
            bail!(
                "{}: a path with a space or a colon cannot be preloaded; give --scratch",
                scratch.folder.display()
            );
        }
        fs::write(&scratch.library, LIBRARY).with_context(cannot_write)?;
        Ok(scratch)
    }

    /// From now on ranks may write recordings: whatever happens, they are kept until
    /// [`Self::is_written`].
    pub fn hold_recordings(&mut self) {
        self.holds_recordings = true;
        interrupt::name_at_end(&self.folder, stale::left_in_words);
    }

    /// The recordings of the ranks are in another file now.
    pub fn is_written(&mut self) {
        self.holds_recordings = false;
        interrupt::keep_at_end(&self.folder);
        interrupt::remove_at_end(&self.folder);
    }

    /// Whether ranks have left recordings that are not written elsewhere.
    pub fn keeps_recordings(&self) -> bool {
        self.holds_recordings && stale::has_recordings(&self.folder)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command, as it was given, with the library preloaded and these variables set, also on
    /// other hosts, if the launcher must be told to pass them on.
    pub fn preloaded(
        &self,
        command: &[OsString],
        variables: &[(&str, &OsStr)],
    ) -> anyhow::Result<Command> {
        let [program, rest @ ..] = command else { bail!("expected a command") };
        let mut preload = OsString::from(&self.library);
        if let Some(others) = std::env::var_os(PRELOAD).filter(|others| !others.is_empty()) {
            preload.push(":");
            preload.push(others);
        }
        let names = variables.iter().map(|&(name, _)| name);
        let names: Vec<&str> = [PRELOAD].into_iter().chain(names).collect();
        let told =
            handing_on(Kind::of_program(program), rest, &names, |name| std::env::var_os(name));
        let mut started = Command::new(program);
        started.args(rest).envs(told).env(PRELOAD, preload).envs(variables.iter().copied());
        Ok(started)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        interrupt::keep_at_end(&self.folder);
        if !self.keeps_recordings() {
            // A folder that cannot be removed does no harm.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
