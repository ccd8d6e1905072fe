//! Runs a job under the recorder, and puts together the files that its ranks wrote.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use topoloom::core::Weight;
use topoloom::io::{JoinedRecording, RankState, recordings_in};
use topoloom_recorder::layout::{EVENTS_VARIABLE, FOLDER_VARIABLE, TIMES_VARIABLE, TOTALS_ENDING};

use super::launcher::{Ended, Job};
use super::preload::{PRELOAD, Scratch, stale};
use crate::output::numbers::{bytes, percent, plural, plural_amount};
use crate::output::{inform, warn};
use crate::outputs;
use crate::shell_words::shown;

/// What to record, and of which job.
pub struct Wanted {
    /// Whether the order of events is recorded too.
    pub trace: bool,
    /// Whether the time in MPI is recorded too.
    pub times: bool,
    /// Where the recording goes.
    pub output: PathBuf,
    /// Where ranks write while they run; by default, beside the output.
    pub scratch: Option<PathBuf>,
    /// The job.
    pub command: Vec<OsString>,
}

/// How a job ended, and where its recordings are.
pub struct Recorded {
    pub ended: Ended,
    /// One for each job that the command started, at least one.
    pub paths: Vec<PathBuf>,
}

/// Runs a job, whose standard output goes to `output_of_job`, and writes what it sent.
pub fn record(wanted: &Wanted, output_of_job: Stdio) -> anyhow::Result<Recorded> {
    let output = &wanted.output;
    check(output)?;
    let parent = wanted.scratch.as_deref().unwrap_or_else(|| beside(output));
    let mut scratch = Scratch::new(parent, "record")?;
    let command = shown(&wanted.command);
    expect_recordings(&mut scratch, &command)?;
    let job = Job::about_to_start()?;
    let mut child = start(wanted, &scratch, output_of_job)?;
    let ended = job.wait(&mut child, None)?;
    let paths = collect(&mut scratch, output, &command, &ended)?;
    Ok(Recorded { ended, paths })
}

/// Refuses, before anything runs, a file that could not hold the recording.
pub fn check(output: &Path) -> anyhow::Result<()> {
    check_name(output)?;
    outputs::check(output, [])
}

