//! GRASP: greedy randomised construction and descent, repeated many times.
//!
//! Y. Li, P. M. Pardalos and M. G. C. Resende, "A greedy randomized adaptive search procedure for
//! the quadratic assignment problem" (1994).

mod construction;

use std::sync::Arc;

use construction::Construction;
use rayon::prelude::*;

use super::best_attempt::BestAttempt;
use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use crate::mapping::Mapping;
use crate::objective::pair_sum::FlowSum;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::random;
use crate::refiner::tabu::{DeltaTable, Neighbourhood, Tabu};
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::{Spec, SpecError};
use crate::words::counted;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "grasp",
    summary: "best of many greedy random placements, each improved by exchanges (for QAP)",
    example: "grasp:iterations=20",
    parameters: &[
        Parameter { name: "iterations", default: "50", summary: "placements to make and improve" },
        Parameter {
            name: "alpha",
            default: "0.25",
            summary: "share of the cheapest choices from which one is drawn",
        },
        Parameter {
            name: "beta",
            default: "0.5",
            summary: "share of the flows from which the first two ranks are chosen",
        },
        Parameter {
            name: "tabu",
            default: "5000",
            summary: "exchanges of a robust tabu search after each descent; 0 for none, as published",
        },
        Parameter {
            name: "max-slots",
            default: "256",
            summary: "largest machine to try, in slots; at most 2048",
        },
    ],
    build: |spec| Ok(Arc::new(Grasp::from_spec(spec)?)),
};

/// Greedy randomised adaptive search.
#[derive(Debug, Clone, Copy)]
pub struct Grasp {
    /// The number of placements to make and improve.
    pub iterations: u64,
    /// The share of the cheapest choices from which one is drawn.
    pub alpha: f64,
    /// The share of the flows that the first two ranks are chosen from.
    pub beta: f64,
    /// Exchanges of a robust tabu search after each descent. The paper has none, and its results
    /// are far from the best if ranks have few partners: a third above it on a grid of 6x6.
    pub tabu: u64,
    /// The maximum number of slots: for each rank that it places, a construction checks all pairs
    /// of a rank and a slot.
    pub max_slots: usize,
}

impl Default for Grasp {
    fn default() -> Self {
        Grasp { iterations: 50, alpha: 0.25, beta: 0.5, tabu: 5000, max_slots: 256 }
    }
}

/// The number of the random stream of this search.
const CHOICES: u64 = 0x0067_7261_7370;

/// Attempts between two checks of the clock.
const ATTEMPTS_IN_A_WAVE: u64 = 256;

/// The maximum number of slots for tables of all pairs.
const MOST_SLOTS: usize = 2048;

impl Grasp {
    fn from_spec(spec: &Spec) -> Result<Grasp, SpecError> {
        spec.no_shape()?;
        let usual = Grasp::default();
        let wrong = |key: &str, expected: &str, found: String| {
            SpecError::new(format!("grasp: expected {expected} for \"{key}\", found \"{found}\""))
        };
        let share = |key: &str, usual: f64| {
            let expected = "a share between 0 and 1";
            let share: f64 = spec.get(key, expected)?.unwrap_or(usual);
            let fine = (0.0..=1.0).contains(&share);
            fine.then_some(share).ok_or_else(|| wrong(key, expected, share.to_string()))
        };
        let up_to = "a number up to 2048";
        let max_slots = spec.get("max-slots", up_to)?.unwrap_or(usual.max_slots);
        if max_slots > MOST_SLOTS {
            return Err(wrong("max-slots", up_to, max_slots.to_string()));
        }
        Ok(Grasp {
            iterations: spec.get_positive("iterations")?.unwrap_or(usual.iterations),
            alpha: share("alpha", usual.alpha)?,
            beta: share("beta", usual.beta)?,
            tabu: spec.get("tabu", "a number")?.unwrap_or(usual.tabu),
            max_slots,
        })
    }

