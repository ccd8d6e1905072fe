//! One search: its problem and what all its rounds need.

use super::plan::Plan;
use super::portfolio::{Found, Outcome, Task};
use crate::clock::Clock;
use crate::grid_detection::{self, LogicalGrid};
use crate::objective::Objective;
use crate::problem::Problem;
use crate::refiner::Refiner;
use crate::run::Run;

/// One search.
pub(super) struct Search<'a> {
    pub(super) problem: &'a Problem,
    pub(super) objective: &'a dyn Objective,
    pub(super) plan: Plan,
}

impl Search<'_> {
    pub(super) fn has_box(&self) -> bool {
        self.problem.machine().topology().grid_lengths().is_some()
    }

    /// The grid in the traffic, if it can be folded into the machine.
    pub(super) fn grid(&self, run: &Run) -> Option<LogicalGrid> {
        let topology = self.problem.machine().topology();
        let has_groups = topology.levels().is_some() || topology.cluster().is_some();
        if self.plan.shared() || !(self.has_box() || has_groups) {
            return None;
        }
        grid_detection::detect(self.problem.graph(), &Clock::new(run))
    }

    /// A task that improves a placement; it returns nothing if there is no gain.
    pub(super) fn refined<'b>(
        &'b self,
        found: Found,
        name: &'static str,
        refiner: impl Refiner + 'b,
        evaluations: u64,
    ) -> Task<'b> {
        Task::new(evaluations, move |run: &mut Run| {
            let Found { mapping: start, route, .. } = found;
            let mapping = refiner.refine(self.problem, Some(self.objective), start.clone(), run);
            let route = format!("{route}, then {name}");
            (mapping != start).then_some(Outcome { mapping, route, exchanged: true })
        })
    }
}
