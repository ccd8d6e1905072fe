//! What a move gains. `stay` is always the cost of a vertex in its own block, up to a constant, and
//! a gain is that cost minus the cost elsewhere.

use super::division::Division;
use crate::multilevel::blocks::BlockDistance;

impl<D: BlockDistance> Division<'_, D> {
    /// Lists what `vertex` exchanges with each block.
    #[inline]
    pub(super) fn gather(&mut self, vertex: u32) {
        let blocks = self.capacity.len();
        let scratch = &mut self.scratch;
        scratch.touched.clear();
        if !self.pulls.is_empty() {
            let row = &self.pulls[vertex as usize * blocks..(vertex as usize + 1) * blocks];
            scratch.pull.copy_from_slice(row);
            scratch.touched.extend((0..).zip(row).filter(|&(_, &pull)| pull > 0.0).map(|(b, _)| b));
            return;
        }
        for edge in self.graph.edges(vertex) {
            let block = self.block_of[edge.to as usize];
            let pull = &mut scratch.pull[block as usize];
            if *pull == 0.0 {
                scratch.touched.push(block);
            }
            *pull += edge.weight;
        }
    }

    #[inline]
    pub(super) fn forget(&mut self) {
        if !self.pulls.is_empty() {
            return;
        }
        for &block in &self.scratch.touched {
            self.scratch.pull[block as usize] = 0.0;
        }
    }

    /// What `vertex` costs in `block`, after `gather`.
    #[inline]
    pub(super) fn cost_in(&self, vertex: u32, block: u32) -> f32 {
        let scratch = &self.scratch;
        let mut sum = 0.0;
        for &there in &scratch.touched {
            sum += scratch.pull[there as usize] * self.distance.between(block, there);
        }
        sum + self.bias_of(vertex, block)
    }

    /// The best block for `vertex` if the cost is the cut and pulls are kept; if `anywhere`, also
    /// one without partners. There is no leeway in that case.
    #[inline]
    pub(super) fn best_by_pulls(&self, vertex: u32, anywhere: bool) -> Option<(f32, u32)> {
        let home = self.block_of[vertex as usize];
        let size = self.graph.sizes[vertex as usize];
        let leeway = if anywhere { 0.0 } else { self.leeway };
        let blocks = self.capacity.len();
        let row = &self.pulls[vertex as usize * blocks..][..blocks];
        let stay = self.bias_of(vertex, home) - row[home as usize];
        let mut best: Option<(f32, u32)> = None;
        for (block, &pull) in (0..).zip(row) {
            if block == home || !(anywhere || pull > 0.0) {
                continue;
            }
            let gain = pull - self.bias_of(vertex, block) + stay;
            if best.is_some_and(|(most, _)| gain < most) {
                continue;
            }
            let load = self.load[block as usize];
            if load + size > self.capacity[block as usize] + leeway {
                continue;
            }
            let lighter = |chosen: u32| {
                load * self.capacity[chosen as usize]
                    < self.load[chosen as usize] * self.capacity[block as usize]
            };
            if best.is_none_or(|(most, chosen)| gain > most || lighter(chosen)) {
                best = Some((gain, block));
            }
        }
        best
    }

    /// The best block for `vertex` among those of its partners that have room: (gain, block).
    pub(super) fn best_move(&mut self, vertex: u32) -> Option<(f32, u32)> {
        if D::UNIFORM && !self.pulls.is_empty() {
            return self.best_by_pulls(vertex, false);
        }
        let home = self.block_of[vertex as usize];
        self.gather(vertex);
        if self.scratch.touched.iter().all(|&block| block == home) {
            self.forget();
            return None;
        }
        let size = self.graph.sizes[vertex as usize];
        let mut best: Option<(f32, u32)> = None;
        let stay = if D::UNIFORM {
            self.bias_of(vertex, home) - self.scratch.pull[home as usize]
        } else {
            self.cost_in(vertex, home)
        };
        for index in 0..self.scratch.touched.len() {
            let block = self.scratch.touched[index];
            let load = self.load[block as usize] + size;
            if block == home || load > self.capacity[block as usize] + self.leeway {
                continue;
            }
            let gain = if D::UNIFORM {
                stay + self.scratch.pull[block as usize] - self.bias_of(vertex, block)
            } else {
                stay - self.cost_in(vertex, block)
            };
            let better = |(most, chosen): (f32, u32)| {
                gain > most
                    || gain == most
                        && self.load[block as usize] * self.capacity[chosen as usize]
                            < self.load[chosen as usize] * self.capacity[block as usize]
            };
            if best.is_none_or(better) {
                best = Some((gain, block));
            }
        }
        self.forget();
        best
    }
}
