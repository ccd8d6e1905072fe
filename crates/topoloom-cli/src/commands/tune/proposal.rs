//! A launch file for a placement, tried with the launcher itself.

use std::fs;

use anyhow::Context;
use topoloom::io::MappingFile;
use topoloom::io::launch::{self, Launch, LaunchEntry};

use super::arguments::TuneArguments;
use super::command::{Job, as_words};
use super::placing::Placed;
use crate::commands::verify::{self, Verdict};
use crate::output::{inform, warn};

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
    /// Writes the launch file, in the first format that puts the ranks in their seats.
    pub fn new(
        arguments: &TuneArguments,
        usual: &'static LaunchEntry,
        job: &Job,
        placed: &Placed,
    ) -> anyhow::Result<Proposal> {
        let file = placed.file(&arguments.strategy)?;
        placed.write_found(arguments, &file)?;
        let mut reasons = Vec::new();
        for format in formats(arguments, usual, placed) {
            match attempt(arguments, format, job, &file) {
                Ok((command, verdict)) if verdict.is_right => {
                    return Ok(Proposal::Right { command, verdict, format: format.name });
                }
                Ok((_, verdict)) => reasons.push(format!("{}:\n{}", format.name, verdict.report)),
                Err(error) => reasons.push(format!("{}: {error:#}", format.name)),
            }
        }
        Ok(Proposal::Wrong { reasons })
    }

    /// Whether there is a command.
    pub fn is_right(&self) -> bool {
        matches!(self, Proposal::Right { .. })
    }
}

/// The formats to try. Rank files of Open MPI are for ranks that are bound; its lists of hosts can
/// express everything, but bind ranks with another program.
fn formats(
    arguments: &TuneArguments,
    usual: &'static LaunchEntry,
    placed: &Placed,
) -> Vec<&'static LaunchEntry> {
    let sequence = launch::find("openmpi-seq").ok().filter(|_| usual.name.starts_with("openmpi"));
    match sequence {
        Some(sequence) if arguments.format.is_none() && sequence.name != usual.name => {
            match placed.is_unbound() {
                true => vec![sequence, usual],
                false => vec![usual, sequence],
            }
        }
        _ => vec![usual],
    }
}

/// The command of one format, and whether it puts the ranks in their seats.
fn attempt(
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
    inform(&format!("verifying the new command ({}) ...", format.name));
    let scratch = arguments.scratch("verify")?;
    let limit = arguments.launch.launch_timeout;
    let verdict = verify::verdict(file, &as_words(&command), &scratch, limit)?;
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
