//! The errors of schedules, with messages for users.

use thiserror::Error;
use topoloom_core::words::counted;
use topoloom_core::{ProblemError, SpecError};

/// Why a stream of jobs cannot be simulated.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ScheduleError {
    /// A policy or a pattern that cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Traffic that does not fit.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A policy on a machine that does not suit it.
    #[error("{policy} needs {needs}, not {machine}")]
    NotForMachine {
        /// The policy.
        policy: &'static str,
        /// What it needs, with examples.
        needs: &'static str,
        /// The machine.
        machine: String,
    },
    /// A strategy that cannot place a job.
    #[error("{strategy} cannot place a job of {}: {reason}", counted(*ranks, "rank"))]
    Strategy {
        /// The strategy.
        strategy: String,
        /// The ranks of the job.
        ranks: u32,
        /// Why not.
        reason: String,
    },
    /// Nothing to schedule.
    #[error("there are no jobs that fit the machine")]
    NoJobs,
    /// Any other error with its own text.
    #[error("{0}")]
    Other(String),
}
