//! Times the old and the new command.

use std::ffi::OsString;
use std::fs::File;
use std::io::IsTerminal;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::bail;
use topoloom::core::significance::kruskal_wallis;
use topoloom::io::{Recording, read_recording};

use super::arguments::TuneArguments;
use crate::jobs::launcher::capture::{Capture, it_said};
use crate::jobs::launcher::{Ended, Job};
use crate::jobs::recording::{Wanted, record};
use crate::output::inform;
use crate::output::numbers::duration;

/// Times count as different if chance alone would put them this far apart in fewer than this share
/// of cases.
pub const SIGNIFICANT: f64 = 0.05;

/// A new command that takes this many times as long as the old one is stopped.
const MUCH_LONGER: u32 = 10;

/// How two commands are timed.
pub struct Clock<'a> {
    arguments: &'a TuneArguments,
    /// The shortest time limit of a run.
    limit: Duration,
    /// The share of time in MPI, before.
    share_before: Option<f64>,
}

/// How one run of a command ended.
enum Ran {
    /// It succeeded, after this many seconds.
    Took(f64),
    /// It failed, with the reason in words.
    Failed(String),
}

/// The results of timing.
pub struct Measured {
    /// Seconds of the old command, and of the new one.
    pub before: Vec<f64>,
    pub after: Vec<f64>,
    /// The probability that times are this far apart by chance; `None` if the new command failed.
    pub p_value: Option<f64>,
    /// Whether the new command is faster, and not by chance.
    pub faster: bool,
    /// The share of time in MPI before and after.
    pub shares: Option<(f64, f64)>,
    /// Why the new command cannot be used.
    pub failed: Option<String>,
}

impl Measured {
    fn new(before: Vec<f64>, after: Vec<f64>) -> Measured {
        let test = kruskal_wallis(&[&before, &after]);
        let p_value = test.map(|test| test.p_value);
        let faster = median(&after) < median(&before) && p_value.is_some_and(|p| p < SIGNIFICANT);
        Measured { before, after, p_value, faster, shares: None, failed: None }
    }
}

/// The median of some numbers.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        even if even % 2 == 0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
        _ => sorted[middle],
    }
}

impl<'a> Clock<'a> {
    pub fn new(
        arguments: &'a TuneArguments,
        limit: Duration,
        recorded: Option<&Recording>,
    ) -> Clock<'a> {
        let share_before =
            recorded.and_then(|recording| recording.times.as_ref()).map(|times| times.mpi_share());
        Clock { arguments, limit, share_before }
    }

    /// Runs both commands this many times, in turn. If the machine gets slower or faster in the
    /// meantime, both are affected.
    pub fn measure(&self, times: u32, new: &[OsString]) -> anyhow::Result<Measured> {
        let old = &self.arguments.command;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for round in 0..times {
            inform(&format!("measuring, round {} of {times} ...", round + 1));
            // The order changes from round to round.
            for is_new in [round % 2 == 1, round % 2 == 0] {
                if !is_new {
                    match self.run(old, None)? {
                        Ran::Took(seconds) => before.push(seconds),
                        Ran::Failed(failure) => {
                            bail!("the old command failed when it was run again: {failure}")
                        }
                    }
                    continue;
                }
                let slowest = before.iter().copied().fold(0.0, f64::max);
                let limit = Duration::from_secs_f64(slowest * f64::from(MUCH_LONGER));
                // Nothing to compare with yet: the time of the recorded run is not known here.
                let limit = (!before.is_empty()).then(|| limit.max(self.limit));
                match self.run(new, limit)? {
                    Ran::Took(seconds) => after.push(seconds),
                    Ran::Failed(failure) => {
                        let failed = Some(failure);
                        let faster = false;
                        let measured = Measured { faster, failed, ..Measured::new(before, after) };
                        return Ok(Measured { p_value: None, ..measured });
                    }
                }
            }
        }
        let measured = Measured::new(before, after);
        let shares = match self.share_before {
            Some(before) => self.share_after(new)?.map(|after| (before, after)),
            None => None,
        };
        Ok(Measured { shares, ..measured })
    }

    /// How long a command takes, or why it failed.
    fn run(&self, words: &[OsString], limit: Option<Duration>) -> anyhow::Result<Ran> {
        let [program, arguments @ ..] = words else { bail!("expected a command") };
        let begin = Instant::now();
        let mut command = Command::new(program);
        command.args(arguments).stdin(standard_input()?);
        let job = Job::about_to_start()?;
        let (mut child, capture) = Capture::start(command)?;
        let Ended { status, interrupted, timed_out } = job.wait(&mut child, limit)?;
        let seconds = begin.elapsed().as_secs_f64();
        if interrupted {
            bail!("interrupted");
        }
        Ok(match (timed_out, status.success()) {
            (true, _) => Ran::Failed(format!("it was ended after {}", duration(seconds))),
            (false, true) => Ran::Took(seconds),
            (false, false) => Ran::Failed(format!("{status}{}", it_said(&capture.text()))),
        })
    }

    /// The share of time in MPI of the new command.
    fn share_after(&self, new: &[OsString]) -> anyhow::Result<Option<f64>> {
        inform("recording the new command ...");
        let scratch = self.arguments.scratch("times")?;
        let wanted = Wanted {
            trace: false,
            times: true,
            output: scratch.folder().join("after.rec"),
            scratch: self.arguments.scratch.clone(),
            command: new.to_vec(),
        };
        let recorded = record(&wanted, Stdio::from(std::io::stderr()))?;
        if recorded.ended.interrupted {
            bail!("interrupted");
        }
        let Some(path) = recorded.paths.first() else { return Ok(None) };
        Ok(read_recording(path)?.times.map(|times| times.mpi_share()))
    }
}

/// Standard input from its beginning, for jobs that read it: each run reads it again.
fn standard_input() -> anyhow::Result<Stdio> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return Ok(Stdio::null());
    }
    // A file can be read again. Data from a pipe was read by the recorded run.
    match File::open("/proc/self/fd/0") {
        Ok(file) if file.metadata().is_ok_and(|about| about.is_file()) => Ok(Stdio::from(file)),
        _ => Ok(Stdio::null()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_is_what_is_unlikely_to_be_chance() {
        let slow = vec![2.0, 2.1, 2.2, 2.3];
        let fast = vec![1.0, 1.1, 1.2, 1.3];
        assert!(Measured::new(slow.clone(), fast.clone()).faster);
        assert!(!Measured::new(fast.clone(), slow.clone()).faster);
        assert!(!Measured::new(slow.clone(), slow.clone()).faster);
        // Two runs each are not enough to tell.
        assert!(!Measured::new(slow[..2].to_vec(), fast[..2].to_vec()).faster);
        assert_eq!((median(&slow), median(&[3.0, 1.0, 2.0])), (2.1500000000000004, 2.0));
    }
}
