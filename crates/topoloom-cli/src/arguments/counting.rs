//! What counts, and how it travels.

use anyhow::Context;
use clap::Args;
use topoloom::core::{CollectiveMode, Weight};

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
    /// Let several ranks share a slot. A slot takes up to (1 + E) times the average weight: 0.03 is
    /// 3 % more
    #[arg(long, value_name = "E", value_parser = parse_imbalance, allow_negative_numbers = true)]
    pub imbalance: Option<f64>,
}

/// How collectives are treated, in every command that places, scores, simulates or draws.
#[derive(Debug, Clone, Copy, Args)]
pub struct CollectiveArguments {
    /// How to count collective operations: algorithm (as MPI libraries send them), direct (one
    /// message per pair) or none. algorithm:allreduce=ring,broadcast=binomial chooses algorithms (see
    /// `topoloom list collectives`)
    #[arg(long = "collectives", default_value_t, value_name = "MODE")]
    pub mode: CollectiveMode,
}

/// Reads the share by which slots may be filled above the average.
pub fn parse_imbalance(text: &str) -> anyhow::Result<f64> {
    let imbalance = text.parse().ok().filter(|&value: &f64| value.is_finite() && value >= 0.0);
    imbalance.context("expected a number of at least 0, such as 0.03")
}
