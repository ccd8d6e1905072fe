//! Repairs seams: exchanges ranks whose partners are far away with ranks beside those partners.

use std::ops::ControlFlow;

use crate::ids::Vertex;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::refiner::hubs::Hubs;
use crate::run::Run;

/// Nodes tried around a partner; some machines connect a node to hundreds.
const NODES_AROUND: usize = 8;

/// Exchanges examined for each rank on average.
const EXCHANGES_PER_RANK: u64 = 60;

/// Exchanges examined in total if each one changes the loads of many links: some seconds. More gain less
/// than a thousandth for BT, SP and CG with 16,384 ranks on 512 nodes.
const EXCHANGES_OF_LOADS: u64 = 100_000;

/// Improves a placement until a full cycle brings no gain; returns the final cost and placement.
pub(super) fn exchange(
    problem: &Problem,
    objective: &dyn Objective,
    start: Mapping,
    run: &mut Run,
) -> (f64, Mapping) {
    let mut tracker = objective.track(problem, &start);
    let (graph, machine) = (problem.graph(), problem.machine());
    let hubs = Hubs::of(graph);
    let mut left = EXCHANGES_PER_RANK * problem.num_ranks() as u64;
    if objective.needs_links() {
        left = left.min(EXCHANGES_OF_LOADS);
    }
    let mut around = Vec::new();
    loop {
        let before = tracker.cost();
        // A hub has no natural place in a grid, and evaluating its exchanges takes long.
        for rank in (0..problem.num_ranks() as u32).filter(|&rank| !hubs.contain(rank)) {
            for &partner in graph.partners(rank) {
                let here = tracker.placement().node_of(rank);
                let there = tracker.placement().node_of(partner);
                if machine.topology().distance(Vertex(here), Vertex(there)) < 2 {
                    continue;
                }
                around.clear();
                let _ = machine.topology().nodes_at_distance(Vertex(there), 1, &mut |node| {
                    around.push(node.0);
                    if around.len() < NODES_AROUND {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                });
                for &node in &around {
                    let other = tracker.placement().on_node(node)[0];
                    if other == rank || hubs.contain(other) {
                        continue;
                    }
                    let tolerance = 1e-12 * tracker.cost();
                    if tracker.swap_delta(rank, other) < -tolerance {
                        tracker.swap(rank, other);
                        break;
                    }
                }
                left = left.saturating_sub(around.len() as u64);
                if !run.spend(around.len() as u64) || left == 0 {
                    return finish(problem, objective, start, tracker.placement().mapping());
                }
            }
        }
        if tracker.cost() >= before {
            return finish(problem, objective, start, tracker.placement().mapping());
        }
    }
}

/// The cheaper of two placements, by the definition.
fn finish(
    problem: &Problem,
    objective: &dyn Objective,
    start: Mapping,
    end: Mapping,
) -> (f64, Mapping) {
    let (first, last) = (objective.cost(problem, &start), objective.cost(problem, &end));
    if last < first { (last, end) } else { (first, start) }
}