/// The folder of a file.
pub fn beside(output: &Path) -> &Path {
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Prepares a folder for what the ranks of a command will leave in it.
pub fn expect_recordings(scratch: &mut Scratch, command: &str) -> anyhow::Result<()> {
    // Used when the recording is recovered.
    let note = scratch.folder().join(COMMAND);
    fs::write(&note, command).with_context(|| format!("{}: cannot write", note.display()))?;
    scratch.hold_recordings();
    Ok(())
}

/// Writes what the ranks of a job have left in its folder.
pub fn collect(
    scratch: &mut Scratch,
    output: &Path,
    command: &str,
    ended: &Ended,
) -> anyhow::Result<Vec<PathBuf>> {
    let written = write(scratch.folder(), output, Some(command)).and_then(|paths| {
        if paths.is_empty() {
            let name = command.split(' ').next().unwrap_or_default();
            if ended.interrupted {
                bail!(
                    "nothing was recorded: interrupted before a process of {name} called MPI_Init"
                );
            }
            bail!(
                "nothing was recorded: no process of {name} called MPI_Init from a library that \
                 is loaded at run time{}",
                if ended.status.success() { "" } else { ", and it failed" }
            );
        }
        Ok(paths)
    });
    match &written {
        Ok(_) => scratch.is_written(),
        Err(_) if scratch.keeps_recordings() => {
            warn(&format!("the job has ended; {}", stale::how_to_recover(scratch.folder())));
        }
        Err(_) => {}
    }
    written
}

fn check_name(output: &Path) -> anyhow::Result<()> {
    match output.extension().is_some_and(|ending| ending == "rec") {
        true => Ok(()),
        false => bail!("{}: expected a name that ends in .rec", output.display()),
    }
}

/// Writes the recordings from the files of the ranks in the folder of a run that did not end, or
/// could not write them.
pub fn recover(folder: &Path, output: &Path) -> anyhow::Result<()> {
    check_name(output)?;
    outputs::check(output, [])?;
    if stale::is_in_use(folder) {
        warn(&format!(
            "{}: a run still writes to this folder: the recording has only what is there so far",
            folder.display()
        ));
    }
    let command = fs::read_to_string(folder.join(COMMAND)).ok();
    let paths = write(folder, output, command.as_deref())?;
    if paths.is_empty() {
        bail!(
            "{}: expected files that end in .{TOTALS_ENDING}, found none that can be read",
            folder.display()
        );
    }
    inform(&format!("{} can be removed now", folder.display()));
    Ok(())
}

/// The file with the command, in the folder of its ranks.
const COMMAND: &str = "command";

/// Puts together the files of the ranks in a folder, and says where the recording is.
fn write(folder: &Path, output: &Path, command: Option<&str>) -> anyhow::Result<Vec<PathBuf>> {
    let recordings = recordings_in(folder)?;
    let several = recordings.len() > 1;
    let mut paths = Vec::with_capacity(recordings.len());
    for (number, mut joined) in (1..).zip(recordings) {
        if let Some(command) = command {
            joined.recording.info.insert(0, ("command".to_string(), command.to_string()));
        }
        let path = if several { numbered(output, number) } else { output.to_path_buf() };
        joined.write(&path)?;
        summarise(&joined, &path);
        paths.push(path);
    }
    Ok(paths)
}

/// What the recorder needs to know.
pub fn variables(folder: &Path, trace: bool, times: bool) -> Vec<(&'static str, OsString)> {
    let asked = [(EVENTS_VARIABLE, trace), (TIMES_VARIABLE, times)];
    let set = asked.into_iter().filter(|(_, is_wanted)| *is_wanted);
    let set = set.map(|(name, _)| (name, OsString::from("1")));
    [(FOLDER_VARIABLE, OsString::from(folder))].into_iter().chain(set).collect()
}

/// Forgets what the environment of this command has for the recorder of another one.
pub fn forget_variables(command: &mut Command, trace: bool, times: bool) {
    for (name, is_wanted) in [(EVENTS_VARIABLE, trace), (TIMES_VARIABLE, times)] {
        if !is_wanted {
            command.env_remove(name);
        }
    }
}

fn start(wanted: &Wanted, scratch: &Scratch, output: Stdio) -> anyhow::Result<Child> {
    let variables = variables(scratch.folder(), wanted.trace, wanted.times);
    let mut command = scratch.preloaded(&wanted.command, &variables)?;
    forget_variables(&mut command, wanted.trace, wanted.times);
    let program = command.get_program().to_os_string();
    command.stdout(output).spawn().with_context(|| format!("cannot run {}", program.display()))
}

/// `run.rec` becomes `run-2.rec`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or(OsStr::new("traffic")).to_os_string();
    name.push(format!("-{number}.rec"));
    path.with_file_name(name)
}

fn summarise(joined: &JoinedRecording, path: &Path) {
    let recording = &joined.recording;
    let traffic = recording.traffic();
    let calls: u64 = recording.collectives.iter().map(|collective| collective.calls).sum();
    inform(&format!(
        "{}: {}, {} of {} between {}, {}{}{}",
        path.display(),
        plural(recording.ranks as usize, "rank"),
        plural_amount(traffic.total(Weight::Messages), "message"),
        bytes(traffic.total(Weight::Bytes)),
        plural(traffic.num_flows(), "pair"),
        plural_amount(calls as f64, "collective call"),
        match joined.num_events() {
            Some(events) => format!(", {}", plural_amount(events as f64, "event")),
            None => String::new(),
        },
        match &recording.times {
            Some(times) => format!(", {} of the time in MPI", percent(times.mpi_share())),
            None => String::new(),
        }
    ));
    recording.warnings().iter().for_each(|warning| warn(warning));
    if recording.incomplete.iter().any(|(_, state)| *state == RankState::Missing) {
        warn(&format!(
            "if they ran on other hosts, these hosts must share the folder that --scratch names, \
             and the launcher must pass on {PRELOAD}, {FOLDER_VARIABLE}, {EVENTS_VARIABLE} and \
             {TIMES_VARIABLE}; the launchers of Open MPI, MPICH and Slurm are told to do so"
        ));
    }
}
