//! What must stay together if whole hosts are placed.

use std::path::PathBuf;

use clap::Args;

/// The heading of these options in a help text.
const TRAINING: &str = "Training jobs";

/// What must stay together, and where.
#[derive(Debug, Clone, Default, Args)]
pub struct WholeHostArguments {
    /// Never split these groups: ep/nvlink keeps each expert group inside an NVLink domain, tp/node
    /// each tensor group inside a host; switch1 is the first level of switches
    #[arg(long, help_heading = TRAINING, value_name = "GROUPS/PART")]
    pub together: Vec<String>,
    /// Keep the placement of this mapping file; ranks of hosts that are gone move to spare hosts
    #[arg(long, help_heading = TRAINING, value_name = "FILE", conflicts_with = "together")]
    pub keep: Option<PathBuf>,
}
