//! The files that the arguments name, each opened once.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use topoloom::core::{Machine, Objective};
use topoloom::io::{
    Input, LoadError, Loader, MappingFile, ObjectiveError, ReadError, Recording, Warnings,
};

use crate::session::{self, Session};

/// Loads everything that the arguments of the program name.
static LOADER: Loader = Loader::new();

/// A loader: that of the program, or that of a session.
pub enum Used {
    Program,
    Session(Arc<Session>),
}

impl Deref for Used {
    type Target = Loader;

    fn deref(&self) -> &Loader {
        match self {
            Used::Program => &LOADER,
            Used::Session(session) => &session.loader,
        }
    }
}

/// Loads everything that the arguments name.
pub fn loader() -> Used {
    session::current().map_or(Used::Program, Used::Session)
}

/// The input at `path`, opened now or earlier.
pub fn open(path: &Path) -> Result<Arc<Input>, ReadError> {
    loader().open(path)
}

/// Whether there is something at `path` that can be read as a file: a pipe counts too.
pub fn is_readable(path: &Path) -> bool {
    loader().is_readable(path)
}

/// Whether there is a file or a folder at `path`.
pub fn exists(path: &Path) -> bool {
    loader().exists(path)
}

/// The machine of a specification or of a file.
pub fn read_machine(text: &str) -> Result<(Machine, Warnings), LoadError> {
    loader().machine(text)
}

/// The mapping at `path`.
pub fn read_mapping(path: &Path) -> Result<MappingFile, ReadError> {
    loader().mapping(path)
}

/// The recording at `path`.
pub fn read_recording(path: &Path) -> Result<Recording, ReadError> {
    loader().recording(path)
}

/// The recording at `path` except for its events.
pub fn read_recording_without_events(path: &Path) -> Result<Recording, ReadError> {
    loader().recording_without_events(path)
}

/// The objective of a specification, which may name a file.
pub fn read_objective(text: &str) -> Result<Arc<dyn Objective>, ObjectiveError> {
    loader().objective(text)
}

/// The hosts that `text` lists, or the file that it names.
pub fn read_hosts(text: &str) -> Result<Vec<topoloom::io::host_list::ListedHost>, ReadError> {
    loader().hosts(text)
}
