//! The arguments of `topoloom run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use topoloom::core::Weight;

use super::given_order::GivenOrder;
use crate::arguments::{CollectiveArguments, SearchArguments, parse_time_limit};

const ORDER: &str = "Order of all ranks";
const TOPOLOGIES: &str = "Process topologies";
const PLACING: &str = "Placing ranks again";

/// What to run, and in which order.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Give each rank to the process that sits where this mapping file wants the rank
    #[arg(long, help_heading = ORDER, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// The hosts in the order of the machine's nodes, such as n[01-16], if the mapping names none
    #[arg(long, help_heading = ORDER, value_name = "LIST")]
    pub hosts: Option<String>,
    /// Renumber the launcher's ranks: reverse, rotate:K, random:SEED, or a file with the new
    /// rank of each
    #[arg(long, help_heading = ORDER, value_name = "ORDER", conflicts_with_all = ["mapping", "adapt"])]
    pub order: Option<GivenOrder>,
    /// If the job does not sit where the mapping wants it, or there is no mapping: place it again on
    /// the seats that it has
    #[arg(long, help_heading = ORDER)]
    pub adapt: bool,
    /// How to order ranks inside a host: by the launcher's local ranks, which choose GPUs, or by
    /// the CPUs of each rank
    #[arg(long, help_heading = ORDER, value_name = "WHAT", default_value = "hosts", conflicts_with = "order")]
    pub within: Within,
    /// Keep rank 0 where the launcher put it, because standard input goes there, or let it move
    #[arg(long = "rank-0", help_heading = ORDER, value_name = "WHERE", default_value = "stay", conflicts_with = "order")]
    pub rank_0: RankZero,
    /// End the job if it cannot have the order that is wanted; by default it runs in the launcher's
    /// order
    #[arg(long, help_heading = ORDER)]
    pub strict: bool,
    /// Write the new and the launcher's number of each rank to this file, with its host and CPUs
    #[arg(long, help_heading = ORDER, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Let MPI_Cart_create, MPI_Graph_create and MPI_Dist_graph_create reorder where the program
    /// allows it: all calls, some by their numbers (1,3), or none and only show them (list)
    #[arg(
        long, help_heading = TOPOLOGIES, value_name = "CALLS", num_args = 0..=1,
        require_equals = true, default_missing_value = "all"
    )]
    pub reorder: Option<Calls>,
    /// The traffic, for --adapt [default: the traffic that the mapping was made for]
    #[arg(long, help_heading = PLACING, value_name = "TRAFFIC")]
    pub traffic: Option<String>,
    /// Use this machine instead of what the hosts of the job report
    #[arg(long, help_heading = PLACING, value_name = "MACHINE")]
    pub machine: Option<String>,
    /// Describe the network between the hosts by a file (Slurm's topology.conf, ibnetdiscover)
    #[arg(long, help_heading = PLACING, value_name = "FILE", conflicts_with = "machine")]
    pub network: Option<PathBuf>,
    /// What counts: bytes or messages
    #[arg(long, help_heading = PLACING, default_value = "bytes")]
    pub weight: Weight,
    #[command(flatten)]
    pub collectives: CollectiveArguments,
    /// The strategy, optionally followed by refiners
    #[arg(long, help_heading = PLACING, default_value = "auto")]
    pub strategy: String,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Record what the job sends, as `topoloom record` does
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Record the order of events too
    #[arg(long, requires = "record")]
    pub trace: bool,
    /// Record how much time each rank spends in MPI too
    #[arg(long, requires = "record")]
    pub times: bool,
    /// Wait this long for the other ranks after MPI_Init: 60s, 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time_limit)]
    pub limit: Duration,
    /// Let ranks and topoloom exchange files in this folder; every host must reach it [default: the
    /// current folder]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    /// The command to run, after `--`, such as: mpirun -n 64 ./app
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// What counts inside a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Within {
    /// Keep the order of the launcher's local ranks on each host
    Hosts,
    /// Each rank gets the CPUs that are wanted for it
    Cores,
}

/// Whether rank 0 may be given to another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RankZero {
    /// It stays with the launcher's rank 0
    Stay,
    /// It may move
    Move,
}

/// The calls that may reorder, counted over the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Calls {
    All,
    None,
    Some(Vec<u32>),
}

impl Calls {
    /// Whether the call with this number may reorder.
    pub fn include(&self, call: u32) -> bool {
        match self {
            Calls::All => true,
            Calls::None => false,
            Calls::Some(calls) => calls.contains(&call),
        }
    }
}

impl FromStr for Calls {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Calls> {
        let number = |word: &str| {
            let number = word.trim().parse::<u32>().ok().filter(|&number| number > 0);
            number.ok_or_else(|| {
                anyhow!("expected all, list, or numbers of calls such as 1,3, found \"{text}\"")
            })
        };
        match text {
            "all" => Ok(Calls::All),
            "list" => Ok(Calls::None),
            numbers => Ok(Calls::Some(numbers.split(',').map(number).collect::<Result<_, _>>()?)),
        }
    }
}

impl RunArguments {
    /// Whether the ranks of the world may get another order.
    pub fn orders(&self) -> bool {
        self.mapping.is_some() || self.order.is_some() || self.adapt
    }

    /// Refuses options that do nothing.
    pub fn check(&self) -> anyhow::Result<()> {
        if !self.orders() && self.reorder.is_none() && self.record.is_none() {
            bail!(
                "nothing to do: give --mapping FILE, --order ORDER, --adapt with --traffic, \
                 --reorder or --record FILE"
            );
        }
        if self.table.is_some() && !self.orders() {
            bail!("--table needs an order: give --mapping, --order or --adapt too");
        }
        if self.hosts.is_some() && self.mapping.is_none() && self.machine.is_none() {
            bail!("--hosts names the nodes of a machine: give --mapping or --machine too");
        }
        let places = self.adapt || self.reorder.is_some();
        if !places && (self.machine.is_some() || self.network.is_some()) {
            bail!("--machine and --network are for --adapt and --reorder: give one of these too");
        }
        if self.traffic.is_some() && !self.adapt {
            bail!("--traffic is for --adapt: give that too");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_all_some_or_none() {
        let calls = |text: &str| text.parse::<Calls>().unwrap();
        assert!(calls("all").include(7) && !calls("list").include(1));
        assert!(calls("1, 3").include(3) && !calls("1,3").include(2));
        for wrong in ["", "0", "x", "1,,2"] {
            assert!(wrong.parse::<Calls>().is_err(), "{wrong}");
        }
    }
}
