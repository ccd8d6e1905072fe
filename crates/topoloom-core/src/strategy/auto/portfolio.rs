//! Placements found so far, and the tasks that find more, in parallel.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::crew::{Packed, Reader, Used, mark};
use crate::effort::Effort;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::parallel;
use crate::problem::Problem;
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// Placements that are kept; the others were worse.
const MOST_KEPT: usize = 16;

/// Ranks whose cost one thread adds up before it takes more.
const CHUNK: usize = 4096;

/// The name of the first round of tasks.
pub(super) const FIRST: &str = "first placements";

/// A placement and how it was made.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) cost: f64,
    /// Distinguishes placements of the same cost: the first one found wins.
    number: usize,
    pub(super) mapping: Mapping,
    /// What was done, for the user.
    pub(super) route: String,
    /// Whether exchanges of ranks have already been tried on it.
    pub(super) exchanged: bool,
}

/// The result of a task.
pub(super) struct Outcome {
    pub(super) mapping: Mapping,
    pub(super) route: String,
    pub(super) exchanged: bool,
}

/// The result of a task on its way between processes.
struct Carried {
    cost: f64,
    slots: Vec<u32>,
    route: String,
    exchanged: bool,
}

impl Carried {
    fn of(cost: f64, outcome: Outcome) -> Carried {
        let Outcome { mapping, route, exchanged } = outcome;
        Carried { cost, slots: mapping.slots().to_vec(), route, exchanged }
    }

    fn into_outcome(self, problem: &Problem) -> Option<(f64, Outcome)> {
        let Carried { cost, slots, route, exchanged } = self;
        let mapping = problem.mapping(slots).ok()?;
        Some((cost, Outcome { mapping, route, exchanged }))
    }
}

impl Packed for Carried {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.cost.pack(bytes);
        self.slots.pack(bytes);
        self.route.pack(bytes);
        self.exchanged.pack(bytes);
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let (cost, slots, route, exchanged) = <(f64, Vec<u32>, String, bool)>::unpack(from)?;
        Some(Carried { cost, slots, route, exchanged })
    }
}

type Work<'a> = Box<dyn FnOnce(&mut Run) -> Option<Outcome> + Send + 'a>;

/// Work that finds a placement, or none if it does not apply.
pub(super) struct Task<'a> {
    evaluations: u64,
    work: Work<'a>,
}

impl<'a> Task<'a> {
    /// A task that may use at most this many evaluations.
    pub(super) fn new(
        evaluations: u64,
        work: impl FnOnce(&mut Run) -> Option<Outcome> + Send + 'a,
    ) -> Self {
        Task { evaluations, work: Box::new(work) }
    }
}

/// The best placements so far, cheapest first.
pub(super) struct Portfolio<'a> {
    problem: &'a Problem,
    objective: &'a dyn Objective,
    found: Vec<Found>,
    numbers: usize,
}

impl<'a> Portfolio<'a> {
    pub(super) fn new(problem: &'a Problem, objective: &'a dyn Objective) -> Self {
        Portfolio { problem, objective, found: Vec::new(), numbers: 0 }
    }

    /// Adds a placement that was found without search.
    pub(super) fn add(&mut self, outcome: Outcome) {
        let cost = self.cost(&outcome.mapping);
        self.keep(vec![(cost, outcome)]);
    }

