//! Hop-bytes: every flow's weight times the hops it travels.

use std::sync::Arc;

use super::pair_sum::{Hops, NodeCosts, SymmetricTracker};
use super::{CostTracker, Objective, ObjectiveEntry};
use crate::ids::Vertex;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "hop-bytes",
    summary: "sum over all flows of weight times hops",
    example: "hop-bytes",
    parameters: &[],
    build: |_| Ok(Arc::new(HopBytes)),
};

/// The sum over all directed pairs of weight times distance (dilation as a sum, equation 2.4 of
/// the HAEC thesis).
#[derive(Debug, Clone, Copy)]
pub struct HopBytes;

impl Objective for HopBytes {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let topology = problem.machine().topology();
        let mut cost = 0.0;
        for flow in problem.traffic().flows() {
            let (from, to) = (Vertex(mapping.node_of(flow.from)), Vertex(mapping.node_of(flow.to)));
            cost += flow.weight(problem.weight()) * f64::from(topology.distance(from, to));
        }
        cost
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        with_metric!(problem.machine().metric(), metric => {
            Box::new(SymmetricTracker::new(problem, Hops(metric), start))
        })
    }

    fn pair_cost(&self, weight: f64, distance: u32) -> Option<f64> {
        Some(weight * f64::from(distance))
    }

    fn node_costs<'a>(&'a self, machine: &'a Machine) -> Option<NodeCosts<'a>> {
        let topology = machine.topology();
        Some(Box::new(|from, to| f64::from(topology.distance(Vertex(from), Vertex(to)))))
    }

    fn is_hop_bytes(&self) -> bool {
        true
    }
}
