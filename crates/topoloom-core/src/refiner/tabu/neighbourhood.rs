//! The exchanges that a search chooses from.

use crate::mapping::Placement;
use crate::random::Stream;

/// A pair, and what its exchange adds to the cost.
pub(crate) type Exchange = (u32, u32, f64);

/// Finds the best of its exchanges, and makes it.
pub(crate) trait Neighbourhood {
    fn cost(&self) -> f64;
    fn placement(&self) -> &Placement;

    /// The admissible exchange that adds least, and how many were examined.
    fn best(
        &mut self,
        rng: &mut Stream,
        admissible: &mut dyn FnMut(&Placement, Exchange) -> bool,
    ) -> (Option<Exchange>, u64);

    /// Exchanges two ranks; returns how many exchanges were evaluated again.
    fn swap(&mut self, a: u32, b: u32) -> u64;

    /// The default number of exchanges: as many as take some seconds.
    fn usual_iterations(&self) -> u64 {
        50_000
    }
}
