//! What a unit of weight costs between two nodes, for inner loops.

use crate::topology::Metric;

/// What a unit of weight costs between two nodes, cheap enough for inner loops; never negative.
pub(crate) trait PairCost: Send + Sync {
    /// From node `from` to node `to`.
    fn between(&self, from: u32, to: u32) -> f64;

    /// For each node, the sum over `places` (nodes with weights) of weight times cost from that
    /// place.
    fn sums(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        sums.fill(0.0);
        for &(place, weight) in places {
            for (node, sum) in (0..).zip(&mut *sums) {
                *sum += weight * self.between(place, node);
            }
        }
    }

    /// Whether a node may cost something to itself.
    fn has_diagonal(&self) -> bool {
        false
    }

    /// Whether costs are whole numbers. If so, sums do not depend on their order.
    fn is_exact(&self) -> bool {
        false
    }
}

/// Hops, specialised for one metric.
pub(crate) struct Hops<'a, M>(pub &'a M);

impl<M: Metric> PairCost for Hops<'_, M> {
    #[inline(always)]
    fn between(&self, from: u32, to: u32) -> f64 {
        f64::from(self.0.distance(from, to))
    }

    fn sums(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        self.0.weighted_hops(places, sums);
    }

    fn is_exact(&self) -> bool {
        true
    }
}
