//! What an exchange of two ranks changes for all others, in one part of a sum over flows.

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

/// Sums and minima of this many at once are what compilers turn into vector instructions.
const LANES: usize = 8;

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
        self.affected.sort_unstable();
        self.affected.dedup();
        self.affected.retain(|&rank| self.pull[rank as usize] != 0.0);
    }

    /// The ranks that the exchange affects, in rising order.
    pub(super) fn affected(&self) -> &[u32] {
        &self.affected
    }

    pub(super) fn affects(&self, rank: usize) -> bool {
        self.pull[rank] != 0.0
    }

    /// Changes what the flows of affected ranks cost on each node.
    pub(super) fn change_costs(&self, cost_at: &mut [f64]) {
        for &rank in &self.affected {
            let pull = self.pull[rank as usize];
            let costs = &mut cost_at[rank as usize * self.nodes..][..self.nodes];
            for (cost, approach) in costs.iter_mut().zip(&self.approach_of_node) {
                *cost += pull * approach;
            }
        }
    }

    /// How the delta of two ranks changes.
    #[inline]
    pub(super) fn change(&self, i: usize, j: usize) -> f64 {
        (self.pull[i] - self.pull[j]) * (self.approach[j] - self.approach[i])
    }

    /// Changes the deltas of `i` with all higher ranks and phantoms; returns the least of them.
    #[inline]
    pub(super) fn change_row(&self, i: usize, row: &mut [f64]) -> f64 {
        let (pull, approach) = (self.pull[i], self.approach[i]);
        let others = self.pull[i + 1..].iter().zip(&self.approach[i + 1..]);
        for (delta, (other_pull, other_approach)) in row.iter_mut().zip(others) {
            *delta += (pull - other_pull) * (other_approach - approach);
        }
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

fn least_of(row: &[f64]) -> f64 {
    let lower = |a: f64, b: f64| if b < a { b } else { a };
    let mut lanes = [f64::INFINITY; LANES];
    let chunks = row.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &delta) in lanes.iter_mut().zip(chunk) {
            *lane = lower(*lane, delta);
        }
    }
    lanes.iter().chain(rest).fold(f64::INFINITY, |least, &delta| lower(least, delta))
}
