//! What the ranks of a job wrote while they ran, assembled into one recording.
//!
//! `topoloom_recorder::layout` says what is in their files.

mod calls;
mod events;
mod groups;
#[cfg(test)]
mod in_memory;
mod joined;
mod merge;
mod part;
#[cfg(test)]
mod tests;
mod times;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use topoloom_recorder::layout::{EVENTS_ENDING, TOTALS_ENDING, UNNAMED_JOB};

use crate::mappings::probe::read_node;
use crate::text::error::ReadError;
use part::Part;

pub use joined::JoinedRecording;

/// The recordings of the jobs that wrote into `folder`, in the order in which they began. Each says
/// which of its ranks left nothing, or not everything: jobs may have been stopped, and files may be
/// incomplete.
pub fn recordings_in(folder: impl AsRef<Path>) -> Result<Vec<JoinedRecording>, ReadError> {
    let folder = folder.as_ref();
    let cannot_read = |error| ReadError::cannot_read(folder, &error);
    let mut jobs: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut descriptions = BTreeMap::new();
    for file in fs::read_dir(folder).map_err(cannot_read)? {
        let path = file.map_err(cannot_read)?.path();
        if let Some((host, text)) = read_node(&path)? {
            descriptions.insert(host, text);
        } else if let Some(job) = job_of(&path) {
            jobs.entry(job).or_default().push(path);
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for (job, files) in jobs {
        let mut parts = Vec::with_capacity(files.len());
        for path in files {
            let bytes = fs::read(&path).map_err(|error| ReadError::cannot_read(&path, &error))?;
            // A process may die before it has written its identity.
            if let Some(part) = Part::read(&bytes) {
                parts.push((part, path.with_extension(EVENTS_ENDING)));
            }
        }
        if !parts.is_empty() {
            let has_name = !job.starts_with(UNNAMED_JOB);
            let mut run = Run { has_name, ..Run::default() };
            run.add(parts);
            runs.push(run);
        }
    }
    runs.sort_by_key(Run::begin);
    let mut recordings = Vec::new();
    for mut run in joined(runs) {
        run.parts.sort_by_key(|(part, _)| part.rank);
        recordings.push(merge::merge(run.parts, &descriptions)?);
    }
    Ok(recordings)
}

/// The files of a job, or of the ranks of a job on one host.
#[derive(Default)]
struct Run {
    /// Whether the launcher gave the job a name, which is the same on all hosts.
    has_name: bool,
    parts: Vec<(Part, PathBuf)>,
    ranks: HashSet<u32>,
    hosts: HashSet<String>,
}

impl Run {
    fn begin(&self) -> u64 {
        self.parts.iter().map(|(part, _)| part.begin).min().unwrap_or(0)
    }

    fn size(&self) -> u32 {
        self.parts.first().map_or(0, |(part, _)| part.size)
    }

    fn is_complete(&self) -> bool {
        self.ranks.len() == self.size() as usize
    }

    /// The parent of the processes that started these ranks, if it is a single known process.
    fn starter(&self) -> Option<u64> {
        let starter = self.parts.first().map(|(part, _)| part.starter).filter(|&it| it > 0)?;
        self.parts.iter().all(|(part, _)| part.starter == starter).then_some(starter)
    }

    /// Whether both may belong to one job: they have no names, have the same total of ranks, are
    /// both incomplete alone, have no rank in common, and began at about the same time.
    fn may_be_one_job(&self, other: &Run) -> bool {
        const NANOSECONDS_BETWEEN: u64 = 300_000_000_000;
        !self.has_name
            && !other.has_name
            && self.size() == other.size()
            && !self.is_complete()
            && !other.is_complete()
            && self.ranks.is_disjoint(&other.ranks)
            && self.begin().abs_diff(other.begin()) < NANOSECONDS_BETWEEN
    }

    fn add(&mut self, parts: Vec<(Part, PathBuf)>) {
        for (part, path) in parts {
            self.ranks.insert(part.rank);
            self.hosts.insert(part.host.clone());
            self.parts.push((part, path));
        }
    }
}

/// Evidence that two runs belong to one job.
type Evidence = fn(&Run, &Run) -> bool;

/// The best evidence first.
const EVIDENCE: [Evidence; 3] = [
    // One launcher started several helpers on the same host, each for a part of the ranks.
    |one, other| {
        one.hosts == other.hosts && one.starter().is_some_and(|it| other.starter() == Some(it))
    },
    // Launchers have a helper on each host.
    |one, other| one.hosts.is_disjoint(&other.hosts),
    // Nothing except that they fit.
    |_, _| true,
];

/// Jobs without a name, assembled from the parts of their hosts or of their launchers' helpers.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    for speaks_for_it in EVIDENCE {
        let mut jobs: Vec<Run> = Vec::new();
        for run in runs {
            let fits = |job: &&mut Run| job.may_be_one_job(&run) && speaks_for_it(job, &run);
            match jobs.iter_mut().find(fits) {
                Some(job) => job.add(run.parts),
                None => jobs.push(run),
            }
        }
        runs = jobs;
    }
    runs
}

/// The job of a file of totals: its name without the rank and the extension.
fn job_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (job, _rank) = name.strip_suffix(TOTALS_ENDING)?.strip_suffix('.')?.rsplit_once('.')?;
    Some(job.to_string())
}
