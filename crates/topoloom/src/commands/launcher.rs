//! Launchers of MPI jobs: what they have to be told, and how to wait for them.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::process_tree;
use crate::interrupt::Interrupt;

/// How a job came to its end.
pub struct Ended {
    /// What the launcher ended with.
    pub status: ExitStatus,
    /// Whether somebody interrupted it.
    pub interrupted: bool,
    /// Whether it took longer than it was given, and was ended.
    pub timed_out: bool,
}

/// The arguments of a launcher that hands environment variables on to other hosts. Only Open MPI's
/// has to be told: MPICH's and Slurm's hand everything on.
pub fn handing_on(program: &OsStr, arguments: &[OsString], names: &[&str]) -> Vec<OsString> {
    match is_open_mpi(program) {
        true => with_options(arguments, names),
        false => arguments.to_vec(),
    }
}

/// Puts `-x NAME` before the options of each of the programs, which colons part. Open MPI 4 takes
/// it for one of them only.
fn with_options(arguments: &[OsString], names: &[&str]) -> Vec<OsString> {
    let mut all = Vec::new();
    for (number, program) in arguments.split(|argument| argument == ":").enumerate() {
        if number > 0 {
            all.push(":".into());
        }
        let is_given = |name: &&&str| {
            program.windows(2).any(|pair| {
                pair[0] == "-x" && pair[1].to_string_lossy().split('=').next() == Some(name)
            })
        };
        for name in names.iter().filter(|name| !is_given(name)) {
            all.extend(["-x".into(), OsString::from(name)]);
        }
        all.extend_from_slice(program);
    }
    all
}

/// Whether a program is a launcher of Open MPI: by its name, and by what it says of itself.
pub fn is_open_mpi(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    if !["mpirun", "mpiexec", "orterun", "prterun"].iter().any(|known| name.starts_with(known)) {
        return false;
    }
    version(program).is_ok_and(|text| {
        // Under a name of their own they know only which part of Open MPI they are.
        ["Open MPI", "OpenRTE", "PRRTE"].iter().any(|name| text.contains(name))
    })
}

/// What a launcher says of itself; nothing if it does not answer soon.
pub fn version(program: &OsStr) -> anyhow::Result<String> {
    const LIMIT: Duration = Duration::from_secs(5);
    let option = if Path::new(program).ends_with("flux") { "version" } else { "--version" };
    let mut log = tempfile::tempfile().context("cannot write a temporary file")?;
    let output = log.try_clone().context("cannot write twice to one file")?;
    let mut child = Command::new(program)
        .arg(option)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))?;
    if wait(&mut child, Some(LIMIT))?.timed_out {
        return Ok(String::new());
    }
    let mut text = Vec::new();
    log.seek(SeekFrom::Start(0)).and_then(|_| log.read_to_end(&mut text)).context("cannot read")?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Waits for a job, for as long as it is given. If it is interrupted, what was done until then
/// stays.
pub fn wait(child: &mut Child, limit: Option<Duration>) -> anyhow::Result<Ended> {
    const LOOK: Duration = Duration::from_millis(20);
    const GRACE: Duration = Duration::from_secs(2);
    let interrupt = Interrupt::catch()?;
    interrupt.during_job(|| {
        let begin = Instant::now();
        let is_late = || limit.is_some_and(|limit| begin.elapsed() > limit);
        let mut since: Option<Instant> = None;
        let mut signals = ["-INT", "-TERM", "-KILL"].into_iter();
        let mut tree = Vec::new();
        let mut timed_out = false;
        loop {
            if let Some(status) = child.try_wait().context("cannot wait for the command")? {
                // What the launcher has left behind goes with it.
                if timed_out {
                    process_tree::signal("-KILL", &tree);
                }
                return Ok(Ended { status, interrupted: interrupt.happened(), timed_out });
            }
            if !timed_out && is_late() {
                timed_out = true;
                tree = process_tree::below(child.id());
                process_tree::signal("-TERM", &tree);
                since = Some(Instant::now());
                signals = ["-TERM", "-KILL", "-KILL"].into_iter();
            }
            if interrupt.happened() || timed_out {
                // Ctrl-C reaches the job as well; other signals may have reached this process only.
                let begin = *since.get_or_insert_with(Instant::now);
                if begin.elapsed() > GRACE {
                    since = Some(Instant::now());
                    if let Some(signal) = signals.next() {
                        process_tree::signal(signal, &[child.id()]);
                        if timed_out {
                            process_tree::signal(signal, &tree);
                        }
                    }
                }
            }
            thread::sleep(LOOK);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn others_than_open_mpi_are_told_nothing() {
        for program in ["srun", "/usr/bin/env", "mpirun-that-is-not-there"] {
            let told = handing_on(OsStr::new(program), &words("-n 2 ./app"), &["A"]);
            assert_eq!(told, words("-n 2 ./app"), "{program}");
        }
    }

    #[test]
    fn each_program_of_a_command_gets_the_variables_it_lacks() {
        let told = with_options(&words("-n 1 ./a : -x A=1 -n 2 ./b"), &["A", "B"]);
        assert_eq!(told, words("-x A -x B -n 1 ./a : -x B -x A=1 -n 2 ./b"));
    }
}
