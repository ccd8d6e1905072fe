//! The data of a network: its links vertex by vertex, and hops between vertices.

use std::sync::Arc;

use super::error::{GraphError, MAX_LINKS};
use super::forwarding::Forwarding;
use super::hops::Hops;
use crate::ids::{LinkId, Vertex};
use crate::spec::{Spec, SpecError};
use crate::topology::link::{Link, LinkProperties};
use crate::topology::size::MAX_NODES;

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
    pub(super) nodes: u32,
    /// Where the links of each vertex begin, and the end of the last.
    pub(super) start: Arc<[u32]>,
    pub(super) links: Arc<[Link]>,
    pub(super) hops: Arc<Hops>,
    pub(super) fastest: f64,
    pub(super) forwarding: Option<Arc<Forwarding>>,
    /// The port through which each link leaves its vertex, if that is known.
    pub(super) ports: Option<Arc<[u32]>>,
}

impl Graph {
    /// The name in specifications.
    pub const NAME: &'static str = "graph";

    /// The network of the vertices `0 .. nodes`, which run ranks, and as many switches after
    /// them. Edges between the same ends are parallel links.
    pub fn new(nodes: u32, switches: u32, edges: &[Edge]) -> Result<Graph, GraphError> {
        Graph::build(nodes, switches, edges, true)
    }

    /// The same, but vertices need not be able to reach each other.
    pub fn in_parts(nodes: u32, switches: u32, edges: &[Edge]) -> Result<Graph, GraphError> {
        Graph::build(nodes, switches, edges, false)
    }

    fn build(
        nodes: u32,
        switches: u32,
        edges: &[Edge],
        must_be_connected: bool,
    ) -> Result<Graph, GraphError> {
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
        // Vertices that nothing reaches would each need a row of the table of hops.
        if must_be_connected {
            check_connected(nodes, &start, &links)?;
        }
        let hops = Arc::new(Hops::new(nodes, &start, &links)?);
        let (start, links) = (start.into(), links.into());
        Ok(Graph { nodes, start, links, hops, fastest, forwarding: None, ports: None })
    }

    /// The same network with the port through which each link leaves its vertex.
    pub fn with_ports(self, ports: Vec<u32>) -> Graph {
        Graph { ports: Some(ports.into()), ..self }
    }

    /// The same network with tables by which its switches forward.
    pub fn with_forwarding(self, forwarding: Forwarding) -> Graph {
        Graph { forwarding: Some(Arc::new(forwarding)), ..self }
    }

    /// Whether there is a way from one vertex to another.
    pub fn reaches(&self, from: Vertex, to: Vertex) -> bool {
        self.hops.reaches(from, to)
    }

    /// How many vertices there are.
    pub(in crate::topology) fn vertex_count(&self) -> usize {
        self.start.len() - 1
    }

    /// How many links there are.
    pub(in crate::topology) fn link_count(&self) -> u64 {
        self.links.len() as u64
    }

    /// The link with this number, or `None` if there is none.
    pub(in crate::topology) fn link_at(&self, id: LinkId) -> Option<Link> {
        self.links.get(usize::try_from(id.0).ok()?).copied()
    }

    /// The same network with other link properties, for each direction separately. `properties` is
    /// called for every link.
    pub fn with_properties(
        &self,
        properties: impl Fn(&Link) -> LinkProperties,
    ) -> Result<Graph, GraphError> {
        let links = self.links.iter().map(|link| Link { properties: properties(link), ..*link });
        let links: Vec<Link> = links.collect();
        if let Some(edge) = links.iter().position(|link| !link.properties.is_fine()) {
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

    /// The numbers of the links that leave a vertex, in the order of its edges.
    pub(in crate::topology) fn links_of(&self, vertex: Vertex) -> std::ops::Range<usize> {
        self.start[vertex.index()] as usize..self.start[vertex.index() + 1] as usize
    }
}

fn check_connected(nodes: u32, start: &[u32], links: &[Link]) -> Result<(), GraphError> {
    let mut reached = vec![false; start.len() - 1];
    reached[0] = true;
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        for link in &links[start[at] as usize..start[at + 1] as usize] {
            if !std::mem::replace(&mut reached[link.to.index()], true) {
                waiting.push(link.to.index());
            }
        }
    }
    match reached.iter().position(|&reached| !reached) {
        None => Ok(()),
        Some(vertex) => {
            let kind = if vertex < nodes as usize { "node" } else { "switch" };
            Err(GraphError::NotConnected { kind, vertex: Vertex(vertex as u32) })
        }
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
    match edge.properties.is_fine() {
        true => Ok(()),
        false => Err(GraphError::Properties { edge: at }),
    }
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
