//! What the command line understands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use topoloom::core::{CollectiveMode, Effort, Replay, Weight};

use crate::commands::arrange::arguments::ArrangeArguments;
use crate::commands::baseline::Worth;
use crate::commands::machine::arguments::MachineArguments;
use crate::commands::map::AUTO;
use crate::commands::plot::arguments::PlotArguments;
use crate::commands::report::Replayed;
use crate::commands::schedule::arguments::ScheduleArguments;
use crate::commands::seats::SeatArguments;
use crate::commands::traffic::arguments::TrafficArguments;
use crate::commands::tune::TuneArguments;
use crate::examples;
use crate::time_limit::parse_time_limit;

/// Place the processes of a parallel program so that their messages travel short distances
#[derive(Debug, Parser)]
#[command(name = "topoloom", version, max_term_width = 100, after_help = examples::ALL)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find a placement and write it to a file
    #[command(after_help = examples::MAP)]
    Map(MapArguments),
    /// Show how good a placement is
    #[command(after_help = examples::SCORE)]
    Score(ScoreArguments),
    /// Run several strategies and show them best first
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArguments),
    /// Write one page that shows why a placement is better
    #[command(after_help = examples::REPORT)]
    Report(ReportArguments),
    /// Draw a picture, as SVG or PNG
    #[command(after_help = examples::PLOT)]
    Plot(PlotArguments),
    /// Simulate how fast a placement would run: replay what the ranks do on a simulated network
    #[command(after_help = examples::SIMULATE)]
    Simulate(SimulateArguments),
    /// Recommend a shape of partition to ask for: place and simulate the job on each shape
    #[command(after_help = examples::ADVISE)]
    Advise(AdviseArguments),
    /// Write a mapping in the format of a launcher, and print the command that starts the job
    #[command(after_help = examples::APPLY)]
    Apply(ApplyArguments),
    /// Run an MPI job and record what it sends
    #[command(after_help = examples::RECORD)]
    Record(RecordArguments),
    /// Start a job as a probe and check whether every rank is where a mapping put it
    #[command(after_help = examples::VERIFY)]
    Verify(VerifyArguments),
    /// Record a job, describe its machine, find a better placement, verify it, and print the new
    /// command
    #[command(after_help = examples::TUNE)]
    Tune(TuneArguments),
    /// The program that a launcher starts as a probe
    #[command(name = crate::commands::probe::PROGRAM, hide = true)]
    Probe,
    /// Check a mapping file (exit code 0: valid, 1: not valid, 2: unreadable)
    #[command(after_help = examples::CHECK)]
    Check(CheckArguments),
    /// Write a traffic pattern to a file, or convert a traffic file
    #[command(after_help = examples::GENERATE)]
    Generate(GenerateArguments),
    /// Inspect or transform traffic
    #[command(after_help = examples::TRAFFIC)]
    Traffic(TrafficArguments),
    /// Show a machine, or describe one from this node or from files
    #[command(after_help = examples::MACHINE)]
    Machine(MachineArguments),
    /// Divide a matrix among processors of different speed, and arrange the parts for the network
    #[command(after_help = examples::ARRANGE)]
    Arrange(ArrangeArguments),
    /// Simulate a stream of jobs on a machine: which jobs wait, which nodes they get, how long they
    /// take
    #[command(after_help = examples::SCHEDULE)]
    Schedule(ScheduleArguments),
    /// List available topologies, traffic patterns, collective modes, strategies, refiners,
    /// objectives, routings, simulation models, formats of traffic, traces and launch files,
    /// strategies and measures of `arrange`, and policies and workloads of `schedule`
    #[command(after_help = examples::LIST)]
    List(ListArguments),
    /// Compute a paper's tables and show them beside the published ones
    #[command(after_help = examples::REPRODUCE)]
    Reproduce(ReproduceArguments),
    /// Print shell completions
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all of them to a directory
    #[command(after_help = examples::MAN)]
    Man {
        /// Write topoloom.1, topoloom-map.1 and so on to this directory
        #[arg(long, value_name = "DIRECTORY")]
        directory: Option<PathBuf>,
    },
}

