//! Costs that are sums over all flows: weight times what the pair of nodes costs.
//!
//! Two trackers follow them, each compiled for the cost. Where the cost is the same both ways, or
//! the traffic is, both directions of a pair are taken together; only where neither is are there
//! flows one way and the other to tell apart.

mod directed;
mod offsets;
mod symmetric;
mod table;

pub(crate) use directed::DirectedTracker;
pub(crate) use offsets::{OffsetCosts, hops_by_dimension, with_offset_costs};
pub(crate) use symmetric::SymmetricTracker;
pub(crate) use table::CostTable;

use super::{CostTracker, Objective};
use crate::ids::Vertex;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::topology::Metric;

/// What a unit of weight costs from one node to another.
pub type NodeCosts<'a> = Box<dyn Fn(u32, u32) -> f64 + Send + Sync + 'a>;

/// What a unit of weight costs between two nodes, cheap enough for inner loops; never negative.
pub(crate) trait PairCost: Send + Sync {
    /// From node `from` to node `to`.
    fn between(&self, from: u32, to: u32) -> f64;

    /// For each node, the sum over `places` (nodes with weights) of weight times cost from there.
    fn sums(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        sums.fill(0.0);
        for &(place, weight) in places {
            for (node, sum) in (0..).zip(&mut *sums) {
                *sum += weight * self.between(place, node);
            }
        }
    }

    /// Whether a node may cost something to itself.
    fn has_diagonal(&self) -> bool {
        false
    }

    /// Whether costs are whole numbers, so that sums do not depend on their order.
    fn is_exact(&self) -> bool {
        false
    }
}

/// Hops, compiled for one metric.
pub(crate) struct Hops<'a, M>(pub &'a M);

impl<M: Metric> PairCost for Hops<'_, M> {
    #[inline(always)]
    fn between(&self, from: u32, to: u32) -> f64 {
        f64::from(self.0.distance(from, to))
    }

    fn sums(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        self.0.weighted_hops(places, sums);
    }

    fn is_exact(&self) -> bool {
        true
    }
}

/// The definition of every such cost: flow by flow.
pub(crate) fn sum_over_flows(
    problem: &Problem,
    mapping: &Mapping,
    mut between: impl FnMut(Vertex, Vertex) -> f64,
) -> f64 {
    let mut cost = 0.0;
    for flow in problem.traffic().flows() {
        let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
        cost += flow.weight(problem.weight()) * between(Vertex(from), Vertex(to));
    }
    cost
}

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

/// A table that costs the same both ways and gives the same sum, or `table` itself where both
/// costs and traffic depend on the direction.
fn symmetric(problem: &Problem, table: CostTable) -> Result<CostTable, CostTable> {
    if table.is_symmetric() {
        Ok(table)
    } else if problem.traffic().is_symmetric() {
        // As much goes one way as the other, so that each way may cost the mean of both.
        Ok(table.mean_of_both_ways())
    } else {
        Err(table)
    }
}

/// The costs of `objective` between all pairs of nodes, the same both ways; `None` where it is no
/// such sum, or one that depends on the direction.
pub(crate) fn symmetric_table(problem: &Problem, objective: &dyn Objective) -> Option<CostTable> {
    let costs = objective.node_costs(problem.machine())?;
    symmetric(problem, CostTable::new(problem.machine().num_nodes(), costs)).ok()
}
