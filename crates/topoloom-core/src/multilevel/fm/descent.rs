//! Moves with a gain, and no others.

use std::collections::VecDeque;

use super::division::Division;
use crate::clock::Clock;
use crate::multilevel::blocks::BlockDistance;
use crate::random::{self, Stream};

impl<D: BlockDistance> Division<'_, D> {
    /// Moves single vertices to their best blocks while there is a gain. Vertices whose partners
    /// moved are queued again.
    pub fn descend(&mut self, clock: &Clock<'_>, rng: &mut Stream) {
        let n = self.graph.len();
        let mut queue: VecDeque<u32> = (0..n as u32).filter(|&v| self.is_at_boundary(v)).collect();
        random::shuffle(rng, queue.make_contiguous());
        let mut waiting = vec![false; n];
        queue.iter().for_each(|&vertex| waiting[vertex as usize] = true);
        // Because of rounding, two moves could gain in turn forever.
        let mut turns = 20 * n;
        while let Some(vertex) = queue.pop_front() {
            let work = 1 + self.graph.degree(vertex);
            if clock.is_over_after(work, &mut self.scratch.pace) {
                return;
            }
            waiting[vertex as usize] = false;
            let best = self.best_move(vertex);
            let Some((_, block)) = best.filter(|&(gain, _)| gain > 0.0) else { continue };
            if self.load[block as usize] + self.graph.sizes[vertex as usize]
                > self.capacity[block as usize]
            {
                continue;
            }
            self.shift(vertex, block);
            let graph = self.graph;
            for edge in graph.edges(vertex) {
                if !std::mem::replace(&mut waiting[edge.to as usize], true) {
                    queue.push_back(edge.to);
                }
            }
            turns -= 1;
            if turns == 0 {
                return;
            }
        }
    }
}
