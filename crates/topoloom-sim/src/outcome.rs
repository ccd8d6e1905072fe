//! How a simulation ended.

use crate::report::{Report, Stopped};

/// How a simulation ended. A stopped simulation has no report, so nobody can mistake it for a
/// complete run.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// All ranks are done.
    Finished(Box<Report>),
    /// It was asked to stop before that.
    Stopped(Stopped),
}
