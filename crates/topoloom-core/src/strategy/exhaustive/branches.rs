//! Tries each rank in every slot, if the cost is a sum over pairs. Branches that cannot beat the
//! best so far, by the bound of Gilmore and Lawler, are left out.

use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;
use crate::strategy::gilmore_lawler::Costs;

/// With fewer open ranks than this a bound costs more than it saves.
const LEAST_OPEN: usize = 3;

/// A placement that costs less than `known`, such that no other costs even less; `None` if there is
/// none.
pub fn search(
    costs: &Costs,
    problem: &Problem,
    objective: &dyn Objective,
    known: &Mapping,
    run: &mut Run,
) -> Option<Mapping> {
    let least = objective.cost(problem, known);
    let ranks = problem.num_ranks();
    let mut search =
        Search { costs, ranks, placed: Vec::new(), first: (0, 1), least, best: None, run };
    search.extend(0.0);
    search.best.map(|slots| costs.mapping(&slots, problem))
}

struct Search<'a> {
    costs: &'a Costs,
    ranks: usize,
    placed: Vec<u16>,
    /// Which choice of the first rank is tried, and how many it has.
    first: (u64, u64),
    least: f64,
    best: Option<Vec<u16>>,
    run: &'a mut Run,
}

impl Search<'_> {
    fn extend(&mut self, cost: f64) {
        if self.placed.len() == self.ranks {
            if cost < self.least {
                self.least = cost;
                self.run.found(cost);
                self.best = Some(self.placed.clone());
            }
            return;
        }
        let slots = self.costs.slots_to_try(&self.placed);
        let total = slots.len() as u64;
        for (number, slot) in (0..).zip(slots) {
            if !self.run.spend(1) {
                return;
            }
            self.report(number, total);
            let cost = cost + self.costs.added(&self.placed, slot);
            self.placed.push(slot);
            if self.can_beat(cost) {
                self.extend(cost);
            }
            self.placed.pop();
        }
    }

    /// Tells a listener how far the search is. Many machines look the same from every slot: then the
    /// first rank has one choice, so the second counts too.
    fn report(&mut self, number: u64, total: u64) {
        match self.placed.len() {
            0 => self.first = (number, total),
            1 => {
                let (first, firsts) = self.first;
                let task = "places of the first two ranks";
                self.run.progress(task, first * total + number, firsts * total);
            }
            _ => {}
        }
    }

    fn can_beat(&self, cost: f64) -> bool {
        if self.costs.rounded_up(cost) >= self.least {
            return false;
        }
        if self.ranks - self.placed.len() < LEAST_OPEN {
            return true;
        }
        let mut steps = u64::MAX;
        let bound = self.costs.lower_bound(&self.placed, cost, &mut steps);
        self.costs.rounded_up(bound) < self.least
    }
}
