//! What the ranks of a job wrote while they ran, put together to one recording.
//!
//! `topoloom_recorder::layout` says what is in their files.

mod events;
mod groups;
mod merge;
mod part;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use topoloom_recorder::layout::{EVENTS_ENDING, TOTALS_ENDING};

use crate::error::ReadError;
use crate::recording::Recording;
use part::Part;

/// The recordings of the jobs that wrote into `folder`, in the order of their files' names. Each
/// says which of its ranks left nothing, or not everything.
pub fn recordings_in(folder: &Path) -> Result<Vec<Recording>, ReadError> {
    let cannot_read = |error| ReadError::cannot_read(folder, &error);
    let mut jobs: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in fs::read_dir(folder).map_err(cannot_read)? {
        let path = file.map_err(cannot_read)?.path();
        if let Some(job) = job_of(&path) {
            jobs.entry(job).or_default().push(path);
        }
    }
    let mut recordings = Vec::new();
    for files in jobs.into_values() {
        let mut parts = Vec::with_capacity(files.len());
        for path in files {
            let bytes = fs::read(&path).map_err(|error| ReadError::cannot_read(&path, &error))?;
            // A process may die before it has written who it is.
            if let Some(part) = Part::read(&bytes) {
                parts.push((part, path.with_extension(EVENTS_ENDING)));
            }
        }
        parts.sort_by_key(|(part, _)| part.rank);
        if !parts.is_empty() {
            recordings.push(merge::merge(&parts)?);
        }
    }
    Ok(recordings)
}

/// The job of a file of totals: its name without the rank and the ending.
fn job_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (job, _rank) = name.strip_suffix(TOTALS_ENDING)?.strip_suffix('.')?.rsplit_once('.')?;
    Some(job.to_string())
}
