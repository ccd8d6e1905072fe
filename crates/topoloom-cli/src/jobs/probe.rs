//! Starts a job whose ranks report where they are and end before they do any work.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use topoloom::io::{Probe, read_probe};
use topoloom_recorder::layout::{PROBE_VARIABLE, RANK_VARIABLES, TRAINING_RANK_VARIABLE};

use crate::jobs::launcher::capture::{Capture, it_said};
use crate::jobs::launcher::{Ended, Job, kind};
use crate::jobs::preload::Scratch;
use crate::output::numbers::{duration, plural};

/// The name of the command that is started if a launcher's command line has no program. It does
/// nothing, because the preloaded library has already done everything.
pub const PROGRAM: &str = "probe";

/// What a probe found, and what the launcher wrote to its standard error.
pub struct Probed {
    /// Where the ranks are.
    pub probe: Probe,
    /// The launcher's output, which helps if ranks are missing.
    pub output: String,
    /// Whether the launcher has failed.
    pub failed: bool,
    /// Whether it exceeded its time limit.
    timed_out: bool,
}

/// Starts a command as a probe, up to the time limit. The command may lack a program at its end if
/// it begins with a launcher; a script is never started a second time. If this succeeds, at least
/// one rank has reported.
pub fn probe(command: &[OsString], scratch: &Scratch, limit: Duration) -> anyhow::Result<Probed> {
    let mut found = attempt(command, scratch, limit)?;
    let may_lack_program = command.first().is_some_and(|program| kind::is_launcher(program));
    if found.probe.ranks.is_empty() && found.failed && !found.timed_out && may_lack_program {
        let first = found.output;
        let own = std::env::current_exe().context("cannot find this program itself")?;
        let with_program = [command, &[own.into_os_string(), OsString::from(PROGRAM)]].concat();
        found = attempt(&with_program, scratch, limit)?;
        // The launcher's output for the command as given is what helps.
        found.output = first;
    }
    let program = command[0].display();
    let said = it_said(&found.output);
    if found.timed_out {
        let reported = plural(found.probe.ranks.len(), "rank");
        bail!(
            "{program} did not end within {} and was stopped; {reported} had reported. Give \
             --launch-timeout if it needs longer{said}",
            duration(limit.as_secs_f64())
        );
    }
    if found.probe.ranks.is_empty() {
        let failed = if found.failed { ", and it failed" } else { "" };
        bail!(
            "no rank was found: {program} started no dynamically linked process that has its rank \
             in the environment{failed}{said}"
        );
    }
    Ok(found)
}

fn attempt(command: &[OsString], scratch: &Scratch, limit: Duration) -> anyhow::Result<Probed> {
    let folder = scratch.folder();
    let mut started = scratch.preloaded(command, &[(PROBE_VARIABLE, OsString::from(folder))])?;
    // The shell of a batch job has a rank itself. Its children must not use it as their own.
    RANK_VARIABLES.iter().chain(&[TRAINING_RANK_VARIABLE]).for_each(|variable| {
        started.env_remove(variable);
    });
    started.stdin(Stdio::null());
    let job = Job::about_to_start()?;
    let (mut child, capture) = Capture::start(started)?;
    let Ended { status, interrupted, timed_out } = job.wait(&mut child, Some(limit))?;
    if interrupted {
        bail!("interrupted");
    }
    let failed = !status.success();
    Ok(Probed { probe: read_probe(folder)?, output: capture.text(), failed, timed_out })
}
