//! What `topoloom arrange` understands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use topoloom::arrange::PartitionKind;
use topoloom::arrange::application::Flow;

use super::measure::MeasureArguments;
use super::platform::PlatformArguments;
use crate::cli::WorkArguments;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ArrangeArguments {
    #[command(subcommand)]
    pub action: Option<ArrangeAction>,
    /// Clusters and the bandwidths between them: a TOML file, a SimGrid platform, or one of the
    /// thesis's, such as example:thesis-3.9
    #[arg(long, value_name = "FILE", required = true)]
    pub platform: Option<String>,
    /// What runs: a matrix multiplication or a halo exchange
    #[arg(long, value_enum, default_value = "summa")]
    pub application: ApplicationKind,
    /// How to arrange (see `topoloom list arrangers`)
    #[arg(long, default_value = "auto")]
    pub strategy: String,
    /// What is to be small (see `topoloom list measures`) [default: bandwidth for summa, asymmetric
    /// for mpdata]
    #[arg(long)]
    pub measure: Option<String>,
    /// Run every strategy that can be used, and show them beside each other
    #[arg(long)]
    pub compare: bool,
    #[command(flatten)]
    pub work: WorkArguments,
    /// Where to write the arrangement; it is traffic and a trace for every other command
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where to draw it, before and after
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Where to write which host each rank gets, for `topoloom apply`
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub summa: SummaArguments,
    #[command(flatten)]
    pub mpdata: MpdataArguments,
}

/// What is arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ApplicationKind {
    /// A matrix multiplication on rectangles as large as processors are fast
    Summa,
    /// A halo exchange on parts of a domain
    Mpdata,
}

/// How large the parts of a domain are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum PartSizes {
    /// All equal, in rows and columns
    #[default]
    Equal,
    /// As large as processors are fast, in columns of different width
    BySpeed,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Matrix multiplication (summa)")]
pub struct SummaArguments {
    /// Blocks a side of the matrix [default: 300]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub blocks: Option<u32>,
    /// Numbers a side of a block [default: 64]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub block: Option<u32>,
    /// How pivots travel: ring, from neighbour to neighbour, or one-to-all [default: ring]
    #[arg(long)]
    pub flow: Option<Flow>,
    /// How speeds become areas: br takes them as constant, fpm-br as functions of the size
    /// [default: fpm-br, which is br where speeds are constant]
    #[arg(long)]
    pub partition: Option<PartitionKind>,
    /// Let ranks compute in the trace, as long as their speeds say: blocks a second, not relative ones
    #[arg(long, requires = "output")]
    pub compute: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Halo exchange (mpdata)")]
pub struct MpdataArguments {
    /// Rows, columns and layers of the domain [default: 512x512x64]
    #[arg(long, value_name = "NxMxL", value_parser = parse_domain)]
    pub domain: Option<[u32; 3]>,
    /// How far parts look into their neighbours [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub halo: Option<u32>,
    /// How large parts are: all equal, or as large as processors are fast [default: equal]
    #[arg(long, value_enum)]
    pub parts: Option<PartSizes>,
    /// Rows and columns of parts, if no others are wanted
    #[arg(long, value_name = "RxC", value_parser = parse_shape)]
    pub shape: Option<(usize, usize)>,
    /// The fewest rows and columns of parts: 2 keeps single lines out [default: 1]
    #[arg(long, value_name = "N")]
    pub min_side: Option<usize>,
    /// Count the way back from the last part to the first, as the thesis's equations are printed
    #[arg(long)]
    pub wrap: bool,
}

#[derive(Debug, Subcommand)]
pub enum ArrangeAction {
    /// Time a matrix-multiply kernel over sizes and write how fast this machine is at each
    Measure(MeasureArguments),
    /// Show a platform of clusters, or write it in another format
    Platform(PlatformArguments),
}

fn parse_domain(text: &str) -> Result<[u32; 3], String> {
    let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
    match sides.as_deref() {
        Some(&[rows, columns, layers]) if rows > 0 && columns > 0 && layers > 0 => {
            Ok([rows, columns, layers])
        }
        _ => Err("expected three lengths such as 512x512x64".to_string()),
    }
}

fn parse_shape(text: &str) -> Result<(usize, usize), String> {
    match text.split_once('x').map(|(rows, columns)| (rows.parse(), columns.parse())) {
        Some((Ok(rows), Ok(columns))) if rows > 0 && columns > 0 => Ok((rows, columns)),
        _ => Err("expected rows and columns such as 6x2".to_string()),
    }
}
