//! What `topoloom arrange` understands.

use clap::{Args, Subcommand};

use super::measure::MeasureArguments;
use super::platform::PlatformArguments;

#[derive(Debug, Args)]
pub struct ArrangeArguments {
    #[command(subcommand)]
    pub action: ArrangeAction,
}

#[derive(Debug, Subcommand)]
pub enum ArrangeAction {
    /// Time a matrix-multiply kernel over sizes and write how fast this machine is at each
    Measure(MeasureArguments),
    /// Show a platform of clusters, or write it in another format
    Platform(PlatformArguments),
}
