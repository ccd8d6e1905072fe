//! The arguments of `topoloom machine`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use topoloom::core::cluster::ObjectKind;

use crate::arguments::{CountingArguments, SearchArguments};
use crate::commands::measure::arguments::MeasureArguments;
use crate::examples;

#[derive(Debug, Args)]
pub struct MachineArguments {
    #[command(subcommand)]
    pub action: MachineAction,
}

#[derive(Debug, Subcommand)]
pub enum MachineAction {
    /// Show a machine, as a tree and in a sentence
    #[command(after_help = examples::MACHINE_SHOW)]
    Show(ShowArguments),
    /// Show how a network's routing loads its links, compared with other routings
    #[command(after_help = examples::MACHINE_ROUTES)]
    Routes(Box<RoutesArguments>),
    /// Describe this node, as its operating system reports it
    #[command(after_help = examples::MACHINE_DETECT)]
    Detect(DetectArguments),
    /// Measure what messages cost at each level: with threads on this node, or with a job on all
    /// its hosts
    #[command(after_help = examples::MACHINE_MEASURE)]
    Measure(MeasureArguments),
    /// Build one machine from files: hwloc XML, Slurm's topology.conf, ibnetdiscover or a subnet list,
    /// names of devices, forwarding tables, host lists
    #[command(after_help = examples::MACHINE_IMPORT)]
    Import(ImportArguments),
    /// Write a machine for another program, such as a platform for the simulator SimGrid
    #[command(after_help = examples::MACHINE_EXPORT)]
    Export(ExportArguments),
}

#[derive(Debug, Args)]
pub struct ShowArguments {
    /// A machine such as torus:4x4x4, or a file that holds or describes one
    #[arg(value_name = "MACHINE")]
    pub machine: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct RoutesArguments {
    /// A described machine with a network, such as a file from `topoloom machine import`
    #[arg(value_name = "MACHINE")]
    pub machine: String,
    /// Traffic whose messages are routed; needs --mapping [default: every adapter sends one unit to
    /// every other one]
    #[arg(long, value_name = "TRAFFIC")]
    pub traffic: Option<String>,
    /// Show the route that messages take from a host, or from one of its adapters, such as
    /// "n001 mlx5_0"; needs --to
    #[arg(long, value_name = "HOST", requires = "to", conflicts_with = "traffic")]
    pub from: Option<String>,
    /// Where the route leads: a host, or one of its adapters
    #[arg(long, value_name = "HOST", requires = "from")]
    pub to: Option<String>,
    /// Where the ranks of --traffic are: a mapping file, or a strategy
    #[arg(long, value_name = "FILE-OR-STRATEGY")]
    pub mapping: Option<String>,
    #[command(flatten)]
    pub counting: CountingArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DetectArguments {
    /// A file that describes the network that the hosts are in (Slurm's topology.conf, ibnetdiscover)
    #[arg(long, value_name = "FILE")]
    pub network: Option<PathBuf>,
    #[command(flatten)]
    pub joined: JoinedArguments,
}

#[derive(Debug, Args)]
pub struct ImportArguments {
    /// Files that describe a node (hwloc XML), the network (Slurm's topology.conf, ibnetdiscover,
    /// opensm-subnet.lst, cables of Slingshot, names of devices, forwarding tables) or the hosts
    /// (one per line), or a machine file written earlier
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Describe the inside of these hosts by a file, such as gpu[01-16]=gpu.xml
    #[arg(long = "node", value_name = "HOSTS=FILE")]
    pub nodes: Vec<String>,
    #[command(flatten)]
    pub joined: JoinedArguments,
}

#[derive(Debug, Args)]
pub struct ExportArguments {
    /// A machine with links, such as torus:4x4x4, or a file that holds or describes one
    #[arg(value_name = "MACHINE")]
    pub machine: String,
    /// The format, such as simgrid (see `topoloom list exports`)
    #[arg(long, value_name = "NAME")]
    pub format: String,
    /// How messages travel. If a routing has several paths for a pair, such as ecmp, one is chosen
    /// for each pair, the same every time [default: dimension-order on grids, table if the machine
    /// has forwarding tables, otherwise ecmp]
    #[arg(long, value_name = "ROUTING")]
    pub routing: Option<String>,
    /// Write to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What part of a machine is meant, and what becomes of it.
#[derive(Debug, Args)]
pub struct JoinedArguments {
    /// The hosts that may be used, such as n[001-064]:16,login, or a file with one host per line
    /// [default: all named hosts]
    #[arg(long, value_name = "LIST")]
    pub hosts: Option<String>,
    /// How many ranks each host may run: one number, or one per host as Slurm writes it, 16(x2),8
    #[arg(long, value_name = "COUNTS")]
    pub slots: Option<String>,
    /// What each rank gets for itself: core, thread, gpu, L2, L3, numa, package or node
    #[arg(long, value_name = "PART")]
    pub place: Option<ObjectKind>,
    /// The cost of a byte between two places whose smallest common part is this level: L2=1,
    /// node=20, switch1=100
    #[arg(long = "cost", value_name = "LEVEL=COST", value_delimiter = ',')]
    pub costs: Vec<String>,
    /// The bandwidth of each link between a level and what is directly in it, in bytes per second:
    /// package=30e9, switch1=25e9 (adapters), switch2=200e9 (uplinks of the first switches)
    #[arg(long = "bandwidth", value_name = "LEVEL=BYTES", value_delimiter = ',')]
    pub bandwidths: Vec<String>,
    /// The delay of each link between a level and what is directly in it, in seconds: switch1=600e-9
    #[arg(long = "latency", value_name = "LEVEL=SECONDS", value_delimiter = ',')]
    pub latencies: Vec<String>,
    /// Write the machine to this file, for --machine FILE of other commands
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
