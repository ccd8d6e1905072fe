//! How a picture arranges a topology. What it looks like is up to the code that draws it.

/// How a picture arranges the vertices of a topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawing {
    /// Nodes at their coordinates in the box of [`grid_lengths`](super::Topology::grid_lengths).
    Box,
    /// In rows, one above the other: the row of each vertex, where 0 is the row of the nodes.
    Levels(Vec<u16>),
    /// Parts that are apart from each other, with everything of a part close together: the part of
    /// each vertex.
    Parts(Vec<u32>),
    /// Groups in groups, as [`groups`](super::Topology::groups) gives them.
    Nested,
    /// Only the links are known.
    Links,
}
