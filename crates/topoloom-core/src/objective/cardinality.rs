//! Cardinality: how many pairs of partners are neighbours.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::cost_tracker::{BestSwap, CostTracker};
use super::definition::Objective;
use super::entry::ObjectiveEntry;
use crate::ids::Vertex;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;
use crate::topology::{Metric, Topology};
use crate::traffic::CommunicationGraph;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "cardinality",
    summary: "number of partners more than one hop apart (Bokhari counts the others)",
    example: "cardinality",
    parameters: &[],
    build: |_| Ok(Arc::new(Cardinality)),
};

/// The number of pairs of partners that are *not* on one node or on neighbours: all pairs minus
/// Bokhari's cardinality (IEEE Transactions on Computers C-30(3), 1981). Less is better.
#[derive(Debug, Clone, Copy)]
pub struct Cardinality;

impl Objective for Cardinality {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let topology = problem.machine().topology();
        let nodes = mapping.nodes();
        let apart = |&(a, b, _): &(u32, u32, f64)| {
            topology.distance(Vertex(nodes[a as usize]), Vertex(nodes[b as usize])) > 1
        };
        problem.graph().pairs().filter(apart).count() as f64
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let machine = problem.machine();
        let placement = Placement::new(start, machine);
        with_metric!(machine.metric(), metric => {
            Box::new(Tracker::new(problem.graph(), machine.topology(), metric, placement))
        })
    }

    fn pair_cost(&self, _weight: f64, distance: u32) -> Option<f64> {
        Some(f64::from(u8::from(distance > 1)))
    }

    fn fitness(&self, problem: &Problem, cost: f64) -> f64 {
        problem.graph().num_pairs() as f64 - cost
    }
}

/// Keeps, for each rank, how many of its partners are near (at most one hop away). From these
/// counts the best exchange of a rank is found without trying all ranks.
struct Tracker<'a, M> {
    graph: &'a CommunicationGraph,
    topology: &'a dyn Topology,
    metric: &'a M,
    placement: Placement,
    near: Vec<u32>,
    /// Ranks and phantoms without a near partner: a bit set indexed by number.
    lonely: BitSet,
    pairs_apart: u64,
    /// Scratch of `best_swap`: near partners that the rank would have on a node; zero otherwise.
    gained_on_node: Vec<u32>,
    /// Scratch: near partners that a rank would have on the node under examination.
    gained_by_rank: Vec<u32>,
    touched_nodes: Vec<u32>,
    touched_ranks: Vec<u32>,
}

impl<'a, M: Metric> Tracker<'a, M> {
    fn new(
        graph: &'a CommunicationGraph,
        topology: &'a dyn Topology,
        metric: &'a M,
        placement: Placement,
    ) -> Self {
        let count = placement.len();
        let mut tracker = Tracker {
            graph,
            topology,
            metric,
            placement,
            near: vec![0; count],
            lonely: BitSet::new(count),
            pairs_apart: 0,
            gained_on_node: vec![0; topology.num_nodes()],
            gained_by_rank: vec![0; count],
            touched_nodes: Vec::new(),
            touched_ranks: Vec::new(),
        };
        tracker.count();
        tracker
    }

    fn count(&mut self) {
        self.near.fill(0);
        self.pairs_apart = 0;
        for (a, b, _) in self.graph.pairs() {
            if self.is_near(self.placement.node_of(a), self.placement.node_of(b)) {
                self.near[a as usize] += 1;
                self.near[b as usize] += 1;
            } else {
                self.pairs_apart += 1;
            }
        }
        for (rank, &near) in self.near.iter().enumerate() {
            self.lonely.set(rank as u32, near == 0);
        }
    }

    #[inline]
    fn is_near(&self, a: u32, b: u32) -> bool {
        self.metric.distance(a, b) <= 1
    }

    #[inline]
    fn move_delta(&self, rank: u32, from: u32, to: u32, other: u32) -> i64 {
        let mut delta = 0;
        for &partner in self.graph.partners(rank) {
            if partner != other {
                let node = self.placement.node_of(partner);
                delta += i64::from(self.is_near(node, from)) - i64::from(self.is_near(node, to));
            }
        }
        delta
    }