/// Stands for the seats that the ranks of a recording had.
pub const RECORDED: &str = "recorded";

/// What is placed where.
#[derive(Debug, Args)]
pub struct ProblemArguments {
    /// A traffic file, or a pattern such as lu:class=C,ranks=64 (see `topoloom list traffic`)
    #[arg(long, value_name = "TRAFFIC")]
    pub traffic: String,
    /// A machine such as torus:4x4x4 (see `topoloom list topologies`), or a file that holds one. If
    /// the traffic is a recording, this may be left out: the machine is then the seats that its
    /// ranks had
    #[arg(long, value_name = "MACHINE", default_value = RECORDED, hide_default_value = true)]
    pub machine: String,
    #[command(flatten)]
    pub counting: CountingArguments,
}

/// What counts, and how it travels.
#[derive(Debug, Clone, Args)]
pub struct CountingArguments {
    /// What counts: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    #[command(flatten)]
    pub collectives: CollectiveArguments,
    /// How messages travel, such as dimension-order:zyx [default: the machine's default]
    #[arg(long)]
    pub routing: Option<String>,
    /// Let ranks share slots: each slot takes up to (1 + E) times its share of the ranks' weight
    #[arg(long, value_name = "E", value_parser = parse_imbalance, allow_negative_numbers = true)]
    pub imbalance: Option<f64>,
}

/// How collectives are treated, in every command that places, scores, simulates or draws.
#[derive(Debug, Clone, Copy, Args)]
pub struct CollectiveArguments {
    /// How to treat collective operations: algorithm (the messages that MPI libraries send, by size
    /// or as given, such as algorithm:allreduce=ring,broadcast=binomial), direct, or none to leave
    /// them out (see `topoloom list collectives`)
    #[arg(long = "collectives", default_value_t, value_name = "MODE")]
    pub mode: CollectiveMode,
}

fn parse_imbalance(text: &str) -> Result<f64, String> {
    let imbalance = text.parse().ok().filter(|&value: &f64| value.is_finite() && value >= 0.0);
    imbalance.ok_or_else(|| "expected a number of at least 0, such as 0.03".to_string())
}

/// How to search.
#[derive(Debug, Clone, Args)]
pub struct SearchArguments {
    /// What to minimise [default: the objective that the strategy is made for; compare sorts by
    /// hop-bytes]
    #[arg(long)]
    pub objective: Option<String>,
    #[command(flatten)]
    pub work: WorkArguments,
}

/// How much to do for it.
#[derive(Debug, Clone, Args)]
pub struct WorkArguments {
    /// How much work the search may do: fast, eco or strong
    #[arg(long, default_value_t)]
    pub effort: Effort,
    /// The seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many threads to use; the result does not depend on it [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop each strategy after this time, and use the best result so far: 10s, 500ms, 2m, 1h. If a
    /// simulation follows, the limit is for both together
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
}

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

/// How launchers are treated that start a job as a probe.
#[derive(Debug, Clone, Args)]
pub struct LaunchArguments {
    /// Stop a launcher that starts a job as a probe, if it has not ended after this time: 60s, 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time_limit)]
    pub launch_timeout: Duration,
}

