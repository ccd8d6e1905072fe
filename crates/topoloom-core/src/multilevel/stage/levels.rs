//! A graph to divide, coarsened level by level, and the way back.

use super::filling::fill;
use super::found::Found;
use crate::clock::Clock;
use crate::multilevel::blocks::BlockDistance;
use crate::multilevel::coarsen::cluster;
use crate::multilevel::flow::improve_borders;
use crate::multilevel::fm::{Division, judge, overload_of};
use crate::multilevel::graph::Graph;
use crate::multilevel::labels::{has_hubs, spread_labels};
use crate::multilevel::work::{Refinement, Work};
use crate::random::{self, Stream};

/// With more blocks than this, none is overloaded temporarily: to relieve one, a vertex would have
/// to check all others.
const MANY_BLOCKS: usize = 1024;

/// Vertices of the coarsest graph for each block.
const COARSEST: usize = 20;

/// A graph to divide, and its costs in each block.
pub struct Stage<'a, D> {
    pub graph: &'a Graph,
    pub distance: &'a D,
    pub capacity: &'a [f64],
    /// What each vertex in each block costs apart from the edges; empty if there is no such cost.
    pub bias: &'a [f32],
    pub clock: &'a Clock<'a>,
}

/// A coarser graph, and how it was made.
pub(super) struct Level {
    cluster_of: Vec<u32>,
    graph: Graph,
    bias: Vec<f32>,
}

impl<D: BlockDistance> Stage<'_, D> {
    /// A division; if a limit was reached before this one fits, one that fills the blocks in order.
    pub fn fitting(&self, block_of: Vec<u32>) -> Vec<u32> {
        if !self.clock.rang() {
            return block_of;
        }
        let fits = overload_of(self.graph, self.capacity, &block_of) == 0.0;
        if fits { block_of } else { fill(self.graph, self.capacity) }
    }

    /// Coarsens inside the parts of `keep`, which are inside the blocks of the division, and
    /// refines it again: whole clusters move before vertices.
    pub(super) fn cycle(
        &self,
        block_of: &[u32],
        keep: &[u32],
        refinement: &Refinement,
        rng: &mut Stream,
    ) -> Found {
        let levels = self.coarsen(Some(keep), rng);
        let coarse = coarse_blocks(&levels, block_of);
        self.judge(self.refine(&levels, coarse, false, refinement, rng))
    }

    /// Coarsens around a division into many blocks and improves it, level by level, by moves with a
    /// gain. Deeper searches are not worthwhile here: blocks are small and full. The first time,
    /// clusters stay inside the parts of `kept`, which are inside the blocks.
    pub fn descend(
        &self,
        mut block_of: Vec<u32>,
        kept: &[u32],
        work: &Work,
        rng: &mut Stream,
    ) -> Vec<u32> {
        for number in 0..work.descents {
            if self.clock.is_over() {
                break;
            }
            let inside = if number == 0 { kept } else { &block_of };
            let levels = self.coarsen(Some(inside), rng);
            block_of = coarse_blocks(&levels, &block_of);
            for depth in (0..=levels.len()).rev() {
                if self.clock.is_over() {
                    block_of = project(&levels, depth, block_of);
                    continue;
                }
                let (graph, bias) = self.at(&levels, depth);
                let room = if depth > 0 && self.capacity.len() <= MANY_BLOCKS {
                    relaxed(self.capacity, graph)
                } else {
                    self.capacity.to_vec()
                };
                let mut division = Division::new(graph, self.distance, &room, bias, block_of);
                division.relieve(self.clock);
                division.descend(self.clock, rng);
                if let Some(reach) = work.refinement.reach.filter(|_| work.cuts_in_descents) {
                    improve_borders(&mut division, reach, self.clock);
                }
                block_of = project(&levels, depth, division.block_of);
            }
        }
        block_of
    }

    /// The graph after `depth` contractions, and its bias.
    pub(super) fn at<'b>(&'b self, levels: &'b [Level], depth: usize) -> (&'b Graph, &'b [f32]) {
        match depth.checked_sub(1) {
            Some(above) => (&levels[above].graph, &levels[above].bias),
            None => (self.graph, self.bias),
        }
    }

    pub(super) fn coarsen(&self, block_of: Option<&[u32]>, rng: &mut Stream) -> Vec<Level> {
        let blocks = self.capacity.len();
        let enough = COARSEST * blocks;
        let smallest = self.capacity.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = (self.graph.total_size() / enough as f64 * 1.5).min(smallest / 3.0);
        // Either way finds what the other does not: of memplus in Walshaw's archive, `strong` found
        // placements 2.2 % cheaper with both than with merging alone, on average over eight seeds.
        let by_labels = has_hubs(self.graph) && random::below(rng, 2) == 0;
        let mut levels: Vec<Level> = Vec::new();
        let mut kept = block_of.map(<[u32]>::to_vec);
        loop {
            let (graph, bias) = match levels.last() {
                Some(level) => (&level.graph, &level.bias[..]),
                None => (self.graph, self.bias),
            };
            if graph.len() <= enough || self.clock.is_over() {
                break;
            }
            let kept_in = kept.as_deref();
            let (cluster_of, clusters) = match by_labels {
                true => spread_labels(graph, largest, kept_in, self.clock, rng),
                false => cluster(graph, largest, kept_in, self.clock, rng),
            };
            if clusters as f64 > graph.len() as f64 * 0.95 || self.clock.rang() {
                break;
            }
            let coarse = graph.contract(&cluster_of, clusters);
            let bias = contract_bias(bias, blocks, &cluster_of, clusters);
            if let Some(kept) = &mut kept {
                let mut blocks = vec![0; clusters];
                for (&cluster, &block) in cluster_of.iter().zip(kept.iter()) {
                    blocks[cluster as usize] = block;
                }
                *kept = blocks;
            }
            levels.push(Level { cluster_of, graph: coarse, bias });
        }
        levels
    }

    /// Takes a division of the coarsest graph back to the finest, better at each level. A new
    /// division gets more room while it is coarse.
    pub(super) fn refine(
        &self,
        levels: &[Level],
        coarsest: Vec<u32>,
        new: bool,
        refinement: &Refinement,
        rng: &mut Stream,
    ) -> Vec<u32> {
        let mut block_of = coarsest;
        for depth in (1..=levels.len()).rev() {
            if self.clock.is_over() {
                block_of = project(levels, depth, block_of);
                continue;
            }
            let (graph, bias) = self.at(levels, depth);
            let room = if new { relaxed(self.capacity, graph) } else { self.capacity.to_vec() };
            let mut division = Division::new(graph, self.distance, &room, bias, block_of);
            improve(&mut division, refinement, self.clock, rng);
            block_of = project(levels, depth, division.block_of);
        }
        if self.clock.is_over() {
            return block_of;
        }
        let mut division =
            Division::new(self.graph, self.distance, self.capacity, self.bias, block_of);
        improve(&mut division, refinement, self.clock, rng);
        division.block_of
    }

    /// How good a division is, computed from scratch.
    pub(super) fn judge(&self, block_of: Vec<u32>) -> Found {
        let (overload, cost) =
            judge(self.graph, self.distance, self.capacity, self.bias, &block_of);
        Found { overload, cost, block_of }
    }
}

