//! The arguments of `topoloom compare`.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::{ProblemArguments, SearchArguments};

#[derive(Debug, Args)]
pub struct CompareArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The strategies to run, separated by commas or given one by one; `all` for all of them. Mapping
    /// files may be among them
    #[arg(long, visible_alias = "strategies", default_value = "all", value_name = "LIST")]
    pub strategy: Vec<String>,
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
