//! What recognisers return, and which result is better.

use super::kinds::{RankOrder, Structure};

/// A structure later in the list must be better than an earlier one by this much.
const CLEARLY: f64 = 0.01;

/// The search ends once this share is explained by pairs that are all present.
pub(super) const ENOUGH: f64 = 0.995;

/// A structure that is convincing.
pub(super) struct Candidate {
    pub(super) structure: Structure,
    pub(super) order: RankOrder,
    /// The ranks that take part.
    pub(super) ranks: usize,
    /// The share of the bytes that its pairs carry.
    pub(super) share: f64,
    /// The share of its pairs that exchange what matters.
    pub(super) present: f64,
    /// Whether its numbers leave out silent ranks.
    pub(super) talkers_only: bool,
    /// Whether it joins two ranks.
    pub(super) joins: Box<dyn Fn(u32, u32) -> bool>,
}

impl Candidate {
    /// A score for choosing between readings of the same traffic.
    pub(super) fn quality(&self) -> f64 {
        self.share * self.present
    }
}

/// The better of the known candidate and the next one. The next is not computed if the first is
/// good enough.
pub(super) fn better(
    best: Option<Candidate>,
    next: impl FnOnce() -> Option<Candidate>,
) -> Option<Candidate> {
    let Some(best) = best else { return next() };
    if best.quality() >= ENOUGH {
        return Some(best);
    }
    match next() {
        Some(next) if next.quality() > best.quality() + CLEARLY => Some(next),
        _ => Some(best),
    }
}
