//! The cost of a placement while it changes.

use crate::mapping::Placement;

/// Follows the cost of a placement through exchanges.
pub trait CostTracker: Send {
    /// The present cost.
    fn cost(&self) -> f64;

    /// The present placement.
    fn placement(&self) -> &Placement;

    /// What exchanging `a` and `b` would add to the cost; negative is better. Phantoms may be
    /// exchanged too. Leaves the placement unchanged.
    fn swap_delta(&mut self, a: u32, b: u32) -> f64;

    /// Exchanges `a` and `b`.
    fn swap(&mut self, a: u32, b: u32);

    /// Puts all ranks, phantoms included, on the slots in `slot_of` and returns the cost.
    fn reset(&mut self, slot_of: &[u32]) -> f64;

    /// The exchange of `a` that adds least to the cost. Among equals it is the first in the order
    /// `first`, `first + 1`, ... with wrap-around to `first - 1`.
    fn best_swap(&mut self, a: u32, first: u32) -> BestSwap {
        best_swap_by_trying_all(self, a, first)
    }
}

/// The result of a search for the best exchange.
#[derive(Debug, Clone, Copy)]
pub struct BestSwap {
    /// The other rank or phantom and what the exchange adds to the cost; `None` if every exchange
    /// increases the cost.
    pub exchange: Option<(u32, f64)>,
    /// How many exchanges were examined.
    pub examined: u64,
}

/// The definition of [`CostTracker::best_swap`]: try all.
pub fn best_swap_by_trying_all<T: CostTracker + ?Sized>(
    tracker: &mut T,
    a: u32,
    first: u32,
) -> BestSwap {
    let count = tracker.placement().len() as u32;
    let mut best: Option<(u32, f64)> = None;
    for b in (first..count).chain(0..first).filter(|&b| b != a) {
        let delta = tracker.swap_delta(a, b);
        if delta <= 0.0 && best.is_none_or(|(_, least)| delta < least) {
            best = Some((b, delta));
        }
    }
    BestSwap { exchange: best, examined: u64::from(count) - 1 }
}
