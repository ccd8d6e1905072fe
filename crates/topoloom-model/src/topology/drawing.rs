//! How a picture arranges what is wired; what it looks like is for those who draw.

/// How a picture arranges the vertices of a topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawing {
    /// Nodes at their coordinates in the box of [`grid_lengths`](super::Topology::grid_lengths).
    Box,
    /// In rows, one above the other: the row of each vertex, 0 that of the nodes.
    Levels(Vec<u16>),
    /// Parts apart from each other, what belongs to each close together: the part of each vertex.
    Parts(Vec<u32>),
    /// Groups in groups, as [`groups`](super::Topology::groups) tells them: there are no links.
    Nested,
    /// Nothing more is known than the links.
    Links,
}
