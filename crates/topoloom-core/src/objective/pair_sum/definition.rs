//! The definition of sums over flows.

use crate::ids::Vertex;
use crate::mapping::Mapping;
use crate::problem::Problem;

/// The definition of every such cost: it adds flow by flow.
pub(crate) fn sum_over_flows(
    problem: &Problem,
    mapping: &Mapping,
    mut between: impl FnMut(Vertex, Vertex) -> f64,
) -> f64 {
    let mut cost = 0.0;
    for flow in problem.traffic().flows() {
        let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
        cost += flow.weight(problem.weight()) * between(from, to);
    }
    cost
}
