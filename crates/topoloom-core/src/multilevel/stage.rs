//! One stage: a graph divided into a few blocks, coarse to fine.

use super::blocks::BlockDistance;
use super::coarsen::cluster;
use super::flow::improve_borders;
use super::fm::{Division, judge, overload_of};
use super::graph::Graph;
use super::initial::{divide, fill, grow};
use super::work::{Patience, Refinement, Work};
use crate::clock::Clock;
use crate::random::{self, Stream};
use rayon::prelude::*;

/// With more blocks than this, none is overfilled on the way: to relieve one, a vertex would
/// look at all others.
const MANY_BLOCKS: usize = 1024;

/// Vertices of the coarsest graph for each block.
const COARSEST: usize = 20;

/// A graph to divide, and what it costs where.
pub struct Stage<'a, D> {
    pub graph: &'a Graph,
    pub distance: &'a D,
    pub capacity: &'a [f64],
    /// What each vertex in each block costs apart from the edges; empty if nothing.
    pub bias: &'a [f32],
    pub clock: &'a Clock<'a>,
}

/// A coarser graph, and how it came about.
struct Level {
    cluster_of: Vec<u32>,
    graph: Graph,
    bias: Vec<f32>,
}

impl<D: BlockDistance> Stage<'_, D> {
    /// Divides the graph: the block of each vertex. Several divisions from scratch are combined
    /// where the work allows it.
    pub fn divide(&self, work: &Work, seed: u64, path: &[u64]) -> Vec<u32> {
        if self.capacity.len() == 1 {
            return vec![0; self.graph.len()];
        }
        self.fitting(self.best_division(work, seed, path))
    }

    /// A division; one that fills the blocks in order if a limit came before this one fits.
    pub fn fitting(&self, block_of: Vec<u32>) -> Vec<u32> {
        if !self.clock.rang() {
            return block_of;
        }
        let fits = overload_of(self.graph, self.capacity, &block_of) == 0.0;
        if fits { block_of } else { fill(self.graph, self.capacity) }
    }

    fn best_division(&self, work: &Work, seed: u64, path: &[u64]) -> Vec<u32> {
        let repetitions = work.repetitions.max(1) as u64;
        let once = |repetition: u64| {
            let path: Vec<u64> = path.iter().copied().chain([repetition]).collect();
            self.divide_once(work, &mut random::stream(seed, &path))
        };
        if repetitions == 1 {
            return once(0);
        }
        let mut divisions: Vec<Found> = (0..repetitions)
            .into_par_iter()
            .filter(|&repetition| repetition == 0 || !self.clock.is_over())
            .map(|repetition| self.judge(once(repetition)))
            .collect();
        // The sort is stable: of equal ones the first counts, on any number of threads.
        divisions.sort_by(|a, b| a.rank().partial_cmp(&b.rank()).expect("costs are numbers"));
        let mut divisions = divisions.into_iter();
        let mut best = divisions.next().expect("at least one division");
        let path: Vec<u64> = path.iter().copied().chain([repetitions]).collect();
        let mut rng = random::stream(seed, &path);
        for other in divisions {
            if self.clock.is_over() {
                break;
            }
            let child = self.combine(&best, &other, work, &mut rng);
            if child.rank() < best.rank() {
                best = child;
            }
        }
        best.block_of
    }

    /// One division from scratch.
    fn divide_once(&self, work: &Work, rng: &mut Stream) -> Vec<u32> {
        if self.clock.is_over() {
            return fill(self.graph, self.capacity);
        }
        let levels = self.coarsen(None, rng);
        let (coarsest, bias) = self.at(&levels, levels.len());
        let capacity = relaxed(self.capacity, coarsest);
        let small = Stage { graph: coarsest, bias, ..*self };
        let mut best: Option<Found> = None;
        for _ in 0..work.divisions {
            if best.is_some() && self.clock.is_over() {
                break;
            }
            let first = divide(&small, work, rng);
            let mut division = Division::new(coarsest, self.distance, &capacity, bias, first);
            division.relieve(self.clock);
            division.improve(work.refinement.patience, self.clock, rng);
            let (overload, cost) = (division.overload(), division.cost());
            let found = Found { overload, cost, block_of: division.block_of };
            if best.as_ref().is_none_or(|best| found.rank() < best.rank()) {
                best = Some(found);
            }
        }
        let first = best.expect("at least one division").block_of;
        let block_of = self.refine(&levels, first, true, &work.refinement, rng);
        if work.cycles == 0 {
            return block_of;
        }
        let mut found = self.judge(block_of);
        for _ in 0..work.cycles {
            if self.clock.is_over() {
                break;
            }
            let again = self.cycle(&found.block_of, &found.block_of, &work.refinement, rng);
            if again.rank() < found.rank() {
                found = again;
            }
        }
        found.block_of
    }

    /// Joins two divisions: no edge that either of them cuts is contracted, so that each stretch
    /// of a border of one can replace what the other has there.
    fn combine(&self, best: &Found, other: &Found, work: &Work, rng: &mut Stream) -> Found {
        let blocks = self.capacity.len() as u32;
        let both: Vec<u32> =
            best.block_of.iter().zip(&other.block_of).map(|(a, b)| a * blocks + b).collect();
        self.cycle(&best.block_of, &both, &work.refinement, rng)
    }

    /// Divides the graph into two blocks, the first of about `target`: coarsened as far as it
    /// goes, where many tries cost little.
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

    /// Coarsens inside the parts of `keep`, which are inside the blocks of the division, and
    /// refines it again: whole clusters move before vertices.
    fn cycle(
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

    /// Coarsens around a division into many blocks and improves it, level by level, by moves
    /// that gain. Deeper searches do not pay here: blocks are small and full.
    pub fn descend(&self, mut block_of: Vec<u32>, work: &Work, rng: &mut Stream) -> Vec<u32> {
        for _ in 0..work.descents {
            if self.clock.is_over() {
                break;
            }
            let levels = self.coarsen(Some(&block_of), rng);
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
    fn at<'b>(&'b self, levels: &'b [Level], depth: usize) -> (&'b Graph, &'b [f32]) {
        match depth.checked_sub(1) {
            Some(above) => (&levels[above].graph, &levels[above].bias),
            None => (self.graph, self.bias),
        }
    }

    fn coarsen(&self, block_of: Option<&[u32]>, rng: &mut Stream) -> Vec<Level> {
        let blocks = self.capacity.len();
        let enough = COARSEST * blocks;
        let smallest = self.capacity.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = (self.graph.total_size() / enough as f64 * 1.5).min(smallest / 3.0);
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
            let (cluster_of, clusters) = cluster(graph, largest, kept_in, self.clock, rng);
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
    /// division is given more room while it is coarse.
    fn refine(
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

    /// How good a division is, from scratch.
    fn judge(&self, block_of: Vec<u32>) -> Found {
        let (overload, cost) =
            judge(self.graph, self.distance, self.capacity, self.bias, &block_of);
        Found { overload, cost, block_of }
    }
}

/// A division that was found, and how good it is.
struct Found {
    overload: f64,
    cost: f64,
    block_of: Vec<u32>,
}

impl Found {
    /// Less is better.
    fn rank(&self) -> (f64, f64) {
        (self.overload, self.cost)
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

/// The blocks of the coarsest graph, where no cluster spans two.
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

/// The blocks of the graph one contraction finer than `depth`; of the finest, as they are.
fn project(levels: &[Level], depth: usize, block_of: Vec<u32>) -> Vec<u32> {
    match depth.checked_sub(1) {
        Some(above) => {
            levels[above].cluster_of.iter().map(|&cluster| block_of[cluster as usize]).collect()
        }
        None => block_of,
    }
}

/// The room in each block of a coarse graph: at least a fair share and one vertex more, since
/// large vertices cannot fill blocks evenly. Finer levels even it out.
pub fn relaxed(capacity: &[f64], graph: &Graph) -> Vec<f64> {
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