#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// The mapping file
    #[arg(long, value_name = "FILE")]
    pub mapping: PathBuf,
    /// The hosts in the order of the machine's nodes, such as n[01-16], if the mapping names none
    #[arg(long, value_name = "LIST")]
    pub hosts: Option<String>,
    /// Folder that ranks report to; every host must reach it [default: the current folder]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    #[command(flatten)]
    pub launch: LaunchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The command that starts the job, after `--`, such as: mpirun -n 64 --rankfile ranks ./app
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct MapArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The strategy, optionally followed by refiners: 'hilbert | bokhari'
    #[arg(long, default_value = AUTO)]
    pub strategy: String,
    /// Keep the present placement, or the one that launchers make, unless the new one costs less by
    /// at least this share: 1%, 0.5% or 0.01 [default: 1% for auto; the result of any other
    /// strategy is used as it is]
    #[arg(long, value_name = "SHARE")]
    pub worth: Option<Worth>,
    #[command(flatten)]
    pub seats: SeatArguments,
    /// Write the mapping to this file: JSON, or one node number per line if the name ends in .txt
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ScoreArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    /// A mapping file, or a strategy whose placement is scored
    #[arg(long, value_name = "FILE-OR-STRATEGY")]
    pub mapping: String,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct CompareArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The strategies to run, separated by commas or given one by one; `all` for all of them
    #[arg(long, default_value = "all", value_name = "LIST")]
    pub strategies: Vec<String>,
    /// Run each strategy with N seeds, starting from --seed, and test whether the results differ
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub repeat: Option<u32>,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV
    #[arg(long)]
    pub csv: bool,
    /// Write a report of the comparison to this file, as an HTML page (see `topoloom report`)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Leave the search times out of the report, so that the same command writes the same bytes
    #[arg(long, requires = "html")]
    pub reproducible: bool,
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    /// The placement to report on: a mapping file, or a strategy that finds it
    #[arg(long, value_name = "FILE-OR-STRATEGY", default_value = "auto")]
    pub mapping: String,
    /// The strategies to compare it with, separated by commas or given one by one; `all` for all of
    /// them [default: some cheap ones of every kind]
    #[arg(long, value_name = "LIST")]
    pub strategies: Vec<String>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// How messages travel in the simulation: flow or packet, with options (see `topoloom list
    /// models`), or none [default: flow, if that does not take long]
    #[arg(long)]
    pub model: Option<String>,
    /// What to simulate: burst (everything is sent at once), rounds=N, or events (in their order)
    /// [default: burst]
    #[arg(long, value_name = "HOW")]
    pub replay: Option<Replayed>,
    /// The hosts of the allocation, such as n[01-16]:4, for launch files [default: the hosts of the
    /// machine, if it names any]
    #[arg(long, value_name = "LIST")]
    pub hosts: Option<String>,
    /// The program that the job runs, with its arguments
    #[arg(long, value_name = "COMMAND", default_value = "./app")]
    pub command: String,
    /// Write the page to this file, whose name ends in .html
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Leave the search times out, so that the same command writes the same bytes
    #[arg(long)]
    pub reproducible: bool,
}

/// What is replayed.
#[derive(Debug, Args)]
pub struct ReplayedArguments {
    /// A traffic file, or a pattern such as lu:class=A,ranks=64,iterations=2. If the order of
    /// events of a pattern is known, they are replayed in that order
    #[arg(
        long,
        value_name = "TRAFFIC",
        required_unless_present = "trace",
        conflicts_with = "trace"
    )]
    pub traffic: Option<String>,
    /// A trace (see docs/formats.md), an OTF2 archive, or a pattern whose order of events is known
    #[arg(long, value_name = "FILE-OR-PATTERN")]
    pub trace: Option<String>,
    /// Replay only the totals of the traffic: burst, or rounds=N
    #[arg(long, value_name = "HOW", conflicts_with = "trace")]
    pub replay: Option<Replay>,
    #[command(flatten)]
    pub collectives: CollectiveArguments,
}

