//! The classic distance criterion: hop-bytes under the name used in papers on meshes.

use std::sync::Arc;

use super::cost_tracker::CostTracker;
use super::definition::{NodeCosts, Objective};
use super::entry::ObjectiveEntry;
use super::hop_bytes::HopBytes;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::problem::Problem;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "distance",
    summary: "weight times hops along all dimensions: hop-bytes under the name of the TD papers",
    example: "distance",
    parameters: &[],
    build: |_| Ok(Arc::new(Distance)),
};

/// Equations 1, 2 and 6 of J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "Parallel
/// applications mapping over mesh topologies and its effects on scheduling performance": on every
/// machine this is hop-bytes.
#[derive(Debug, Clone, Copy)]
pub struct Distance;

impl Objective for Distance {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        HopBytes.cost(problem, mapping)
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        HopBytes.track(problem, start)
    }

    fn pair_cost(&self, weight: f64, distance: u32) -> Option<f64> {
        HopBytes.pair_cost(weight, distance)
    }

    fn node_costs<'a>(&'a self, machine: &'a Machine) -> Option<NodeCosts<'a>> {
        HopBytes.node_costs(machine)
    }

    fn is_hop_bytes(&self) -> bool {
        HopBytes.is_hop_bytes()
    }
}
