//! Follows a sum over pairs that depends on which rank sends and which receives.

use super::pair_cost::PairCost;
use super::symmetric::weights_to_itself;
use crate::mapping::{Mapping, Placement};
use crate::objective::cost_tracker::CostTracker;
use crate::problem::Problem;
use crate::side_by_side;
use crate::traffic::CommunicationGraph;

/// What a rank and one of its partners exchange.
#[derive(Debug, Clone, Copy, Default)]
struct Exchanged {
    sent: f64,
    received: f64,
}

/// Follows a sum over flows, specialised for its cost.
pub(crate) struct DirectedTracker<'a, C> {
    graph: &'a CommunicationGraph,
    unit: C,
    placement: Placement,
    cost: f64,
    to_itself: Vec<f64>,
    /// Where the partners of each rank begin in `exchanged`.
    row_start: Vec<usize>,
    /// In the order of `graph.partners(rank)`, rank by rank.
    exchanged: Vec<Exchanged>,
}

impl<'a, C: PairCost> DirectedTracker<'a, C> {
    pub(crate) fn new(problem: &'a Problem, unit: C, start: &Mapping) -> Self {
        let graph = problem.graph();
        let mut row_start = vec![0];
        for rank in 0..graph.num_ranks() as u32 {
            row_start.push(row_start[rank as usize] + graph.partners(rank).len());
        }
        let mut exchanged = vec![Exchanged::default(); row_start[graph.num_ranks()]];
        problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
            let place = |rank: u32, partner: u32| {
                let place = graph.partners(rank).binary_search(&partner).ok()?;
                Some(row_start[rank as usize] + place)
            };
            // Neither self pairs nor pairs of weight 0 are in the graph.
            if let (Some(out), Some(inward)) = (place(from, to), place(to, from)) {
                exchanged[out].sent += weight;
                exchanged[inward].received += weight;
            }
        });
        let mut tracker = DirectedTracker {
            graph,
            unit,
            placement: Placement::new(start, problem.machine()),
            cost: 0.0,
            to_itself: weights_to_itself(problem),
            row_start,
            exchanged,
        };
        tracker.count();
        tracker
    }

    fn count(&mut self) {
        let mut cost = 0.0;
        for rank in 0..self.graph.num_ranks() as u32 {
            let node = self.placement.node_of(rank);
            cost += self.to_itself[rank as usize] * self.unit.between(node, node);
            for (partner, exchanged) in self.edges(rank) {
                cost += exchanged.sent * self.unit.between(node, self.placement.node_of(partner));
            }
        }
        self.cost = cost;
    }

    /// The partners of a rank and what they exchange with it; none for phantoms.
    #[inline]
    fn edges(&self, rank: u32) -> impl Iterator<Item = (u32, Exchanged)> + '_ {
        let partners = self.graph.partners(rank);
        let start = self.row_start.get(rank as usize).copied().unwrap_or(0);
        let row = &self.exchanged[start..start + partners.len()];
        side_by_side(partners, row)
    }

    #[inline]
    fn pair(&self, exchanged: Exchanged, node: u32, partner_node: u32) -> f64 {
        exchanged.sent * self.unit.between(node, partner_node)
            + exchanged.received * self.unit.between(partner_node, node)
    }

    /// What `a` adds when it moves to the node of `b`, and `b` to its node; the pair of the two is
    /// counted if `counts_pair`.
    #[inline]
    fn move_delta(&self, a: u32, b: u32, counts_pair: bool) -> f64 {
        let (from, to) = (self.placement.node_of(a), self.placement.node_of(b));
        let mut delta = match self.to_itself.get(a as usize) {
            Some(weight) => weight * (self.unit.between(to, to) - self.unit.between(from, from)),
            None => 0.0,
        };
        for (partner, exchanged) in self.edges(a) {
            if partner != b {
                let node = self.placement.node_of(partner);
                delta += self.pair(exchanged, to, node) - self.pair(exchanged, from, node);
            } else if counts_pair {
                delta += self.pair(exchanged, to, from) - self.pair(exchanged, from, to);
            }
        }
        delta
    }
}

impl<C: PairCost> CostTracker for DirectedTracker<'_, C> {
    fn cost(&self) -> f64 {
        self.cost
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        self.move_delta(a, b, true) + self.move_delta(b, a, false)
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.cost += self.swap_delta(a, b);
        self.placement.swap(a, b);
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.count();
        self.cost
    }
}
