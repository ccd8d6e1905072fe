//! Why edges are not a network.

use thiserror::Error;

use crate::ids::Vertex;
use crate::topology::size::MAX_NODES;

/// The most links: their numbers fit 32 bits with room to spare.
pub(super) const MAX_LINKS: usize = 1 << 28;

/// Why edges are not a network.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GraphError {
    /// Nowhere to run anything.
    #[error("expected at least 1 node, found 0")]
    NoNodes,
    /// More nodes and switches than a machine may have.
    #[error("{0} nodes and switches are too many; at most {MAX_NODES} are possible")]
    TooManyVertices(u64),
    /// More links than a machine may have.
    #[error("{0} links are too many; at most {MAX_LINKS} are possible")]
    TooManyLinks(usize),
    /// An edge ends where there is nothing.
    #[error("vertex {vertex} is not among 0 to {last}")]
    UnknownVertex {
        /// The position of the edge.
        edge: usize,
        /// The end that does not exist.
        vertex: Vertex,
        /// The last vertex that does.
        last: u32,
    },
    /// An edge from a vertex to itself.
    #[error("vertex {vertex} is linked to itself")]
    Loop {
        /// The position of the edge.
        edge: usize,
        /// Its two ends.
        vertex: Vertex,
    },
    /// An edge that carries nothing, or a number that is none.
    #[error("expected a positive bandwidth, and latency, energy and idle power of at least 0")]
    Properties {
        /// The position of the edge.
        edge: usize,
    },
    /// A part of the network is cut off.
    #[error("{kind} {vertex} cannot be reached from node 0")]
    NotConnected {
        /// `node` or `switch`.
        kind: &'static str,
        /// The first vertex that is cut off.
        vertex: Vertex,
    },
    /// The table of distances would not fit.
    #[error(
        "{vertices} nodes and switches with several neighbours are too many; \
         at most {most} are possible"
    )]
    TooManyDistances {
        /// Vertices that need a row of their own.
        vertices: usize,
        /// How many there may be.
        most: usize,
    },
}

impl GraphError {
    /// The position of the edge that is wrong, where it is one.
    pub fn edge(&self) -> Option<usize> {
        match *self {
            GraphError::UnknownVertex { edge, .. }
            | GraphError::Loop { edge, .. }
            | GraphError::Properties { edge } => Some(edge),
            _ => None,
        }
    }
}
