//! Boxes on which routes look alike wherever they start.

/// A box on which a route depends on the offset between its ends alone. Link `node * 2D + port`
/// leaves node `node`; nodes are numbered first dimension fastest.
#[derive(Debug, Clone)]
pub struct Lattice {
    /// The length of each dimension.
    pub lengths: Vec<u32>,
    /// Whether the dimensions are rings.
    pub wraps: bool,
}
