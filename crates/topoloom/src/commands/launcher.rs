//! Launchers of MPI jobs: what they have to be told, and how to wait for them.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::interrupt::Interrupt;

/// How a job came to its end.
pub struct Ended {
    /// What the launcher ended with.
    pub status: ExitStatus,
    /// Whether somebody interrupted it.
    pub interrupted: bool,
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
    let asked = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    asked.is_ok_and(|answer| {
        let text = String::from_utf8_lossy(&answer.stdout);
        // Under a name of their own they know only which part of Open MPI they are.
        ["Open MPI", "OpenRTE", "PRRTE"].iter().any(|name| text.contains(name))
    })
}

/// Waits for a job. Who interrupts it has what was done until then.
pub fn wait(child: &mut Child) -> anyhow::Result<Ended> {
    const LOOK: Duration = Duration::from_millis(20);
    const GRACE: Duration = Duration::from_secs(2);
    let interrupt = Interrupt::catch()?;
    interrupt.during_job(|| {
        let mut since: Option<Instant> = None;
        // Whoever presses Ctrl-C interrupts the job as well; others may have meant this process only.
        let mut signals = ["-INT", "-TERM", "-KILL"].into_iter();
        loop {
            if let Some(status) = child.try_wait().context("cannot wait for the command")? {
                return Ok(Ended { status, interrupted: interrupt.happened() });
            }
            if interrupt.happened() {
                let begin = *since.get_or_insert_with(Instant::now);
                if begin.elapsed() > GRACE {
                    since = Some(Instant::now());
                    if let Some(signal) = signals.next() {
                        let _ =
                            Command::new("kill").args([signal, &child.id().to_string()]).status();
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
