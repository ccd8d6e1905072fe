//! The final decision of a search: the definition of the cost.

use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;

/// The better of what a search found and its start. The cost that the search tracked may be off by
/// rounding, so the definition decides, unless the time runs out before it is computed.
pub(super) fn better(
    problem: &Problem,
    objective: &dyn Objective,
    found: Mapping,
    start: Mapping,
    run: &Run,
) -> Mapping {
    let costs = objective
        .cost_within(problem, &found, run)
        .zip(objective.cost_within(problem, &start, run));
    match costs {
        Some((cost, before)) if cost >= before => start,
        _ => found,
    }
}
