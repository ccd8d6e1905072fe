//! Problems, objectives and placements on which the contracts are checked.

use std::sync::Arc;

use topoloom_core::objective::CostMatrix;
use topoloom_core::{
    Machine, Mapping, OBJECTIVES, Objective, Problem, TrafficBuilder, Weight, parse_objective,
    parse_pattern, random,
};

use crate::machines::{cluster, hosted_on, networks};

/// Problems with as many ranks as slots, fewer, several slots per node, silent ranks, self pairs.
pub fn problems() -> Vec<Problem> {
    [
        ("stencil:4x4", "torus:4x4"),
        ("stencil:3x5", "mesh:4x2x2"),
        ("random:ranks=20,degree=3,seed=5", "torus:3x4,slots=2"),
        ("cg:class=S,ranks=16", "hypercube:4"),
        ("lu:class=S,ranks=12", "haec:2x3x2"),
        ("is:class=S,ranks=8", "mesh:3x3"),
        ("ring:1", "torus:3"),
        ("ring:6", "mesh:1x2x1,slots=3"),
        ("stencil:4x6", "tree:2:3:4,distances=1:10:1000000"),
        ("random:ranks=15,degree=4,seed=2", "tree:2:2:2,distances=0:1:5,slots=2"),
        ("random:ranks=17,degree=4,seed=3", "graph:square.txt,slots=2"),
        ("stencil:2x3", "graph:ring.txt"),
        ("random:ranks=16,degree=3,seed=4", "cluster:uneven.json,slots=2"),
        ("stencil:3x8", "torus:4x2,node=node.xml"),
        ("random:ranks=10,degree=4,seed=6", "dragonfly:groups=3,routers=2,nodes=1,node=node.xml"),
    ]
    .map(|(traffic, machine)| {
        let mut drawn = networks().into_iter().chain([cluster()]);
        let drawn = drawn.find(|network| network.spec() == machine);
        let hosted = || machine.strip_suffix(",node=node.xml").map(hosted_on);
        let machine = drawn.or_else(hosted).unwrap_or_else(|| Machine::parse(machine).unwrap());
        Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
    })
    .into()
}

/// Flows one way that differ from those the other way, self messages, several slots per node.
pub fn one_way_problem() -> Problem {
    let mut builder = TrafficBuilder::new(14);
    for rank in 0..14 {
        builder.add(rank, (rank * 5 + 3) % 14, 1.0, f64::from(rank + 1));
        builder.add(rank, (rank + 1) % 14, 1.0, 7.0);
    }
    builder.add(3, 3, 1.0, 20.0);
    let machine = Machine::parse("torus:2x4,slots=2").unwrap();
    Problem::new(builder.build(), machine, Weight::Bytes).unwrap()
}

/// Problems where ranks share slots: many per slot, a few per slot, of different weights.
pub fn shared_problems() -> Vec<Problem> {
    let mut weighted = TrafficBuilder::new(30);
    for rank in 0..30 {
        weighted.add_both_ways(rank, (rank * 7 + 1) % 30, 1.0, f64::from(rank % 4));
    }
    weighted.set_rank_weights((0..30).map(|rank| f64::from(rank % 5)).collect());
    [
        (parse_pattern("stencil:8x9").unwrap(), "tree:2:3,distances=1:10", 0.0),
        (parse_pattern("random:ranks=100,degree=4").unwrap(), "torus:3x3,slots=2", 0.1),
        (parse_pattern("ring:10").unwrap(), "mesh:4x4", 1.5),
        (weighted.build(), "haec:2x2x2", 0.3),
    ]
    .map(|(traffic, machine, imbalance)| {
        let machine = Machine::parse(machine).unwrap();
        Problem::with_imbalance(traffic, machine, Weight::Bytes, Some(imbalance)).unwrap()
    })
    .into()
}

/// A matrix that is not read from a file; costs have fractions, and direction and diagonal count.
fn drawn_matrix(nodes: usize, symmetric: bool) -> CostMatrix {
    let cost = |a: usize, b: usize| {
        let (a, b) = if symmetric { (a.min(b), a.max(b)) } else { (a, b) };
        f64::from(random::below(&mut random::stream(8, &[a as u64, b as u64]), 100)) / 10.0
    };
    let rows = (0..nodes).map(|a| (0..nodes).map(|b| cost(a, b)).collect()).collect();
    CostMatrix::new("drawn.csv", rows).unwrap()
}

/// Every objective that applies to the machine of `problem`; random matrices stand for those from
/// files.
pub fn objectives(problem: &Problem) -> Vec<Arc<dyn Objective>> {
    let entries = OBJECTIVES.entries.iter().filter(|entry| entry.name != CostMatrix::NAME);
    let mut objectives: Vec<Arc<dyn Objective>> =
        entries.map(|entry| parse_objective(entry.example).unwrap()).collect();
    for symmetric in [false, true] {
        objectives.push(Arc::new(drawn_matrix(problem.machine().num_nodes(), symmetric)));
    }
    objectives.retain(|objective| objective.applies_to(problem.machine()).is_ok());
    objectives
}

pub fn random_mapping(problem: &Problem, seed: u64) -> Mapping {
    let mut slots: Vec<u32> = (0..problem.num_slots() as u32).collect();
    random::shuffle(&mut random::stream(seed, &[]), &mut slots);
    slots.truncate(problem.num_ranks());
    Mapping::new(slots, problem.machine()).unwrap()
}
