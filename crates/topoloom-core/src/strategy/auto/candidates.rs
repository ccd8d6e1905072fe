//! The strategies that the search tries.

use super::plan::Plan;
use super::portfolio::{Outcome, Task};
use crate::effort::Effort;
use crate::grid_detection::LogicalGrid;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::run::Run;
use crate::strategy::bipartition::Bipartition;
use crate::strategy::bisection::Bisection;
use crate::strategy::bits::Bits;
use crate::strategy::bokhari::Bokhari;
use crate::strategy::curves::CURVES;
use crate::strategy::definition::Strategy;
use crate::strategy::exhaustive::Exhaustive;
use crate::strategy::folding::Folding;
use crate::strategy::greedy::Greedy;
use crate::strategy::launchers::Block;
use crate::strategy::matching::Matching;
use crate::strategy::minmd::MinMd;
use crate::strategy::multilevel::Multilevel;
use crate::strategy::permute::Permute;
use crate::strategy::rahtm::{Budget, Rahtm, TilesInOrder, Uneven};
use crate::strategy::rcm::Rcm;

/// Nodes up to which RAHTM ends quickly: beyond this, turning the largest blocks takes minutes.
const MOST_NODES_FOR_RAHTM: usize = 8192;

/// Ranks up to which matching and halving end quickly.
const MOST_RANKS_FOR_MATCHING: usize = 512;

/// Ranks up to which every placement may be tried, and how many steps that may take.
const MOST_RANKS_FOR_ALL: usize = 20;
const STEPS_FOR_ALL: u64 = 5_000_000;

/// Makes tasks from strategies.
pub(super) struct Candidates<'a> {
    pub(super) problem: &'a Problem,
    pub(super) objective: &'a dyn Objective,
    pub(super) plan: &'a Plan,
}

