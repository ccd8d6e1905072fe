//! Follows a sum over pairs whose two directions cost the same.

use super::pair_cost::PairCost;
use crate::mapping::{Mapping, Placement};
use crate::objective::cost_tracker::{BestSwap, CostTracker, best_swap_by_trying_all};
use crate::problem::Problem;
use crate::traffic::CommunicationGraph;

/// Follows a symmetric sum over pairs, specialised for its cost; searches that know its type call
/// it without dynamic dispatch. Both directions of a pair are taken together.
pub(crate) struct SymmetricTracker<'a, C> {
    graph: &'a CommunicationGraph,
    unit: C,
    placement: Placement,
    cost: f64,
    /// What each rank sends to itself; empty if a node costs nothing to itself.
    to_itself: Vec<f64>,
    /// What each rank's own pairs cost; nothing for phantoms. Empty until it is needed.
    cost_of: Vec<f64>,
    /// Scratch of `best_swap`, by node: what a unit costs from the rank, and what the rank's pairs
    /// would cost there.
    unit_to: Vec<f64>,
    cost_at: Vec<f64>,
    /// Scratch: the weight between the rank and each of its partners; zero otherwise.
    weight_to: Vec<f64>,
    /// Scratch: the nodes of the rank's partners and their weights.
    places: Vec<(u32, f64)>,
}

impl<'a, C: PairCost> SymmetricTracker<'a, C> {
    pub(crate) fn new(problem: &'a Problem, unit: C, start: &Mapping) -> Self {
        let placement = Placement::new(start, problem.machine());
        let (count, nodes) = (placement.len(), problem.machine().num_nodes());
        let mut tracker = SymmetricTracker {
            graph: problem.graph(),
            unit,
            placement,
            cost: 0.0,
            to_itself: Vec::new(),
            cost_of: Vec::new(),
            unit_to: vec![0.0; nodes],
            cost_at: vec![0.0; nodes],
            weight_to: vec![0.0; count],
            places: Vec::new(),
        };
        if tracker.unit.has_diagonal() {
            tracker.to_itself = weights_to_itself(problem);
        }
        tracker.count();
        tracker
    }

    fn count(&mut self) {
        self.cost_of.clear();
        self.cost = 0.0;
        for rank in 0..self.graph.num_ranks() as u32 {
            let node = self.placement.node_of(rank);
            if let Some(weight) = self.to_itself.get(rank as usize) {
                self.cost += weight * self.between(node, node);
            }
            for (partner, weight) in self.graph.edges(rank) {
                if rank < partner {
                    self.cost += weight * self.between(node, self.placement.node_of(partner));
                }
            }
        }
    }

    fn count_by_rank(&mut self) {
        self.cost_of.resize(self.placement.len(), 0.0);
        for rank in 0..self.graph.num_ranks() as u32 {
            let node = self.placement.node_of(rank);
            let of_pair =
                |(partner, weight)| weight * self.between(node, self.placement.node_of(partner));
            self.cost_of[rank as usize] = self.graph.edges(rank).map(of_pair).sum();
        }
    }

    #[inline(always)]
    fn between(&self, a: u32, b: u32) -> f64 {
        self.unit.between(a, b)
    }

    /// What moving `rank` from one node to another would add to its own cost.
    #[inline(always)]
    fn own_delta(&self, rank: u32, from: u32, to: u32) -> f64 {
        match self.to_itself.get(rank as usize) {
            Some(weight) => weight * (self.between(to, to) - self.between(from, from)),
            None => 0.0,
        }
    }

    /// What moving `rank` from one node to another would add, if all ranks except `other` stay.
    #[inline]
    fn move_delta(&self, rank: u32, from: u32, to: u32, other: u32) -> f64 {
        let mut delta = self.own_delta(rank, from, to);
        for (partner, weight) in self.graph.edges(rank) {
            if partner != other {
                let node = self.placement.node_of(partner);
                delta += weight * (self.between(node, to) - self.between(node, from));
            }
        }
        delta
    }

    /// Updates the costs of the pairs of `rank` for its move, except the pair with `other`.
    fn follow_move(&mut self, rank: u32, from: u32, to: u32, other: u32) {
        let graph = self.graph;
        self.cost += self.own_delta(rank, from, to);
        for (partner, weight) in graph.edges(rank).filter(|&(partner, _)| partner != other) {
            let node = self.placement.node_of(partner);
            let delta = weight * (self.between(node, to) - self.between(node, from));
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
        for (node, unit) in (0..).zip(&mut self.unit_to) {
            *unit = self.unit.between(node_a, node);
        }
        self.places.clear();
        for (partner, weight) in self.graph.edges(a) {
            self.weight_to[partner as usize] = weight;
            self.places.push((self.placement.node_of(partner), weight));
        }
        self.unit.sums(&self.places, &mut self.cost_at);
    }

    /// What exchanging `a` and `b` would add, after `look_around(a)`, if that is at most `limit`.
    #[inline]
    fn delta_after_look(&self, a: u32, b: u32, limit: f64) -> Option<f64> {
        let node_b = self.placement.node_of(b) as usize;
        let before = self.cost_of[a as usize] + self.cost_of[b as usize];
        // The cost of b at the place of a comes in addition: for most of the machine this test is
        // enough.
        if self.cost_at[node_b] - before > limit {
            return None;
        }
        let mut b_there = 0.0;
        for (partner, weight) in self.graph.edges(b) {
            b_there += weight * self.unit_to[self.placement.node_of(partner) as usize];
        }
        // The cost between the two does not change, but each counted the other as next to it.
        let between = self.weight_to[b as usize] * self.unit_to[node_b];
        let delta = self.cost_at[node_b] + b_there - before + 2.0 * between;
        (delta <= limit).then_some(delta)
    }
}

impl<C: PairCost> CostTracker for SymmetricTracker<'_, C> {
    fn cost(&self) -> f64 {
        self.cost
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    #[inline]
    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        // What a and b cost each other does not change.
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
        if !self.unit.is_exact() || self.unit.has_diagonal() {
            return best_swap_by_trying_all(self, a, first);
        }
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

/// What each rank sends to itself.
pub(super) fn weights_to_itself(problem: &Problem) -> Vec<f64> {
    let mut weights = vec![0.0; problem.num_ranks()];
    problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
        if from == to {
            weights[from as usize] += weight;
        }
    });
    weights
}