    fn delta(&self, a: u32, b: u32) -> i64 {
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        self.move_delta(a, node_a, node_b, b) + self.move_delta(b, node_b, node_a, a)
    }

    /// Updates the counts for `rank` moving from one node to another while `other` is left out.
    fn follow_move(&mut self, rank: u32, from: u32, to: u32, other: u32) {
        let graph = self.graph;
        for &partner in graph.partners(rank).iter().filter(|&&partner| partner != other) {
            let node = self.placement.node_of(partner);
            let (was, is) = (self.is_near(node, from), self.is_near(node, to));
            if was != is {
                for end in [rank, partner] {
                    let near = &mut self.near[end as usize];
                    *near = if is { *near + 1 } else { *near - 1 };
                    self.lonely.set(end, self.near[end as usize] == 0);
                }
                self.pairs_apart = if is { self.pairs_apart - 1 } else { self.pairs_apart + 1 };
            }
        }
    }

    /// Visits a node and those at most one hop away.
    fn visit_near(&self, node: u32, mut visit: impl FnMut(u32)) {
        let mut go_on = |vertex: Vertex| {
            visit(vertex.0);
            ControlFlow::Continue(())
        };
        for distance in 0..=1 {
            let _ = self.topology.nodes_at_distance(Vertex(node), distance, &mut go_on);
        }
    }

    /// For each node near a partner of `a`: how many partners of `a` are near it.
    fn count_gains_of(&mut self, a: u32) {
        let mut gained = std::mem::take(&mut self.gained_on_node);
        let mut touched = std::mem::take(&mut self.touched_nodes);
        for &partner in self.graph.partners(a) {
            self.visit_near(self.placement.node_of(partner), |node| {
                if gained[node as usize] == 0 {
                    touched.push(node);
                }
                gained[node as usize] += 1;
            });
        }
        (self.gained_on_node, self.touched_nodes) = (gained, touched);
    }

    /// For each rank with partners near `node`: how many such partners it has.
    fn count_gains_on(&mut self, node: u32) {
        let mut gained = std::mem::take(&mut self.gained_by_rank);
        let mut touched = std::mem::take(&mut self.touched_ranks);
        self.visit_near(node, |near| {
            for &occupant in self.placement.on_node(near) {
                for &partner in self.graph.partners(occupant) {
                    if gained[partner as usize] == 0 {
                        touched.push(partner);
                    }
                    gained[partner as usize] += 1;
                }
            }
        });
        (self.gained_by_rank, self.touched_ranks) = (gained, touched);
    }

    /// What exchanging `a` and `b` would add, from the counts of gains.
    fn delta_by_gains(&self, a: u32, b: u32) -> i64 {
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        let lost = self.near[a as usize] + self.near[b as usize];
        let gained = self.gained_on_node[node_b as usize] + self.gained_by_rank[b as usize];
        let delta = i64::from(lost) - i64::from(gained);
        // Each counted the other as coming near, but the distance between the two does not change.
        let partners = self.graph.partners(a).binary_search(&b).is_ok();
        if partners && !self.is_near(node_a, node_b) { delta + 2 } else { delta }
    }
}

