//! The arguments of `topoloom report`.

use std::path::PathBuf;

use clap::Args;

use super::replay_plan::Replayed;
use crate::arguments::{ProblemArguments, SearchArguments};

#[derive(Debug, Args)]
pub struct ReportArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    /// The placement to report on: a mapping file, or a strategy that finds it
    #[arg(long, value_name = "FILE-OR-STRATEGY", default_value = "auto")]
    pub mapping: String,
    /// The strategies to compare it with, separated by commas or given one by one; `all` for all of
    /// them [default: several fast strategies of each kind]
    #[arg(long, visible_alias = "strategies", value_name = "LIST")]
    pub strategy: Vec<String>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// How messages travel in the simulation: flow or packet, with options (see `topoloom list
    /// simulators`), or none [default: flow, if that does not take long]
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
