//! Boxes on which routes look alike wherever they start.

/// The most dimensions of a box of nodes.
pub const MOST_DIMENSIONS: usize = 6;

/// A box on which a route depends on the offset between its ends alone. Link `node * 2D + port`
/// leaves node `node`; nodes are numbered first dimension fastest.
#[derive(Debug, Clone)]
pub struct Lattice {
    /// The length of each dimension, at most [`MOST_DIMENSIONS`].
    pub lengths: Vec<u32>,
    /// Whether the dimensions are rings.
    pub wraps: bool,
}

impl Lattice {
    /// The coordinates of a node; 0 in dimensions that the box does not have.
    #[inline]
    pub fn coordinates(&self, mut node: u32) -> [i16; MOST_DIMENSIONS] {
        let mut coordinates = [0; MOST_DIMENSIONS];
        for (coordinate, &length) in coordinates.iter_mut().zip(&self.lengths) {
            *coordinate = (node % length) as i16;
            node /= length;
        }
        coordinates
    }

    /// The node with these coordinates.
    pub fn node(&self, coordinates: [i16; MOST_DIMENSIONS]) -> u32 {
        let both = self.lengths.iter().zip(coordinates).rev();
        both.fold(0, |node, (&length, coordinate)| node * length + coordinate as u32)
    }
}
