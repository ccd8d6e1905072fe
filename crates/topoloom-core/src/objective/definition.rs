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

    /// The definition, computed from scratch with the machine's own distances.
    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64;

    /// A tracker of the cost that starts at `start`.
    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a>;

    /// The same as [`Objective::cost`], for cases where computing may take long; `None` if the run
    /// ends first.
    fn cost_within(&self, problem: &Problem, mapping: &Mapping, _run: &Run) -> Option<f64> {
        Some(self.cost(problem, mapping))
    }

    /// The same as [`Objective::track`], for cases where computing may take long; `None` if the run
    /// ends first.
    fn track_within<'a>(
        &self,
        problem: &'a Problem,
        start: &Mapping,
        _run: &Run,
    ) -> Option<Box<dyn CostTracker + 'a>> {
        Some(self.track(problem, start))
    }

    /// The cost of `mapping`, which is `cost`, as shown to people: without the term that only
    /// decides between otherwise equal placements.
    fn shown(&self, _problem: &Problem, _mapping: &Mapping, cost: f64) -> f64 {
        cost
    }

    /// What one pair of partners adds to the cost, if the cost is a sum over pairs.
    fn pair_cost(&self, _weight: f64, _distance: u32) -> Option<f64> {
        None
    }

    /// What a unit of weight costs from one node of `machine` to another, if the cost is the sum
    /// over all flows of weight times that.
    fn node_costs<'a>(&'a self, _machine: &'a Machine) -> Option<NodeCosts<'a>> {
        None
    }

    /// Whether this is hop-bytes, under any name: searches have shortcuts for it.
    fn is_hop_bytes(&self) -> bool {
        false
    }

    /// Whether this cost is defined for placements on `machine`; if not, why.
    fn applies_to(&self, machine: &Machine) -> Result<(), UnsuitableMachine> {
        if self.needs_links() { check_links(machine) } else { Ok(()) }
    }

    /// Whether the cost is about the loads of links. If so, only machines with links have it.
    fn needs_links(&self) -> bool {
        false
    }

    /// How fit a placement with this cost is; more is better, never negative.
    fn fitness(&self, _problem: &Problem, cost: f64) -> f64 {
        1.0 / (1.0 + cost)
    }
}
