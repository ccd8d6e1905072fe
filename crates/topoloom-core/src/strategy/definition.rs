//! What a strategy is.

use std::fmt::Debug;

use thiserror::Error;

use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::run::Run;

/// Why a strategy cannot be used on a problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotApplicable(pub String);

/// Finds a placement.
pub trait Strategy: Debug + Send + Sync {
    /// The strategy's default objective.
    fn usual_objective(&self) -> &'static dyn Objective {
        &HopBytes
    }

    /// Whether it can place several ranks in one slot if an imbalance allows it. Other strategies
    /// are not run on such problems.
    fn shares_slots(&self) -> bool {
        false
    }

    /// A placement for `problem`; if no objective is given, for the default one. The same seed
    /// gives the same placement on any number of threads, unless a time limit cuts the run short.
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable>;
}
