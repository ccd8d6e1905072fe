//! What `auto` does if the loads of links count: placements by structure and by hop-bytes, then
//! whole nodes annealed on the power mean of loads, then ranks that cross the most loaded links.

use super::candidates::Candidates;
use super::portfolio::{FIRST, Found, Outcome, Portfolio, Task};
use super::search::Search;
use super::whole_nodes::{WholeNodes, moved};
use crate::grid_detection::LogicalGrid;
use crate::mapping::Mapping;
use crate::objective::LinkLoadMean;
use crate::problem::Problem;
use crate::refiner::Refiner;
use crate::run::Run;

impl Search<'_> {
    /// The search if the loads of links count. `more` makes further placements to start with.
    pub(super) fn run_for_links(
        &self,
        portfolio: &mut Portfolio,
        more: Vec<Task<'_>>,
        run: &mut Run,
    ) {
        let (problem, objective, plan) = (self.problem, self.objective, &self.plan);
        let candidates = Candidates { problem, objective, plan };
        let grid = self.grid(run);
        let starts = plan.link_starts();
        let mut tasks = candidates.for_links(grid.as_ref());
        tasks.extend(more);
        portfolio.run(FIRST, tasks, 2 * starts, run);
        if plan.shared() {
            return;
        }
        let best: Vec<Found> = portfolio.best_few(starts).cloned().collect();
        let balanced = best.into_iter().map(|found| self.balanced(found)).collect();
        portfolio.run("annealing of nodes", balanced, starts, run);
        let best: Vec<Found> = portfolio.best_few(starts).cloned().collect();
        let relieve = |found| self.refined(found, "relieve", plan.relief(), u64::MAX);
        portfolio.run("relief of links", best.into_iter().map(relieve).collect(), 0, run);
    }

    /// Exchanges of whole nodes, first on the power mean of loads, then on the objective.
    fn balanced<'b>(&'b self, found: Found) -> Task<'b> {
        Task::new(u64::MAX, move |run: &mut Run| {
            let Found { mapping: start, route, .. } = found;
            let nodes = WholeNodes::of(self.problem, &start);
            let mapping = match &nodes {
                Some(nodes) => {
                    let better = self.balance(&nodes.problem, nodes.start.clone(), run);
                    moved(self.problem, &start, &better)
                }
                None => self.balance(self.problem, start.clone(), run),
            };
            let route = format!("{route}, then nodes annealed");
            (mapping != start).then_some(Outcome { mapping, route, exchanged: true })
        })
    }

    fn balance(&self, problem: &Problem, start: Mapping, run: &mut Run) -> Mapping {
        let (mean, objective) = (LinkLoadMean::default(), Some(self.objective));
        let (anneal, swap, relieve) = self.plan.balancing(problem);
        let annealed = anneal.refine(problem, Some(&mean), start.clone(), run);
        let swapped = swap.refine(problem, objective, annealed, run);
        let relieved = relieve.refine(problem, objective, swapped, run);
        let better = self.objective.cost(problem, &relieved) < self.objective.cost(problem, &start);
        if better { relieved } else { start }
    }
}

impl<'a> Candidates<'a> {
    /// Placements to start with if the loads of links count.
    fn for_links(&self, grid: Option<&'a LogicalGrid>) -> Vec<Task<'a>> {
        let mut tasks: Vec<Task<'a>> = grid.map(|grid| self.folding(grid)).into_iter().collect();
        tasks.extend(self.tiled());
        tasks.extend(self.by_hop_bytes());
        tasks
    }
}
