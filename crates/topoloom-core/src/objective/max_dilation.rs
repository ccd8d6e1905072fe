//! Maximum dilation: how far apart the farthest pair of partners is.

use std::sync::Arc;

use super::cost_tracker::CostTracker;
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
    name: "max-dilation",
    summary: "hops between the farthest partners, then the share of partners at that distance",
    example: "max-dilation",
    parameters: &[],
    build: |_| Ok(Arc::new(MaxDilation)),
};

/// The largest distance between partners, plus the number of pairs that far apart divided by the
/// number of pairs plus one. The fraction never outweighs a hop; it gives the search a slope.
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
        combined(farthest, that_far as u64, problem.graph().num_pairs())
    }

    fn shown(&self, _problem: &Problem, _mapping: &Mapping, cost: f64) -> f64 {
        // The share of pairs that are that far apart is less than one.
        cost.floor()
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let placement = Placement::new(start, problem.machine());
        with_metric!(problem.machine().metric(), metric => {
            let ladder = Ladder::new(problem.machine().topology());
            let mut tracker = Tracker {
                graph: problem.graph(),
                metric,
                placement,
                pairs_at: vec![0; ladder.distances.len()],
                change_at: vec![0; ladder.distances.len()],
                touched: Vec::new(),
                ladder,
            };
            tracker.count();
            Box::new(tracker)
        })
    }
}

fn combined(farthest: u32, that_far: u64, pairs: usize) -> f64 {
    f64::from(farthest) + that_far as f64 / (pairs as f64 + 1.0)
}

/// The distances that occur, as steps 0, 1, 2, ...: they may be few and widely spaced.
struct Ladder {
    distances: Vec<u32>,
    /// Whether each distance is its own step.
    gapless: bool,
}

impl Ladder {
    fn new(topology: &dyn Topology) -> Self {
        let distances = topology.distances();
        let gapless = distances.last().is_some_and(|&last| last as usize == distances.len() - 1);
        Ladder { distances, gapless }
    }

    #[inline]
    fn step(&self, distance: u32) -> usize {
        if self.gapless {
            distance as usize
        } else {
            self.distances.partition_point(|&lower| lower < distance)
        }
    }
}

struct Tracker<'a, M> {
    graph: &'a CommunicationGraph,
    metric: &'a M,
    placement: Placement,
    ladder: Ladder,
    /// How many pairs lie at each step of the ladder.
    pairs_at: Vec<u64>,
    /// What the exchange under examination would change in `pairs_at`; zero otherwise.
    change_at: Vec<i64>,
    /// Steps where `change_at` may differ from zero.
    touched: Vec<usize>,
}

impl<M: Metric> Tracker<'_, M> {
    fn count(&mut self) {
        self.pairs_at.fill(0);
        for (a, b, _) in self.graph.pairs() {
            let step = self.step(self.placement.node_of(a), self.placement.node_of(b));
            self.pairs_at[step] += 1;
        }
    }

    #[inline]
    fn step(&self, a: u32, b: u32) -> usize {
        self.ladder.step(self.metric.distance(a, b))
    }

    fn note_change(&mut self, step: usize, change: i64) {
        self.change_at[step] += change;
        self.touched.push(step);
    }

    fn note_move(&mut self, rank: u32, from: u32, to: u32, other: u32) {
        let graph = self.graph;
        for &partner in graph.partners(rank).iter().filter(|&&partner| partner != other) {
            let node = self.placement.node_of(partner);
            self.note_change(self.step(node, from), -1);
            self.note_change(self.step(node, to), 1);
        }
    }

    fn note_swap(&mut self, a: u32, b: u32) {
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        self.note_move(a, node_a, node_b, b);
        self.note_move(b, node_b, node_a, a);
    }

    fn pairs_after_change(&self, step: usize) -> u64 {
        self.pairs_at[step].checked_add_signed(self.change_at[step]).unwrap_or(0)
    }

    fn cost_after_change(&self) -> f64 {
        let steps = 0..self.pairs_at.len();
        match steps.rev().find(|&step| self.pairs_after_change(step) > 0) {
            Some(step) => {
                let farthest = self.ladder.distances[step];
                combined(farthest, self.pairs_after_change(step), self.graph.num_pairs())
            }
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
        for step in self.touched.drain(..) {
            self.change_at[step] = 0;
        }
        after - before
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.note_swap(a, b);
        for step in std::mem::take(&mut self.touched) {
            self.pairs_at[step] = self.pairs_after_change(step);
            self.change_at[step] = 0;
        }
        self.placement.swap(a, b);
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.count();
        self.cost()
    }
}
