//! The arguments of `topoloom traffic`.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::{Args, Subcommand, ValueEnum};
use topoloom::core::{CollectiveMode, Weight};

use crate::examples;

#[derive(Debug, Args)]
pub struct TrafficArguments {
    #[command(subcommand)]
    pub action: TrafficAction,
}

#[derive(Debug, Subcommand)]
pub enum TrafficAction {
    /// Summarise traffic on one screen: how much, between which ranks, with which structure
    #[command(after_help = examples::TRAFFIC_SHOW)]
    Show(ShowArguments),
    /// List the groups of a training job, and what they send in a step
    #[command(after_help = examples::TRAFFIC_GROUPS)]
    Groups(GroupsArguments),
    /// Add up traffic of the same ranks, or put jobs side by side
    #[command(after_help = examples::TRAFFIC_MERGE)]
    Merge(MergeArguments),
    /// Multiply bytes, messages or both
    #[command(after_help = examples::TRAFFIC_SCALE)]
    Scale(ScaleArguments),
    /// Keep some ranks, heavy flows or the heaviest partners
    #[command(after_help = examples::TRAFFIC_FILTER)]
    Filter(FilterArguments),
    /// Give both directions of every pair the same values
    #[command(visible_alias = "symmetrise", after_help = examples::TRAFFIC_SYMMETRIZE)]
    Symmetrize(SymmetrizeArguments),
    /// Merge each group of ranks into one rank
    #[command(after_help = examples::TRAFFIC_COARSEN)]
    Coarsen(CoarsenArguments),
}

#[derive(Debug, Args)]
pub struct ShowArguments {
    /// A traffic file, a recording, or a pattern such as lu:class=C,ranks=64
    #[arg(value_name = "FILE")]
    pub traffic: String,
    /// What counts for shares, balance and structure: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// How to treat collective operations before messages are counted: none, direct or algorithm
    #[arg(long, default_value = "none", value_name = "MODE")]
    pub collectives: CollectiveMode,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Draw the traffic matrix to this file, as SVG or PNG by the ending of its name
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct GroupsArguments {
    /// A training job, such as llm:model=llama3-70b,tp=4,pp=8,dp=2, or its traces
    #[arg(value_name = "TRAFFIC")]
    pub traffic: String,
    /// Print the members of all groups as JSON
    #[arg(long)]
    pub json: bool,
}

/// How traffic is read and written.
#[derive(Debug, Args)]
pub struct EditArguments {
    /// What to write if the format has one number per pair: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// How to treat collective operations: none, direct or algorithm [default: keep them as they
    /// are]
    #[arg(long, value_name = "MODE")]
    pub collectives: Option<CollectiveMode>,
    /// Write the traffic to this file; the ending of its name sets the format (see `topoloom list
    /// formats`), and .rec keeps collectives
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Traffic files or patterns
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub traffic: Vec<String>,
    /// Treat the files as different jobs on one machine: the ranks of each job follow the ranks of
    /// the job before
    #[arg(long)]
    pub side_by_side: bool,
    #[command(flatten)]
    pub edit: EditArguments,
}

#[derive(Debug, Args)]
pub struct ScaleArguments {
    /// A traffic file or a pattern
    #[arg(value_name = "FILE")]
    pub traffic: String,
    /// The factor to multiply by
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub factor: f64,
    /// What to multiply: bytes (the same number of messages, but larger), messages (more, but
    /// smaller) or both (more messages of the same size, as in a longer run)
    #[arg(long, value_enum, default_value_t = Scaled::Bytes)]
    pub what: Scaled,
    #[command(flatten)]
    pub edit: EditArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scaled {
    Bytes,
    Messages,
    Both,
}

#[derive(Debug, Args)]
pub struct FilterArguments {
    /// A traffic file or a pattern
    #[arg(value_name = "FILE")]
    pub traffic: String,
    /// Ranks to keep, such as 0-15,20; they are renumbered from 0
    #[arg(long, value_name = "LIST", value_parser = parse_ranks)]
    pub ranks: Option<RankList>,
    /// With --ranks: do not renumber; the other ranks stay but send nothing
    #[arg(long, requires = "ranks")]
    pub keep_numbers: bool,
    /// Leave out flows of fewer bytes in total
    #[arg(long, value_name = "N", value_parser = parse_amount, allow_negative_numbers = true, default_value = "0")]
    pub min_bytes: f64,
    /// Leave out flows of fewer messages
    #[arg(long, value_name = "N", value_parser = parse_amount, allow_negative_numbers = true, default_value = "0")]
    pub min_messages: f64,
    /// Keep a pair of ranks if one is among the K heaviest partners of the other
    #[arg(long, value_name = "K")]
    pub top: Option<usize>,
    /// Keep only what a recording says was sent in these ways
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    pub kind: Vec<Kind>,
    #[command(flatten)]
    pub edit: EditArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// By send and receive
    P2p,
    /// By put, get and accumulate
    OneSided,
    /// By collectives among the neighbours of a process topology
    Neighbourhood,
}

#[derive(Debug, Args)]
pub struct SymmetrizeArguments {
    /// A traffic file or a pattern
    #[arg(value_name = "FILE")]
    pub traffic: String,
    /// Give each direction the sum of both [default: the mean]
    #[arg(long, conflicts_with = "max")]
    pub sum: bool,
    /// Give each direction the larger of the two [default: the mean]
    #[arg(long)]
    pub max: bool,
    #[command(flatten)]
    pub edit: EditArguments,
}

#[derive(Debug, Args)]
pub struct CoarsenArguments {
    /// A traffic file or a pattern
    #[arg(value_name = "FILE")]
    pub traffic: String,
    /// Merge every N consecutive ranks into one
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "groups",
        conflicts_with = "groups",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub by: Option<u32>,
    /// A file with the group number of each rank, one per line, or a mapping file, whose nodes are
    /// the groups
    #[arg(long, value_name = "FILE")]
    pub groups: Option<PathBuf>,
    /// Leave out what ranks of a group send each other [default: count it as messages of the group
    /// to itself]
    #[arg(long)]
    pub drop_inside: bool,
    #[command(flatten)]
    pub edit: EditArguments,
}

/// Ranges of ranks, first and last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankList(pub Vec<(u32, u32)>);

fn parse_ranks(text: &str) -> anyhow::Result<RankList> {
    let wrong = |item: &str| anyhow!("expected ranks such as 0-15,20, found \"{item}\"");
    let mut ranges = Vec::new();
    for item in text.split(',').map(str::trim) {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong(item));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            bail!("the range {item} runs backwards");
        }
        ranges.push((first, last));
    }
    Ok(RankList(ranges))
}

fn parse_amount(text: &str) -> anyhow::Result<f64> {
    let amount = text.parse().ok().filter(|&value: &f64| value.is_finite() && value >= 0.0);
    amount.context("expected a number of at least 0")
}
