//! A graph divided into blocks, while it changes.

use std::collections::BinaryHeap;

use super::candidate::Candidate;
use super::from_scratch::{judge, overload};
use crate::multilevel::blocks::BlockDistance;
use crate::multilevel::graph::Graph;
use crate::pace::Pace;
use crate::refiner::hubs::least_degree;

/// With at most this many blocks, what each vertex exchanges with each block is kept.
const FEW_BLOCKS: usize = 16;

/// A graph divided into blocks, while it changes.
pub struct Division<'a, D> {
    pub graph: &'a Graph,
    pub distance: &'a D,
    /// The room in each block.
    pub capacity: &'a [f64],
    /// What each vertex in each block costs apart from the edges; empty if there is no such cost.
    pub bias: &'a [f32],
    pub block_of: Vec<u32>,
    pub(super) load: Vec<f64>,
    /// What each vertex exchanges with each block, row by row, if there are few blocks.
    pub(super) pulls: Vec<f32>,
    /// How much a search may temporarily overload a block.
    pub(super) leeway: f64,
    /// A vertex with at least this many edges is a hub.
    pub(super) hub_degree: usize,
    pub(super) scratch: Scratch,
}

/// Memory that searches use repeatedly.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) pull: Vec<f32>,
    pub(super) touched: Vec<u32>,
    /// The round in which each vertex was last moved.
    pub(super) moved: Vec<u32>,
    /// The latest queue entry of each vertex.
    pub(super) version: Vec<u32>,
    pub(super) queue: BinaryHeap<Candidate>,
    pub(super) trail: Vec<(u32, u32)>,
    pub(super) pace: Pace,
}

/// What each vertex exchanges with each block, row by row.
fn pulls(graph: &Graph, block_of: &[u32], blocks: usize) -> Vec<f32> {
    let mut pulls = vec![0.0; graph.len() * blocks];
    for (vertex, row) in (0..).zip(pulls.chunks_exact_mut(blocks)) {
        for edge in graph.edges(vertex) {
            row[block_of[edge.to as usize] as usize] += edge.weight;
        }
    }
    pulls
}

impl<'a, D: BlockDistance> Division<'a, D> {
    pub fn new(
        graph: &'a Graph,
        distance: &'a D,
        capacity: &'a [f64],
        bias: &'a [f32],
        block_of: Vec<u32>,
    ) -> Self {
        let mut load = vec![0.0; capacity.len()];
        for (&block, &size) in block_of.iter().zip(&graph.sizes) {
            load[block as usize] += size;
        }
        let room: f64 = capacity.iter().sum::<f64>() - graph.total_size();
        let largest = graph.largest_size();
        let tight = room < largest * capacity.len() as f64;
        let scratch = Scratch {
            pull: vec![0.0; capacity.len()],
            moved: vec![0; graph.len()],
            version: vec![0; graph.len()],
            ..Scratch::default()
        };
        let leeway = if tight { largest } else { 0.0 };
        let pulls = if capacity.len() <= FEW_BLOCKS {
            pulls(graph, &block_of, capacity.len())
        } else {
            Vec::new()
        };
        let hub_degree = least_degree(graph.len(), graph.edges.len());
        Division {
            graph,
            distance,
            capacity,
            bias,
            block_of,
            load,
            pulls,
            leeway,
            hub_degree,
            scratch,
        }
    }

    pub(super) fn blocks(&self) -> usize {
        self.capacity.len()
    }

    /// How much the blocks are overloaded.
    pub fn overload(&self) -> f64 {
        overload(&self.load, self.capacity)
    }

    #[inline]
    pub(super) fn overload_of(&self, block: u32, load: f64) -> f64 {
        (load - self.capacity[block as usize]).max(0.0)
    }

    /// The cost of the division, computed from scratch.
    pub fn cost(&self) -> f64 {
        judge(self.graph, self.distance, self.capacity, self.bias, &self.block_of).1
    }

    pub fn is_at_boundary(&self, vertex: u32) -> bool {
        let home = self.block_of[vertex as usize];
        if !self.pulls.is_empty() {
            let row = self.pulls[vertex as usize * self.blocks()..].iter().take(self.blocks());
            return (0..).zip(row).any(|(block, &pull)| block != home && pull > 0.0);
        }
        self.graph.edges(vertex).iter().any(|edge| self.block_of[edge.to as usize] != home)
    }

    #[inline]
    pub fn bias_of(&self, vertex: u32, block: u32) -> f32 {
        if self.bias.is_empty() {
            return 0.0;
        }
        self.bias[vertex as usize * self.blocks() + block as usize]
    }

    pub fn load(&self, block: u32) -> f64 {
        self.load[block as usize]
    }

    pub fn shift(&mut self, vertex: u32, block: u32) {
        let size = self.graph.sizes[vertex as usize];
        let home = std::mem::replace(&mut self.block_of[vertex as usize], block);
        self.load[home as usize] -= size;
        self.load[block as usize] += size;
        if !self.pulls.is_empty() {
            let blocks = self.capacity.len();
            for edge in self.graph.edges(vertex) {
                let row = &mut self.pulls[edge.to as usize * blocks..][..blocks];
                row[home as usize] -= edge.weight;
                row[block as usize] += edge.weight;
            }
        }
    }
}