    /// Runs tasks in parallel; `round` names them for a listener. If the evaluations of the run are
    /// limited, each gets an equal share of what is left, as if `later` more tasks came after these.
    pub(super) fn run(&mut self, round: &str, tasks: Vec<Task<'_>>, later: usize, run: &mut Run) {
        if tasks.is_empty() || run.must_stop() {
            return;
        }
        let share = run.evaluations_left() / (tasks.len() + later) as u64;
        let (done, total) = (AtomicU64::new(0), tasks.len() as u64);
        run.progress(round, 0, total);
        let costs = self.found.iter().map(|found| found.cost.to_bits());
        let mark = mark(round, costs.chain([total, run.seed()]));
        let tasks: Vec<_> = tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
        let results: Vec<Option<(Option<Carried>, Used)>> = run.share(mark, tasks.len(), |place| {
            let task = tasks[place].lock().unwrap_or_else(PoisonError::into_inner).take();
            let task = task.expect("each piece of work is done once");
            let mut part = run.part_with_evaluations(share.min(task.evaluations)).unreported();
            if total == 1 {
                part = part.with_crew_of(run);
            } else if part.effort() == Effort::Extreme {
                // An evolution is for the best of all tasks.
                part = part.with_effort(Effort::Strong);
            }
            if part.must_stop() {
                return (None, Used::by(&part));
            }
            let outcome = (task.work)(&mut part);
            let outcome = outcome.map(|outcome| Carried::of(self.cost(&outcome.mapping), outcome));
            if let Some(Carried { cost, .. }) = &outcome {
                run.found(*cost);
            }
            run.progress(round, done.fetch_add(1, Ordering::Relaxed) + 1, total);
            (outcome, Used::by(&part))
        });
        let mut found = Vec::new();
        // A task without a result ran out of time.
        let mut stopped = results.iter().any(Option::is_none);
        for (outcome, used) in results.into_iter().flatten() {
            stopped |= used.count(run);
            found.extend(outcome.and_then(|outcome| outcome.into_outcome(self.problem)));
        }
        if stopped {
            // If a task uses up its own share, nothing is cut short. If the run is over, it is.
            run.must_stop();
        }
        self.keep(found);
    }

    /// The cost up to rounding. For hop-bytes this takes a third of the time of the definition,
    /// which matters if finding a placement takes little longer.
    fn cost(&self, mapping: &Mapping) -> f64 {
        if !self.objective.is_hop_bytes() {
            return self.objective.cost(self.problem, mapping);
        }
        let nodes = mapping.nodes();
        with_metric!(self.problem.machine().metric(), metric => {
            let graph = self.problem.graph();
            // Each pair is seen from both ends.
            let cost_of_rank = |a: u32| -> f64 {
                let hops = |b: u32| metric.distance(nodes[a as usize], nodes[b as usize]);
                graph.edges(a).map(|(b, weight)| weight * f64::from(hops(b))).sum()
            };
            let ranks = self.problem.num_ranks();
            let cost_of_chunk = |chunk: usize| -> f64 {
                let ranks = chunk * CHUNK..ranks.min((chunk + 1) * CHUNK);
                ranks.map(|rank| cost_of_rank(rank as u32)).sum()
            };
            let chunks: Vec<f64> = parallel::map(ranks.div_ceil(CHUNK), &cost_of_chunk);
            chunks.iter().sum::<f64>() / 2.0
        })
    }

    fn keep(&mut self, found: Vec<(f64, Outcome)>) {
        for (cost, Outcome { mapping, route, exchanged }) in found {
            self.found.push(Found { cost, number: self.numbers, mapping, route, exchanged });
            self.numbers += 1;
        }
        self.found.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.number.cmp(&b.number)));
        self.found.truncate(MOST_KEPT);
    }

    /// The best placement.
    pub(super) fn best(&self) -> Option<&Found> {
        self.found.first()
    }

    /// Returns only the best placement; `usual` if the best is not better by the definition of the
    /// cost. The definition is computed only if the two are nearly equal and the time is not up.
    pub(super) fn into_best(self, usual: Option<Found>, run: &Run) -> Option<Found> {
        let (problem, objective) = (self.problem, self.objective);
        let best = self.found.into_iter().next()?;
        let cost = |found: &Found| objective.cost(problem, &found.mapping);
        match usual {
            Some(usual)
                if best.cost > usual.cost * (1.0 - 1e-9)
                    && (run.is_over() || cost(&best) >= cost(&usual)) =>
            {
                Some(usual)
            }
            _ => Some(best),
        }
    }

    /// The best few of different cost: several of equal cost would lead to the same result.
    pub(super) fn best_few(&self, count: usize) -> impl Iterator<Item = &Found> {
        let mut last = f64::NAN;
        let differs = move |found: &&Found| std::mem::replace(&mut last, found.cost) != found.cost;
        self.found.iter().filter(differs).take(count)
    }
}
