//! From a problem to the engine's graph, and from nodes back to slots.

use super::arrange::arrange;
use super::graph::{Edge, Graph};
use super::multisection::Target;
use super::region::Hierarchy;
use super::work::Work;
use crate::crew::{Used, mark};
use crate::machine::Machine;
use crate::problem::Problem;
use crate::run::Run;
use crate::topology::Metric;
use crate::traffic::CommunicationGraph;
use crate::with_metric;

/// Whole numbers up to this are exact in single precision.
const LARGEST_EXACT: f64 = 16_777_216.0;

/// The slot of each rank. If ranks of very different weight share slots, a slot may be overloaded;
/// everything else fits.
pub fn place(problem: &Problem, work: &Work, run: &mut Run) -> Vec<u32> {
    let machine = problem.machine();
    let order = breadth_first(problem.graph());
    let graph = graph_of(problem, &order);
    let node_capacity = node_capacity(problem);
    let node_of = with_metric!(machine.metric(), metric => {
        let hierarchy = Hierarchy::new(machine.topology());
        let arranged = problem.sharing().is_some();
        let work = &work.on(&graph, arranged);
        let target = Target { hierarchy, metric, node_capacity, arranged };
        if arranged {
            best_of_several(&target, &graph, machine, work, run)
        } else {
            target.spread(&graph, work, run)
        }
    });
    let mut node_of_rank = vec![0; order.len()];
    for (&rank, node) in order.iter().zip(node_of) {
        node_of_rank[rank as usize] = node;
    }
    slots_of_nodes(problem, &node_of_rank)
}

/// The room on each node.
pub fn node_capacity(problem: &Problem) -> f64 {
    let slot_capacity = problem.sharing().map_or(1.0, |sharing| sharing.slot_capacity);
    f64::from(problem.machine().slots_per_node()) * slot_capacity
}

/// Placements that differ in their random choices, combined into one.
fn best_of_several<M: Metric>(
    target: &Target<'_, M>,
    graph: &Graph,
    machine: &Machine,
    work: &Work,
    run: &mut Run,
) -> Vec<u32> {
    let count = work.placements;
    let place = |number: usize, mut part: Run| {
        let work = &work.for_placement(number);
        let mut node_of = target.spread(graph, work, &mut part);
        arrange(graph, &mut node_of, machine, work, &mut part);
        target.refine(graph, &mut node_of, work, &mut part);
        (node_of, Used::by(&part))
    };
    let part = |number: usize| run.one_of(count as u64, number as u64);
    let made: Vec<Option<(Vec<u32>, Used)>> = if count == 1 || run.crew().is_some() {
        // One after the other: the crew shares the divisions and the parts of each.
        let in_time = |number: usize| number == 0 || !run.is_over();
        let place = |number| in_time(number).then(|| place(number, part(number).with_crew_of(run)));
        (0..count).map(place).collect()
    } else {
        let mark = mark("placements", [run.seed(), count as u64]);
        run.share(mark, count, |number| place(number, part(number)))
    };
    let mut placements = Vec::new();
    for (node_of, used) in made.into_iter().flatten() {
        used.absorb(run);
        let (overload, cost) = if count > 1 { target.judge(graph, &node_of) } else { (0.0, 0.0) };
        placements.push((overload, cost, node_of));
    }
    cheapest_first(&mut placements);
    let mut placements = placements.into_iter().map(|(.., node_of)| node_of);
    let mut best = placements.next().expect("the first placement is always made");
    for other in placements {
        if run.out_of_time() {
            break;
        }
        best = target.combine(graph, &best, &other, work, run);
    }
    best
}

/// Sorts placements by overload and cost. The sort is stable: among equals the first one counts.
fn cheapest_first(placements: &mut [(f64, f64, Vec<u32>)]) {
    placements.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
}

/// Ranks in breadth-first order: partners are close together, which suits the cache.
pub fn breadth_first(graph: &CommunicationGraph) -> Vec<u32> {
    let n = graph.num_ranks();
    let mut seen = vec![false; n];
    let mut order = Vec::with_capacity(n);
    for first in 0..n as u32 {
        if std::mem::replace(&mut seen[first as usize], true) {
            continue;
        }
        let mut next = order.len();
        order.push(first);
        while let Some(&rank) = order.get(next) {
            next += 1;
            for &partner in graph.partners(rank) {
                if !std::mem::replace(&mut seen[partner as usize], true) {
                    order.push(partner);
                }
            }
        }
    }
    order
}

/// The traffic as the engine's graph: vertex i is rank `order[i]`. Weights are scaled to keep the
/// largest far from the limit of single precision.
pub fn graph_of(problem: &Problem, order: &[u32]) -> Graph {
    let traffic = problem.graph();
    let mut position = vec![0u32; order.len()];
    for (at, &rank) in (0..).zip(order) {
        position[rank as usize] = at;
    }
    let (mut largest, mut total, mut whole) = (0.0f64, 0.0, true);
    for &weight in traffic.all_weights() {
        largest = largest.max(weight);
        total += weight;
        whole &= weight.fract() == 0.0;
    }
    whole &= total < LARGEST_EXACT;
    let scale = if (1e-20..1e20).contains(&largest) { 1.0 } else { 1.0 / largest };
    let shared = problem.sharing().is_some();
    let mut graph = Graph {
        start: Vec::with_capacity(order.len() + 1),
        edges: Vec::with_capacity(traffic.num_pairs() * 2),
        sizes: order
            .iter()
            .map(|&rank| if shared { problem.rank_weight(rank) } else { 1.0 })
            .collect(),
        whole,
    };
    graph.start.push(0);
    for &rank in order {
        graph.edges.extend(traffic.edges(rank).map(|(partner, weight)| Edge {
            to: position[partner as usize],
            weight: ((weight * scale) as f32).max(f32::MIN_POSITIVE),
        }));
        graph.start.push(graph.edges.len() as u32);
    }
    graph
}

/// Slots for ranks whose nodes are known. If each slot takes one rank, they are filled in order;
/// otherwise the heaviest ranks come first, each where most room is left.
pub fn slots_of_nodes(problem: &Problem, node_of_rank: &[u32]) -> Vec<u32> {
    let slots_per_node = problem.machine().slots_per_node();
    let mut ranks: Vec<u32> = (0..node_of_rank.len() as u32).collect();
    if slots_per_node == 1 {
        return node_of_rank.to_vec();
    }
    let shared = problem.sharing().is_some();
    if shared && problem.traffic().rank_weights().is_some() {
        ranks.sort_by(|&a, &b| problem.rank_weight(b).total_cmp(&problem.rank_weight(a)));
    }
    let mut load = vec![0.0; problem.num_slots()];
    let mut slot_of = vec![0; node_of_rank.len()];
    for rank in ranks {
        let first = node_of_rank[rank as usize] * slots_per_node;
        let lightest = (first..first + slots_per_node)
            .min_by(|&a, &b| f64::total_cmp(&load[a as usize], &load[b as usize]))
            .expect("at least one slot");
        load[lightest as usize] += if shared { problem.rank_weight(rank) } else { 1.0 };
        slot_of[rank as usize] = lightest;
    }
    slot_of
}
