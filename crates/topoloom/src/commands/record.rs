//! `topoloom record`: runs an MPI job and records what it sends.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use topoloom::core::Weight;
use topoloom::io::{RankState, Recording, recordings_in, write_recording};
use topoloom_recorder::layout::{EVENTS_VARIABLE, FOLDER_VARIABLE};

use crate::cli::RecordArguments;
use crate::output::numbers::{bytes, grouped};
use crate::output::{fail, inform, warn};

/// The recorder, as the build made it; nothing where it cannot be made.
const RECORDER: &[u8] = include_bytes!(env!("TOPOLOOM_RECORDER"));

const PRELOAD: &str = "LD_PRELOAD";

/// Exit code of the command if it is not 0, else 0, or 2 if nothing could be recorded.
pub fn run(arguments: RecordArguments) -> ExitCode {
    match record(&arguments) {
        // Some launchers do not tell that they were interrupted.
        Ok(Ended { status, interrupted: true }) if status.success() => ExitCode::from(INTERRUPTED),
        Ok(Ended { status, .. }) => exit_code(status),
        Err(error) => fail(&error),
    }
}

/// What a shell makes of it: 128 and the signal for who was killed.
fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(2);
    ExitCode::from(u8::try_from(code).unwrap_or(2))
}

/// How the job came to its end.
struct Ended {
    status: ExitStatus,
    interrupted: bool,
}

/// What a shell makes of an interrupt.
const INTERRUPTED: u8 = 130;

fn record(arguments: &RecordArguments) -> anyhow::Result<Ended> {
    if RECORDER.is_empty() {
        bail!("recording works on Linux of 64 bits only");
    }
    let output = &arguments.output;
    if output.extension().is_none_or(|ending| ending != "rec") {
        bail!("{}: expected a name that ends in .rec", output.display());
    }
    check_output(output)?;
    let mut scratch = Scratch::new(arguments)?;
    let mut child = start(arguments, &scratch)?;
    let ended = wait(&mut child)?;
    let written = write(arguments, &scratch, ended.status);
    if written.is_err() && scratch.has_files() {
        scratch.is_kept = true;
        warn(&format!("what the ranks wrote stays in {}", scratch.folder.display()));
    }
    written?;
    Ok(ended)
}

/// Puts together what the ranks have written.
fn write(arguments: &RecordArguments, scratch: &Scratch, status: ExitStatus) -> anyhow::Result<()> {
    let output = &arguments.output;
    let recordings = recordings_in(&scratch.folder)?;
    if recordings.is_empty() {
        let program = arguments.command[0].display();
        bail!(
            "nothing was recorded: no process of {program} has called MPI_Init of a library that is \
             loaded at run time{}",
            if status.success() { "" } else { ", and it failed" }
        );
    }
    let several = recordings.len() > 1;
    for (number, mut recording) in (1..).zip(recordings) {
        recording.info.insert(0, ("command".to_string(), shown(&arguments.command)));
        let path = if several { numbered(output, number) } else { output.clone() };
        write_recording(&path, &recording)?;
        summarise(&recording, &path);
    }
    Ok(())
}

/// A long run shall not end in vain.
fn check_output(output: &Path) -> anyhow::Result<()> {
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
        bail!("{}: not a folder to write to", parent.display());
    }
    if output.is_dir() {
        bail!("{}: expected a file, found a folder", output.display());
    }
    Ok(())
}

/// A folder for the files of the ranks that goes away at the end.
struct Scratch {
    folder: PathBuf,
    library: PathBuf,
    is_kept: bool,
}

impl Scratch {
    fn new(arguments: &RecordArguments) -> anyhow::Result<Scratch> {
        let beside = arguments.output.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = arguments.scratch.as_deref().or(beside).unwrap_or(Path::new("."));
        let parent = fs::canonicalize(parent)
            .with_context(|| format!("{}: not a folder to write to", parent.display()))?;
        let folder = parent.join(format!(".topoloom-record-{}", std::process::id()));
        let cannot_write = || format!("{}: cannot write", folder.display());
        fs::create_dir(&folder).with_context(cannot_write)?;
        let library = folder.join("recorder.so");
        let scratch = Scratch { library, folder: folder.clone(), is_kept: false };
        // The loader takes both for separators.
        if scratch.library.as_os_str().as_encoded_bytes().iter().any(|byte| b" :".contains(byte)) {
            bail!(
                "{}: a path with a space or a colon cannot be preloaded; give --scratch",
                scratch.folder.display()
            );
        }
        fs::write(&scratch.library, RECORDER).with_context(cannot_write)?;
        Ok(scratch)
    }
}

