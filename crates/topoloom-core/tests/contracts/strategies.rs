//! What every strategy and refiner promises.

use topoloom_core::checker::{Claim, Verdict, check};
use topoloom_core::{Mapping, Problem, REFINERS, Run, STRATEGIES, Spec, parse_strategy, score};

use crate::problems::{objectives, one_way_problem, problems, random_mapping, shared_problems};

/// What the independent judge says of a mapping.
fn verdict(problem: &Problem, mapping: &Mapping, imbalance: Option<f64>) -> Verdict {
    let claim =
        Claim { node_of_rank: &mapping.nodes(), slot_of_rank: Some(mapping.slots()), imbalance };
    check(problem.traffic(), problem.machine(), problem.weight(), claim)
}

#[test]
fn strategy_shares_slots_within_their_capacity_or_says_that_it_cannot() {
    for problem in shared_problems() {
        for entry in STRATEGIES.entries {
            let strategy = parse_strategy(entry.name).unwrap();
            let mapping = match strategy.map(&problem, None, &mut Run::new(3)) {
                Ok(mapping) => mapping,
                Err(reason) => {
                    assert!(
                        reason.0.contains("puts one rank in each slot") != strategy.shares_slots()
                    );
                    continue;
                }
            };
            let verdict = verdict(&problem, &mapping, problem.imbalance());
            assert_eq!(verdict.violations, [] as [String; 0], "{}", entry.name);
            let score = score(&problem, &mapping);
            assert_eq!(verdict.hop_bytes, Some(score.hop_bytes));
            assert!(score.lower_bound.unwrap() <= score.hop_bytes, "{}", entry.name);
        }
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn strategy_gives_the_same_valid_mapping_on_any_number_of_threads() {
    for problem in problems() {
        for entry in STRATEGIES.entries {
            let strategy = parse_strategy(entry.name).unwrap();
            let map = |threads| {
                in_pool(threads, || {
                    let mut run = Run::new(11).with_max_evaluations(20_000);
                    strategy.map(&problem, None, &mut run)
                })
            };
            let first = map(1);
            assert_eq!(first, map(3), "{}", entry.name);
            let Ok(mapping) = first else { continue };
            let verdict = verdict(&problem, &mapping, None);
            assert_eq!(verdict.violations, [] as [String; 0], "{}", entry.name);
            assert_eq!(verdict.hop_bytes, Some(score(&problem, &mapping).hop_bytes));
        }
    }
}

#[test]
fn strategy_accepts_every_objective_or_says_why_not() {
    for problem in problems() {
        for entry in STRATEGIES.entries {
            for objective in objectives(&problem) {
                let strategy = parse_strategy(entry.name).unwrap();
                let mut run = Run::new(2).with_max_evaluations(2000);
                match strategy.map(&problem, Some(objective.as_ref()), &mut run) {
                    Ok(mapping) => assert_eq!(mapping.num_ranks(), problem.num_ranks()),
                    Err(reason) => assert!(!reason.0.is_empty()),
                }
            }
        }
    }
}

#[test]
fn strategy_stops_within_its_budget() {
    for problem in problems() {
        for entry in STRATEGIES.entries {
            let strategy = parse_strategy(entry.name).unwrap();
            let mut run = Run::new(5).with_max_evaluations(500);
            if strategy.map(&problem, None, &mut run).is_ok() {
                // A unit of work may be under way when the budget ends: one pass of each of
                // bokhari's searches over all slots.
                let unit = 40 * problem.num_slots() as u64;
                assert!(run.evaluations() <= 500 + unit, "{} {}", entry.name, run.evaluations());
            }
        }
    }
}

#[test]
fn auto_is_never_worse_than_in_order() {
    for problem in problems() {
        for objective in objectives(&problem) {
            let cost = |strategy: &str| {
                let strategy = parse_strategy(strategy).unwrap();
                let mut run = Run::new(1).with_max_evaluations(20_000);
                let mapping = strategy.map(&problem, Some(objective.as_ref()), &mut run).unwrap();
                objective.cost(&problem, &mapping)
            };
            assert!(cost("auto") <= cost("in-order"));
        }
    }
}

#[test]
fn refiner_is_never_worse_than_its_start() {
    for problem in problems().into_iter().chain([one_way_problem()]) {
        for entry in REFINERS.entries {
            let refiner = (entry.build)(&Spec::parse(entry.example).unwrap()).unwrap();
            for objective in objectives(&problem) {
                for (seed, budget) in [(1, 10_000), (2, 100)] {
                    let start = random_mapping(&problem, seed);
                    let before = objective.cost(&problem, &start);
                    let mut run = Run::new(seed).with_max_evaluations(budget);
                    let refined =
                        refiner.refine(&problem, Some(objective.as_ref()), start, &mut run);
                    let after = objective.cost(&problem, &refined);
                    assert!(after <= before * (1.0 + 1e-12), "{} {}", entry.name, objective.name());
                }
            }
        }
    }
}
