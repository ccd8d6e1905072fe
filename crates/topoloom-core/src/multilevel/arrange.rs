//! Arranges whole blocks: which block goes to which node, once the blocks are made.

use super::block_anneal::{Annealing, Distances};
use super::graph::Graph;
use super::work::Work;
use crate::bisection::bisect;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::{Surroundings, Swap};
use crate::run::Run;
use crate::traffic::{TrafficBuilder, Weight};

/// Swaps the contents of whole nodes. The quotient graph, with one rank for each node in use, is
/// placed again, starting from its present placement and from a geometric bisection.
pub fn arrange(graph: &Graph, node_of: &mut [u32], machine: &Machine, work: &Work, run: &mut Run) {
    let mut nodes: Vec<u32> = node_of.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    let block_of: Vec<u32> = node_of
        .iter()
        .map(|node| nodes.binary_search(node).expect("every node is listed") as u32)
        .collect();
    let quotient = graph.contract(&block_of, nodes.len());
    let mut traffic = TrafficBuilder::new(nodes.len() as u32);
    for block in 0..nodes.len() as u32 {
        for edge in quotient.edges(block) {
            traffic.add(block, edge.to, 0.0, f64::from(edge.weight));
        }
    }
    let Ok(problem) = Problem::new(traffic.build(), machine.with_one_slot(), Weight::Bytes) else {
        return;
    };
    let Ok(now) = problem.mapping(nodes) else { return };
    let steps = work.annealing.steps(graph, quotient.len());
    let better = place_quotient(&problem, &quotient, now, steps, run);
    for (node, &block) in node_of.iter_mut().zip(&block_of) {
        *node = better.slots()[block as usize];
    }
}

fn place_quotient(
    problem: &Problem,
    quotient: &Graph,
    now: Mapping,
    steps: u64,
    run: &mut Run,
) -> Mapping {
    let swapped =
        |start: &Mapping, run: &mut Run| Swap::default().improve(problem, &HopBytes, start, run);
    let cheaper = |one: Mapping, other: Mapping| {
        let cost = |mapping: &Mapping| HopBytes.cost(problem, mapping);
        if cost(&other) < cost(&one) { other } else { one }
    };
    let machine = problem.machine();
    // Groups in groups were split level by level: there is nothing to turn or fold.
    let topology = machine.topology();
    if topology.levels().is_some() || topology.groups().is_some() {
        return swapped(&now, run);
    }
    // Blocks stay in order if there is no time for more.
    let slots = bisect(problem, run)
        .map_or_else(|| (0..problem.num_ranks() as u32).collect(), |bisected| bisected.slots);
    let start = match problem.mapping(slots) {
        Ok(bisected) => cheaper(now, bisected),
        Err(_) => now,
    };
    let Some(distances) = Distances::of(machine) else { return swapped(&start, run) };
    let surroundings = Surroundings::new(machine);
    let annealing = Annealing { quotient, distances: &distances, surroundings: &surroundings };
    let cooled = annealing.cool_down(start.slots(), steps, run);
    match problem.mapping(cooled) {
        Ok(cooled) => cheaper(start, cooled),
        Err(_) => start,
    }
}
