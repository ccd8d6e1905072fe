//! Any network: nodes, switches, and the links between them one by one.

mod error;
mod hops;

use std::sync::Arc;

pub use error::GraphError;
use error::MAX_LINKS;
use hops::Hops;

use super::distance_counts::{DistanceCounts, unordered};
use super::entry::TopologyEntry;
use super::interface::Topology;
use super::link::{Link, LinkProperties};
use super::size::MAX_NODES;
use crate::ids::{LinkId, Vertex};
use crate::spec::{Spec, SpecError};

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

/// A cable between two vertices: one link in each direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The two vertices.
    pub ends: [Vertex; 2],
    /// The properties of each of the two links.
    pub properties: LinkProperties,
}

/// Any network. Links are numbered by the vertex they leave, and those of a vertex are in the order
/// of the edges. Routes are shortest in hops, whatever the bandwidths.
///
/// ```
/// use std::sync::Arc;
/// use topoloom_model::topology::{Edge, Graph, LinkProperties, Topology};
/// use topoloom_model::{Machine, Vertex};
/// // Nodes 0 and 1 below switch 2.
/// let edge = |node| Edge { ends: [Vertex(node), Vertex(2)], properties: LinkProperties::ELECTRICAL };
/// let graph = Graph::new(2, 1, &[edge(0), edge(1)]).unwrap();
/// assert_eq!(graph.distance(Vertex(0), Vertex(1)), 2);
/// let machine = Machine::with_topology("graph:pair.txt,slots=4", Arc::new(graph)).unwrap();
/// assert_eq!(machine.num_slots(), 8);
/// ```
#[derive(Debug, Clone)]
pub struct Graph {
    nodes: u32,
    /// Where the links of each vertex begin, and the end of the last.
    start: Arc<[u32]>,
    links: Arc<[Link]>,
    hops: Arc<Hops>,
    fastest: f64,
}

impl Graph {
    /// The name in specifications.
    pub const NAME: &'static str = "graph";

    /// The network of the vertices `0 .. nodes`, which run ranks, and as many switches after
    /// them. Edges between the same ends are parallel links.
    pub fn new(nodes: u32, switches: u32, edges: &[Edge]) -> Result<Graph, GraphError> {
        let vertices = u64::from(nodes) + u64::from(switches);
        if nodes == 0 {
            return Err(GraphError::NoNodes);
        }
        if vertices > u64::from(MAX_NODES) {
            return Err(GraphError::TooManyVertices(vertices));
        }
        if edges.len() > MAX_LINKS / 2 {
            return Err(GraphError::TooManyLinks(edges.len().saturating_mul(2)));
        }
        (0..).zip(edges).try_for_each(|(at, edge)| check(at, edge, vertices as u32 - 1))?;
        let (start, links) = links_by_vertex(vertices as usize, edges);
        let fastest = links.iter().map(|link| link.properties.bytes_per_second).fold(0.0, f64::max);
        let hops = Arc::new(Hops::new(nodes, &start, &links)?);
        Ok(Graph { nodes, start: start.into(), links: links.into(), hops, fastest })
    }

    /// The same network with other link properties, for each direction separately. `properties` is
    /// called for every link.
    pub fn with_properties(
        &self,
        properties: impl Fn(&Link) -> LinkProperties,
    ) -> Result<Graph, GraphError> {
        let links = self.links.iter().map(|link| Link { properties: properties(link), ..*link });
        let links: Vec<Link> = links.collect();
        if let Some(edge) = links.iter().position(|link| !are_fine(&link.properties)) {
            return Err(GraphError::Properties { edge });
        }
        let fastest = links.iter().map(|link| link.properties.bytes_per_second).fold(0.0, f64::max);
        Ok(Graph { links: links.into(), fastest, ..self.clone() })
    }

    /// The file that the specification of a network names.
    pub fn file(spec: &Spec) -> Result<&str, SpecError> {
        spec.shape
            .as_deref()
            .ok_or_else(|| SpecError::new("graph: expected a file such as graph:network.txt"))
    }

    fn links_of(&self, vertex: Vertex) -> std::ops::Range<usize> {
        self.start[vertex.index()] as usize..self.start[vertex.index() + 1] as usize
    }
}

fn check(at: usize, edge: &Edge, last: u32) -> Result<(), GraphError> {
    let [a, b] = edge.ends;
    if let Some(vertex) = [a, b].into_iter().find(|vertex| vertex.0 > last) {
        return Err(GraphError::UnknownVertex { edge: at, vertex, last });
    }
    if a == b {
        return Err(GraphError::Loop { edge: at, vertex: a });
    }
    match are_fine(&edge.properties) {
        true => Ok(()),
        false => Err(GraphError::Properties { edge: at }),
    }
}

fn are_fine(properties: &LinkProperties) -> bool {
    let &LinkProperties { bytes_per_second, latency_seconds, joules_per_byte, idle_watts, .. } =
        properties;
    let fine = |number: f64| number.is_finite() && number >= 0.0;
    let all = [bytes_per_second, latency_seconds, joules_per_byte, idle_watts];
    all.into_iter().all(fine) && bytes_per_second > 0.0
}

/// Two links per edge, in rows by the vertex they leave, and where the rows begin.
fn links_by_vertex(vertices: usize, edges: &[Edge]) -> (Vec<u32>, Vec<Link>) {
    let mut start = vec![0u32; vertices + 1];
    for end in edges.iter().flat_map(|edge| edge.ends) {
        start[end.index() + 1] += 1;
    }
    for vertex in 0..vertices {
        start[vertex + 1] += start[vertex];
    }
    let both_ways = |edge: &Edge| {
        let ([a, b], properties) = (edge.ends, edge.properties);
        [Link { from: a, to: b, properties }, Link { from: b, to: a, properties }]
    };
    let mut links: Vec<Link> = edges.iter().flat_map(both_ways).collect();
    // A stable sort: the links of a vertex keep the order of the edges.
    links.sort_by_key(|link| link.from);
    (start, links)
}

impl Topology for Graph {
    fn num_nodes(&self) -> usize {
        self.nodes as usize
    }

    fn num_vertices(&self) -> usize {
        self.start.len() - 1
    }

    fn num_links(&self) -> u64 {
        self.links.len() as u64
    }

    fn link_id_bound(&self) -> u64 {
        self.links.len() as u64
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        self.links.get(usize::try_from(id.0).ok()?).copied()
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
