//! How much of a machine is drawn.

/// The most points that hold nodes; on machines with more nodes, a point stands for several.
pub const MOST_POINTS: usize = 8_192;

/// The most edges that are drawn.
pub const MOST_EDGES: usize = 40_000;