fn improve<D: BlockDistance>(
    division: &mut Division<'_, D>,
    refinement: &Refinement,
    clock: &Clock<'_>,
    rng: &mut Stream,
) {
    division.relieve(clock);
    division.improve(refinement.patience, clock, rng);
    if let Some(reach) = refinement.reach {
        improve_borders(division, reach, clock);
    }
}

/// The blocks of the coarsest graph, if no cluster spans two blocks.
fn coarse_blocks(levels: &[Level], block_of: &[u32]) -> Vec<u32> {
    let mut blocks = block_of.to_vec();
    for level in levels {
        let mut coarse = vec![0; level.graph.len()];
        for (&cluster, &block) in level.cluster_of.iter().zip(&blocks) {
            coarse[cluster as usize] = block;
        }
        blocks = coarse;
    }
    blocks
}

/// The blocks of the graph one contraction finer than `depth`; for the finest graph, unchanged.
fn project(levels: &[Level], depth: usize, block_of: Vec<u32>) -> Vec<u32> {
    match depth.checked_sub(1) {
        Some(above) => {
            levels[above].cluster_of.iter().map(|&cluster| block_of[cluster as usize]).collect()
        }
        None => block_of,
    }
}

/// The room in each block of a coarse graph: at least a fair share plus one vertex, since large
/// vertices cannot fill blocks evenly. Finer levels even it out.
pub(super) fn relaxed(capacity: &[f64], graph: &Graph) -> Vec<f64> {
    let room: f64 = capacity.iter().sum();
    let (total, largest) = (graph.total_size(), graph.largest_size());
    let fair = |&capacity: &f64| (total * capacity / room + largest).max(capacity);
    capacity.iter().map(fair).collect()
}

fn contract_bias(bias: &[f32], blocks: usize, cluster_of: &[u32], clusters: usize) -> Vec<f32> {
    if bias.is_empty() {
        return Vec::new();
    }
    let mut sums = vec![0.0; clusters * blocks];
    for (row, &cluster) in bias.chunks_exact(blocks).zip(cluster_of) {
        let sums = &mut sums[cluster as usize * blocks..(cluster as usize + 1) * blocks];
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
    sums
}
