//! How much of a machine is drawn.

/// The most points that hold nodes; machines of more nodes have points that stand for several.
pub const MOST_POINTS: usize = 8_192;

/// The most edges that are drawn.
pub const MOST_EDGES: usize = 40_000;