impl<M: Metric> CostTracker for Tracker<'_, M> {
    fn cost(&self) -> f64 {
        self.pairs_apart as f64
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        self.delta(a, b) as f64
    }

    fn swap(&mut self, a: u32, b: u32) {
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        self.follow_move(a, node_a, node_b, b);
        self.follow_move(b, node_b, node_a, a);
        self.placement.swap(a, b);
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.count();
        self.cost()
    }

    // A rank that is not near a partner of `a` and has no partner near `a` can only lose. The
    // exchange adds near(a) + near(b), which loses nothing only if both are lonely.
    fn best_swap(&mut self, a: u32, first: u32) -> BestSwap {
        self.count_gains_of(a);
        self.count_gains_on(self.placement.node_of(a));
        let count = self.placement.len() as u32;
        let turn = |b: u32| if b >= first { b - first } else { b + (count - first) };
        let mut best: Option<(i64, u32, u32)> = None;
        let mut examined = 0;
        let mut consider = |tracker: &Self, b: u32| {
            examined += 1;
            let delta = tracker.delta_by_gains(a, b);
            if b != a && delta <= 0 {
                let candidate = (delta, turn(b), b);
                best = Some(best.map_or(candidate, |best| best.min(candidate)));
            }
        };
        for &node in &self.touched_nodes {
            self.placement.on_node(node).iter().for_each(|&b| consider(self, b));
        }
        self.touched_ranks.iter().for_each(|&b| consider(self, b));
        if self.near[a as usize] == 0 {
            let others = || self.lonely.cycle_from(first).filter(|&b| b != a);
            others().take(1).for_each(|b| consider(self, b));
        }
        for node in self.touched_nodes.drain(..) {
            self.gained_on_node[node as usize] = 0;
        }
        for rank in self.touched_ranks.drain(..) {
            self.gained_by_rank[rank as usize] = 0;
        }
        BestSwap { exchange: best.map(|(delta, _, b)| (b, delta as f64)), examined }
    }
}

/// A set of small numbers.
struct BitSet {
    words: Vec<u64>,
    len: u32,
}

impl BitSet {
    fn new(len: usize) -> Self {
        BitSet { words: vec![0; len.div_ceil(64)], len: len as u32 }
    }

    #[inline]
    fn set(&mut self, member: u32, present: bool) {
        let (word, bit) = (member as usize / 64, 1u64 << (member % 64));
        if present {
            self.words[word] |= bit;
        } else {
            self.words[word] &= !bit;
        }
    }

    /// The members from `first` on, with wrap-around.
    fn cycle_from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        self.range(first, self.len).chain(self.range(0, first))
    }

    fn range(&self, from: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = from;
        std::iter::from_fn(move || {
            while next < to {
                let rest = self.words[next as usize / 64] >> (next % 64);
                if rest == 0 {
                    next = (next / 64 + 1) * 64;
                    continue;
                }
                let member = next + rest.trailing_zeros();
                next = member + 1;
                return (member < to).then_some(member);
            }
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::best_swap_by_trying_all;
    use crate::random;
    use crate::{Machine, Weight, parse_pattern};

    fn best_swaps_agree(traffic: &str, machine: &str) {
        let machine = Machine::parse(machine).unwrap();
        let traffic = parse_pattern(traffic).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let mut rng = random::stream(7, &[]);
        let mut slots: Vec<u32> = (0..problem.num_slots() as u32).collect();
        random::shuffle(&mut rng, &mut slots);
        slots.truncate(problem.num_ranks());
        let start = Mapping::new(slots, problem.machine()).unwrap();
        let mut tracker = Cardinality.track(&problem, &start);
        let count = problem.num_slots() as u32;
        for _ in 0..300 {
            let (a, first) = (random::below(&mut rng, count), random::below(&mut rng, count));
            let quick = tracker.best_swap(a, first).exchange;
            let slow = best_swap_by_trying_all(tracker.as_mut(), a, first).exchange;
            assert_eq!(quick, slow, "{a} {first}");
            if let Some((b, _)) = quick {
                tracker.swap(a, b);
            }
        }
        let mapping = tracker.placement().mapping();
        assert_eq!(tracker.cost(), Cardinality.cost(&problem, &mapping));
    }

    #[test]
    fn the_best_swap_by_counts_is_the_best_of_all() {
        best_swaps_agree("stencil:6x6", "torus:4x3x3");
        best_swaps_agree("stencil:6x6", "mesh:6x7");
        best_swaps_agree("stencil:4x9,moore", "haec:3x3x4");
        best_swaps_agree("random:ranks=30,degree=3,seed=1", "torus:3x4,slots=3");
        best_swaps_agree("ring:10", "hypercube:4");
    }
}
