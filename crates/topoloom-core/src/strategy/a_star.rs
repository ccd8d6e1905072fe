//! A* search: the proven best placement of small problems.
//!
//! Section 5.1 of the HAEC thesis asks for a usable bound; this one is by Gilmore and Lawler for
//! the quadratic assignment problem.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::auto::Auto;
use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::gilmore_lawler::Costs;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::Spec;
use crate::words::counted;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "a-star",
    summary: "finds and proves the optimum of small problems; says so if a limit stops it",
    example: "a-star:steps=1000000000",
    parameters: &[
        Parameter {
            name: "max-slots",
            default: "64",
            summary: "largest machine to try, in slots; the bound takes slots^3 steps per state",
        },
        Parameter {
            name: "steps",
            default: "500000000",
            summary: "steps of work before it gives up with the best so far",
        },
    ],
    build: |spec| Ok(Arc::new(AStar::from_spec(spec)?)),
};

/// The optimum of small problems.
#[derive(Debug, Clone, Copy)]
pub struct AStar {
    /// The largest number of slots to try.
    pub max_slots: usize,
    /// Steps of work, counted in the inner loop of the bound, before the search gives up.
    pub steps: u64,
}

impl AStar {
    fn from_spec(spec: &Spec) -> Result<AStar, crate::spec::SpecError> {
        spec.no_shape()?;
        Ok(AStar {
            max_slots: spec.get("max-slots", "a number")?.unwrap_or(64),
            steps: spec.get("steps", "a number")?.unwrap_or(500_000_000),
        })
    }
}

/// The first ranks of the order are placed; the others are not.
struct State {
    /// No completion of this state costs less.
    bound: f64,
    cost: f64,
    slots: Vec<u16>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for State {}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for State {
    /// The heap returns the greatest state: the lowest bound, then the deepest, then the first
    /// slots.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.bound.total_cmp(&self.bound))
            .then(self.slots.len().cmp(&other.slots.len()))
            .then_with(|| other.slots.cmp(&self.slots))
    }
}

impl Strategy for AStar {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(&HopBytes);
        if problem.num_slots() > self.max_slots.min(usize::from(u16::MAX)) {
            return Err(NotApplicable(format!(
                "it is for at most {}, not {} (a-star:max-slots=...)",
                counted(self.max_slots, "slot"),
                problem.num_slots()
            )));
        }
        let costs = Costs::new(problem, objective).ok_or_else(|| {
            NotApplicable(format!(
                "it needs a sum over pairs that costs the same in both directions, not {}",
                objective.name()
            ))
        })?;
        let incumbent = placement_to_beat(problem, objective, run)?;
        let cost = objective.cost(problem, &incumbent);
        let mut search =
            Search { costs, problem, incumbent, cost, states: 0, steps_left: self.steps };
        search.run(objective, run);
        Ok(search.incumbent)
    }
}

/// The placement that `auto` finds with little effort.
fn placement_to_beat(
    problem: &Problem,
    objective: &dyn Objective,
    run: &mut Run,
) -> Result<Mapping, NotApplicable> {
    let mut part = run.part_with_evaluations(20_000_000.min(run.evaluations_left() / 2));
    let mapping = Auto.map(problem, Some(objective), &mut part)?;
    run.count(part.evaluations());
    Ok(mapping)
}

/// What is known about a placement that is not proven optimal.
fn distance_from_least(cost: f64, bound: f64, objective: &str) -> String {
    if bound <= 0.0 {
        return format!("it is only proved that {objective} cannot be negative");
    }
    let above = (cost / bound - 1.0) * 100.0;
    format!("the best found is at most {above:.1} % above the least {objective}")
}

struct Search<'a> {
    costs: Costs,
    problem: &'a Problem,
    incumbent: Mapping,
    cost: f64,
    states: u64,
    steps_left: u64,
}

impl Search<'_> {
    fn run(&mut self, objective: &dyn Objective, run: &mut Run) {
        let mut open = BinaryHeap::new();
        let root_bound = self.costs.lower_bound(&[], 0.0, &mut self.steps_left);
        open.push(State { bound: root_bound, cost: 0.0, slots: Vec::new() });
        let steps = self.steps_left.max(1);
        run.found(self.cost);
        while let Some(state) = open.pop() {
            if !self.can_beat(state.bound) {
                break;
            }
            run.progress("steps at most", steps - self.steps_left, steps);
            if self.steps_left == 0 || run.was_cut_short() {
                run.cut_short();
                let known = distance_from_least(self.cost, state.bound, objective.name());
                run.note(format!(
                    "a-star: stopped after {}; {known}",
                    counted(self.states, "state")
                ));
                return;
            }
            if !self.expand(&state, &mut open, run) {
                open.push(state);
            }
        }
        let states = counted(self.states, "state");
        run.note(format!("a-star: optimal for {}, {states}", objective.name()));
    }

    /// Whether a state with this `bound` might still be better than the best so far.
    fn can_beat(&self, bound: f64) -> bool {
        self.costs.rounded_up(bound) < self.cost
    }

    /// Adds the children of `state`; `false` if a limit was reached before the last of them.
    fn expand(&mut self, state: &State, open: &mut BinaryHeap<State>, run: &mut Run) -> bool {
        for slot in self.costs.slots_to_try(&state.slots) {
            let cost = state.cost + self.costs.added(&state.slots, slot);
            let mut slots = Vec::with_capacity(state.slots.len() + 1);
            slots.extend_from_slice(&state.slots);
            slots.push(slot);
            self.states += 1;
            if slots.len() == self.problem.num_ranks() {
                if cost < self.cost {
                    self.cost = cost;
                    run.found(cost);
                    self.incumbent = self.costs.mapping(&slots, self.problem);
                }
                continue;
            }
            if !self.can_beat(cost) {
                continue;
            }
            if self.steps_left == 0 || !run.spend_long(1) {
                return false;
            }
            let bound = self.costs.lower_bound(&slots, cost, &mut self.steps_left).max(state.bound);
            if self.can_beat(bound) {
                open.push(State { bound, cost, slots });
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_of_zero_is_not_a_percentage() {
        assert_eq!(
            distance_from_least(12.0, 10.0, "hop-bytes"),
            "the best found is at most 20.0 % above the least hop-bytes"
        );
        assert!(!distance_from_least(12.0, 0.0, "cardinality").contains("inf"));
    }
}
