//! `topoloom run`: starts a job whose ranks are given to other processes, without moving any.

pub mod arguments;
mod given_order;
mod placing;
mod plan;
mod seating;
mod service;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use topoloom_recorder::layout::{
    FOLDER_VARIABLE, PROBE_VARIABLE, RUN_LIMITS_VARIABLE, RUN_PROBE_VARIABLE, RUN_VARIABLE,
    RUN_WANTED_VARIABLE, run as words,
};

use super::record::exit_code_of;
use crate::files::read_hosts;
use crate::jobs::launcher::Job;
use crate::jobs::preload::{Library, Scratch};
use crate::jobs::recording;
use crate::output::warn;
use crate::outputs;
use crate::shell_words::shown;
use arguments::{RunArguments, Within};
use placing::Placing;
use plan::Plan;
use service::Service;

/// How long ranks wait for an answer, beyond the time limit of the search.
const PATIENCE: Duration = Duration::from_secs(600);

/// The exit code of the job.
pub fn run(arguments: &RunArguments) -> anyhow::Result<u8> {
    arguments.check()?;
    check_alone(arguments)?;
    let hosts = arguments.hosts.as_deref().map(read_hosts).transpose()?;
    let plan = Plan::read(arguments, hosts.as_deref())?;
    let placing = Placing::new(arguments, hosts.as_deref())?;
    if let Some(table) = &arguments.table {
        outputs::check(table, [])?;
    }
    let mut scratch = scratch(arguments)?;
    let command = shown(&arguments.command);
    if arguments.record.is_some() {
        recording::expect_recordings(&mut scratch, &command)?;
    }
    let variables = variables(arguments, &placing, scratch.folder());
    let mut started = scratch.preloaded(&arguments.command, &variables)?;
    if arguments.record.is_some() {
        recording::forget_variables(&mut started, arguments.trace, arguments.times);
    }
    let program = started.get_program().to_os_string();
    let job = Job::about_to_start()?;
    let mut child = started.spawn().with_context(|| format!("cannot run {}", program.display()))?;
    let folder = scratch.folder().to_path_buf();
    let mut service = Service::new(arguments, &plan, &placing, &folder);
    let ended = job.wait_and(&mut child, None, || service.serve())?;
    if arguments.orders()
        && !service.has_heard_of_jobs()
        && ended.status.success()
        && !ended.interrupted
    {
        warn(
            "no process has asked for its rank: none called MPI_Init from a library that is loaded \
             at run time, so the job ran in the launcher's order",
        );
    }
    if let Some(output) = &arguments.record {
        recording::collect(&mut scratch, output, &command, &ended)?;
    }
    Ok(exit_code_of(&ended))
}

/// Refuses to change or record what another command around this one changes or records already.
fn check_alone(arguments: &RunArguments) -> anyhow::Result<()> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set(RUN_VARIABLE) {
        bail!("`topoloom run` cannot be nested; give all options to one command");
    }
    if arguments.record.is_some() && is_set(FOLDER_VARIABLE) {
        bail!("this already runs under `topoloom record`: leave out --record");
    }
    Ok(())
}

fn scratch(arguments: &RunArguments) -> anyhow::Result<Scratch> {
    let beside = match &arguments.record {
        None => Path::new("."),
        Some(output) => {
            recording::check(output)?;
            recording::beside(output)
        }
    };
    let libraries: &[Library] = match arguments.record.is_some() {
        true => &[Library::Recorder, Library::Order],
        false => &[Library::Order],
    };
    Scratch::with(arguments.scratch.as_deref().unwrap_or(beside), "run", libraries)
}

/// What the library needs to know.
fn variables(
    arguments: &RunArguments,
    placing: &Placing<'_>,
    folder: &Path,
) -> Vec<(&'static str, OsString)> {
    let places = arguments.adapt || arguments.reorder.is_some();
    let describe = (places && placing.asks_hosts()) || arguments.within == Within::Cores;
    let wanted = [
        (words::ORDER, arguments.orders()),
        (words::REORDER, arguments.reorder.is_some()),
        (words::DESCRIBE, describe),
        (words::STRICT, arguments.strict),
    ];
    let wanted = wanted.iter().filter(|(_, is_wanted)| *is_wanted).map(|&(word, _)| word);
    let answer = PATIENCE + arguments.search.work.time_limit.unwrap_or_default();
    let limits = format!("{} {}", arguments.limit.as_secs().max(1), answer.as_secs());
    let mut variables = vec![
        (RUN_VARIABLE, OsString::from(folder)),
        (RUN_WANTED_VARIABLE, OsString::from(wanted.collect::<Vec<&str>>().join(" "))),
        (RUN_LIMITS_VARIABLE, OsString::from(limits)),
    ];
    if arguments.record.is_some() {
        variables.extend(recording::variables(folder, arguments.trace, arguments.times));
    }
    // `verify` asks where ranks are. They know that only after they got their new numbers.
    if let Some(reports) = std::env::var_os(PROBE_VARIABLE).filter(|folder| !folder.is_empty()) {
        variables.push((RUN_PROBE_VARIABLE, reports));
        variables.push((PROBE_VARIABLE, OsString::new()));
    }
    variables
}
