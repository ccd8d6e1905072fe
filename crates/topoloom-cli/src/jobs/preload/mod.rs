//! Jobs into which libraries of ours are preloaded: the folder where ranks write, and how the
//! libraries reach them.

pub mod stale;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::interrupt::{self, Interrupt};
use crate::jobs::launcher::environment::handing_on;
use crate::jobs::launcher::kind::Kind;

/// A library from the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// Records, probes and measures.
    Recorder,
    /// Gives ranks another order.
    Order,
}

impl Library {
    /// Its content; empty if it cannot be built here.
    fn content(self) -> &'static [u8] {
        match self {
            Library::Recorder => include_bytes!(env!("TOPOLOOM_RECORDER")),
            Library::Order => include_bytes!(env!("TOPOLOOM_ORDER")),
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Library::Recorder => "recorder.so",
            Library::Order => "order.so",
        }
    }
}

/// The variable that the dynamic loader reads.
pub const PRELOAD: &str = "LD_PRELOAD";

/// A folder for the files of the ranks, with the libraries in it. It is removed at the end, unless it
/// holds data that is not written elsewhere.
pub struct Scratch {
    folder: PathBuf,
    libraries: Vec<Library>,
    /// Whether ranks are recorded and their recording has not been written yet.
    holds_recordings: bool,
    /// Locked while the folder is in use.
    _owner: File,
}

impl Scratch {
    /// A new folder in `parent`, which every host must reach, with the recorder in it.
    pub fn new(parent: &Path, purpose: &str) -> anyhow::Result<Scratch> {
        Scratch::with(parent, purpose, &[Library::Recorder])
    }

    /// The same with these libraries.
    pub fn with(parent: &Path, purpose: &str, libraries: &[Library]) -> anyhow::Result<Scratch> {
        if libraries.iter().any(|library| library.content().is_empty()) {
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
        let owner =
            stale::claim(&folder).with_context(|| format!("{}: cannot write", folder.display()))?;
        let libraries = libraries.to_vec();
        let scratch = Scratch { folder, libraries, holds_recordings: false, _owner: owner };
        // The loader treats both as separators.
        if scratch.folder.as_os_str().as_encoded_bytes().iter().any(|byte| b" :".contains(byte)) {
            bail!(
                "{}: a path with a space or a colon cannot be preloaded; give --scratch",
                scratch.folder.display()
            );
        }
        for library in &scratch.libraries {
            let path = scratch.folder.join(library.file_name());
            fs::write(&path, library.content())
                .with_context(|| format!("{}: cannot write", path.display()))?;
        }
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

    /// The libraries that the loader loads first. The recorder comes before all others, so it sees
    /// what the program does. The library that changes ranks comes after all others, so they see
    /// the new ranks.
    fn preload(&self, others: Option<OsString>) -> Vec<OsString> {
        let file = |library: Library| {
            let path = self.folder.join(library.file_name()).into_os_string();
            self.libraries.contains(&library).then_some(path)
        };
        let others = others.filter(|others| !others.is_empty());
        [file(Library::Recorder), others, file(Library::Order)].into_iter().flatten().collect()
    }

    /// The command, as it was given, with the libraries preloaded and these variables set, also on
    /// other hosts, if the launcher must be told to pass them on.
    pub fn preloaded(
        &self,
        command: &[OsString],
        variables: &[(&str, OsString)],
    ) -> anyhow::Result<Command> {
        let [program, rest @ ..] = command else { bail!("expected a command") };
        let preload = self.preload(std::env::var_os(PRELOAD)).join(OsStr::new(":"));
        let names = variables.iter().map(|(name, _)| *name);
        let names: Vec<&str> = [PRELOAD].into_iter().chain(names).collect();
        let told =
            handing_on(Kind::of_program(program), rest, &names, |name| std::env::var_os(name));
        let mut started = Command::new(program);
        started.args(rest).envs(told).env(PRELOAD, preload).envs(variables.iter().cloned());
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
