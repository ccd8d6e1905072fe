//! The arguments of `topoloom schedule`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use topoloom::core::{Effort, Weight};
use topoloom::schedule::ShapeRule;

use crate::arguments::CollectiveArguments;
use crate::arguments::parse_time_limit;

#[derive(Debug, Args)]
pub struct ScheduleArguments {
    /// A machine such as torus:8x8x8 (see `topoloom list topologies`), or a file that holds one
    #[arg(long, value_name = "MACHINE")]
    pub machine: String,
    /// Jobs in the Standard Workload Format
    #[arg(long, value_name = "FILE.swf", conflicts_with = "workload")]
    pub jobs: Option<PathBuf>,
    /// A model that generates jobs, if there is no file (see `topoloom list workloads`)
    #[arg(long, value_name = "MODEL", default_value = "lublin:jobs=1000")]
    pub workload: String,
    /// Move arrivals closer together or further apart until the jobs ask for this share of the
    /// machine, such as 0.8 [default: as they are]
    #[arg(long, value_name = "SHARE", value_parser = parse_load)]
    pub load: Option<f64>,
    /// The policies that choose which job starts next, separated by commas or given one by one (see
    /// `topoloom list queues`)
    #[arg(long, value_name = "LIST", default_value = "easy")]
    pub queue: Vec<String>,
    /// The policies that choose which nodes a job gets, separated by commas or given one by one
    /// (see `topoloom list partitions`)
    #[arg(long, value_name = "LIST", default_value = "any-nodes")]
    pub partition: Vec<String>,
    /// The shape that free-box asks for, if its specification names none: any, cube, 2d, 3d, or
    /// advise for the shape on which the job is fastest
    #[arg(long, value_name = "SHAPE")]
    pub shape: Option<ShapeRule>,
    /// Compare every partition policy that suits the machine
    #[arg(long, conflicts_with = "partition")]
    pub compare: bool,
    /// The traffic patterns of jobs, separated by commas or given one by one, with N for the number
    /// of ranks, or 2D or 3D for a grid of them, such as stencil:2D or lu:class=A,ranks=N. Each job
    /// gets one at random, weighted by weight=W
    #[arg(long, value_name = "LIST", default_value = "stencil:2D,stencil:3D,all-to-all:N")]
    pub pattern: Vec<String>,
    /// The share of communication in the run time of a job, on the reference placement: ranks in
    /// order on the first nodes of the machine
    #[arg(long, value_name = "SHARE", default_value_t = 0.3, value_parser = parse_share)]
    pub communication: f64,
    /// The strategy that places the ranks of a job on its nodes; several are compared
    #[arg(long, value_name = "LIST", default_value = "auto")]
    pub strategy: Vec<String>,
    /// The cost that determines communication times
    #[arg(long, default_value = "hop-bytes")]
    pub objective: String,
    /// How messages travel, such as minimal-adaptive [default: the machine's default]
    #[arg(long)]
    pub routing: Option<String>,
    /// What counts: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    #[command(flatten)]
    pub collectives: CollectiveArguments,
    /// How much work each search may do: fast, eco or strong
    #[arg(long, default_value_t = Effort::Fast)]
    pub effort: Effort,
    /// The seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Simulate with this many seeds, starting from --seed, and show means with 95 % confidence
    /// intervals
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub seeds: u32,
    /// How many threads to use; the result does not depend on it [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop after this time, and use the seeds that are done: 10s, 500ms, 2m, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
    /// Write the result of each job to this file: in the Standard Workload Format if the name ends
    /// in .swf, otherwise as CSV with the nodes of each job
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn parse_load(text: &str) -> anyhow::Result<f64> {
    let load =
        text.parse().ok().filter(|load: &f64| load.is_finite() && (1e-3..=1e3).contains(load));
    load.context("expected a number from 0.001 to 1000, such as 0.8")
}

fn parse_share(text: &str) -> anyhow::Result<f64> {
    let share = text.parse().ok().filter(|share: &f64| (0.0..=1.0).contains(share));
    share.context("expected a number from 0 to 1, such as 0.3")
}
