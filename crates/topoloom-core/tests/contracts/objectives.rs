//! What every objective promises.

use topoloom_core::objective::best_swap_by_trying_all;
use topoloom_core::{Flow, Vertex, random};

use crate::problems::{objectives, one_way_problem, problems, random_mapping};

#[test]
fn objective_tracker_equals_the_cost_from_scratch_after_random_swaps() {
    for problem in problems().into_iter().chain([one_way_problem()]) {
        for objective in objectives(&problem) {
            let name = objective.name();
            let start = random_mapping(&problem, 3);
            let mut tracker = objective.track(&problem, &start);
            let mut rng = random::stream(4, &[]);
            let count = problem.num_slots() as u32;
            for _ in 0..60 {
                let (a, b) = (random::below(&mut rng, count), random::below(&mut rng, count));
                let before = tracker.cost();
                if a == b {
                    continue;
                }
                let delta = tracker.swap_delta(a, b);
                assert_eq!(tracker.cost(), before, "{}: a question changed it", name);
                tracker.swap(a, b);
                let scratch = objective.cost(&problem, &tracker.placement().mapping());
                assert!((tracker.cost() - scratch).abs() <= 1e-9 * scratch.abs(), "{}", name);
                assert!((before + delta - scratch).abs() <= 1e-9 * (1.0 + scratch), "{}", name);
            }
            let mut slots = tracker.placement().slots().to_vec();
            random::shuffle(&mut rng, &mut slots);
            let reset = tracker.reset(&slots);
            let scratch = objective.cost(&problem, &tracker.placement().mapping());
            assert!((reset - scratch).abs() <= 1e-9 * scratch.abs(), "{}", name);
            for a in 0..count {
                let quick = tracker.best_swap(a, a / 2).exchange;
                assert_eq!(quick, best_swap_by_trying_all(tracker.as_mut(), a, a / 2).exchange);
            }
        }
    }
}

#[test]
fn objective_pair_costs_add_up_to_the_cost() {
    for problem in problems().into_iter().chain([one_way_problem()]) {
        for objective in objectives(&problem) {
            let mapping = random_mapping(&problem, 9);
            let nodes = mapping.nodes();
            let topology = problem.machine().topology();
            let sum: Option<f64> = problem
                .graph()
                .pairs()
                .map(|(a, b, weight)| {
                    let (a, b) = (Vertex(nodes[a as usize]), Vertex(nodes[b as usize]));
                    objective.pair_cost(weight, topology.distance(a, b))
                })
                .sum();
            if let Some(sum) = sum.filter(|_| problem.graph().num_pairs() > 0) {
                assert_eq!(sum, objective.cost(&problem, &mapping), "{}", objective.name());
            }
        }
    }
}

#[test]
fn objective_node_costs_add_up_to_the_cost() {
    for problem in problems().into_iter().chain([one_way_problem()]) {
        for objective in objectives(&problem) {
            let Some(between) = objective.node_costs(problem.machine()) else { continue };
            let mapping = random_mapping(&problem, 9);
            let of_flow = |flow: Flow| {
                let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
                flow.weight(problem.weight()) * between(from.0, to.0)
            };
            let sum: f64 = problem.traffic().flows().map(of_flow).sum();
            let cost = objective.cost(&problem, &mapping);
            assert!((sum - cost).abs() <= 1e-12 * cost, "{}: {sum} {cost}", objective.name());
        }
    }
}
