//! The default: the best of several approaches, never worse than in-order.
//!
//! First it looks for structure: a grid in the traffic is folded into the machine's box, and if
//! that explains nearly everything, there is no need to search. Otherwise strategies run in
//! parallel, and exchanges of ranks improve the best few. The best by (cost, position) wins.

mod candidates;
mod islands;
mod joining;
mod links;
mod plan;
mod portfolio;
mod search;
#[cfg(test)]
mod tests;
mod whole_nodes;

use std::sync::Arc;

use candidates::Candidates;
use plan::Plan;
use portfolio::{FIRST, Found, Outcome, Portfolio, Task};
use search::Search;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::hosts_first::HostsFirst;
use super::in_order::InOrder;
use super::node_order::NodeOrder;
use crate::bounds::hop_bytes_lower_bound_within;
use crate::effort::Effort;
use crate::grid_detection::LogicalGrid;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::Memetic;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "auto",
    summary: "folds a grid in the traffic, or searches for the best; never worse than in-order",
    example: "auto",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Auto))
    },
};

/// The share of the bytes that a grid must explain to make a further search unnecessary.
const NEARLY_ALL: f64 = 0.95;

/// Folds this close to the lower bound leave little to gain.
const CLOSE_TO_BOUND: f64 = 1.1;

/// Searches do not beat folds whose cost is at most this multiple of the bound.
const NEAR_BOUND: f64 = 1.5;

/// With up to this many ranks, a search is so cheap that it is skipped only for a fold close to the
/// bound.
const FEW_RANKS: usize = 1024;

/// Placements that a memetic search starts from; the others of its population are random.
const FOUNDERS: usize = 5;

/// The best of several approaches.
#[derive(Debug, Clone, Copy)]
pub struct Auto;

impl Strategy for Auto {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        // Ranks of a training job stay together, host by host: launchers cannot do anything else.
        if problem.traffic().step().is_some() {
            let whole = NodeOrder { together: Vec::new(), kept: Vec::new(), on_hosts: &Auto };
            match whole.map(problem, objective, run) {
                Ok(mapping) => return Ok(mapping),
                Err(reason) => run.note(format!("auto: ranks of a host may be split: {reason}")),
            }
        }
        let objective = objective.unwrap_or(&HopBytes);
        let plan = Plan::of(problem, objective, run.effort());
        let mut portfolio = Portfolio::new(problem, objective);
        let in_order = InOrder.map(problem, None, run);
        if let Ok(mapping) = &in_order {
            let (mapping, route) = (mapping.clone(), "in-order".into());
            portfolio.add(Outcome { mapping, route, exchanged: false });
        }
        let usual = portfolio.best().cloned();
        if let Some(usual) = &usual {
            run.found(usual.cost);
        }
        Search { problem, objective, plan }.run(&mut portfolio, run);
        match portfolio.into_best(usual, run) {
            Some(best) => {
                run.note(format!("auto: {}", best.route));
                Ok(best.mapping)
            }
            None => in_order, // Says why.
        }
    }
}

