//! `topoloom record`: runs an MPI job and records what it sends.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use clap::Args;

use crate::interrupt::INTERRUPTED;
use crate::jobs::launcher::Ended;
use crate::jobs::recording::{Wanted, record, recover};

#[derive(Debug, Args)]
pub struct RecordArguments {
    /// Record the order of events too, for `topoloom simulate --trace`
    #[arg(long)]
    pub trace: bool,
    /// Record how much time each rank spends in MPI, by call and by partner
    #[arg(long)]
    pub times: bool,
    /// Write the recording to this file, whose name ends in .rec
    #[arg(long, short, value_name = "FILE", default_value = "traffic.rec")]
    pub output: PathBuf,
    /// Folder that ranks write to while they run; every host must reach it [default: beside the
    /// output]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    /// Run nothing: make a recording from the files that the ranks of a killed run left in FOLDER
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["trace", "times", "scratch", "command"])]
    pub recover: Option<PathBuf>,
    /// The command to run, after `--`, such as: mpirun -n 64 ./app
    #[arg(required_unless_present = "recover", trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Exit code of the command if it is not 0, else 0.
pub fn run(arguments: RecordArguments) -> anyhow::Result<u8> {
    if let Some(folder) = &arguments.recover {
        recover(folder, &arguments.output)?;
        return Ok(0);
    }
    let RecordArguments { trace, times, output, scratch, command, .. } = arguments;
    let wanted = Wanted { trace, times, output, scratch, command };
    Ok(exit_code_of(&record(&wanted, Stdio::inherit())?.ended))
}

/// The exit code of a job that has ended.
pub fn exit_code_of(ended: &Ended) -> u8 {
    let &Ended { status, interrupted, .. } = ended;
    // Some launchers do not report that they were interrupted.
    if interrupted && status.success() { INTERRUPTED } else { exit_code(status) }
}

/// The exit code as in a shell: 128 plus the signal for a killed process.
fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(2);
    u8::try_from(code).unwrap_or(2)
}
