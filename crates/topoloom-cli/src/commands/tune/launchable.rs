//! Jobs that a launch file can start.

use topoloom::io::Probe;
use topoloom::io::launch::LaunchEntry;

use super::arguments::TuneArguments;
use super::command::Job;
use super::launch_format::launch_format;

/// A job that a launch file can start.
pub struct Launchable {
    pub format: &'static LaunchEntry,
    pub job: Job,
}

impl Launchable {
    pub fn of(arguments: &TuneArguments, probed: &Probe) -> anyhow::Result<Launchable> {
        let format = launch_format(arguments, probed)?;
        Ok(Launchable { format, job: Job::of(&arguments.command, probed)? })
    }
}
