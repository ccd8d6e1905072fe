//! What a simulation replays.

use clap::Args;
use topoloom::core::Replay;

use super::counting::CollectiveArguments;

/// What is replayed.
#[derive(Debug, Args)]
pub struct ReplayedArguments {
    /// A traffic file, or a pattern such as lu:class=A,ranks=64,iterations=2. If the order of
    /// events of a pattern is known, they are replayed in that order
    #[arg(
        long,
        value_name = "TRAFFIC",
        required_unless_present = "trace",
        conflicts_with = "trace"
    )]
    pub traffic: Option<String>,
    /// A trace (see `topoloom docs formats`), an OTF2 archive, or a pattern whose order of events is known
    #[arg(long, value_name = "FILE-OR-PATTERN")]
    pub trace: Option<String>,
    /// Replay only the totals of the traffic: burst, or rounds=N
    #[arg(long, value_name = "HOW", conflicts_with = "trace")]
    pub replay: Option<Replay>,
    #[command(flatten)]
    pub collectives: CollectiveArguments,
}