impl Scratch {
    /// Whether any rank has written.
    fn has_files(&self) -> bool {
        fs::read_dir(&self.folder).is_ok_and(|files| files.count() > 1)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_kept {
            // What cannot be removed was not kept from anyone either.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn start(arguments: &RecordArguments, scratch: &Scratch) -> anyhow::Result<Child> {
    let [program, rest @ ..] = arguments.command.as_slice() else { bail!("expected a command") };
    let mut preload = OsString::from(&scratch.library);
    if let Some(others) = std::env::var_os(PRELOAD).filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let mut command = Command::new(program);
    command.args(rest).env(PRELOAD, preload).env(FOLDER_VARIABLE, &scratch.folder);
    match arguments.trace {
        true => command.env(EVENTS_VARIABLE, "1"),
        false => command.env_remove(EVENTS_VARIABLE),
    };
    command.spawn().with_context(|| format!("cannot run {}", program.display()))
}

/// Waits for the job. Who interrupts it has what was recorded until then.
fn wait(child: &mut Child) -> anyhow::Result<Ended> {
    const LOOK: Duration = Duration::from_millis(20);
    const GRACE: Duration = Duration::from_secs(2);
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    // The job ends by itself where a handler is there already.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let mut since: Option<Instant> = None;
    // Whoever presses Ctrl-C interrupts the job as well; others may have meant this process only.
    let mut signals = ["-INT", "-TERM", "-KILL"].into_iter();
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the command")? {
            return Ok(Ended { status, interrupted: interrupted.load(Ordering::Relaxed) });
        }
        if interrupted.load(Ordering::Relaxed) {
            let begin = *since.get_or_insert_with(Instant::now);
            if begin.elapsed() > GRACE {
                since = Some(Instant::now());
                if let Some(signal) = signals.next() {
                    let _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
                }
            }
        }
        thread::sleep(LOOK);
    }
}

/// `run.rec` becomes `run-2.rec`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or(OsStr::new("traffic")).to_os_string();
    name.push(format!("-{number}.rec"));
    path.with_file_name(name)
}

/// The command as one could type it.
fn shown(command: &[OsString]) -> String {
    let quoted = |word: &OsString| {
        let word = word.to_string_lossy();
        let plain = |letter: char| letter.is_alphanumeric() || "-_./=:,@+%".contains(letter);
        match !word.is_empty() && word.chars().all(plain) {
            true => word.into_owned(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    };
    command.iter().map(quoted).collect::<Vec<String>>().join(" ")
}

fn summarise(recording: &Recording, path: &Path) {
    let traffic = recording.traffic();
    let calls: u64 = recording.collectives.iter().map(|collective| collective.calls).sum();
    inform(&format!(
        "{}: {} ranks, {} messages of {} between {} pairs, {} collective calls{}",
        path.display(),
        grouped(f64::from(recording.ranks)),
        grouped(traffic.total(Weight::Messages)),
        bytes(traffic.total(Weight::Bytes)),
        grouped(traffic.num_flows() as f64),
        grouped(calls as f64),
        match &recording.trace {
            Some(trace) => format!(", {} events", grouped(trace.num_events() as f64)),
            None => String::new(),
        }
    ));
    recording.warnings().iter().for_each(|warning| warn(warning));
    if recording.incomplete.iter().any(|(_, state)| *state == RankState::Missing) {
        warn(&format!(
            "if they ran on other hosts, the launcher must hand {PRELOAD}, {FOLDER_VARIABLE} and \
             {EVENTS_VARIABLE} on (Open MPI: mpirun -x NAME), and the hosts must share the folder \
             that --scratch names"
        ));
    }
}
