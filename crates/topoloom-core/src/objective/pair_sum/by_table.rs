//! Sums whose costs between all pairs of nodes are in a table.

use super::directed::DirectedTracker;
use super::symmetric::SymmetricTracker;
use super::table::CostTable;
use crate::mapping::Mapping;
use crate::objective::cost_tracker::CostTracker;
use crate::objective::definition::Objective;
use crate::problem::Problem;

/// Follows the sum with the costs of `table`.
pub(crate) fn track_table<'a>(
    problem: &'a Problem,
    table: CostTable,
    start: &Mapping,
) -> Box<dyn CostTracker + 'a> {
    match symmetric(problem, table) {
        Ok(table) => Box::new(SymmetricTracker::new(problem, table, start)),
        Err(table) => Box::new(DirectedTracker::new(problem, table, start)),
    }
}

/// A table that costs the same both ways and gives the same sum, or `table` itself if both costs
/// and traffic depend on the direction.
pub(super) fn symmetric(problem: &Problem, table: CostTable) -> Result<CostTable, CostTable> {
    if table.is_symmetric() {
        Ok(table)
    } else if problem.traffic().is_symmetric() {
        // The traffic is the same both ways, so each way may cost the mean of both.
        Ok(table.mean_of_both_ways())
    } else {
        Err(table)
    }
}

/// The costs of `objective` between all pairs of nodes, the same both ways; `None` if it is not
/// such a sum, or depends on the direction.
pub(crate) fn symmetric_table(problem: &Problem, objective: &dyn Objective) -> Option<CostTable> {
    let costs = objective.node_costs(problem.machine())?;
    symmetric(problem, CostTable::new(problem.machine().num_nodes(), costs)).ok()
}
