//! A table of the costs of all pairs of nodes.

use std::sync::Arc;

use super::pair_cost::PairCost;
use crate::parallel;

/// The relative difference allowed between costs that should be equal: they are sums in different
/// orders.
const ROUNDING: f64 = 1e-12;

/// What a unit of weight costs between any two nodes of a small machine.
#[derive(Debug, Clone)]
pub(crate) struct CostTable {
    nodes: usize,
    /// Row by row, one row for each sending node.
    costs: Arc<[f64]>,
    symmetric: bool,
    has_diagonal: bool,
    exact: bool,
}

impl CostTable {
    /// Computes the cost of every pair.
    pub(crate) fn new(nodes: usize, between: impl Fn(u32, u32) -> f64 + Sync) -> Self {
        let mut costs = vec![0.0; nodes * nodes];
        parallel::each_part(&mut costs, nodes.max(1), &|first, row| {
            let from = (first / nodes) as u32;
            for (to, cost) in (0..).zip(row) {
                *cost = between(from, to);
            }
        });
        Self::from_rows(nodes, costs)
    }

    /// The table whose rows are `costs`, one after the other.
    pub(crate) fn from_rows(nodes: usize, costs: Vec<f64>) -> Self {
        let of = |from: usize, to: usize| costs[from * nodes + to];
        let equal = |a: f64, b: f64| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
        CostTable {
            nodes,
            symmetric: (0..nodes).all(|a| (0..a).all(|b| equal(of(a, b), of(b, a)))),
            has_diagonal: (0..nodes).any(|node| of(node, node) != 0.0),
            exact: costs.iter().all(|cost| cost.fract() == 0.0),
            costs: costs.into(),
        }
    }

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether every pair costs the same both ways.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// What a unit costs from `node` to each node, and also back if costs are the same both ways.
    #[inline(always)]
    pub(crate) fn row(&self, node: u32) -> &[f64] {
        let start = node as usize * self.nodes;
        &self.costs[start..start + self.nodes]
    }

    /// For each pair, the mean of the costs of both directions.
    pub(super) fn mean_of_both_ways(&self) -> CostTable {
        CostTable::new(self.nodes, |a, b| (self.between(a, b) + self.between(b, a)) / 2.0)
    }
}

impl PairCost for CostTable {
    #[inline(always)]
    fn between(&self, from: u32, to: u32) -> f64 {
        self.costs[from as usize * self.nodes + to as usize]
    }

    fn sums(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        sums.fill(0.0);
        for &(place, weight) in places {
            for (sum, cost) in sums.iter_mut().zip(self.row(place)) {
                *sum += weight * cost;
            }
        }
    }

    fn has_diagonal(&self) -> bool {
        self.has_diagonal
    }

    fn is_exact(&self) -> bool {
        self.exact
    }
}
