//! Maximum dilation: how far apart the farthest pair of partners is.

use std::sync::Arc;

use super::{CostTracker, Objective, ObjectiveEntry};
use crate::ids::Vertex;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;
use crate::topology::Metric;
use crate::traffic::CommunicationGraph;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "max-dilation",
    summary: "hops between the farthest partners, then the share of partners that far apart",
    example: "max-dilation",
    parameters: &[],
    build: |_| Ok(Arc::new(MaxDilation)),
};

/// The largest distance between partners, plus the number of pairs that far apart divided by
/// the number of pairs plus one. The fraction never outweighs a hop; it gives search a slope.
#[derive(Debug, Clone, Copy)]
pub struct MaxDilation;

impl Objective for MaxDilation {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let topology = problem.machine().topology();
        let nodes = mapping.nodes();
        let distances = || {
            problem.graph().pairs().map(|(a, b, _)| {
                topology.distance(Vertex(nodes[a as usize]), Vertex(nodes[b as usize]))
            })
        };
        let farthest = distances().max().unwrap_or(0);
        let that_far = distances().filter(|&distance| distance == farthest).count();
        combined(farthest as usize, that_far as u64, problem.graph().num_pairs())
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let placement = Placement::new(start, problem.machine());
        with_metric!(problem.machine().metric(), metric => {
            let mut tracker = Tracker {
                graph: problem.graph(),
                metric,
                placement,
                pairs_at: Vec::new(),
                change_at: Vec::new(),
                touched: Vec::new(),
            };
            tracker.count();
            Box::new(tracker)
        })
    }
}

fn combined(farthest: usize, that_far: u64, pairs: usize) -> f64 {
    farthest as f64 + that_far as f64 / (pairs as f64 + 1.0)
}

struct Tracker<'a, M> {
    graph: &'a CommunicationGraph,
    metric: &'a M,
    placement: Placement,
    /// How many pairs lie at each distance.
    pairs_at: Vec<u64>,
    /// What the exchange under examination would change in `pairs_at`; zero otherwise.
    change_at: Vec<i64>,
    /// Distances where `change_at` may differ from zero.
    touched: Vec<u32>,
}

impl<M: Metric> Tracker<'_, M> {
    fn count(&mut self) {
        self.pairs_at.clear();
        self.pairs_at.push(0);
        for (a, b, _) in self.graph.pairs() {
            let hops = self.metric.distance(self.placement.node_of(a), self.placement.node_of(b));
            if self.pairs_at.len() <= hops as usize {
                self.pairs_at.resize(hops as usize + 1, 0);
            }
            self.pairs_at[hops as usize] += 1;
        }
        self.change_at.resize(self.pairs_at.len().max(self.change_at.len()), 0);
    }

    fn note_change(&mut self, hops: u32, change: i64) {
        if self.change_at.len() <= hops as usize {
            self.change_at.resize(hops as usize + 1, 0);
        }
        self.change_at[hops as usize] += change;
        self.touched.push(hops);
    }

    fn note_move(&mut self, rank: u32, from: u32, to: u32, other: u32) {
        let graph = self.graph;
        for &partner in graph.partners(rank).iter().filter(|&&partner| partner != other) {
            let node = self.placement.node_of(partner);
            self.note_change(self.metric.distance(node, from), -1);
            self.note_change(self.metric.distance(node, to), 1);
        }
    }

    fn note_swap(&mut self, a: u32, b: u32) {
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        self.note_move(a, node_a, node_b, b);
        self.note_move(b, node_b, node_a, a);
    }

    fn pairs_after_change(&self, hops: usize) -> u64 {
        let before = self.pairs_at.get(hops).copied().unwrap_or(0);
        before.checked_add_signed(self.change_at.get(hops).copied().unwrap_or(0)).unwrap_or(0)
    }

    fn cost_after_change(&self) -> f64 {
        let highest = self.pairs_at.len().max(self.change_at.len());
        match (0..highest).rev().find(|&hops| self.pairs_after_change(hops) > 0) {
            Some(hops) => combined(hops, self.pairs_after_change(hops), self.graph.num_pairs()),
            None => 0.0,
        }
    }
}

impl<M: Metric> CostTracker for Tracker<'_, M> {
    fn cost(&self) -> f64 {
        self.cost_after_change()
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        let before = self.cost();
        self.note_swap(a, b);
        let after = self.cost_after_change();
        for hops in self.touched.drain(..) {
            self.change_at[hops as usize] = 0;
        }
        after - before
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.note_swap(a, b);
        for hops in std::mem::take(&mut self.touched) {
            let after = self.pairs_after_change(hops as usize);
            if self.pairs_at.len() <= hops as usize {
                self.pairs_at.resize(hops as usize + 1, 0);
            }
            self.pairs_at[hops as usize] = after;
            self.change_at[hops as usize] = 0;
        }
        self.placement.swap(a, b);
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.count();
        self.cost()
    }
}
