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
    /// The size of a large message, in bytes, for measuring bandwidths; 0 measures none
    #[arg(long, value_name = "N", default_value_t = 4 << 20, value_parser = clap::value_parser!(u32).range(0..=1 << 30))]
    pub large_bytes: u32,
    /// Time this many messages per pair, and use the median. Of large messages, a fiftieth is timed
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
    /// An MPI job to measure with, after `--`, such as: mpirun -n 64 ./app; the program stops at
    /// MPI_Init
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl MeasureArguments {
    /// The size of small messages, and how many are timed.
    pub fn small(&self) -> (u32, u32) {
        (self.bytes, self.rounds)
    }

    /// The same for large ones; none if they are not larger.
    pub fn large(&self) -> Option<(u32, u32)> {
        (self.large_bytes > self.bytes).then_some((self.large_bytes, self.rounds.div_ceil(50)))
    }

    /// Arguments with these sizes and nothing else.
    #[cfg(test)]
    pub fn of_sizes(bytes: u32, large_bytes: u32) -> MeasureArguments {
        use clap::FromArgMatches;
        let matches = MeasureArguments::augment_args(clap::Command::new("measure"))
            .get_matches_from([
                "measure".to_string(),
                format!("--bytes={bytes}"),
                format!("--large-bytes={large_bytes}"),
            ]);
        MeasureArguments::from_arg_matches(&matches).expect("these are arguments")
    }
}
