//! What a refiner is.

use std::fmt::Debug;

use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::run::Run;

/// Improves a placement; never makes it worse under the objective.
pub trait Refiner: Debug + Send + Sync {
    /// The refiner's default objective.
    fn usual_objective(&self) -> &'static dyn Objective {
        &HopBytes
    }

    /// Whether it can place several ranks in one slot if an imbalance allows it. Other refiners are
    /// not run on such problems.
    fn shares_slots(&self) -> bool {
        false
    }

    /// A placement at least as good as `start`; if no objective is given, under the default one.
    fn refine(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping;
}
