//! Starts a job whose ranks say where they are and end before they begin.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use topoloom::io::{Probe, read_probe};
use topoloom_recorder::layout::{PROBE_VARIABLE, RANK_VARIABLES};

use super::launcher::{Ended, wait};
use super::preload::Scratch;
use crate::output::numbers::{duration, plural};

/// The name of the command that is started where a command of a launcher has no program: it does
/// nothing, because what is preloaded into it has already done everything.
pub const PROGRAM: &str = "probe";

/// What a probe found, and what the launcher wrote to its standard error.
pub struct Probed {
    /// Where the ranks are.
    pub probe: Probe,
    /// What the launcher said, for those who miss ranks.
    pub output: String,
    /// Whether the launcher has failed.
    pub failed: bool,
    /// Whether it took longer than it was given.
    timed_out: bool,
}

/// Starts a command as a probe, for as long as it is given. The command may lack a program at its
/// end. At least one rank has reported if this succeeds.
pub fn probe(command: &[OsString], scratch: &Scratch, limit: Duration) -> anyhow::Result<Probed> {
    let mut found = attempt(command, scratch, limit)?;
    if found.probe.ranks.is_empty() && found.failed && !found.timed_out {
        let first = found.output;
        let own = std::env::current_exe().context("cannot find this program itself")?;
        let with_program = [command, &[own.into_os_string(), OsString::from(PROGRAM)]].concat();
        found = attempt(&with_program, scratch, limit)?;
        // What the launcher says of the command as it was given is what helps.
        found.output = first;
    }
    let program = command[0].display();
    let said = match indented(&found.output) {
        text if text.is_empty() => String::new(),
        text => format!("; it said:\n{text}"),
    };
    if found.timed_out {
        let reported = plural(found.probe.ranks.len(), "rank");
        bail!(
            "{program} did not end within {}, and was ended; {reported} had reported. Give \
             --launch-timeout if it needs longer{said}",
            duration(limit.as_secs_f64())
        );
    }
    if found.probe.ranks.is_empty() {
        let failed = if found.failed { ", and it failed" } else { "" };
        bail!(
            "no rank was found: {program} has started no process that is told its rank in the \
             environment and is linked dynamically{failed}{said}"
        );
    }
    Ok(found)
}

fn attempt(command: &[OsString], scratch: &Scratch, limit: Duration) -> anyhow::Result<Probed> {
    let program = command.first().context("expected a command")?;
    let folder = scratch.folder();
    let log = folder.join("output");
    let create = || File::create(&log).with_context(|| format!("{}: cannot write", log.display()));
    let output = create()?;
    let errors = output.try_clone().context("cannot write twice to one file")?;
    let mut started =
        scratch.preloaded(command, &[(PROBE_VARIABLE, folder.as_os_str() as &OsStr)])?;
    // The shell of a batch job has a rank itself, which its children are not to take for theirs.
    RANK_VARIABLES.iter().for_each(|variable| {
        started.env_remove(variable);
    });
    let mut child = started
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let Ended { status, interrupted, timed_out } = wait(&mut child, Some(limit))?;
    if interrupted {
        bail!("interrupted");
    }
    let failed = !status.success();
    Ok(Probed { probe: read_probe(folder)?, output: text_of(&log), failed, timed_out })
}

fn text_of(log: &Path) -> String {
    String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).trim_end().to_string()
}

/// More than this of what a launcher says is cut.
const MOST_SAID: usize = 1 << 20;

/// What a launcher said, whole unless it is absurdly long, indented and without empty lines.
pub fn indented(text: &str) -> String {
    let end = (0..=MOST_SAID.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    let end = end.unwrap_or(0);
    let lines = text[..end].lines().filter(|line| !line.trim().is_empty());
    let mut shown = lines.map(|line| format!("  {line}")).collect::<Vec<String>>().join("\n");
    if end < text.len() {
        shown += &format!("\n  ... and {} bytes more", text.len() - end);
    }
    shown
}
