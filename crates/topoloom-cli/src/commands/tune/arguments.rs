//! The arguments of `topoloom tune`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, ValueEnum};
use topoloom::core::Weight;

use crate::arguments::{
    CollectiveArguments, LaunchArguments, SearchArguments, SeatArguments, Worth,
};
use crate::jobs::preload::Scratch;

/// The name of the way that needs no launch file.
pub const RUN: &str = "run";

/// What to tune, and how.
#[derive(Debug, Args)]
pub struct TuneArguments {
    /// Use this traffic instead of a recording of the job
    #[arg(long, value_name = "TRAFFIC")]
    pub traffic: Option<String>,
    /// Use this machine instead of what the hosts of the job report
    #[arg(long, value_name = "MACHINE")]
    pub machine: Option<String>,
    /// Describe the network between the hosts by a file (Slurm's topology.conf, ibnetdiscover)
    #[arg(long, value_name = "FILE", conflicts_with = "machine")]
    pub network: Option<PathBuf>,
    /// What counts: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    #[command(flatten)]
    pub collectives: CollectiveArguments,
    /// The strategy, optionally followed by refiners
    #[arg(long, default_value = "auto")]
    pub strategy: String,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Keep the seats of the job and exchange ranks among them, or choose other seats on its hosts
    #[arg(long, value_name = "WHICH", default_value = "same")]
    pub seats: Seats,
    #[command(flatten)]
    pub rules: SeatArguments,
    /// Keep the present placement if the estimated gain is below this share
    #[arg(long, value_name = "SHARE", default_value = "1%")]
    pub worth: Worth,
    /// Run the old and the new command N times each, in turn, and decide by the clock
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub measure: Option<u32>,
    /// How to apply the new order: `run` (`topoloom run` gives the processes new ranks), or the
    /// name of a launch format (see `topoloom list launch`) [default: `run` if the seats stay the
    /// same and the job was recorded, otherwise the format of the launcher]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Begin the names of all files with NAME: NAME.rec, NAME.machine.json, NAME.mapping.json,
    /// NAME.launch
    #[arg(long, value_name = "NAME", default_value = "tuned")]
    pub prefix: PathBuf,
    /// Let ranks write to this folder, which every host must reach [default: beside the files]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    #[command(flatten)]
    pub launch: LaunchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The job, after `--`, such as: mpirun -n 16 ./app
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Which seats a job may have after tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Seats {
    /// The seats that it has now
    Same,
    /// Any seats on its hosts, by the rules for seats
    Any,
}

impl TuneArguments {
    /// The name of a file to write: the prefix and an ending.
    pub fn file(&self, ending: &str) -> PathBuf {
        let mut name = self.prefix.clone().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    }

    /// What the traffic is called: the given one, or the recording.
    pub fn traffic_name(&self) -> String {
        self.traffic.clone().unwrap_or_else(|| self.file(".rec").display().to_string())
    }

    /// Whether ranks may be exchanged inside the job. Without a recording it is not known whether the
    /// job calls MPI_Init.
    pub fn may_run(&self) -> bool {
        let by_default = self.format.is_none() && self.traffic.is_none();
        self.seats == Seats::Same && (by_default || self.runs_only())
    }

    /// Whether nothing else is wanted.
    pub fn runs_only(&self) -> bool {
        self.format.as_deref() == Some(RUN)
    }

    /// A folder for the files of the ranks.
    pub fn scratch(&self, purpose: &str) -> anyhow::Result<Scratch> {
        let beside = self.prefix.parent().filter(|parent| !parent.as_os_str().is_empty());
        Scratch::new(self.scratch.as_deref().or(beside).unwrap_or(Path::new(".")), purpose)
    }

    /// Refuses options that contradict each other.
    pub fn check(&self) -> anyhow::Result<()> {
        let rules = self.rules.restricts() || self.rules.cpus_per_rank.is_some();
        if self.seats == Seats::Same && rules {
            bail!(
                "--cpus-per-rank, --ranks-per-node, --spread and --pack choose seats that the job \
                 does not have: also give --seats any"
            );
        }
        if self.seats == Seats::Any && self.runs_only() {
            bail!(
                "--format {RUN} exchanges ranks among the seats of the job: leave out --seats any"
            );
        }
        Ok(())
    }
}
