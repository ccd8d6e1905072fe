//! What an exchange of two ranks changes for all others, in one part of a sum over flows.

use super::vectors::{add_multiples, add_products, least_of};
use crate::mapping::Placement;
use crate::objective::pair_sum::Part;

/// The names are those of the table: h is the pull of a rank, g the approach of a node.
pub(super) struct Shift<'a> {
    part: Part<'a>,
    nodes: usize,
    approach_of_node: Vec<f64>,
    /// The approach of the node of each rank and phantom.
    approach: Vec<f64>,
    pull: Vec<f64>,
    /// The ranks whose pull is not 0.
    affected: Vec<u32>,
}

/// How many ranks are looked at in the time that it takes to sort one.
const SEARCHED_PER_SORTED: usize = 4;

impl<'a> Shift<'a> {
    pub(super) fn new(part: Part<'a>, count: usize, nodes: usize) -> Self {
        Shift {
            part,
            nodes,
            approach_of_node: vec![0.0; nodes],
            approach: vec![0.0; count],
            pull: vec![0.0; count],
            affected: Vec::new(),
        }
    }

    /// Adds what the flows between `rank`, which is on `node`, and others cost those on each node.
    pub(super) fn add_costs_of(&self, rank: u32, node: u32, cost_at: &mut [f64]) {
        let row = self.part.costs.row(node);
        self.part.for_each_affected(rank, |other, weight| {
            let costs = &mut cost_at[other as usize * self.nodes..][..self.nodes];
            costs.iter_mut().zip(row).for_each(|(cost, unit)| *cost += weight * unit);
        });
    }

    /// Computes the change of an exchange that is about to be made.
    #[inline(always)]
    pub(super) fn prepare(&mut self, placement: &Placement, u: u32, v: u32) {
        let (x, y) = (placement.node_of(u), placement.node_of(v));
        let rows = self.part.costs.row(y).iter().zip(self.part.costs.row(x));
        for (approach, (nearer, farther)) in self.approach_of_node.iter_mut().zip(rows) {
            *approach = nearer - farther;
        }
        for (approach, &node) in self.approach.iter_mut().zip(placement.nodes()) {
            *approach = self.approach_of_node[node as usize];
        }
        for (moved, sign) in [(u, 1.0), (v, -1.0)] {
            let (pull, affected) = (&mut self.pull, &mut self.affected);
            self.part.for_each_affected(moved, |partner, weight| {
                pull[partner as usize] += sign * weight;
                affected.push(partner);
            });
        }
        let pull = &self.pull;
        // Many are found faster than sorted.
        if self.affected.len() * SEARCHED_PER_SORTED > pull.len() {
            self.affected.clear();
            self.affected.extend((0..pull.len() as u32).filter(|&rank| pull[rank as usize] != 0.0));
        } else {
            self.affected.sort_unstable();
            self.affected.dedup();
            self.affected.retain(|&rank| pull[rank as usize] != 0.0);
        }
    }

    /// The ranks that the exchange affects, in rising order.
    pub(super) fn affected(&self) -> &[u32] {
        &self.affected
    }

    /// Changes what the flows of affected ranks cost on each node.
    #[inline(always)]
    pub(super) fn change_costs(&self, cost_at: &mut [f64]) {
        for &rank in &self.affected {
            let costs = &mut cost_at[rank as usize * self.nodes..][..self.nodes];
            add_multiples(costs, self.pull[rank as usize], &self.approach_of_node);
        }
    }

    /// What each rank is pulled, and by how much the node of each comes nearer.
    #[inline(always)]
    pub(super) fn pulls_and_approaches(&self) -> (&[f64], &[f64]) {
        (&self.pull, &self.approach)
    }

    /// Changes the deltas of `i` with all higher ranks and phantoms; returns the least of them.
    #[inline(always)]
    pub(super) fn change_row(&self, i: usize, row: &mut [f64]) -> f64 {
        let pulls = (self.pull[i], &self.pull[i + 1..]);
        add_products(row, pulls, (self.approach[i], &self.approach[i + 1..]));
        least_of(row)
    }

    /// Forgets the exchange.
    pub(super) fn clear(&mut self) {
        for &rank in &self.affected {
            self.pull[rank as usize] = 0.0;
        }
        self.affected.clear();
    }
}
