//! A command that starts the job with its new placement, tried with the launcher itself.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use topoloom::io::MappingFile;
use topoloom::io::launch::{self, Launch, LaunchEntry};

use super::arguments::{RUN, TuneArguments};
use super::command::{Job, as_words};
use super::launchable::Launchable;
use super::placing::Placed;
use crate::commands::verify::{self, Verdict};
use crate::jobs::launcher::kind::found_in_path;
use crate::output::{inform, warn};
use crate::session;
use crate::shell_words::shown;

/// A command that puts every rank in its seat, as verified, or why there is none.
pub enum Proposal {
    /// There is such a command.
    Right {
        /// For a shell.
        command: String,
        verdict: Verdict,
        format: &'static str,
    },
    /// There is no such command.
    Wrong {
        /// What went wrong with each format.
        reasons: Vec<String>,
    },
}

impl Proposal {
    /// Tries the ways to start the job with its new placement, and takes the first that puts the
    /// ranks in their seats.
    pub fn new(
        arguments: &TuneArguments,
        launch: &anyhow::Result<Launchable>,
        placed: &Placed,
    ) -> anyhow::Result<Proposal> {
        let file = placed.file(&arguments.strategy)?;
        placed.write_found(arguments, &file)?;
        let mut reasons = Vec::new();
        for way in ways(arguments, launch, placed) {
            match way.attempt(arguments, placed, &file) {
                Ok((command, verdict)) if verdict.is_right => {
                    return Ok(Proposal::Right { command, verdict, format: way.name() });
                }
                Ok((_, verdict)) => reasons.push(format!("{}:\n{}", way.name(), verdict.report)),
                Err(error) => reasons.push(format!("{}: {error:#}", way.name())),
            }
        }
        if let Err(error) = launch {
            reasons.push(format!("launch files: {error:#}"));
        }
        Ok(Proposal::Wrong { reasons })
    }

    /// Whether there is a command.
    pub fn is_right(&self) -> bool {
        matches!(self, Proposal::Right { .. })
    }
}

/// A way to start the job with its new placement.
enum Way<'a> {
    /// The old command, inside which ranks are exchanged.
    Run,
    /// A launch file.
    Launch(&'static LaunchEntry, &'a Job),
}

/// The ways to try. Rank files of Open MPI are for ranks that are bound; its lists of hosts can
/// express everything, but bind ranks with another program.
fn ways<'a>(
    arguments: &TuneArguments,
    launch: &'a anyhow::Result<Launchable>,
    placed: &Placed,
) -> Vec<Way<'a>> {
    let mut ways = Vec::new();
    if arguments.may_run() && placed.same_seats {
        ways.push(Way::Run);
    }
    let Ok(Launchable { format: usual, job }) = launch else { return ways };
    if arguments.runs_only() {
        return ways;
    }
    let sequence = launch::find("openmpi-seq").ok().filter(|_| usual.name.starts_with("openmpi"));
    let formats: Vec<&'static LaunchEntry> = match sequence {
        Some(sequence) if arguments.format.is_none() && sequence.name != usual.name => {
            match placed.is_unbound() {
                true => vec![sequence, usual],
                false => vec![usual, sequence],
            }
        }
        _ => vec![usual],
    };
    ways.extend(formats.into_iter().map(|format| Way::Launch(format, job)));
    ways
}

impl Way<'_> {
    fn name(&self) -> &'static str {
        match self {
            Way::Run => RUN,
            Way::Launch(format, _) => format.name,
        }
    }

    /// The command, and whether it puts the ranks in their seats.
    fn attempt(
        &self,
        arguments: &TuneArguments,
        placed: &Placed,
        file: &MappingFile,
    ) -> anyhow::Result<(String, Verdict)> {
        match self {
            Way::Run => run(arguments, placed, file),
            Way::Launch(format, job) => launched(arguments, format, job, file),
        }
    }
}

/// The old command under `topoloom run`.
fn run(
    arguments: &TuneArguments,
    placed: &Placed,
    file: &MappingFile,
) -> anyhow::Result<(String, Verdict)> {
    let mapping = arguments.file(".mapping.json");
    let mut words = vec![own_program()?, RUN.into(), "--mapping".into(), mapping.into()];
    if placed.names_cpus() {
        words.extend(["--within".into(), "cores".into()]);
    }
    words.push("--".into());
    words.extend(arguments.command.iter().cloned());
    Ok((shown(&words), verified(arguments, RUN, &words, file)?))
}

/// This program, as users call it.
fn own_program() -> anyhow::Result<OsString> {
    const NAME: &str = "topoloom";
    let in_path = found_in_path(NAME.as_ref(), std::env::var_os("PATH"));
    let real = |path: &Path| path.canonicalize().ok();
    match std::env::current_exe() {
        // A program that this is a part of cannot be called in its place.
        _ if session::current().is_some() => match in_path {
            Some(_) => Ok(NAME.into()),
            None => bail!("{NAME} is not in a folder of PATH"),
        },
        Ok(own) if in_path.is_some_and(|path| real(&path) == real(&own)) => Ok(NAME.into()),
        Ok(own) => Ok(own.into_os_string()),
        Err(error) => Err(error).context("cannot find this program itself"),
    }
}

/// Whether a command puts the ranks in their seats.
fn verified(
    arguments: &TuneArguments,
    name: &str,
    words: &[OsString],
    file: &MappingFile,
) -> anyhow::Result<Verdict> {
    inform(&format!("verifying the new command ({name}) ..."));
    let scratch = arguments.scratch("verify")?;
    verify::verdict(file, words, &scratch, arguments.launch.launch_timeout)
}

/// The command with a launch file.
fn launched(
    arguments: &TuneArguments,
    format: &'static LaunchEntry,
    job: &Job,
    file: &MappingFile,
) -> anyhow::Result<(String, Verdict)> {
    let launch = Launch::new(file, None, format)?;
    // Ranks may run in another folder.
    let output = std::path::absolute(arguments.file(".launch")).context("no current folder")?;
    let prepared = launch::prepare(format, &launch, Some(&output), &job.program())?;
    launch::write_files(&prepared)?;
    let command = job.relaunched(&prepared.command);
    let verdict = verified(arguments, format.name, &as_words(&command), file)?;
    if verdict.is_right {
        prepared.warnings.iter().for_each(|warning| warn(warning));
    }
    Ok((command, verdict))
}

/// Removes the launch files of a command that is not used.
pub fn remove_files(arguments: &TuneArguments) {
    for ending in [".launch", ".launch.bind"] {
        // A missing file need not be removed.
        let _ = fs::remove_file(arguments.file(ending));
    }
}
