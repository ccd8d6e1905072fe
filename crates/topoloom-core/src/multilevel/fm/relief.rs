//! Moves out of overloaded blocks.

use std::collections::BinaryHeap;

use super::candidate::Candidate;
use super::division::Division;
use crate::clock::Clock;
use crate::multilevel::blocks::BlockDistance;

/// How many of the nearest blocks are tried for the surplus of an overloaded block.
const REFUGES: usize = 12;

impl<D: BlockDistance> Division<'_, D> {
    /// Moves vertices out of overloaded blocks, the cheapest moves first, until none is
    /// overloaded, nothing fits anywhere, or the time is up.
    pub fn relieve(&mut self, clock: &Clock<'_>) {
        for full in 0..self.blocks() as u32 {
            if self.overload_of(full, self.load[full as usize]) > 0.0 {
                if clock.is_over() {
                    return;
                }
                self.relieve_block(full, clock);
            }
        }
    }

    fn relieve_block(&mut self, full: u32, clock: &Clock<'_>) {
        // Vertices at the boundary to nearby blocks: nearly always enough.
        let near = self.nearest_with_room(full);
        self.move_out_of(full, &near, clock, |division, vertex| division.is_at_boundary(vertex));
        if self.overload_of(full, self.load[full as usize]) > 0.0 {
            let all: Vec<u32> = (0..self.blocks() as u32).filter(|&block| block != full).collect();
            self.move_out_of(full, &all, clock, |_, _| true);
        }
    }

    /// The blocks with room that are nearest to `full`; all, if they are equally near.
    fn nearest_with_room(&self, full: u32) -> Vec<u32> {
        let has_room = |&block: &u32| {
            block != full && self.load[block as usize] < self.capacity[block as usize]
        };
        let mut blocks: Vec<u32> = (0..self.blocks() as u32).filter(has_room).collect();
        if !D::UNIFORM && blocks.len() > REFUGES {
            let distances: Vec<f32> =
                (0..self.blocks() as u32).map(|block| self.distance.between(full, block)).collect();
            sort_by_distance(&mut blocks, &distances);
            blocks.truncate(REFUGES);
        }
        blocks
    }

    /// Moves those vertices of `full` that `may_move` allows, the cheapest first, to blocks in
    /// `refuges` and to those of their partners.
    fn move_out_of(
        &mut self,
        full: u32,
        refuges: &[u32],
        clock: &Clock<'_>,
        may_move: impl Fn(&Self, u32) -> bool,
    ) {
        let mut queue: BinaryHeap<Candidate> = BinaryHeap::new();
        let candidate =
            |gain, vertex| Candidate { gain, tie: u32::MAX - vertex, vertex, version: 0 };
        for vertex in 0..self.graph.len() as u32 {
            if self.block_of[vertex as usize] == full
                && may_move(self, vertex)
                && let Some((gain, _)) = self.best_refuge(vertex, refuges)
            {
                queue.push(candidate(gain, vertex));
                let work = self.graph.degree(vertex) + refuges.len();
                if clock.is_over_after(work, &mut self.scratch.pace) {
                    return;
                }
            }
        }
        while self.overload_of(full, self.load[full as usize]) > 0.0 {
            if clock.is_over_after(1 + refuges.len(), &mut self.scratch.pace) {
                return;
            }
            let Some(Candidate { gain: before, vertex, .. }) = queue.pop() else { return };
            if self.block_of[vertex as usize] != full {
                continue;
            }
            let Some((gain, block)) = self.best_refuge(vertex, refuges) else { continue };
            if gain < before {
                queue.push(candidate(gain, vertex));
                continue;
            }
            self.shift(vertex, block);
            // Partners that stay behind may now be cheaper to move.
            let graph = self.graph;
            for edge in graph.edges(vertex) {
                // Hubs were examined once. Doing it again takes too long.
                if self.block_of[edge.to as usize] == full
                    && graph.degree(edge.to) < self.hub_degree
                    && let Some((gain, _)) = self.best_refuge(edge.to, refuges)
                {
                    queue.push(candidate(gain, edge.to));
                    if clock.is_over_after(1 + refuges.len(), &mut self.scratch.pace) {
                        return;
                    }
                }
            }
        }
    }

    /// The best block with room for `vertex`, among `refuges` and those of its partners, by gain
    /// per room it takes.
    fn best_refuge(&mut self, vertex: u32, refuges: &[u32]) -> Option<(f32, u32)> {
        let size = self.graph.sizes[vertex as usize];
        let per_room = |(gain, block): (f32, u32)| (gain / size.max(1.0) as f32, block);
        if D::UNIFORM && !self.pulls.is_empty() {
            return self.best_by_pulls(vertex, true).map(per_room);
        }
        let home = self.block_of[vertex as usize];
        self.gather(vertex);
        let stay = self.cost_in(vertex, home);
        let mut best: Option<(f32, u32)> = None;
        for &block in refuges.iter().chain(&self.scratch.touched) {
            if block == home || self.load[block as usize] + size > self.capacity[block as usize] {
                continue;
            }
            let gain = stay - self.cost_in(vertex, block);
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, block));
            }
        }
        self.forget();
        best.map(per_room)
    }
}

/// Not generic, so a sort is compiled once.
fn sort_by_distance(blocks: &mut [u32], distances: &[f32]) {
    blocks.sort_by(|&a, &b| distances[a as usize].total_cmp(&distances[b as usize]));
}
