//! Boxes on which routes look alike wherever they start.

/// A box on which a route depends only on the offset between its ends. Link `node * 2D + port`
/// leaves node `node`. Nodes are numbered with the first dimension fastest.
#[derive(Debug, Clone)]
pub struct Lattice {
    /// The length of each dimension.
    pub lengths: Vec<u32>,
    /// Whether the dimensions are rings.
    pub wraps: bool,
}
