//! Exchanges of ranks that are close in the traffic, and of ranks with those next to their
//! partners.
//!
//! The neighbourhood by distance in the traffic is that of C. Schulz and J. L. Träff, "Better
//! process mapping and sparse quadratic assignment" (2017); the work queue and the search around
//! the partners' nodes are additions.

mod candidates;
mod judge;
mod rounds;
mod work_queue;

use std::sync::Arc;

use candidates::Candidates;
use judge::{Exchange, HopBytesJudge, Judge, TrackerJudge};
use rounds::Rounds;
use work_queue::WorkQueue;

use super::definition::Refiner;
use super::entry::RefinerEntry;
use super::surroundings::Surroundings;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: RefinerEntry = RefinerEntry {
    name: "swap",
    summary: "exchanges of ranks close in the traffic or next to partners, until none improves",
    example: "swap",
    parameters: &[
        Parameter {
            name: "distance",
            default: "10",
            summary: "how far apart in the traffic two ranks may be to be exchanged",
        },
        Parameter {
            name: "evaluations",
            default: "500",
            summary: "exchanges to examine per rank, on average, before it ends in any case",
        },
    ],
    build: |spec| {
        spec.no_shape()?;
        let usual = Swap::default();
        let distance = spec.get_positive("distance")?.unwrap_or(usual.distance);
        let evaluations_per_rank =
            spec.get("evaluations", "a number")?.unwrap_or(usual.evaluations_per_rank);
        Ok(Arc::new(Swap { distance, evaluations_per_rank }))
    },
};

/// Pair exchange in a sparse neighbourhood. Stops at a placement that no exchange of the
/// neighbourhood improves, or at a limit of the run with the best so far.
#[derive(Debug, Clone, Copy)]
pub struct Swap {
    /// How far apart in the traffic two ranks may be. 1, 2 and this value are tried in turn.
    pub distance: u32,
    /// Exchanges to examine per rank, on average, before the search ends in any case. A good start
    /// needs some hundreds; from a bad one, a large problem would take hours.
    pub evaluations_per_rank: u64,
}

impl Default for Swap {
    fn default() -> Self {
        Swap { distance: 10, evaluations_per_rank: 500 }
    }
}

impl Swap {
    /// Improves `start` under `objective`; uses at most the evaluations that `run` has left and
    /// that the options allow.
    pub(crate) fn improve(
        &self,
        problem: &Problem,
        objective: &dyn Objective,
        start: &Mapping,
        run: &mut Run,
    ) -> Mapping {
        if run.out_of_time() {
            return start.clone();
        }
        let limit = self.evaluations_per_rank.saturating_mul(problem.num_ranks() as u64);
        let mut part = run.part_with_evaluations(limit);
        let mapping = self.search(problem, objective, start, &mut part);
        let stopped = part.was_cut_short();
        run.absorb(part);
        if stopped {
            // A limit from the options does not count as cut short; that of the run does.
            run.must_stop();
        }
        mapping
    }

    fn search(
        &self,
        problem: &Problem,
        objective: &dyn Objective,
        start: &Mapping,
        run: &mut Run,
    ) -> Mapping {
        let Some(surroundings) = Surroundings::in_time(problem.machine(), run) else {
            return start.clone();
        };
        if objective.is_hop_bytes() {
            return with_metric!(problem.machine().metric(), metric => {
                let Some(mut judge) = HopBytesJudge::new(problem, metric, start, run) else {
                    return start.clone();
                };
                if problem.num_ranks() >= rounds::LEAST_RANKS {
                    self.descend_in_rounds(problem, &surroundings, &mut judge, run);
                } else {
                    self.descend(problem, &surroundings, &mut judge, run);
                }
                judge.placement().mapping()
            });
        }
        let Some(tracker) = objective.track_within(problem, start, run) else {
            run.must_stop();
            return start.clone();
        };
        let mut judge = TrackerJudge::new(tracker);
        self.descend(problem, &surroundings, &mut judge, run);
        judge.placement().mapping()
    }

    /// One radius after the other, each until no rank in its queue finds a gain.
    fn descend<J: Exchange>(
        &self,
        problem: &Problem,
        surroundings: &Surroundings,
        judge: &mut J,
        run: &mut Run,
    ) {
        let mut candidates = Candidates::new(problem, surroundings);
        let mut queue = WorkQueue::new(problem.num_ranks());
        for radius in self.radii() {
            queue.fill(problem);
            if !exchange_until_no_gain(problem, &mut candidates, radius, judge, &mut queue, run) {
                return;
            }
        }
    }

    /// The same on all threads.
    fn descend_in_rounds<M: Metric>(
        &self,
        problem: &Problem,
        surroundings: &Surroundings,
        judge: &mut HopBytesJudge<'_, M>,
        run: &mut Run,
    ) {
        let rounds = Rounds::new(problem, surroundings);
        let mut queue = WorkQueue::new(problem.num_ranks());
        for radius in self.radii() {
            queue.fill(problem);
            if !rounds.exchange_until_no_gain(radius, judge, &mut queue, run) {
                return;
            }
        }
    }

    fn radii(&self) -> Vec<u32> {
        let mut radii = [1, 2, self.distance].map(|radius| radius.min(self.distance)).to_vec();
        radii.dedup();
        radii
    }
}

