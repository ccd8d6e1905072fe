//! What an evolution needs to know about placements, and how many it keeps.

use super::population::Fitness;
use crate::run::Run;

/// How many placements an island keeps. With few generations, small populations that exchange
/// guests often are best: 3 members and guests each time lead below 5 members and guests every
/// third time, by 0.2 % on 4elt and 0.3 % on memplus of Walshaw's archive at the same work.
pub(super) const MEMBERS: usize = 3;

/// Makes and judges placements. What a number of a placement means is known only here: the node of
/// a vertex, or the slot of a rank.
pub(crate) trait Breeding: Sync {
    /// A placement that depends on no other of the population.
    fn founder(&self, run: &mut Run) -> Vec<u32>;

    /// Joins two placements and keeps what they agree on. The first one is not worse than the
    /// second, and the child should not be worse than the first.
    fn child(&self, better: &[u32], other: &[u32], run: &mut Run) -> Vec<u32>;

    /// A placement like this one.
    fn mutant(&self, parent: &[u32], run: &mut Run) -> Vec<u32>;

    /// How good a placement is, from scratch; `None` if it is not a placement.
    fn judge(&self, places: &[u32]) -> Option<Fitness>;

    /// How much two placements differ.
    fn difference(&self, a: &[u32], b: &[u32]) -> f64;
}
