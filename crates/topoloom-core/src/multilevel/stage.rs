//! One stage: a graph divided into a few blocks, coarse to fine.

use super::blocks::BlockDistance;
use super::coarsen::cluster;
use super::fm::{Division, Patience};
use super::flow::improve_borders;
use super::graph::Graph;
use super::initial::{divide, grow};
use super::work::Work;
use crate::random::{self, Stream};

/// A graph to divide, and what it costs where.
pub struct Stage<'a, D> {
    pub graph: &'a Graph,
    pub distance: &'a D,
    pub capacity: &'a [f64],
    /// What each vertex in each block costs apart from the edges; empty if nothing.
    pub bias: &'a [f32],
}

/// A coarser graph, and how it came about.
struct Level {
    cluster_of: Vec<u32>,
    graph: Graph,
    bias: Vec<f32>,
}

impl<D: BlockDistance> Stage<'_, D> {
    /// Divides the graph: the block of each vertex.
    pub fn divide(&self, work: &Work, seed: u64, path: &[u64]) -> Vec<u32> {
        let mut rng = random::stream(seed, path);
        if self.capacity.len() == 1 {
            return vec![0; self.graph.len()];
        }
        let levels = self.coarsen(work, None, &mut rng);
        let coarsest = levels.last().map_or(self.graph, |level| &level.graph);
        let bias = levels.last().map_or(self.bias, |level| &level.bias[..]);
        let capacity = relaxed(self.capacity, coarsest);
        let mut best: Option<(f64, f64, Vec<u32>)> = None;
        for _ in 0..work.divisions {
            let first =
                divide(coarsest, self.distance, self.capacity, bias, work.tries, &mut rng);
            let mut division =
                Division::new(coarsest, self.distance, &capacity, bias, first);
            division.relieve();
            division.improve(work.patience, &mut rng);
            let found = (division.overload(), division.cost());
            if best.as_ref().is_none_or(|best| found < (best.0, best.1)) {
                best = Some((found.0, found.1, division.block_of));
            }
        }
        let mut block_of = self.refine(&levels, best.expect("one division").2, work, &mut rng);
        for _ in 0..work.cycles {
            block_of = self.cycle(block_of, work, &mut rng);
        }
        block_of
    }

    /// Divides the graph into two blocks, the first of about `target`: coarsened as far as it
    /// goes, where many tries cost little.
    pub fn bisect(&self, target: f64, tries: usize, rng: &mut Stream) -> Vec<u32> {
        let work = Work {
            coarsest: 20,
            tries,
            divisions: 1,
            patience: Patience { moves: 25, rounds: 3 },
            flow: None,
            arrangement: 0.0,
            cycles: 0,
        };
        let levels = self.coarsen(&work, None, rng);
        let coarsest = levels.last().map_or(self.graph, |level| &level.graph);
        let bias = levels.last().map_or(self.bias, |level| &level.bias[..]);
        let capacity = relaxed(self.capacity, coarsest);
        let mut best: Option<(f64, f64, Vec<u32>)> = None;
        for _ in 0..tries {
            let grown = grow(coarsest, target, rng);
            let mut division =
                Division::new(coarsest, self.distance, &capacity, bias, grown);
            division.relieve();
            division.improve_at_once(coarsest.len() / 4 + 20, 6, rng);
            let found = (division.overload(), division.cost());
            if best.as_ref().is_none_or(|best| found < (best.0, best.1)) {
                best = Some((found.0, found.1, division.block_of));
            }
        }
        self.refine(&levels, best.expect("at least one try").2, &work, rng)
    }

    /// Coarsens around a division and refines it again: whole clusters move before vertices.
    pub fn cycle(&self, block_of: Vec<u32>, work: &Work, rng: &mut Stream) -> Vec<u32> {
        let levels = if super::work::env("RFINE", 0.0) > 0.0 && self.capacity.len() > 8 { vec![] } else { self.coarsen(work, Some(&block_of), rng) };
        let mut coarse = block_of;
        for level in &levels {
            let mut blocks = vec![0; level.graph.len()];
            for (&cluster, &block) in level.cluster_of.iter().zip(&coarse) {
                blocks[cluster as usize] = block;
            }
            coarse = blocks;
        }
        self.refine(&levels, coarse, work, rng)
    }

    fn coarsen(&self, work: &Work, block_of: Option<&[u32]>, rng: &mut Stream) -> Vec<Level> {
        let blocks = self.capacity.len();
        let enough = (work.coarsest * blocks).max(20);
        let smallest = self.capacity.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = (self.graph.total_size() / enough as f64 * 1.5).min(smallest / 3.0);
        let mut levels: Vec<Level> = Vec::new();
        let mut kept = block_of.map(<[u32]>::to_vec);
        loop {
            let (graph, bias) = match levels.last() {
                Some(level) => (&level.graph, &level.bias[..]),
                None => (self.graph, self.bias),
            };
            if graph.len() <= enough {
                break;
            }
            let (cluster_of, clusters) = cluster(graph, largest, kept.as_deref(), rng);
            if clusters as f64 > graph.len() as f64 * 0.95 {
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

    /// Takes a division of the coarsest graph back to the finest, better at each level.
    fn refine(
        &self,
        levels: &[Level],
        coarsest: Vec<u32>,
        work: &Work,
        rng: &mut Stream,
    ) -> Vec<u32> {
        let mut block_of = coarsest;
        for depth in (0..=levels.len()).rev() {
            let (graph, bias) = match depth.checked_sub(1) {
                Some(above) => (&levels[above].graph, &levels[above].bias[..]),
                None => (self.graph, self.bias),
            };
            let relaxed = if depth > 0 { relaxed(self.capacity, graph) } else { self.capacity.to_vec() };
            let mut division = Division::new(graph, self.distance, &relaxed, bias, block_of);
            division.relieve();
            division.improve(work.patience, rng);
            if let Some(reach) = work.flow {
                improve_borders(&mut division, reach, super::work::env("FR", 3.0) as usize);
            }
            block_of = division.block_of;
            if let Some(finer) = depth.checked_sub(1) {
                let level = &levels[finer];
                block_of = level.cluster_of.iter().map(|&c| block_of[c as usize]).collect();
            }
        }
        block_of
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
