//! Any network: nodes, switches, and the links between them one by one.

mod data;
mod error;
mod forwarding;
mod hops;

pub use data::{Edge, Graph};
pub use error::GraphError;
pub use forwarding::{Broken, Forwarding, Unrouted, Walked};

use super::distance_counts::{DistanceCounts, unordered};
use super::entry::TopologyEntry;
use super::interface::Topology;
use super::link::Link;
use crate::ids::{LinkId, Vertex};
use crate::spec::SpecError;

/// Networks from files. Nothing here reads files: the code that does makes a [`Graph`] and passes
/// it to [`Machine::with_topology`](crate::Machine::with_topology).
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: Graph::NAME,
    summary: "any network, from a file of links with their bandwidths",
    example: "graph:network.txt",
    parameters: &[],
    build: |spec| {
        let file = Graph::file(spec)?;
        Err(SpecError::new(format!("graph: the network must first be read from \"{file}\"")))
    },
};

impl Topology for Graph {
    fn num_nodes(&self) -> usize {
        self.nodes as usize
    }

    fn num_vertices(&self) -> usize {
        self.vertex_count()
    }

    fn num_links(&self) -> u64 {
        self.links.len() as u64
    }

    fn link_id_bound(&self) -> u64 {
        self.links.len() as u64
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        self.link_at(id)
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        self.hops.between(from, to)
    }

    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        let left = self.distance(at, to);
        let closer = |&id: &usize| self.distance(self.links[id].to, to) + 1 == left;
        out.extend(self.links_of(at).filter(closer).map(|id| LinkId(id as u64)));
    }

    fn fastest_link(&self) -> f64 {
        self.fastest
    }

    fn port(&self, id: LinkId) -> u64 {
        match &self.ports {
            Some(ports) => u64::from(ports[id.index()]),
            None => id.0,
        }
    }

    fn forwarding(&self) -> Option<&Forwarding> {
        self.forwarding.as_deref()
    }

    fn pairs_at_distance(&self) -> DistanceCounts {
        unordered(self.hops.ordered_pairs(), u64::from(self.nodes))
    }

    fn largest_ball(&self) -> DistanceCounts {
        self.hops.largest_ball()
    }

    fn central_node(&self) -> Vertex {
        self.hops.central_node()
    }
}

#[cfg(test)]
mod tests;