    /// Descends by the best exchange until none has a gain, and possibly continues with a search.
    fn improve(
        &self,
        problem: &Problem,
        sum: &FlowSum,
        start: Mapping,
        attempt: u64,
        run: &mut Run,
    ) -> Mapping {
        let Some(mut table) = DeltaTable::new(sum, &start, run) else { return start };
        let mut rng = random::stream(run.seed(), &[CHOICES, attempt, 1]);
        let negligible = 1e-12 * table.cost();
        loop {
            let (best, examined) =
                table.best(&mut rng, &mut |_, (_, _, delta)| delta < -negligible);
            let Some((a, b, _)) = best else { break };
            let judged = table.swap(a, b);
            if !run.spend(examined + judged) {
                return table.placement().mapping();
            }
        }
        if self.tabu == 0 {
            return table.placement().mapping();
        }
        Tabu { iterations: Some(self.tabu), patience: None }
            .search(problem, &mut table, attempt, run)
    }
}

impl Strategy for Grasp {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(&HopBytes);
        let slots = problem.num_slots();
        if slots > self.max_slots {
            return Err(NotApplicable(format!(
                "it is for at most {}, not {slots} (grasp:max-slots=...)",
                counted(self.max_slots, "slot")
            )));
        }
        let sum = FlowSum::of(problem, objective).filter(|sum| !sum.is_directed());
        let sum = sum.ok_or_else(|| {
            NotApplicable(format!(
                "it needs a sum over pairs of ranks that costs the same in both directions, not {}",
                objective.name()
            ))
        })?;
        let construction = Construction::new(problem, sum.costs(), self.alpha, self.beta);
        // An attempt that cannot even check all exchanges is of little use.
        let worth_it = (run.evaluations_left() / (slots * slots) as u64).max(1);
        let attempts = self.iterations.min(worth_it);
        let share = run.evaluations_left().div_ceil(attempts);
        let attempt = |run: &Run, attempt: u64| {
            let mut part = run.part_with_evaluations(share).unreported();
            if attempt > 0 && part.must_stop() {
                return None;
            }
            let mut rng = random::stream(run.seed(), &[CHOICES, attempt, 0]);
            let built = construction.build(&mut rng, &mut part);
            part.count(1);
            let start = Mapping::new(built, problem.machine()).expect("each slot is taken once");
            let mapping = self.improve(problem, &sum, start, attempt, &mut part);
            let cost = objective.cost(problem, &mapping);
            Some(BestAttempt::new(attempt, mapping, cost, &part))
        };
        let mut best: Option<BestAttempt> = None;
        let mut done = 0;
        // Wave by wave: otherwise the clock would be checked for millions of attempts that are not
        // made.
        while done < attempts && (done == 0 || !run.is_over()) {
            let wave = done..attempts.min(done + ATTEMPTS_IN_A_WAVE);
            done = wave.end;
            let found = wave.into_par_iter().filter_map(|number| attempt(run, number));
            best = found.chain(best).reduce_with(BestAttempt::join);
            run.progress("attempts", done, attempts);
            if let Some(best) = &best {
                run.found(best.cost());
            }
        }
        let best = best.expect("the first attempt is always made");
        best.count_in(run);
        if attempts < self.iterations {
            run.cut_short();
        }
        run.must_stop();
        Ok(best.mapping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::TrafficDistribution;
    use crate::{Machine, TrafficBuilder, Weight, parse_pattern, parse_strategy};

    /// The pattern with its ranks in a random order: their numbers are no help.
    fn shuffled(traffic: &str, machine: &str, seed: u64) -> Problem {
        let traffic = parse_pattern(traffic).unwrap();
        let mut names: Vec<u32> = (0..traffic.num_ranks() as u32).collect();
        random::shuffle(&mut random::stream(seed, &[]), &mut names);
        let mut builder = TrafficBuilder::new(names.len() as u32);
        traffic.for_each_flow(Weight::Bytes, |from, to, bytes| {
            builder.add(names[from as usize], names[to as usize], 1.0, bytes);
        });
        let machine = Machine::parse(machine).unwrap();
        Problem::new(builder.build(), machine, Weight::Bytes).unwrap()
    }

    fn cost(strategy: &str, problem: &Problem, objective: &dyn Objective, seed: u64) -> f64 {
        let strategy = parse_strategy(strategy).unwrap();
        let mapping = strategy.map(problem, Some(objective), &mut Run::new(seed)).unwrap();
        objective.cost(problem, &mapping)
    }

    #[test]
    fn small_grids_with_shuffled_ranks_find_their_place() {
        // 5 x 6 has 4 x 6 + 5 x 5 pairs, both ways, one hop each: 98. The torus has 2 x 36: 144.
        for seed in 1..3 {
            let mesh = shuffled("stencil:5x6", "mesh:5x6", seed);
            let torus = shuffled("stencil:6x6,periodic", "torus:6x6", seed);
            let options = "grasp:iterations=8,tabu=20000";
            assert_eq!(cost(options, &mesh, &HopBytes, seed), 98.0);
            assert_eq!(cost(options, &torus, &HopBytes, seed), 144.0);
            // Each hop between neighbours costs 1 plus another 1, because the dimensions differ by
            // it.
            assert_eq!(cost(options, &mesh, &TrafficDistribution, seed), 196.0);
            let tabu = "random | tabu:iterations=100000";
            assert_eq!(cost(tabu, &mesh, &HopBytes, seed), 98.0);
            assert_eq!(cost(tabu, &mesh, &TrafficDistribution, seed), 196.0);
        }
    }

    #[test]
    #[ignore = "takes a minute: run it with --release"]
    fn grids_of_a_hundred_find_their_place() {
        for seed in 1..4 {
            let mesh = shuffled("stencil:10x10", "mesh:10x10", seed);
            let torus = shuffled("stencil:10x10,periodic", "torus:10x10", seed);
            for (problem, least) in [(&mesh, 360.0), (&torus, 400.0)] {
                let grasp = cost("grasp:iterations=30,tabu=40000", problem, &HopBytes, seed);
                assert!(grasp <= 1.02 * least, "{grasp} {least}");
                let tabu = cost("random | tabu:iterations=1000000", problem, &HopBytes, seed);
                assert!(tabu <= 1.005 * least, "{tabu} {least}");
            }
        }
    }

    #[test]
    fn more_attempts_are_never_worse_and_far_better_than_chance() {
        let problem = shuffled("stencil:4x4", "mesh:3x4,slots=2", 1);
        let few = cost("grasp:iterations=2", &problem, &HopBytes, 1);
        let many = cost("grasp:iterations=30", &problem, &HopBytes, 1);
        assert!(many <= few && many < cost("random", &problem, &HopBytes, 1) / 2.0);
    }

    #[test]
    fn what_it_cannot_do_is_said_in_words() {
        let refused = |problem: &Problem, objective: &dyn Objective| {
            let strategy = parse_strategy("grasp").unwrap();
            strategy.map(problem, Some(objective), &mut Run::new(1)).unwrap_err().0
        };
        let large = shuffled("ring:9", "torus:20x20", 1);
        assert_eq!(
            refused(&large, &HopBytes),
            "it is for at most 256 slots, not 400 (grasp:max-slots=...)"
        );
        let small = shuffled("ring:9", "torus:3x3", 1);
        assert_eq!(
            refused(&small, &crate::objective::MaxDilation),
            "it needs a sum over pairs of ranks that costs the same in both directions, not \
             max-dilation"
        );
        let wrong = |text: &str| parse_strategy(text).unwrap_err().to_string();
        assert_eq!(
            wrong("grasp:alpha=2"),
            "grasp: expected a share between 0 and 1 for \"alpha\", found \"2\""
        );
    }
}
