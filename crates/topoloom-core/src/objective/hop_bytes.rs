//! Hop-bytes: every flow's weight times the hops it travels.

use std::sync::Arc;

use super::{BestSwap, CostTracker, Objective, ObjectiveEntry};
use crate::ids::Vertex;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;
use crate::topology::Metric;
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
        with_metric!(problem.machine().metric(), metric => {
            Box::new(Tracker::new(problem, metric, start))
        })
    }

    fn pair_cost(&self, weight: f64, distance: u32) -> Option<f64> {
        Some(weight * f64::from(distance))
    }
}

/// Follows hop-bytes, compiled for one metric; searches that know it call it without a table.
pub(crate) struct Tracker<'a, M> {
    graph: &'a CommunicationGraph,
    metric: &'a M,
    placement: Placement,
    cost: f64,
    /// What each rank's own pairs cost; nothing for phantoms. Empty until someone asks.
    cost_of: Vec<f64>,
    /// Scratch of `best_swap`, by node: hops from the rank, and what its pairs would cost there.
    hops_to: Vec<f64>,
    cost_at: Vec<f64>,
    /// Scratch: the weight between the rank and each of its partners; zero otherwise.
    weight_to: Vec<f64>,
    /// Scratch: the nodes of the rank's partners and their weights.
    places: Vec<(u32, f64)>,
}

impl<'a, M: Metric> Tracker<'a, M> {
    pub(crate) fn new(problem: &'a Problem, metric: &'a M, start: &Mapping) -> Self {
        let placement = Placement::new(start, problem.machine());
        let (count, nodes) = (placement.len(), problem.machine().num_nodes());
        let mut tracker = Tracker {
            graph: problem.graph(),
            metric,
            placement,
            cost: 0.0,
            cost_of: Vec::new(),
            hops_to: vec![0.0; nodes],
            cost_at: vec![0.0; nodes],
            weight_to: vec![0.0; count],
            places: Vec::new(),
        };
        tracker.count();
        tracker
    }

    fn count(&mut self) {
        self.cost_of.clear();
        self.cost = 0.0;
        for rank in 0..self.graph.num_ranks() as u32 {
            let node = self.placement.node_of(rank);
            for (partner, weight) in self.graph.edges(rank) {
                if rank < partner {
                    self.cost += weight * self.hops(node, self.placement.node_of(partner));
                }
            }
        }
    }

    fn count_by_rank(&mut self) {
        self.cost_of.resize(self.placement.len(), 0.0);
        for rank in 0..self.graph.num_ranks() as u32 {
            let node = self.placement.node_of(rank);
            let of_pair =
                |(partner, weight)| weight * self.hops(node, self.placement.node_of(partner));
            self.cost_of[rank as usize] = self.graph.edges(rank).map(of_pair).sum();
        }
    }

    #[inline]
    fn hops(&self, a: u32, b: u32) -> f64 {
        f64::from(self.metric.distance(a, b))
    }

    /// What moving `rank` from one node to another would add, if all but `other` stay.
    #[inline]
    fn move_delta(&self, rank: u32, from: u32, to: u32, other: u32) -> f64 {
        let mut delta = 0.0;
        for (partner, weight) in self.graph.edges(rank) {
            if partner != other {
                let node = self.placement.node_of(partner);
                delta += weight * (self.hops(node, to) - self.hops(node, from));
            }
        }
        delta
    }

    /// Moves `rank` in the costs of its pairs, all but the one with `other`.
    fn follow_move(&mut self, rank: u32, from: u32, to: u32, other: u32) {
        let graph = self.graph;
        for (partner, weight) in graph.edges(rank).filter(|&(partner, _)| partner != other) {
            let node = self.placement.node_of(partner);
            let delta = weight * (self.hops(node, to) - self.hops(node, from));
            self.cost += delta;
            if !self.cost_of.is_empty() {
                self.cost_of[rank as usize] += delta;
                self.cost_of[partner as usize] += delta;
            }
        }
    }

    /// Fills the scratch for exchanges of `a`.
    fn look_around(&mut self, a: u32) {
        let node_a = self.placement.node_of(a);
        for (node, hops) in (0..).zip(&mut self.hops_to) {
            *hops = f64::from(self.metric.distance(node_a, node));
        }
        self.places.clear();
        for (partner, weight) in self.graph.edges(a) {
            self.weight_to[partner as usize] = weight;
            self.places.push((self.placement.node_of(partner), weight));
        }
        self.metric.weighted_hops(&self.places, &mut self.cost_at);
    }

    /// What exchanging `a` and `b` would add, after `look_around(a)`, if that is at most `limit`.
    #[inline]
    fn delta_after_look(&self, a: u32, b: u32, limit: f64) -> Option<f64> {
        let node_b = self.placement.node_of(b) as usize;
        let before = self.cost_of[a as usize] + self.cost_of[b as usize];
        // What b would cost where a is comes on top: for most of the machine this is enough.
        if self.cost_at[node_b] - before > limit {
            return None;
        }
        let mut b_there = 0.0;
        for (partner, weight) in self.graph.edges(b) {
            b_there += weight * self.hops_to[self.placement.node_of(partner) as usize];
        }
        // Between themselves nothing changes, but each counted the other as next to it.
        let between = self.weight_to[b as usize] * self.hops_to[node_b];
        let delta = self.cost_at[node_b] + b_there - before + 2.0 * between;
        (delta <= limit).then_some(delta)
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
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        self.follow_move(a, node_a, node_b, b);
        self.follow_move(b, node_b, node_a, a);
        self.placement.swap(a, b);
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.count();
        self.cost
    }

    fn best_swap(&mut self, a: u32, first: u32) -> BestSwap {
        if self.cost_of.is_empty() {
            self.count_by_rank();
        }
        self.look_around(a);
        let count = self.placement.len() as u32;
        let mut best: Option<(u32, f64)> = None;
        for b in (first..count).chain(0..first).filter(|&b| b != a) {
            let limit = best.map_or(0.0, |(_, least)| least);
            if let Some(delta) = self.delta_after_look(a, b, limit)
                && best.is_none_or(|(_, least)| delta < least)
            {
                best = Some((b, delta));
            }
        }
        for &partner in self.graph.partners(a) {
            self.weight_to[partner as usize] = 0.0;
        }
        BestSwap { exchange: best, examined: u64::from(count) - 1 }
    }
}
