use proptest::prelude::*;

use super::*;
use crate::strategy::Strategy as _;
use crate::{Machine, Weight, parse_objective, parse_pattern, parse_strategy};

fn problem(traffic: &str, machine: &str, imbalance: Option<f64>) -> Problem {
    let traffic = parse_pattern(traffic).unwrap();
    let machine = Machine::parse(machine).unwrap();
    Problem::with_imbalance(traffic, machine, Weight::Bytes, imbalance).unwrap()
}

/// Hop-bytes and the approach that won.
fn search(problem: &Problem, effort: Effort) -> (f64, String) {
    let mut run = Run::new(1).with_effort(effort);
    let mapping = Auto.map(problem, None, &mut run).unwrap();
    assert!(!run.was_cut_short());
    assert_eq!(run.notes().len(), 1, "{:?}", run.notes());
    (HopBytes.cost(problem, &mapping), run.notes()[0].clone())
}

#[test]
fn stencils_are_folded() {
    for (traffic, machine, hops) in [
        ("stencil:8x8", "mesh:4x4x4", 120.0),
        ("stencil:16x32", "torus:8x8x8", 1008.0),
        ("stencil:16x32", "haec:8x8x8", 976.0),
    ] {
        let problem = problem(traffic, machine, None);
        for effort in [Effort::Fast, Effort::Eco] {
            let (cost, route) = search(&problem, effort);
            assert!(cost / 2.0 <= hops, "{traffic} {machine} {effort}: {cost}");
            assert!(route.starts_with("auto: folding of a grid of"), "{route}");
        }
    }
}

#[test]
fn what_is_optimal_is_left_alone() {
    let (cost, route) = search(&problem("ring:16", "torus:16", None), Effort::Strong);
    assert_eq!((cost, route.as_str()), (32.0, "auto: in-order"));
    let (cost, route) = search(&problem("ring:1", "mesh:3x3", None), Effort::Eco);
    assert_eq!((cost, route.as_str()), (0.0, "auto: in-order"));
}

#[test]
fn more_effort_is_not_worse() {
    for (traffic, machine, imbalance) in [
        ("random:ranks=30,degree=4,seed=3", "torus:4x4x2", None),
        ("cg:class=C,ranks=32", "tree:4:4:2,distances=1:10:100", None),
        ("lu:class=C,ranks=32", "mesh:4x2,slots=4", None),
        ("stencil:5x6", "mesh:4x4x2", None),
        ("stencil:20x20", "tree:4:4,distances=1:10", Some(0.05)),
    ] {
        let problem = problem(traffic, machine, imbalance);
        let fast = search(&problem, Effort::Fast);
        let strong = search(&problem, Effort::Strong);
        assert!(strong.0 <= fast.0, "{traffic} {machine}: {strong:?} after {fast:?}");
    }
}

#[test]
fn threads_do_not_matter() {
    for (traffic, machine) in [
        ("random:ranks=100,degree=5,seed=2", "torus:4x4x4,slots=2"),
        ("stencil:9x10", "mesh:10x10"),
    ] {
        let problem = problem(traffic, machine, None);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Auto.map(&problem, None, &mut Run::new(4)).unwrap())
        };
        assert_eq!(on(1), on(2), "{traffic}");
    }
}

#[test]
fn a_run_that_is_over_keeps_in_order_at_least() {
    let problem = problem("random:ranks=64,degree=4", "torus:4x4x4", None);
    let mut run = Run::new(1).with_time_limit(std::time::Duration::ZERO);
    let mapping = Auto.map(&problem, None, &mut run).unwrap();
    assert!(run.was_cut_short());
    assert_eq!(mapping, InOrder.map(&problem, None, &mut Run::new(1)).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn never_worse_than_in_order(
        seed in 0u64..1000,
        machine in prop::sample::select(vec![
            "mesh:5x5", "torus:3x3x3", "haec:3x3x3", "hypercube:5", "tree:3:3:3,distances=1:5:9",
            "torus:4x4,slots=2",
        ]),
        ranks in 1u32..26,
        objective in prop::sample::select(vec!["hop-bytes", "cardinality", "max-dilation"]),
        effort in prop::sample::select(vec![Effort::Fast, Effort::Eco]),
        evaluations in prop::sample::select(vec![u64::MAX, 10_000, 100, 0]),
    ) {
        let degree = 3.min(ranks - 1);
        let problem =
            problem(&format!("random:ranks={ranks},degree={degree},seed={seed}"), machine, None);
        let objective = parse_objective(objective).unwrap();
        let cost = |strategy: &str| {
            let strategy = parse_strategy(strategy).unwrap();
            let mut run =
                Run::new(seed).with_effort(effort).with_max_evaluations(evaluations);
            let mapping = strategy.map(&problem, Some(objective.as_ref()), &mut run).unwrap();
            objective.cost(&problem, &mapping)
        };
        prop_assert!(cost("auto") <= cost("in-order"));
    }
}
