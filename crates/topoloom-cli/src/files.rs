//! The files that the arguments name, each opened once.
//!
//! One file may serve several ends: a recording is traffic, a machine and a placement. What was
//! opened is kept, because a pipe can be read only once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use topoloom::core::{Machine, Objective};
use topoloom::io::launch::read_hosts_with;
use topoloom::io::{
    Input, MachineError, MappingFile, ObjectiveError, ReadError, Recording, Warnings,
    parse_mapping, parse_recording, parse_recording_without_events, read_machine_with,
    read_objective_with,
};

/// What the system calls a file, whatever its name: two names may stand for one pipe.
type Identity = (u64, u64);

static OPENED: Mutex<BTreeMap<Identity, Result<Arc<Input>, ReadError>>> =
    Mutex::new(BTreeMap::new());

/// What is at `path`, opened now or before.
pub fn open(path: &Path) -> Result<Arc<Input>, ReadError> {
    let Some(identity) = identity(path) else { return topoloom::io::open(path) };
    let Ok(mut opened) = OPENED.lock() else { return topoloom::io::open(path) };
    let input = opened.entry(identity).or_insert_with(|| topoloom::io::open(path));
    // Errors name the file as it was called first, which need not be how it is called now.
    input.clone().map_err(|error| ReadError { file: path.display().to_string(), ..error })
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

/// Whether there is something at `path` that can be read as a file: a pipe is as good.
pub fn is_readable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_dir())
}

/// The mapping at `path`.
pub fn read_mapping(path: &Path) -> Result<MappingFile, ReadError> {
    parse_mapping(&path.display().to_string(), &open(path)?.bytes()?)
}

/// The recording at `path`.
pub fn read_recording(path: &Path) -> Result<Recording, ReadError> {
    parse_recording(&path.display().to_string(), &open(path)?.bytes()?)
}

/// The recording at `path` but for its events.
pub fn read_recording_without_events(path: &Path) -> Result<Recording, ReadError> {
    parse_recording_without_events(&path.display().to_string(), &open(path)?.bytes()?)
}

/// The machine of a specification, which may name a file.
pub fn read_machine(text: &str) -> Result<(Machine, Warnings), MachineError> {
    read_machine_with(text, &open)
}

/// The objective of a specification, which may name a file.
pub fn read_objective(text: &str) -> Result<Arc<dyn Objective>, ObjectiveError> {
    read_objective_with(text, &open)
}

/// The hosts that `text` lists, or the file that it names.
pub fn read_hosts(text: &str) -> Result<Vec<topoloom::io::host_list::ListedHost>, ReadError> {
    read_hosts_with(text, &open)
}
