//! Hop-bytes: every flow's weight times the hops it travels.

use std::sync::Arc;

use super::{CostTracker, Objective, ObjectiveEntry};
use crate::ids::Vertex;
use crate::machine::Metric;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;
use crate::traffic::CommunicationGraph;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "hop-bytes",
    summary: "sum over all flows of weight times hops",
    example: "hop-bytes",
    parameters: &[],
    build: |_| Ok(Arc::new(HopBytes)),
};

/// The sum over all directed pairs of weight times distance (dilation as a sum, equation 2.4 of
/// the HAEC thesis).
#[derive(Debug, Clone, Copy)]
pub struct HopBytes;

impl Objective for HopBytes {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let topology = problem.machine().topology();
        let mut cost = 0.0;
        for flow in problem.traffic().flows() {
            let (from, to) = (Vertex(mapping.node_of(flow.from)), Vertex(mapping.node_of(flow.to)));
            cost += flow.weight(problem.weight()) * f64::from(topology.distance(from, to));
        }
        cost
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let placement = Placement::new(start, problem.machine());
        with_metric!(problem.machine().metric(), metric => {
            let mut tracker = Tracker { graph: problem.graph(), metric, placement, cost: 0.0 };
            tracker.cost = tracker.sum();
            Box::new(tracker)
        })
    }

    fn pair_cost(&self, weight: f64, distance: u32) -> Option<f64> {
        Some(weight * f64::from(distance))
    }
}

struct Tracker<'a, M> {
    graph: &'a CommunicationGraph,
    metric: &'a M,
    placement: Placement,
    cost: f64,
}

impl<M: Metric> Tracker<'_, M> {
    fn sum(&self) -> f64 {
        let mut sum = 0.0;
        for rank in 0..self.graph.num_ranks() as u32 {
            let node = self.placement.node_of(rank);
            for (partner, weight) in self.graph.edges(rank) {
                if rank < partner {
                    let hops = self.metric.distance(node, self.placement.node_of(partner));
                    sum += weight * f64::from(hops);
                }
            }
        }
        sum
    }

    /// What moving `rank` from one node to another would add, if all but `other` stay.
    #[inline]
    fn move_delta(&self, rank: u32, from: u32, to: u32, other: u32) -> f64 {
        let mut delta = 0.0;
        for (partner, weight) in self.graph.edges(rank) {
            if partner != other {
                let node = self.placement.node_of(partner);
                let (before, after) =
                    (self.metric.distance(node, from), self.metric.distance(node, to));
                delta += weight * (f64::from(after) - f64::from(before));
            }
        }
        delta
    }
}

impl<M: Metric> CostTracker for Tracker<'_, M> {
    fn cost(&self) -> f64 {
        self.cost
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    #[inline]
    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        // The distance between a and b themselves does not change.
        self.move_delta(a, node_a, node_b, b) + self.move_delta(b, node_b, node_a, a)
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.cost += self.swap_delta(a, b);
        self.placement.swap(a, b);
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.cost = self.sum();
        self.cost
    }
}