#[derive(Debug, Args)]
pub struct SimulateArguments {
    #[command(flatten)]
    pub replayed: ReplayedArguments,
    /// A machine such as torus:4x4x4 (see `topoloom list topologies`), or a file that holds one
    #[arg(long, value_name = "MACHINE")]
    pub machine: String,
    /// How messages travel, such as dimension-order:zyx [default: the machine's default]
    #[arg(long)]
    pub routing: Option<String>,
    /// A mapping file, or a strategy whose placement is simulated
    #[arg(long, value_name = "FILE-OR-STRATEGY")]
    pub mapping: String,
    /// How messages travel in the simulation: flow or packet, with options (see
    /// `topoloom list models`)
    #[arg(long, default_value = "flow")]
    pub model: String,
    /// What counts for a strategy: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// Let ranks share slots: each slot takes up to (1 + E) times its share of the ranks' weight
    #[arg(long, value_name = "E", value_parser = parse_imbalance, allow_negative_numbers = true)]
    pub imbalance: Option<f64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Write the use of each link over time to this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub links: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct AdviseArguments {
    #[command(flatten)]
    pub replayed: ReplayedArguments,
    /// The shapes of partitions to choose from, separated by commas or given one by one, such as
    /// mesh:8x8,mesh:4x4x4,torus:4x4x4
    #[arg(long, value_name = "MACHINES", required = true)]
    pub shapes: Vec<String>,
    /// How messages travel, such as minimal-adaptive [default: the default of each shape]
    #[arg(long)]
    pub routing: Option<String>,
    /// The strategy that places the ranks on each shape
    #[arg(long, default_value = "auto")]
    pub strategy: String,
    /// How messages travel in the simulation: flow or packet, with options (see
    /// `topoloom list models`)
    #[arg(long, default_value = "flow")]
    pub model: String,
    /// What counts for the strategy: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// Let ranks share slots: each slot takes up to (1 + E) times its share of the ranks' weight
    #[arg(long, value_name = "E", value_parser = parse_imbalance, allow_negative_numbers = true)]
    pub imbalance: Option<f64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ApplyArguments {
    /// The mapping file
    #[arg(long, value_name = "FILE")]
    pub mapping: PathBuf,
    /// The format of the launch file, such as openmpi5-rankfile (see `topoloom list launch`)
    #[arg(long, value_name = "NAME")]
    pub format: String,
    /// The hosts of the allocation, such as n[01-16]:4,login, or a file with one host per line
    /// [default: the hosts of the mapping, if it names any]
    #[arg(long, value_name = "LIST")]
    pub hosts: Option<String>,
    /// Write the launch file to FILE, and a second one, FILE.bind, if binding needs it [default:
    /// standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The program that the job runs, with its arguments
    #[arg(long, value_name = "COMMAND", default_value = "./app")]
    pub command: String,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    /// The mapping file
    #[arg(long, value_name = "FILE")]
    pub mapping: PathBuf,
}

#[derive(Debug, Args)]
pub struct GenerateArguments {
    /// A traffic file, or a pattern such as lu:class=C,ranks=64
    pub traffic: String,
    /// What to write if the format has one number per pair: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// How to treat collective operations: none, direct or algorithm, by size or as given, such as
    /// algorithm:allreduce=ring,broadcast=binomial (see `topoloom list collectives`)
    #[arg(long, default_value_t = CollectiveMode::None, value_name = "MODE")]
    pub collectives: CollectiveMode,
    /// Write the traffic to this file; the ending of its name sets the format (see `topoloom list
    /// formats` and `topoloom list traces`: x.trace holds the events in order)
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct ListArguments {
    /// What to list [default: everything]
    pub kind: Option<ListKind>,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print Markdown, as in docs/reference.md
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListKind {
    Topologies,
    Traffic,
    Collectives,
    Strategies,
    Refiners,
    Objectives,
    Routings,
    Models,
    Formats,
    Traces,
    Launch,
    Arrangers,
    Measures,
    Queues,
    Partitions,
    Workloads,
}

#[derive(Debug, Args)]
pub struct ReproduceArguments {
    /// The paper
    pub paper: Paper,
    /// How messages travel in the simulations of td [default: packets like those of the paper's
    /// simulator]
    #[arg(long)]
    pub model: Option<String>,
    /// The routing of td's meshes [default: both dimension-order and minimal-adaptive]
    #[arg(long)]
    pub routing: Option<String>,
    /// How many mappings of each kind td simulates [default: 50]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub mappings: Option<u16>,
    /// The seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many threads to use; the result does not depend on it [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Also draw the paper's figures, and write them to this folder as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Paper {
    /// Besmer, Process-to-Node Mapping Strategies for the HAEC Box: tables A.1 to A.3 and 4.1,
    /// simulated times and energies
    Haec,
    /// Pascual, Miguel-Alonso, Lozano, mapping over meshes by Traffic Distribution: figures 2 to 4
    Td,
    /// Ferreira, Cruz, Navaux, static mapping in multi-core clusters: table 1
    Multicore,
    /// Abdel-Gawad, Thottethodi, Bhatele, RAHTM: figures 8 to 10 in words
    Rahtm,
    /// Malik, optimization of communication in heterogeneous systems: tables 3.2 to 3.12, 4.2, 4.3
    Heterogeneous,
}
