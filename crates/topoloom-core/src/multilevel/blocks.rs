//! The blocks that a graph is split into, with room and distances.

/// How far apart two blocks are.
pub trait BlockDistance: Sync {
    /// Whether the distance between any two blocks is one. Then the cost is the cut.
    const UNIFORM: bool = false;

    /// The distance between two blocks; 0 from a block to itself.
    fn between(&self, a: u32, b: u32) -> f32;
}

/// All blocks are at distance one from each other.
#[derive(Debug, Clone, Copy)]
pub struct Uniform;

impl BlockDistance for Uniform {
    const UNIFORM: bool = true;

    #[inline(always)]
    fn between(&self, a: u32, b: u32) -> f32 {
        if a == b { 0.0 } else { 1.0 }
    }
}

/// Distances of a few blocks, row by row.
#[derive(Debug, Clone)]
pub struct Table {
    blocks: usize,
    distance: Vec<f32>,
}

impl Table {
    /// A table of the distances that `between` gives.
    pub fn new(blocks: usize, mut between: impl FnMut(usize, usize) -> f32) -> Table {
        let pairs = (0..blocks).flat_map(|a| (0..blocks).map(move |b| (a, b)));
        Table { blocks, distance: pairs.map(|(a, b)| between(a, b)).collect() }
    }
}

impl BlockDistance for Table {
    #[inline(always)]
    fn between(&self, a: u32, b: u32) -> f32 {
        self.distance[a as usize * self.blocks + b as usize]
    }
}
