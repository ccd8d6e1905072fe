//! How a simulation ended.

use crate::report::{Report, Stopped};

/// How a simulation ended. What was stopped has no report, so that nobody takes it for a run.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// All ranks are done.
    Finished(Box<Report>),
    /// It was told to stop before that.
    Stopped(Stopped),
}
