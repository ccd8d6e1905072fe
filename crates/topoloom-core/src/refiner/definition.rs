//! What a refiner is.

use std::fmt::Debug;

use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::run::Run;

/// Makes a placement better; never worse under the objective.
pub trait Refiner: Debug + Send + Sync {
    /// What the refiner optimises when it is told nothing.
    fn usual_objective(&self) -> &'static dyn Objective {
        &HopBytes
    }

    /// Whether it can place several ranks in a slot, as an imbalance allows. Other refiners are
    /// not run on such problems.
    fn shares_slots(&self) -> bool {
        false
    }

    /// A placement at least as good as `start`; without an objective, under the usual one.
    fn refine(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping;
}
