//! Proven answers, checked against every placement of small problems.

use topoloom_core::{
    Machine, Mapping, Problem, Run, Weight, parse_objective, parse_pattern, parse_strategy,
};

/// Every placement of some ranks in some slots.
fn for_each_placement(ranks: usize, slots: u32, visit: &mut dyn FnMut(&[u32])) {
    let mut chosen = vec![0; ranks];
    for mut number in 0..u64::from(slots).pow(ranks as u32) {
        for slot in &mut chosen {
            *slot = (number % u64::from(slots)) as u32;
            number /= u64::from(slots);
        }
        visit(&chosen);
    }
}

#[test]
fn the_bound_of_shared_slots_holds_for_every_placement() {
    let mut bounded = 0;
    for (traffic, machine, imbalance) in [
        ("random:ranks=7,degree=4,seed=1", "tree:2:2,distances=1:10", 0.0),
        ("all-to-all:7", "mesh:3", 0.0),
        ("stencil:2x4", "torus:2,slots=2", 0.2),
        ("ring:8", "tree:3,distances=4", 0.4),
    ] {
        let machine = Machine::parse(machine).unwrap();
        let traffic = parse_pattern(traffic).unwrap();
        let problem =
            Problem::with_imbalance(traffic, machine, Weight::Bytes, Some(imbalance)).unwrap();
        let mut least = f64::INFINITY;
        let slots = problem.num_slots() as u32;
        for_each_placement(problem.num_ranks(), slots, &mut |slots| {
            if let Ok(mapping) = problem.mapping(slots.to_vec()) {
                let cost = parse_objective("hop-bytes").unwrap().cost(&problem, &mapping);
                least = least.min(cost);
            }
        });
        let bound = topoloom_core::bounds::hop_bytes_lower_bound(&problem);
        assert!(bound <= least && least.is_finite(), "{bound} {least}");
        bounded += usize::from(bound > 0.0);
    }
    assert!(bounded >= 3, "the bound is of use");
}

#[test]
fn a_star_finds_what_trying_every_placement_finds() {
    fn least(problem: &Problem, objective: &str) -> f64 {
        let objective = parse_objective(objective).unwrap();
        let slots = problem.num_slots() as u32;
        let mut least = f64::INFINITY;
        let mut chosen: Vec<u32> = Vec::new();
        fn extend(chosen: &mut Vec<u32>, ranks: usize, slots: u32, visit: &mut dyn FnMut(&[u32])) {
            if chosen.len() == ranks {
                return visit(chosen);
            }
            for slot in 0..slots {
                if !chosen.contains(&slot) {
                    chosen.push(slot);
                    extend(chosen, ranks, slots, visit);
                    chosen.pop();
                }
            }
        }
        extend(&mut chosen, problem.num_ranks(), slots, &mut |slots| {
            let mapping = Mapping::new(slots.to_vec(), problem.machine()).unwrap();
            least = least.min(objective.cost(problem, &mapping));
        });
        least
    }
    for (traffic, machine) in [
        ("random:ranks=7,degree=3,seed=2", "mesh:7"),
        ("random:ranks=6,degree=4,seed=1", "mesh:2x4"),
        ("random:ranks=7,degree=4,seed=3", "torus:2x2,slots=2"),
        ("all-to-all:6", "haec:2x2x2"),
        ("lu:class=S,ranks=6", "mesh:3x2"),
    ] {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        for objective in ["hop-bytes", "cardinality", "traffic-distribution", "energy"] {
            let mut run = Run::new(1);
            let strategy = parse_strategy("a-star").unwrap();
            let goal = parse_objective(objective).unwrap();
            if goal.applies_to(problem.machine()).is_err() {
                continue;
            }
            let mapping = strategy.map(&problem, Some(goal.as_ref()), &mut run).unwrap();
            assert!(!run.was_cut_short());
            let (cost, least) = (goal.cost(&problem, &mapping), least(&problem, objective));
            // Sums in another order may differ in the last digit.
            assert!((cost - least).abs() <= 1e-12 * least, "{traffic} {objective}: {cost} {least}");
        }
    }
}
