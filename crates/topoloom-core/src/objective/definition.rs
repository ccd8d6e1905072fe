//! What an objective is: the definition from scratch, and a tracker that follows exchanges.

use std::fmt::Debug;

use super::cost_tracker::CostTracker;
use super::unsuitable_machine::{UnsuitableMachine, check_links};
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::run::Run;

/// What a unit of weight costs from one node to another.
pub type NodeCosts<'a> = Box<dyn Fn(u32, u32) -> f64 + Send + Sync + 'a>;

/// What a placement costs; less is better.
pub trait Objective: Debug + Send + Sync {
    /// The name in the registry.
    fn name(&self) -> &'static str;

    /// The definition, from scratch, by the machine's own distances.
    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64;

    /// A tracker of the cost that starts at `start`.
    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a>;

    /// The same as [`Objective::cost`], where counting may take long; `None` if the run is over
    /// before it is done.
    fn cost_within(&self, problem: &Problem, mapping: &Mapping, _run: &Run) -> Option<f64> {
        Some(self.cost(problem, mapping))
    }

    /// The same as [`Objective::track`], where counting may take long; `None` if the run is over
    /// before it is done.
    fn track_within<'a>(
        &self,
        problem: &'a Problem,
        start: &Mapping,
        _run: &Run,
    ) -> Option<Box<dyn CostTracker + 'a>> {
        Some(self.track(problem, start))
    }

    /// The cost of `mapping`, which is `cost`, as people read it: without what is added to it only to
    /// decide between placements that are otherwise equal.
    fn shown(&self, _problem: &Problem, _mapping: &Mapping, cost: f64) -> f64 {
        cost
    }

    /// What one pair of partners adds to the cost, where the cost is a sum over pairs.
    fn pair_cost(&self, _weight: f64, _distance: u32) -> Option<f64> {
        None
    }

    /// What a unit of weight costs from one node of `machine` to another, where the cost is the
    /// sum over all flows of weight times that.
    fn node_costs<'a>(&'a self, _machine: &'a Machine) -> Option<NodeCosts<'a>> {
        None
    }

    /// Whether this is hop-bytes, under whatever name: searches have quick ways for it.
    fn is_hop_bytes(&self) -> bool {
        false
    }

    /// Whether placements on `machine` have such a cost; if not, why.
    fn applies_to(&self, machine: &Machine) -> Result<(), UnsuitableMachine> {
        if self.needs_links() { check_links(machine) } else { Ok(()) }
    }

    /// Whether the cost is about the loads of links, so that only machines with links have it.
    fn needs_links(&self) -> bool {
        false
    }

    /// How fit a placement of this cost is; more is better, never negative.
    fn fitness(&self, _problem: &Problem, cost: f64) -> f64 {
        1.0 / (1.0 + cost)
    }
}