/// Gives every rank in the queue a turn; ranks whose surroundings changed are queued again. `false`
/// if a limit stopped it.
fn exchange_until_no_gain<J: Exchange>(
    problem: &Problem,
    candidates: &mut Candidates,
    radius: u32,
    judge: &mut J,
    queue: &mut WorkQueue,
    run: &mut Run,
) -> bool {
    while let Some(a) = queue.pop() {
        let (other, examined) = candidates.first_gain(a, radius, judge, run);
        if let Some(b) = other {
            judge.swap(a, b);
            for moved in [a, b] {
                queue.push(moved);
                problem.graph().partners(moved).iter().for_each(|&partner| queue.push(partner));
            }
        }
        let walked = examined * problem.graph().num_partners(a) as u64;
        if !run.spend(examined) || !run.goes_on(walked) {
            return false;
        }
    }
    true
}

impl Refiner for Swap {
    fn refine(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping {
        self.improve(problem, objective.unwrap_or(&HopBytes), &start, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::Placement;
    use crate::{Machine, Weight, parse_objective, parse_pattern, parse_strategy};

    fn problem(traffic: &str, machine: &str) -> Problem {
        let machine = Machine::parse(machine).unwrap();
        Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
    }

    fn map(strategy: &str, problem: &Problem) -> Mapping {
        parse_strategy(strategy).unwrap().map(problem, None, &mut Run::new(1)).unwrap()
    }

    #[test]
    fn a_rank_next_to_its_partner_is_reached_through_an_empty_slot() {
        // Two ranks at both ends of a line of five: 2 bytes x 1 hop is the least.
        let problem = problem("stencil:2", "mesh:5");
        let start = Mapping::new(vec![0, 4], problem.machine()).unwrap();
        let refined = Swap::default().improve(&problem, &HopBytes, &start, &mut Run::new(1));
        assert_eq!(HopBytes.cost(&problem, &refined), 2.0);
    }

    #[test]
    fn no_exchange_of_traffic_neighbours_is_left_that_gains() {
        for (traffic, machine) in
            [("random:ranks=60,degree=4", "torus:4x4x4"), ("stencil:5x9", "hypercube:5,slots=2")]
        {
            let problem = problem(traffic, machine);
            for objective in ["hop-bytes", "cardinality", "max-dilation"] {
                let objective = parse_objective(objective).unwrap();
                let start = map("random", &problem);
                let refined =
                    Swap::default().improve(&problem, objective.as_ref(), &start, &mut Run::new(1));
                let mut tracker = objective.track(&problem, &refined);
                for (a, b, _) in problem.graph().pairs() {
                    assert!(tracker.swap_delta(a, b) > -1e-9, "{traffic} {}", objective.name());
                }
            }
        }
    }

    #[test]
    fn a_limit_stops_it_with_what_it_has() {
        let problem = problem("random:ranks=64,degree=4", "torus:4x4x4");
        let start = map("random", &problem);
        let mut run = Run::new(1).with_max_evaluations(200);
        let refined = Swap::default().improve(&problem, &HopBytes, &start, &mut run);
        assert!(run.was_cut_short());
        assert!(HopBytes.cost(&problem, &refined) < HopBytes.cost(&problem, &start));
    }

    #[test]
    fn both_judges_lead_to_the_same_placement() {
        // Whole weights: there is no rounding.
        let problem = problem("random:ranks=40,degree=5,seed=3", "torus:4x3x2,slots=2");
        let start = map("random", &problem);
        let surroundings = Surroundings::new(problem.machine());
        let mut tracked = TrackerJudge::new(HopBytes.track(&problem, &start));
        Swap::default().descend(&problem, &surroundings, &mut tracked, &mut Run::new(1));
        let quick = Swap::default().improve(&problem, &HopBytes, &start, &mut Run::new(1));
        assert_eq!(tracked.placement().mapping(), quick);
    }

    #[test]
    fn rounds_leave_no_gain_on_any_number_of_threads() {
        let problem = problem("random:ranks=300,degree=4,seed=3", "torus:7x7x7");
        let start = map("random", &problem);
        let surroundings = Surroundings::new(problem.machine());
        let in_rounds = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                with_metric!(problem.machine().metric(), metric => {
                    let run = &mut Run::new(1);
                    let mut judge = HopBytesJudge::new(&problem, metric, &start, run).unwrap();
                    Swap::default().descend_in_rounds(&problem, &surroundings, &mut judge, run);
                    (judge.placement().mapping(), run.evaluations())
                })
            })
        };
        let found = in_rounds(1);
        assert_eq!(found, in_rounds(3));
        let mut tracker = HopBytes.track(&problem, &found.0);
        for (a, b, _) in problem.graph().pairs() {
            assert!(tracker.swap_delta(a, b) > -1e-9, "{a} {b}");
        }
        let one_by_one = Swap::default().improve(&problem, &HopBytes, &start, &mut Run::new(1));
        let cost = |mapping: &Mapping| HopBytes.cost(&problem, mapping);
        assert!(cost(&found.0) < 1.05 * cost(&one_by_one));
    }

    #[test]
    fn the_placement_stays_one() {
        let problem = problem("stencil:3x5", "mesh:4x2x2");
        let start = map("random", &problem);
        let refined = Swap::default().improve(&problem, &HopBytes, &start, &mut Run::new(1));
        let mut slots = Placement::new(&refined, problem.machine()).slots().to_vec();
        slots.sort_unstable();
        assert!(slots.iter().copied().eq(0..16));
    }
}
