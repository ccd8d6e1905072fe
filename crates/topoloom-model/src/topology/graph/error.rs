//! Why edges are not a network.

use thiserror::Error;

use crate::ids::Vertex;
use crate::topology::size::MAX_NODES;

/// The most links: their numbers fit in 32 bits with room to spare.
pub(super) const MAX_LINKS: usize = 1 << 28;

/// Why edges are not a network.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GraphError {
    /// There is no node to run anything on.
    #[error("expected at least 1 node, found 0")]
    NoNodes,
    /// More nodes and switches than a machine may have.
    #[error("{0} nodes and switches are too many; at most {MAX_NODES} are possible")]
    TooManyVertices(u64),
    /// More links than a machine may have.
    #[error("{0} links are too many; at most {MAX_LINKS} are possible")]
    TooManyLinks(usize),
    /// An edge ends at a vertex that does not exist.
    #[error("vertex {vertex} is not among 0 to {last}")]
    UnknownVertex {
        /// The position of the edge.
        edge: usize,
        /// The end that does not exist.
        vertex: Vertex,
        /// The last vertex that exists.
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
    /// An edge that carries nothing, or a value that is not a number.
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
        /// Vertices that need their own row.
        vertices: usize,
        /// The largest number allowed.
        most: usize,
    },
}

impl GraphError {
    /// The position of the wrong edge, if it is an edge that is wrong.
    pub fn edge(&self) -> Option<usize> {
        match *self {
            GraphError::UnknownVertex { edge, .. }
            | GraphError::Loop { edge, .. }
            | GraphError::Properties { edge } => Some(edge),
            _ => None,
        }
    }
}
