//! How to search, and how much to do for it.

use std::time::Duration;

use anyhow::bail;
use clap::{Args, value_parser};
use topoloom::core::Effort;

use super::time_limit::parse_time_limit;

/// The heading of these options in a help text.
const SEARCH: &str = "Search";

/// How to search.
#[derive(Debug, Clone, Args)]
pub struct SearchArguments {
    /// What to minimise [default: the objective that the strategy is made for; compare sorts by
    /// hop-bytes]
    #[arg(long, help_heading = SEARCH)]
    pub objective: Option<String>,
    #[command(flatten)]
    pub work: WorkArguments,
    /// Evolve for this many generations, with --effort extreme [default: enough for about ten times
    /// the work of strong]
    #[arg(long, help_heading = SEARCH, value_name = "NUMBER")]
    pub generations: Option<u64>,
    /// Evolve on this many islands, with --effort extreme; that many processes can share the work
    /// [default: 8]
    #[arg(long, help_heading = SEARCH, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=4096))]
    pub islands: Option<u32>,
}

impl SearchArguments {
    /// Refuses options that would have no effect.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.generations.is_some() && self.work.effort != Effort::Extreme {
            bail!("--generations needs --effort extreme: other efforts do not evolve");
        }
        if self.islands.is_some() && self.work.effort != Effort::Extreme {
            bail!("--islands needs --effort extreme: other efforts do not evolve");
        }
        Ok(())
    }
}

/// How much to do for it.
#[derive(Debug, Clone, Args)]
pub struct WorkArguments {
    /// How much work the search may do: fast, eco, strong or extreme
    #[arg(long, help_heading = SEARCH, default_value_t)]
    pub effort: Effort,
    /// The seed of every random choice
    #[arg(long, help_heading = SEARCH, default_value_t = 1)]
    pub seed: u64,
    /// How many threads to use; the result does not depend on it [default: one per core]
    #[arg(long, help_heading = SEARCH, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop each strategy after this time, and use the best result so far: 10s, 500ms, 2m, 1h. If a
    /// simulation follows, the limit covers search and simulation together
    #[arg(long, help_heading = SEARCH, value_name = "TIME", value_parser = parse_time_limit)]
    pub time_limit: Option<Duration>,
}