impl<'a> Candidates<'a> {
    /// Strategies that take a few passes over the traffic: walks through the machine's box.
    pub(super) fn quick(&self) -> Vec<Task<'a>> {
        let plan = self.plan;
        let Some(lengths) = self.problem.machine().topology().grid_lengths() else {
            return Vec::new();
        };
        if plan.shared() && plan.effort < Effort::Strong {
            return Vec::new();
        }
        let mut tasks = Vec::new();
        let few = plan.is_huge() || !plan.affords_looks(CURVES.len());
        // The last one, hilbert, keeps consecutive ranks closer together than any other.
        let curves = if few { &CURVES[CURVES.len() - 1..] } else { CURVES };
        for curve in curves {
            tasks.push(self.task(curve.name, *curve, Some(self.objective)));
        }
        let dimensions = lengths.iter().filter(|&&length| length > 1).count() + 1;
        let orders = (1..=dimensions).fold(2usize, |orders, n| orders.saturating_mul(n));
        if !plan.shared() && plan.affords_looks(orders) {
            tasks.push(self.permute());
        }
        tasks
    }

    /// The grid in the traffic, folded into the machine's box.
    pub(super) fn folding(&self, grid: &'a LogicalGrid) -> Task<'a> {
        let (problem, objective) = (self.problem, self.objective);
        // A million cells have few seams, and searching for them takes long.
        let polish = if self.plan.is_huge() { 0 } else { Folding::default().polish };
        Task::new(u64::MAX, move |run: &mut Run| {
            let mapping = Folding { polish }.fold(problem, grid, objective, run)?;
            let route = format!("folding of a grid of {grid}");
            Some(Outcome { mapping, route, exchanged: false })
        })
    }

    /// Strategies that look for structure of any kind.
    pub(super) fn searches(&self) -> Vec<Task<'a>> {
        let plan = self.plan;
        let mut tasks = Vec::new();
        let given = Some(self.objective);
        if plan.bisects(self.problem.machine()) {
            tasks.push(self.task("bisection", Bisection, given));
            return tasks;
        }
        let (problem, most) = (self.problem, plan.search_evaluations());
        tasks.push(Task::new(most, move |run: &mut Run| {
            let mapping = Multilevel.map(problem, given, run).ok()?;
            Some(Outcome { mapping, route: "multilevel".into(), exchanged: true })
        }));
        if plan.shared() {
            return tasks;
        }
        tasks.extend(self.on_groups());
        if plan.tries_growth() {
            tasks.push(self.task("greedy", Greedy, given));
            tasks.push(self.task("bisection", Bisection, given));
            tasks.push(self.task("minmd", MinMd { limit: 1 }, given));
            let slots = self.problem.machine().slots_per_node();
            if slots > 1 {
                let filled = MinMd { limit: u32::MAX };
                tasks.push(self.task("minmd, each node filled at once", filled, given));
            }
        }
        if plan.effort >= Effort::Strong && plan.tries_growth() {
            tasks.push(self.task("rcm", Rcm, given));
        }
        if plan.tries_mapper() {
            tasks.push(self.mapper("bokhari for cardinality", None));
            tasks.push(self.mapper("bokhari", given));
        }
        tasks
    }

    /// Bits of ranks as bits of places. Exchanges of ranks rarely improve such a placement, so it
    /// is made after those that they do improve.
    pub(super) fn bits(&self) -> Option<Task<'a>> {
        let worthwhile = Bits::is_worthwhile(self.problem, self.objective, self.plan.effort);
        let possible = worthwhile && !self.plan.shared();
        possible.then(|| self.task("bits", Bits, Some(self.objective)))
    }

    /// Strategies for groups in groups. On a cluster with spare places, the choice of hosts matters
    /// most, and launchers take hosts in the order of their list.
    fn on_groups(&self) -> Vec<Task<'a>> {
        let mut tasks = Vec::new();
        let given = Some(self.objective);
        if self.problem.machine().topology().groups().is_none() {
            return tasks;
        }
        tasks.push(self.task("block", Block, given));
        let ranks = self.problem.num_ranks();
        if self.plan.effort == Effort::Fast || ranks > MOST_RANKS_FOR_MATCHING {
            return tasks;
        }
        tasks.push(self.task("matching", Matching { starts: None }, given));
        tasks.push(self.task("bipartition", Bipartition { starts: Some(8) }, given));
        if ranks <= MOST_RANKS_FOR_ALL {
            let exhaustive = Exhaustive { pairs: false, limit: STEPS_FOR_ALL };
            tasks.push(self.task("exhaustive", exhaustive, given));
        }
        tasks
    }

    fn task(
        &self,
        route: &'static str,
        strategy: impl Strategy + 'a,
        objective: Option<&'a dyn Objective>,
    ) -> Task<'a> {
        let problem = self.problem;
        Task::new(u64::MAX, move |run: &mut Run| {
            let mapping = strategy.map(problem, objective, run).ok()?;
            Some(Outcome { mapping, route: route.into(), exchanged: false })
        })
    }

    fn mapper(&self, route: &'static str, objective: Option<&'a dyn Objective>) -> Task<'a> {
        let problem = self.problem;
        Task::new(self.plan.mapper_evaluations(), move |run: &mut Run| {
            let mapping = Bokhari::default().map(problem, objective, run).ok()?;
            Some(Outcome { mapping, route: route.into(), exchanged: false })
        })
    }

    /// The best order of the machine's dimensions; the route says which one.
    fn permute(&self) -> Task<'a> {
        let (problem, objective) = (self.problem, self.objective);
        Task::new(u64::MAX, move |run: &mut Run| {
            let (mapping, route) =
                Permute::best().map_and_name(problem, Some(objective), run).ok()?;
            Some(Outcome { mapping, route, exchanged: false })
        })
    }

    /// Tiles of the grid of ranks, one per node, in the order of the machine's dimensions; and also
    /// placed and turned as in RAHTM, with little effort.
    pub(super) fn tiled(&self) -> Vec<Task<'a>> {
        if self.plan.shared() || self.problem.machine().topology().grid_lengths().is_none() {
            return Vec::new();
        }
        let in_a_hurry = Rahtm {
            beam: 4,
            budget: Budget { nodes: 0, steps: 0 },
            looks: 200_000_000,
            uneven: Some(Uneven::Bottom),
        };
        let mut tasks = vec![self.task("tiles in order", TilesInOrder, Some(self.objective))];
        if self.problem.machine().num_nodes() <= MOST_NODES_FOR_RAHTM {
            tasks.push(self.task("rahtm", in_a_hurry, Some(self.objective)));
        }
        tasks
    }

    /// Strategies that make routes short.
    pub(super) fn by_hop_bytes(&self) -> Vec<Task<'a>> {
        let (problem, most) = (self.problem, self.plan.search_evaluations());
        let multilevel = Task::new(most, move |run: &mut Run| {
            let mapping = Multilevel.map(problem, Some(&HopBytes), run).ok()?;
            Some(Outcome { mapping, route: "multilevel for hop-bytes".into(), exchanged: false })
        });
        vec![multilevel]
    }
}
