//! The arguments of `topoloom arrange`.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand, ValueEnum};
use topoloom::arrange::PartitionKind;
use topoloom::arrange::application::Flow;

use super::measure::MeasureArguments;
use super::platform::PlatformArguments;
use crate::arguments::WorkArguments;
use crate::examples;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ArrangeArguments {
    #[command(subcommand)]
    pub action: Option<ArrangeAction>,
    /// Clusters and the bandwidths between them: a TOML file, a SimGrid platform, or an example
    /// from the thesis, such as example:thesis-3.9
    #[arg(long, value_name = "FILE", required = true)]
    pub platform: Option<String>,
    /// The application: summa (a matrix multiplication) or mpdata (a halo exchange)
    #[arg(long, value_enum, default_value = "summa")]
    pub application: ApplicationKind,
    /// The strategy that arranges the parts (see `topoloom list arrangers`)
    #[arg(long, default_value = "auto")]
    pub strategy: String,
    /// The cost to minimise (see `topoloom list measures`) [default: bandwidth for summa,
    /// asymmetric for mpdata]
    #[arg(long)]
    pub measure: Option<String>,
    /// Run every strategy that applies, and show the results side by side
    #[arg(long)]
    pub compare: bool,
    #[command(flatten)]
    pub work: WorkArguments,
    /// Write the arrangement to this file; every other command reads it as traffic and as a trace
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw it to this file, before and after
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Write which host each rank gets to this file, for `topoloom apply`
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
    /// A matrix multiplication on rectangles in proportion to the speeds of the processors
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
    /// In proportion to the speeds of the processors, in columns of different widths
    BySpeed,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Matrix multiplication (summa)")]
pub struct SummaArguments {
    /// Blocks per side of the matrix [default: 300]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub blocks: Option<u32>,
    /// Numbers per side of a block [default: 64]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub block: Option<u32>,
    /// How pivots travel: ring, from neighbour to neighbour, or one-to-all [default: ring]
    #[arg(long)]
    pub flow: Option<Flow>,
    /// How speeds become areas: br treats them as constant, fpm-br as functions of the size
    /// [default: fpm-br, which is the same as br if speeds are constant]
    #[arg(long)]
    pub partition: Option<PartitionKind>,
    /// Include computation in the trace, with times from the speeds, which must be in blocks per
    /// second, not relative
    #[arg(long, requires = "output")]
    pub compute: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Halo exchange (mpdata)")]
pub struct MpdataArguments {
    /// Rows, columns and layers of the domain [default: 512x512x64]
    #[arg(long, value_name = "NxMxL", value_parser = parse_domain)]
    pub domain: Option<[u32; 3]>,
    /// The width of the halo, in elements [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub halo: Option<u32>,
    /// How large parts are: all equal, or in proportion to the speeds of the processors [default:
    /// equal]
    #[arg(long, value_enum)]
    pub parts: Option<PartSizes>,
    /// Use exactly this many rows and columns of parts
    #[arg(long, value_name = "RxC", value_parser = parse_shape)]
    pub shape: Option<(usize, usize)>,
    /// The smallest number of rows and of columns of parts: 2 excludes single lines [default: 1]
    #[arg(long, value_name = "N")]
    pub min_side: Option<usize>,
    /// Count the way back from the last part to the first, as in the printed equations of the
    /// thesis
    #[arg(long)]
    pub wrap: bool,
}

#[derive(Debug, Subcommand)]
pub enum ArrangeAction {
    /// Time a matrix-multiply kernel at several sizes and write the speed of this machine at each
    #[command(after_help = examples::ARRANGE_MEASURE)]
    Measure(MeasureArguments),
    /// Show a platform of clusters, or write it in another format
    #[command(after_help = examples::ARRANGE_PLATFORM)]
    Platform(PlatformArguments),
}

fn parse_domain(text: &str) -> anyhow::Result<[u32; 3]> {
    let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
    match sides.as_deref() {
        Some(&[rows, columns, layers]) if rows > 0 && columns > 0 && layers > 0 => {
            Ok([rows, columns, layers])
        }
        _ => bail!("expected three lengths such as 512x512x64"),
    }
}

fn parse_shape(text: &str) -> anyhow::Result<(usize, usize)> {
    match text.split_once('x').map(|(rows, columns)| (rows.parse(), columns.parse())) {
        Some((Ok(rows), Ok(columns))) if rows > 0 && columns > 0 => Ok((rows, columns)),
        _ => bail!("expected rows and columns such as 6x2"),
    }
}
