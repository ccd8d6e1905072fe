//! What every strategy and refiner promises about limits: when the time is up, it soon returns a
//! valid placement and says that it was cut short. Nothing here checks a clock: time is counted in
//! visited edges of the traffic, which builds with debug assertions count.

use std::sync::atomic::{AtomicU64, Ordering};

use topoloom_core::checker::{self, Claim};
use topoloom_core::objective::{HopBytes, Objective};
use topoloom_core::{
    Machine, Mapping, Problem, REFINERS, Run, STRATEGIES, Spec, Strategy, TrafficBuilder, Weight,
    parse_pattern, parse_strategy, tally,
};

/// How often all edges may be visited after the time is up: to complete a placement, to compare it
/// with another, and to reach the next check of the clock.
const WALKS_OF_ALL_EDGES: u64 = 40;

/// Checks of the clock after which the time is up in any case: some searches visit almost no edges.
const MOST_LOOKS: u64 = 50;

/// Additional edges, for problems with few edges.
const A_FEW: u64 = 400_000;

fn star(ranks: u32, hubs: u32) -> TrafficBuilder {
    let mut builder = TrafficBuilder::new(ranks);
    for leaf in hubs..ranks {
        for hub in 0..hubs {
            builder.add(hub, leaf, 1.0, f64::from(100 + leaf % 7));
        }
    }
    builder
}

/// Traffic without locality, with all partners, with hubs and on grids, on machines of every kind.
fn problems() -> Vec<(String, Problem)> {
    let traffics = [
        ("random", parse_pattern("random:ranks=1000,degree=8,seed=1").unwrap()),
        ("all-to-all", parse_pattern("all-to-all:120").unwrap()),
        ("star", star(1500, 1).build()),
        ("two hubs", star(1200, 2).build()),
        ("stencil", parse_pattern("stencil:30x40").unwrap()),
    ];
    let machines = [
        "torus:10x16x10",
        "tree:8:16:12,distances=1:10:100",
        "fat-tree:k=20",
        "dragonfly:groups=17,routers=8,nodes=8,slots=2",
        "hypercube:11",
    ];
    let mut problems = Vec::new();
    for (name, traffic) in &traffics {
        for spec in machines {
            let machine = Machine::parse(spec).unwrap();
            let problem = Problem::new(traffic.clone(), machine, Weight::Bytes).unwrap();
            problems.push((format!("{name} on {spec}"), problem));
        }
    }
    // A power of two, for strategies that need one.
    let traffic = parse_pattern("random:ranks=1024,degree=8,seed=1").unwrap();
    let machine = Machine::parse("hypercube:11").unwrap();
    let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
    problems.push(("random bits on hypercube:11".into(), problem));
    problems
}

/// Runs in one thread until `edges` have been visited, or the clock was checked often enough.
/// Returns the result and how many were visited.
fn until(edges: u64, strategy: &dyn Strategy, problem: &Problem) -> (Option<Mapping>, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let before = tally::walked();
        let looks = AtomicU64::new(0);
        let stop = move || {
            let looked = looks.fetch_add(1, Ordering::Relaxed);
            tally::walked() - before >= edges || looked >= MOST_LOOKS
        };
        let mut run = Run::new(1).with_stop(stop);
        let mapping = strategy.map(problem, None, &mut run).ok();
        (mapping, tally::walked() - before)
    })
}

fn check(name: &str, strategy: &dyn Strategy, on: &str, problem: &Problem) {
    let all_edges = 2 * problem.graph().num_pairs() as u64;
    let most = WALKS_OF_ALL_EDGES * all_edges + A_FEW;
    // At the start; while something is built; in the middle of a search.
    for limit in [0, 3 * all_edges, 40 * all_edges] {
        let (mapping, walked) = until(limit, strategy, problem);
        let Some(mapping) = mapping else { return };
        let case = format!("{name}, {on}, stopped after {limit} edges");
        assert!(walked <= limit + most, "{case}: {} more walked, not {most}", walked - limit);
        let claim = Claim {
            node_of_rank: &mapping.nodes(),
            slot_of_rank: Some(mapping.slots()),
            imbalance: None,
        };
        let verdict = checker::check(problem.traffic(), problem.machine(), Weight::Bytes, claim);
        assert_eq!(verdict.violations, [] as [String; 0], "{case}");
    }
}

/// Fails in builds where nothing would be counted.
fn edges_are_counted() -> bool {
    let before = tally::walked();
    let problem = &problems()[0].1;
    HopBytes.cost(problem, &problem.mapping((0..1000).collect()).unwrap());
    tally::walked() > before
}

#[test]
fn every_strategy_ends_soon_after_its_time_is_up_with_a_valid_placement() {
    assert!(edges_are_counted());
    for (on, problem) in problems() {
        for entry in STRATEGIES.entries {
            let strategy = parse_strategy(entry.name).unwrap();
            check(entry.name, strategy.as_ref(), &on, &problem);
        }
    }
}

#[test]
fn every_refiner_ends_soon_after_its_time_is_up_with_a_valid_placement() {
    for (on, problem) in problems() {
        for entry in REFINERS.entries {
            // Pipelines skip refiners if there is no time, so refiners are called directly here.
            let refiner = (entry.build)(&Spec::parse(entry.name).unwrap()).unwrap();
            let start = parse_strategy("random").unwrap();
            let start = start.map(&problem, None, &mut Run::new(1)).unwrap();
            let strategy = Refined { refiner, start };
            check(entry.name, &strategy, &on, &problem);
        }
    }
}

/// A refiner from a given start, as a strategy.
#[derive(Debug)]
struct Refined {
    refiner: std::sync::Arc<dyn topoloom_core::Refiner>,
    start: Mapping,
}

impl Strategy for Refined {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, topoloom_core::NotApplicable> {
        Ok(self.refiner.refine(problem, objective, self.start.clone(), run))
    }
}