/// Rounds of tasks, until there is nothing left to gain.
impl Search<'_> {
    fn run(&self, portfolio: &mut Portfolio, run: &mut Run) {
        // For a huge problem, a proof of optimality is not worth its time. If ranks share slots,
        // the bound is far below what can be reached.
        let bounded =
            self.plan.optimises_hop_bytes() && !self.plan.is_huge() && !self.plan.shared();
        // Without a bound nothing counts as optimal.
        let bound = match bounded {
            true => hop_bytes_lower_bound_within(self.problem, run).unwrap_or(0.0),
            false => 0.0,
        };
        let is_optimal = |portfolio: &Portfolio| {
            portfolio.best().is_some_and(|best| best.cost <= bound * (1.0 + 1e-12))
        };
        if is_optimal(portfolio) || run.must_stop() {
            return;
        }
        if self.objective.needs_links() && !self.plan.optimises_hop_bytes_first() {
            return self.run_for_links(portfolio, self.hosts_first().collect(), run);
        }
        let grid = self.grid(run);
        let settled = self.find(portfolio, grid.as_ref(), bound, run);
        if self.plan.shared() || is_optimal(portfolio) {
            return;
        }
        self.exchange(portfolio, run);
        if is_optimal(portfolio) {
            return;
        }
        let evolves = Memetic::suits(self.problem, self.objective, self.plan.effort);
        if !settled {
            self.anneal(portfolio, run);
            if !evolves {
                self.search_tabu(portfolio, run);
            }
        }
        let explores = evolves && Memetic::explores(self.problem, self.plan.effort);
        if !settled && !explores {
            self.place_bits(portfolio, evolves, run);
        }
        if evolves && !is_optimal(portfolio) {
            self.evolve(portfolio, bound, run);
        }
        // Populations that begin with such a placement become like it.
        if !settled && explores && !is_optimal(portfolio) {
            self.place_bits(portfolio, evolves, run);
        }
        if self.plan.effort == Effort::Extreme && !is_optimal(portfolio) {
            self.evolve_on_islands(portfolio, bound, run);
        }
    }

    /// Finds the first placements. Returns whether a grid explains so much that no further search
    /// is needed.
    fn find(
        &self,
        portfolio: &mut Portfolio,
        grid: Option<&LogicalGrid>,
        bound: f64,
        run: &mut Run,
    ) -> bool {
        let (problem, objective, plan) = (self.problem, self.objective, &self.plan);
        let candidates = Candidates { problem, objective, plan };
        let mut tasks = candidates.quick();
        tasks.extend(self.hosts_first());
        let searches = candidates.searches();
        let later = self.exchanges();
        let Some(grid) = grid else {
            // An evolution is alone in its round: then it has all threads and processes.
            if plan.shared() && plan.effort == Effort::Extreme {
                portfolio.run(FIRST, tasks, later + searches.len(), run);
                portfolio.run("evolution", searches, later, run);
                return false;
            }
            tasks.extend(searches);
            portfolio.run(FIRST, tasks, later, run);
            return false;
        };
        tasks.push(candidates.folding(grid));
        if plan.effort >= Effort::Strong {
            tasks.extend(searches);
            portfolio.run(FIRST, tasks, later, run);
            return false;
        }
        portfolio.run(FIRST, tasks, later + searches.len(), run);
        let settled = self.is_settled(grid, portfolio, bound);
        if !settled {
            portfolio.run("searches", searches, later, run);
        }
        settled
    }

    /// Hosts on a network with a name: the network is a separate machine, with its own structure.
    fn hosts_first(&self) -> impl Iterator<Item = Task<'_>> {
        let network = self.problem.machine().topology().cluster();
        let named = network.filter(|cluster| cluster.description().network.named.is_some());
        named.filter(|_| !self.plan.shared()).into_iter().map(move |_| {
            Task::new(u64::MAX, move |run: &mut Run| {
                let strategy = HostsFirst { on_network: &Auto };
                let mapping = strategy.map(self.problem, Some(self.objective), run).ok()?;
                Some(Outcome { mapping, route: "hosts first".into(), exchanged: false })
            })
        })
    }

    /// Whether the best placement is so good that a search is not worthwhile.
    fn is_settled(&self, grid: &LogicalGrid, portfolio: &Portfolio, bound: f64) -> bool {
        let Some(best) = portfolio.best() else { return false };
        let explained = grid.explained >= NEARLY_ALL;
        let known = bound > 0.0;
        let close = known && best.cost <= CLOSE_TO_BOUND * bound;
        match self.plan.effort {
            // For boxes in groups there is no search for the best, unlike for folds.
            Effort::Fast => (explained && self.has_box()) || close,
            Effort::Eco if self.plan.ranks <= FEW_RANKS => close,
            Effort::Eco => explained && (!known || best.cost <= NEAR_BOUND * bound),
            Effort::Strong | Effort::Extreme => false,
        }
    }

    /// How many tasks come after the first placements.
    fn exchanges(&self) -> usize {
        if self.plan.shared() { 0 } else { self.plan.swaps().0 + self.escapes() }
    }

    fn escapes(&self) -> usize {
        let tabus = self.plan.tabus().map_or(0, |(starts, _)| starts);
        tabus + self.plan.anneals().map_or(0, |(starts, _)| starts)
    }

    /// Exchanges of ranks until none has a gain, from the best few.
    fn exchange(&self, portfolio: &mut Portfolio, run: &mut Run) {
        let (starts, swap) = self.plan.swaps();
        let unchanged = portfolio.best_few(starts).filter(|found| !found.exchanged);
        let unchanged: Vec<Found> = unchanged.cloned().collect();
        let tasks = unchanged.into_iter().map(|found| self.refined(found, "swap", swap, u64::MAX));
        portfolio.run("exchanges of ranks", tasks.collect(), self.escapes(), run);
    }

    /// Bits of ranks as bits of places. If that is the best and no evolution follows, it is annealed.
    fn place_bits(&self, portfolio: &mut Portfolio, evolves: bool, run: &mut Run) {
        let (problem, objective, plan) = (self.problem, self.objective, &self.plan);
        let Some(task) = (Candidates { problem, objective, plan }).bits() else { return };
        let before = portfolio.best().map_or(f64::INFINITY, |best| best.cost);
        portfolio.run("bits of ranks", vec![task], 0, run);
        let is_best = portfolio.best().is_some_and(|best| best.cost < before);
        if is_best && !evolves {
            self.anneal(portfolio, run);
        }
    }

    /// A search that also accepts losses, from the best few.
    fn anneal(&self, portfolio: &mut Portfolio, run: &mut Run) {
        let Some((starts, anneal)) = self.plan.anneals() else { return };
        let best: Vec<Found> = portfolio.best_few(starts).cloned().collect();
        let task = |found| self.refined(found, "anneal", anneal, u64::MAX);
        let later = self.escapes() - starts;
        portfolio.run("annealing", best.into_iter().map(task).collect(), later, run);
    }

    /// A search that always makes the best exchange, from the best few.
    fn search_tabu(&self, portfolio: &mut Portfolio, run: &mut Run) {
        let Some((starts, tabu)) = self.plan.tabus() else { return };
        let best: Vec<Found> = portfolio.best_few(starts).cloned().collect();
        let task = |found| self.refined(found, "tabu", tabu, self.plan.tabu_evaluations());
        portfolio.run("tabu search", best.into_iter().map(task).collect(), 0, run);
    }

    /// A search from the best few together, for small problems. It ends at the lower bound.
    fn evolve(&self, portfolio: &mut Portfolio, bound: f64, run: &mut Run) {
        if run.must_stop() {
            return;
        }
        let starts: Vec<Mapping> =
            portfolio.best_few(FOUNDERS).map(|found| found.mapping.clone()).collect();
        let route = portfolio.best().map(|best| best.route.clone()).unwrap_or_default();
        let (problem, objective) = (self.problem, self.objective);
        let memetic = Memetic::default();
        if let Some(mapping) = memetic.evolve(problem, objective, starts, bound, run) {
            let route = format!("{route}, then memetic");
            portfolio.add(Outcome { mapping, route, exchanged: true });
        }
    }
}
