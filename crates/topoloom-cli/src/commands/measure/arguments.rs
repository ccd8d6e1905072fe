//! The arguments of `topoloom machine measure`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::arguments::LaunchArguments;

/// What to measure, and with what.
#[derive(Debug, Args)]
pub struct MeasureArguments {
    /// The machine file whose levels to measure [default: this node, or the hosts of the job]
    #[arg(long, value_name = "FILE")]
    pub machine: Option<PathBuf>,
    /// The size of a message, in bytes
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1 << 30))]
    pub bytes: u32,
    /// How many messages to time for each pair; the median counts
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rounds: u32,
    /// Write the machine with its costs to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Folder that ranks write to; every host must reach it [default: the current folder]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    #[command(flatten)]
    pub launch: LaunchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// An MPI job to measure with, after `--`, such as: mpirun -n 64 ./app; its program ends in
    /// MPI_Init
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
