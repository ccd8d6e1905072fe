//! A tracker for objectives that only have a definition.

use super::cost_tracker::CostTracker;
use super::definition::Objective;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;

/// A tracker that computes the cost from scratch after each exchange. It is correct for every
/// objective but slow: each query takes as long as the definition.
pub fn track_by_definition<'a>(
    objective: impl Objective + 'a,
    problem: &'a Problem,
    start: &Mapping,
) -> Box<dyn CostTracker + 'a> {
    let placement = Placement::new(start, problem.machine());
    let cost = objective.cost(problem, start);
    Box::new(ByDefinition { objective, problem, placement, cost })
}

struct ByDefinition<'a, O> {
    objective: O,
    problem: &'a Problem,
    placement: Placement,
    cost: f64,
}

impl<O: Objective> ByDefinition<'_, O> {
    fn counted(&self) -> f64 {
        self.objective.cost(self.problem, &self.placement.mapping())
    }
}

impl<O: Objective> CostTracker for ByDefinition<'_, O> {
    fn cost(&self) -> f64 {
        self.cost
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        self.placement.swap(a, b);
        let after = self.counted();
        self.placement.swap(a, b);
        after - self.cost
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.placement.swap(a, b);
        self.cost = self.counted();
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.cost = self.counted();
        self.cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::objective::HopBytes;
    use crate::traffic::Weight;
    use crate::traffic::patterns::parse_pattern;

    #[test]
    fn it_says_what_the_fast_tracker_says() {
        let traffic = parse_pattern("stencil:3x3").unwrap();
        let machine = Machine::parse("torus:3x4").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let start = problem.mapping((0..9).collect()).unwrap();
        let mut slow = track_by_definition(HopBytes, &problem, &start);
        let mut fast = HopBytes.track(&problem, &start);
        for (a, b) in [(0, 8), (3, 11), (9, 10), (2, 7), (11, 0)] {
            assert_eq!(slow.swap_delta(a, b), fast.swap_delta(a, b));
            slow.swap(a, b);
            fast.swap(a, b);
            assert_eq!(slow.cost(), fast.cost());
        }
        let order: Vec<u32> = (0..12).rev().collect();
        assert_eq!(slow.reset(&order), fast.reset(&order));
        assert_eq!(slow.placement().slots(), fast.placement().slots());
    }
}
