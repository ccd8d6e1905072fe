//! The arguments of `topoloom advise`.

use clap::Args;
use topoloom::core::Weight;

use crate::arguments::{ReplayedArguments, SearchArguments, parse_imbalance};
use crate::placing::strategy_list::AUTO;

#[derive(Debug, Args)]
pub struct AdviseArguments {
    #[command(flatten)]
    pub replayed: ReplayedArguments,
    /// The shapes of partitions to choose from, separated by commas or given one by one, such as
    /// mesh:8x8,mesh:4x4x4,torus:4x4x4
    #[arg(long, value_name = "MACHINES", required_unless_present = "machine")]
    pub shapes: Vec<String>,
    /// Instead of shapes: find the best hosts of this cluster, by switch or NVLink domain. For a
    /// training job, other orders of its ranks are tried too
    #[arg(long, value_name = "MACHINE", conflicts_with_all = ["shapes", "model"])]
    pub machine: Option<String>,
    /// How messages travel, such as minimal-adaptive [default: the default of each shape]
    #[arg(long)]
    pub routing: Option<String>,
    /// The strategy that places the ranks on each shape. Several, separated by commas or given one
    /// by one, are all tried on each shape; `all` for all of them
    #[arg(long, value_name = "LIST", default_value = AUTO)]
    pub strategy: Vec<String>,
    /// How messages travel in the simulation: flow or packet, with options (see
    /// `topoloom list simulators`)
    #[arg(long, default_value = "flow")]
    pub model: String,
    /// What counts for the strategy: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// Let several ranks share a slot. A slot takes up to (1 + E) times the average weight: 0.03 is
    /// 3 % more
    #[arg(long, value_name = "E", value_parser = parse_imbalance, allow_negative_numbers = true)]
    pub imbalance: Option<f64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
