//! The files that the arguments name, each opened once.

use std::path::Path;
use std::sync::Arc;

use topoloom::core::{Machine, Objective};
use topoloom::io::{
    Input, LoadError, Loader, MappingFile, ObjectiveError, ReadError, Recording, Warnings,
};

/// Loads everything that the arguments name.
pub static LOADER: Loader = Loader::new();

/// The input at `path`, opened now or earlier.
pub fn open(path: &Path) -> Result<Arc<Input>, ReadError> {
    LOADER.open(path)
}

/// Whether there is something at `path` that can be read as a file: a pipe counts too.
pub fn is_readable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| !about.is_dir())
}

/// The machine of a specification or of a file.
pub fn read_machine(text: &str) -> Result<(Machine, Warnings), LoadError> {
    LOADER.machine(text)
}

/// The mapping at `path`.
pub fn read_mapping(path: &Path) -> Result<MappingFile, ReadError> {
    LOADER.mapping(path)
}

/// The recording at `path`.
pub fn read_recording(path: &Path) -> Result<Recording, ReadError> {
    LOADER.recording(path)
}

/// The recording at `path` except for its events.
pub fn read_recording_without_events(path: &Path) -> Result<Recording, ReadError> {
    LOADER.recording_without_events(path)
}

/// The objective of a specification, which may name a file.
pub fn read_objective(text: &str) -> Result<Arc<dyn Objective>, ObjectiveError> {
    LOADER.objective(text)
}

/// The hosts that `text` lists, or the file that it names.
pub fn read_hosts(text: &str) -> Result<Vec<topoloom::io::host_list::ListedHost>, ReadError> {
    LOADER.hosts(text)
}
