//! Starts a job whose ranks say where they are and end before they begin.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, bail};
use topoloom::io::{Probe, read_probe};
use topoloom_recorder::layout::{PROBE_VARIABLE, RANK_VARIABLES};

use super::launcher::{Ended, wait};
use super::preload::Scratch;

/// The name of the command that is started where a command of a launcher has no program: it does
/// nothing, for what is preloaded into it has already done everything.
pub const PROGRAM: &str = "probe";

/// What a probe found, and what the launcher wrote to its standard error.
pub struct Probed {
    /// Where the ranks are.
    pub probe: Probe,
    /// What the launcher said, for those who miss ranks.
    pub output: String,
    /// Whether the launcher has failed.
    pub failed: bool,
}

/// Starts a command as a probe. The command may lack a program at its end. At least one rank has
/// reported if this succeeds.
pub fn probe(command: &[OsString], scratch: &Scratch) -> anyhow::Result<Probed> {
    let mut found = attempt(command, scratch)?;
    if found.probe.ranks.is_empty() && found.failed {
        let first = found.output;
        let own = std::env::current_exe().context("cannot find this program itself")?;
        let with_program = [command, &[own.into_os_string(), OsString::from(PROGRAM)]].concat();
        found = attempt(&with_program, scratch)?;
        // What the launcher says of the command as it was given is what helps.
        found.output = first;
    }
    if found.probe.ranks.is_empty() {
        let program = command[0].display();
        let failed = if found.failed { ", and it failed" } else { "" };
        let said = match shortened(&found.output) {
            text if text.is_empty() => String::new(),
            text => format!("; it said:\n{text}"),
        };
        bail!(
            "no rank was found: {program} has started no process that is told its rank in the \
             environment and is linked dynamically{failed}{said}"
        );
    }
    Ok(found)
}

fn attempt(command: &[OsString], scratch: &Scratch) -> anyhow::Result<Probed> {
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
    let Ended { status, interrupted } = wait(&mut child)?;
    if interrupted {
        bail!("interrupted");
    }
    Ok(Probed { probe: read_probe(folder)?, output: text_of(&log), failed: !status.success() })
}

fn text_of(log: &Path) -> String {
    String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).trim_end().to_string()
}

/// The first lines of a text, indented.
pub fn shortened(text: &str) -> String {
    const MOST_LINES: usize = 20;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.take(MOST_LINES).map(|line| format!("  {line}")).collect::<Vec<String>>().join("\n")
}
