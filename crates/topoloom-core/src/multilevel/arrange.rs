//! Whole blocks first: which block goes to which node, once the blocks are made.

use super::graph::Graph;
use super::work::Work;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::{Swap, Tabu};
use crate::run::Run;
use crate::strategy::{Bisection, Strategy};
use crate::traffic::{TrafficBuilder, Weight};

/// Exchanges the contents of whole nodes: the quotient graph, one rank for each node in use, is
/// placed anew, from where it is and from a geometric bisection.
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
    let better = place_quotient(&problem, now, machine, graph.edges.len(), work, run);
    for (node, &block) in node_of.iter_mut().zip(&block_of) {
        *node = better.slots()[block as usize];
    }
}

fn place_quotient(
    problem: &Problem,
    now: Mapping,
    machine: &Machine,
    edges: usize,
    work: &Work,
    run: &mut Run,
) -> Mapping {
    let swapped = |start: &Mapping, run: &mut Run| {
        let better = Swap::default().improve(problem, &HopBytes, start, run);
        (HopBytes.cost(problem, &better), better)
    };
    let (cost, mut best) = swapped(&now, run);
    // Groups in groups were split level by level: there is nothing to turn or fold.
    if machine.topology().levels().is_some() {
        return best;
    }
    if let Ok(start) = Bisection.map(problem, None, &mut run.part()) {
        let (other_cost, other) = swapped(&start, run);
        if other_cost < cost {
            best = other;
        }
    }
    let slots = problem.num_slots() as u64;
    let affordable = work.arrangement * edges as f64 / (slots * slots) as f64;
    let iterations = (affordable as u64).clamp(1, work.exchanges);
    Tabu { iterations }.improve(problem, &HopBytes, best, run)
}
