//! What is placed where.

use clap::Args;

use super::counting::CountingArguments;

/// Stands for the seats that the ranks of a recording had.
pub const RECORDED: &str = "recorded";

/// What is placed where.
#[derive(Debug, Args)]
pub struct ProblemArguments {
    /// A traffic file, or a pattern such as lu:class=C,ranks=64 (see `topoloom list traffic`)
    #[arg(long, value_name = "TRAFFIC")]
    pub traffic: String,
    /// A machine such as torus:4x4x4 (see `topoloom list topologies`), or a file that holds one. If
    /// the traffic is a recording, this may be left out: the machine is then the cores that its
    /// ranks ran on. If it is a QAPLIB file, the costs in the file are then used
    #[arg(long, value_name = "MACHINE", default_value = RECORDED, hide_default_value = true)]
    pub machine: String,
    #[command(flatten)]
    pub counting: CountingArguments,
}
