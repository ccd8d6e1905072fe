//! Divisions that begin with those of existing placements.

use super::found::Found;
use super::levels::Stage;
use crate::multilevel::blocks::BlockDistance;
use crate::multilevel::common::Common;
use crate::multilevel::heritage::{Inherited, NOWHERE};
use crate::multilevel::work::Work;
use crate::random;

impl<D: BlockDistance> Stage<'_, D> {
    /// Divides the graph like the best of the inherited divisions, and improves that. Whole clusters
    /// that no parent separates move first, so a section of a boundary of one parent can replace
    /// the same section of the other. If there is no such division, it makes one from scratch.
    pub fn inherit(&self, inherited: Inherited, work: &Work, seed: u64, path: &[u64]) -> Vec<u32> {
        if self.capacity.len() == 1 {
            return vec![0; self.graph.len()];
        }
        let mut rng = random::stream(seed, path);
        let Inherited { starts, together } = inherited;
        let complete = |start| self.judge(self.completed(start));
        let better = |a: Found, b: Found| if b.rank() < a.rank() { b } else { a };
        let start = starts.into_iter().map(complete).reduce(better);
        let mut best = start.unwrap_or_else(|| {
            let made = self.divide_once(work, false, &mut rng);
            self.judge(made.expect("a division without conditions is always made"))
        });
        let both: Vec<(u32, u32)> = best.block_of.iter().copied().zip(together).collect();
        let both = Common::of(&both).block_of;
        for number in 0..=work.cycles {
            if self.clock.is_over() {
                break;
            }
            let kept = if number == 0 { &both } else { &best.block_of };
            let child = self.cycle(&best.block_of, kept, &work.refinement, &mut rng);
            best = better(best, child);
        }
        self.fitting(best.block_of)
    }

    /// Puts vertices that are in no block where most of their traffic is, if there is room, and
    /// otherwise where there is most room.
    fn completed(&self, mut block_of: Vec<u32>) -> Vec<u32> {
        let mut room = self.capacity.to_vec();
        for (&block, size) in block_of.iter().zip(&self.graph.sizes) {
            if block != NOWHERE {
                room[block as usize] -= size;
            }
        }
        let mut pull = vec![0.0f32; room.len()];
        for vertex in 0..self.graph.len() as u32 {
            if block_of[vertex as usize] != NOWHERE {
                continue;
            }
            pull.fill(0.0);
            for edge in self.graph.edges(vertex) {
                let block = block_of[edge.to as usize];
                if block != NOWHERE {
                    pull[block as usize] += edge.weight;
                }
            }
            let size = self.graph.sizes[vertex as usize];
            let key = |block: usize| (room[block] >= size, pull[block], room[block]);
            let block = (0..room.len())
                .reduce(|best, block| if key(block) > key(best) { block } else { best })
                .expect("there are blocks");
            room[block] -= size;
            block_of[vertex as usize] = block as u32;
        }
        block_of
    }
}
