//! Jobs into which the recorder's library is preloaded: the folder where ranks write, and how the
//! library reaches them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::launcher::handing_on;
use crate::interrupt::{self, Interrupt};

/// The library, as the build made it; nothing where it cannot be made.
const LIBRARY: &[u8] = include_bytes!(env!("TOPOLOOM_RECORDER"));

/// The variable that the loader reads.
pub const PRELOAD: &str = "LD_PRELOAD";

/// A folder for the files of the ranks, with the library in it. It goes away at the end.
pub struct Scratch {
    folder: PathBuf,
    library: PathBuf,
    /// Whether it stays after all.
    pub is_kept: bool,
}

impl Scratch {
    /// A new folder in `parent`, which every host must reach.
    pub fn new(parent: &Path, purpose: &str) -> anyhow::Result<Scratch> {
        if LIBRARY.is_empty() {
            bail!("{purpose} works on Linux of 64 bits only");
        }
        let parent = fs::canonicalize(parent)
            .with_context(|| format!("{}: not a folder to write to", parent.display()))?;
        let folder = parent.join(format!(".topoloom-{purpose}-{}", std::process::id()));
        let cannot_write = || format!("{}: cannot write", folder.display());
        Interrupt::catch()?;
        interrupt::remove_at_end(&folder);
        fs::create_dir(&folder).with_context(cannot_write)?;
        let library = folder.join("recorder.so");
        let scratch = Scratch { library, folder: folder.clone(), is_kept: false };
        // The loader takes both for separators.
        if scratch.library.as_os_str().as_encoded_bytes().iter().any(|byte| b" :".contains(byte)) {
            bail!(
                "{}: a path with a space or a colon cannot be preloaded; give --scratch",
                scratch.folder.display()
            );
        }
        fs::write(&scratch.library, LIBRARY).with_context(cannot_write)?;
        Ok(scratch)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether there is anything but the library.
    pub fn has_files(&self) -> bool {
        fs::read_dir(&self.folder).is_ok_and(|files| files.count() > 1)
    }

    /// The command with the library preloaded and these variables set, on other hosts too as far
    /// as launchers have to be told.
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
        let mut started = Command::new(program);
        started
            .args(handing_on(program, rest, &names))
            .env(PRELOAD, preload)
            .envs(variables.iter().copied());
        Ok(started)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        interrupt::keep_at_end(&self.folder);
        if !self.is_kept {
            // What cannot be removed was not kept from anyone either.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
