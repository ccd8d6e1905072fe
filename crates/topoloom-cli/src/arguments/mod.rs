//! Groups of arguments that several commands share. They only hold what was typed; the code that
//! uses them finds out what it means.

mod counting;
mod launch;
mod problem;
mod replayed;
mod search;
mod seats;
mod time_limit;
mod whole_hosts;
mod worth;

pub use counting::{CollectiveArguments, CountingArguments, parse_imbalance};
pub use launch::LaunchArguments;
pub use problem::{ProblemArguments, RECORDED};
pub use replayed::ReplayedArguments;
pub use search::{SearchArguments, WorkArguments};
pub use seats::{Fixed, SeatArguments};
pub use time_limit::parse_time_limit;
pub use whole_hosts::WholeHostArguments;
pub use worth::Worth;
