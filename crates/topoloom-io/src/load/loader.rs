//! Opens each file once, even if it is read for several purposes.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use topoloom_core::Objective;

use super::given::Given;
use crate::machines::cost_matrix::{ObjectiveError, read_objective_with};
use crate::mappings::launch::read_hosts_with;
use crate::mappings::mapping_file::{MappingFile, parse_mapping};
use crate::text::error::ReadError;
use crate::text::host_list::ListedHost;
use crate::text::input::{self, Input};
use crate::traffic::recording::{Recording, parse_recording, parse_recording_without_events};

/// How the system identifies a file, independent of its name: two names may stand for one pipe.
type Identity = (u64, u64);

/// Loads what a user names, and opens each file once.
///
/// One file may serve several purposes: a recording is traffic, a machine and a placement. Opened
/// files are kept, because a pipe can be read only once.
#[derive(Debug, Default)]
pub struct Loader {
    opened: Mutex<BTreeMap<Identity, Result<Arc<Input>, ReadError>>>,
    pub(super) given: Option<Given>,
    files: OnceLock<Arc<dyn Files>>,
}

/// Opens files in place of the system: for processes that share what they read.
pub trait Files: Debug + Send + Sync {
    /// The input at `path`.
    fn open(&self, path: &Path) -> Result<Arc<Input>, ReadError>;

    /// Whether `path` can be read like a file.
    fn is_readable(&self, path: &Path) -> bool;

    /// Whether there is a file or a folder at `path`.
    fn exists(&self, path: &Path) -> bool;
}

impl Loader {
    /// A loader that has opened nothing yet.
    pub const fn new() -> Loader {
        Loader { opened: Mutex::new(BTreeMap::new()), given: None, files: OnceLock::new() }
    }

    /// A loader in which some names stand for objects in memory.
    pub fn with_given(given: Given) -> Loader {
        Loader { given: Some(given), ..Loader::new() }
    }

    /// Opens everything through `files` from now on.
    pub fn read_through(&self, files: Arc<dyn Files>) {
        // The first stays: what was opened through it must not be opened again.
        let _ = self.files.set(files);
    }

    /// Whether `path` can be read like a file, or stands for something in memory that is like one.
    pub fn is_readable(&self, path: impl AsRef<Path>) -> bool {
        let path = path.as_ref();
        let is_readable = || match self.files.get() {
            Some(files) => files.is_readable(path),
            None => is_readable(path),
        };
        self.given.as_ref().is_some_and(|given| given.has_file(path)) || is_readable()
    }

    /// Whether there is a file or a folder at `path`.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        let path = path.as_ref();
        self.files.get().map_or_else(|| path.exists(), |files| files.exists(path))
    }

    /// The input at `path`, opened now or before.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Arc<Input>, ReadError> {
        let path = path.as_ref();
        if let Some(input) = self.given.as_ref().and_then(|given| given.file(path)) {
            return Ok(input);
        }
        if let Some(files) = self.files.get() {
            return files.open(path);
        }
        let Some(identity) = identity(path) else { return input::open(path) };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let input = opened.entry(identity).or_insert_with(|| input::open(path));
        // Errors hold the first name of the file, which may differ from the name used now.
        input.clone().map_err(|error| ReadError { file: path.display().to_string(), ..error })
    }

    /// Everything that was opened so far without an error.
    pub fn opened(&self) -> Vec<Arc<Input>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.values().filter_map(|input| input.clone().ok()).collect()
    }

    /// The mapping at `path`.
    pub fn mapping(&self, path: impl AsRef<Path>) -> Result<MappingFile, ReadError> {
        let path = path.as_ref();
        if let Some(mapping) = self.given.as_ref().and_then(|given| given.mapping(path)) {
            return Ok(mapping);
        }
        parse_mapping(&path.display().to_string(), &self.open(path)?.bytes()?)
    }

    /// The recording at `path`.
    pub fn recording(&self, path: impl AsRef<Path>) -> Result<Recording, ReadError> {
        let path = path.as_ref();
        parse_recording(&path.display().to_string(), &self.open(path)?.bytes()?)
    }

    /// The recording at `path` except for its events.
    pub fn recording_without_events(&self, path: impl AsRef<Path>) -> Result<Recording, ReadError> {
        let path = path.as_ref();
        parse_recording_without_events(&path.display().to_string(), &self.open(path)?.bytes()?)
    }

    /// The objective of a specification, which may name a file.
    pub fn objective(&self, text: &str) -> Result<Arc<dyn Objective>, ObjectiveError> {
        if let Some(objective) = self.given.as_ref().and_then(|given| given.objective(text)) {
            return Ok(objective);
        }
        read_objective_with(text, &|path| self.open(path))
    }

    /// The hosts that `text` lists, or the file that it names.
    pub fn hosts(&self, text: &str) -> Result<Vec<ListedHost>, ReadError> {
        read_hosts_with(text, &|path| self.open(path))
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::metadata(path).ok()?;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<Identity> {
    None
}

/// Whether `path` can be read like a file; a pipe can.
pub fn is_readable(path: impl AsRef<Path>) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_dir())
}

/// Whether a text that is neither a known name nor a file was meant as a file.
pub(super) fn looks_like_a_path(text: &str) -> bool {
    text.contains(['/', '\\']) || Path::new(text).extension().is_some()
}
