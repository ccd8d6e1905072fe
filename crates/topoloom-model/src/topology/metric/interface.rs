//! What every metric can do.

use std::any::Any;

/// Hops between two nodes, cheap enough for inner loops.
pub trait Metric: Any + Send + Sync {
    /// Hops from node `a` to node `b`.
    fn distance(&self, a: u32, b: u32) -> u32;

    /// For each node, the sum over `places` (nodes with weights) of weight times hops from there.
    fn weighted_hops(&self, places: &[(u32, f64)], sums: &mut [f64]) {
        weighted_hops_by_distance(self, places, sums);
    }
}

/// The definition of [`Metric::weighted_hops`].
pub fn weighted_hops_by_distance<M: Metric + ?Sized>(
    metric: &M,
    places: &[(u32, f64)],
    sums: &mut [f64],
) {
    sums.fill(0.0);
    for &(place, weight) in places {
        for (node, sum) in (0..).zip(&mut *sums) {
            *sum += weight * f64::from(metric.distance(place, node));
        }
    }
}
