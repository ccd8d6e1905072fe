//! Every placement, one exchange after another, for costs of any kind.

use crate::mapping::Mapping;
use crate::objective::{CostTracker, Objective};
use crate::problem::Problem;
use crate::run::Run;

/// Trackers add up what exchanges change, and their error may be this share of the cost.
const ROUNDING: f64 = 1e-9;

/// The steps of a search for a listener: the nodes of the first rank.
const FIRST_RANK: &str = "nodes of the first rank";

/// A placement that costs less than `known`, such that no other costs even less; `None` if there is
/// none.
pub fn search(
    problem: &Problem,
    objective: &dyn Objective,
    known: &Mapping,
    run: &mut Run,
) -> Option<Mapping> {
    let tracker = objective.track(problem, known);
    let ranks = problem.num_ranks() as u32;
    let per_node = problem.machine().slots_per_node();
    let least = objective.cost(problem, known);
    let mut search = Every { problem, objective, tracker, ranks, per_node, least, best: None, run };
    search.place(0);
    search.best
}

struct Every<'a> {
    problem: &'a Problem,
    objective: &'a dyn Objective,
    tracker: Box<dyn CostTracker + 'a>,
    ranks: u32,
    per_node: u32,
    least: f64,
    best: Option<Mapping>,
    run: &'a mut Run,
}

impl Every<'_> {
    /// Puts `rank` and all after it in every slot that those before it leave free.
    fn place(&mut self, rank: u32) {
        if rank == self.ranks {
            self.judge();
            return;
        }
        let slots = self.problem.num_slots() as u32;
        for node in 0..slots / self.per_node {
            // The slots of a node are alike: take the first that no earlier rank has.
            let first_free = (node * self.per_node..(node + 1) * self.per_node)
                .map(|slot| self.tracker.placement().in_slot(slot))
                .find(|&occupant| occupant >= rank);
            let Some(occupant) = first_free else { continue };
            if !self.run.spend(1) {
                return;
            }
            if rank == 0 {
                self.run.progress(FIRST_RANK, u64::from(node), u64::from(slots / self.per_node));
            }
            if occupant != rank {
                self.tracker.swap(rank, occupant);
            }
            self.place(rank + 1);
            if occupant != rank {
                self.tracker.swap(rank, occupant);
            }
        }
    }

    fn judge(&mut self) {
        if self.tracker.cost() < self.least * (1.0 + ROUNDING) {
            let mapping = self.tracker.placement().mapping();
            let cost = self.objective.cost(self.problem, &mapping);
            if cost < self.least {
                self.least = cost;
                self.run.found(cost);
                self.best = Some(mapping);
            }
        }
    }
}
