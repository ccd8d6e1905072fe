//! Two blocks: regions grown from random vertices, and the best of them refined.

use super::filling::fill;
use super::found::Found;
use super::growing::grow;
use super::levels::{Stage, relaxed};
use crate::multilevel::blocks::BlockDistance;
use crate::multilevel::fm::Division;
use crate::multilevel::work::{Patience, Refinement, Work};
use crate::random::Stream;

impl<D: BlockDistance> Stage<'_, D> {
    /// Divides the graph into two blocks, the first of about `target`: coarsened as far as
    /// possible, because many tries cost little there.
    pub fn bisect(&self, target: f64, work: &Work, rng: &mut Stream) -> Vec<u32> {
        if self.clock.is_over() {
            return fill(self.graph, self.capacity);
        }
        let levels = self.coarsen(None, rng);
        let (coarsest, bias) = self.at(&levels, levels.len());
        let capacity = relaxed(self.capacity, coarsest);
        let strengths = coarsest.strengths();
        let at_once = Patience { moves: coarsest.len() / 4 + 20, rounds: 6 };
        let mut best: Option<Found> = None;
        for _ in 0..work.tries {
            if best.is_some() && self.clock.is_over() {
                break;
            }
            let grown = grow(coarsest, &strengths, target, self.clock, rng);
            let mut division = Division::new(coarsest, self.distance, &capacity, bias, grown);
            division.relieve(self.clock);
            division.improve_at_once(at_once, self.clock, rng);
            let (overload, cost) = (division.overload(), division.cost());
            let found = Found { overload, cost, block_of: division.block_of };
            if best.as_ref().is_none_or(|best| found.rank() < best.rank()) {
                best = Some(found);
            }
        }
        let best = best.expect("at least one try").block_of;
        let patience = Patience { moves: 25, rounds: 3 };
        self.refine(&levels, best, true, &Refinement { patience, reach: None }, rng)
    }
}
