//! What is wired: nodes, links and distances.

mod cluster;
mod dragonfly;
mod drawing;
mod fat_tree;
mod graph;
mod grid;
mod groups;
mod haec;
mod hypercube;
mod lattice;
mod link;
pub mod metric;
mod platform;
mod tree;

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use cluster::{Cluster, ClusterError, ClusterMetric, Place, number_ranges};
pub use drawing::Drawing;
pub use graph::{Edge, Graph, GraphError};
pub use groups::{Group, Groups};
pub use lattice::Lattice;
pub use link::{Lines, Link, LinkProperties, Stretch};
pub use metric::{GeneralMetric, Metric, MetricKind};
pub use platform::{PLATFORM, platform_file};

use crate::budget;
use crate::ids::{LinkId, Vertex};
use crate::registry::{Entry, Parameter, Registry};
use crate::spec::{Spec, SpecError};

/// The largest number of nodes a topology may have: more than any machine, and what is kept by
/// node and link fits into memory.
const MAX_NODES: u32 = 1 << 24;

/// How many there are at each distance: (distance, number), distances rising, no number of 0.
/// Distances may be few and far between, so that they are no index.
pub type DistanceCounts = Vec<(u32, u64)>;

/// What is wired. Nodes are the vertices `0 .. num_nodes()`; switches would follow.
///
/// `distance` is symmetric and counts hops of the machine's own routing.
pub trait Topology: Debug + Send + Sync {
    /// The number of nodes.
    fn num_nodes(&self) -> usize;

    /// The number of vertices: nodes, and switches after them.
    fn num_vertices(&self) -> usize {
        self.num_nodes()
    }

    /// How a picture arranges the vertices.
    fn drawing(&self) -> Drawing {
        match (self.grid_lengths(), self.groups()) {
            (Some(_), _) => Drawing::Box,
            (None, Some(_)) if !self.is_wired() => Drawing::Nested,
            _ => Drawing::Links,
        }
    }

    /// Whether messages take links; otherwise only distances are known, and nothing is routed.
    fn is_wired(&self) -> bool {
        true
    }

    /// The number of directed links.
    fn num_links(&self) -> u64;

    /// Link numbers lie below this; not every number below it need be a link.
    fn link_id_bound(&self) -> u64;

    /// The link with this number, or `None` where there is none.
    fn link(&self, id: LinkId) -> Option<Link>;

    /// Hops from one vertex to another.
    fn distance(&self, from: Vertex, to: Vertex) -> u32;

    /// Adds to `out` every link from `at` that leads one hop closer to `to`.
    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>);

    /// Walks the one route that settles the dimensions in the given order, in straight stretches
    /// that do not cross the seam of a ring; `false` (and no
    /// visit) where the topology has no dimensions.
    fn dimension_order_route(
        &self,
        _from: Vertex,
        _to: Vertex,
        _order: &[usize],
        _visit: &mut dyn FnMut(Stretch),
    ) -> bool {
        false
    }

    /// Which links lie in lines.
    fn lines(&self) -> Lines {
        Lines::default()
    }

    /// The lengths of the box that the nodes fill, first dimension fastest, if they fill one.
    fn grid_lengths(&self) -> Option<&[u32]> {
        None
    }

    /// The box, if routes on it depend on the offset between their ends alone.
    fn lattice(&self) -> Option<Lattice> {
        None
    }

    /// The number of parts of each level, lowest first, where nodes are grouped level by level
    /// and the distance is that of the highest level at which two differ.
    fn levels(&self) -> Option<Vec<u32>> {
        None
    }

    /// The number of parts of each level, lowest first, where nodes lie in equal parts, those in
    /// equal parts again and so on, whatever their distances; all parts of a level are alike.
    /// Whatever has levels has them.
    fn nested_parts(&self) -> Option<Vec<u32>> {
        self.levels()
    }

    /// Groups in groups, where the distance of two nodes is that of the smallest group that holds
    /// both; whatever has levels has them.
    fn groups(&self) -> Option<Arc<Groups>> {
        None
    }

    /// The cluster that this is, if its nodes are places on hosts.
    fn cluster(&self) -> Option<&Cluster> {
        None
    }

    /// The fast twin of `distance` for inner loops.
    fn metric(&self) -> MetricKind;

    /// The largest bandwidth of any link, in bytes per second; 0 without links.
    fn fastest_link(&self) -> f64 {
        let links = (0..self.link_id_bound()).filter_map(|id| self.link(LinkId(id)));
        links.map(|link| link.properties.bytes_per_second).fold(0.0, f64::max)
    }

    /// Visits the nodes that lie exactly `distance` from `from`, in a fixed order, until told
    /// to stop.
    fn nodes_at_distance(
        &self,
        from: Vertex,
        distance: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for node in (0..self.num_nodes() as u32).map(Vertex) {
            if self.distance(from, node) == distance {
                visit(node)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// For each distance, how many unordered pairs of different nodes lie that far apart.
    fn pairs_at_distance(&self) -> DistanceCounts {
        metric::pairs_at_distance_by_counting(self)
    }

    /// For each distance d, the largest number of other nodes that any node has within d; left
    /// out where it is the same as for the distance before.
    fn largest_ball(&self) -> DistanceCounts {
        metric::largest_ball_by_counting(self)
    }

    /// Every distance between nodes, rising, from 0.
    fn distances(&self) -> Vec<u32> {
        let counts = self.pairs_at_distance();
        let distances = counts.iter().map(|&(distance, _)| distance);
        std::iter::once(0).chain(distances.filter(|&distance| distance > 0)).collect()
    }

    /// Nodes of which each other node is an image under a symmetry of the machine.
    fn representative_nodes(&self) -> Vec<Vertex> {
        (0..self.num_nodes() as u32).map(Vertex).collect()
    }

    /// The node in the middle: where growth from the centre begins.
    fn central_node(&self) -> Vertex {
        Vertex(0)
    }
}

/// Makes a topology from a specification, without a look at any file.
pub type TopologyBuilder = fn(&Spec) -> Result<Arc<dyn Topology>, SpecError>;

/// An entry of [`TOPOLOGIES`].
pub type TopologyEntry = Entry<TopologyBuilder>;

/// Every known topology.
pub static TOPOLOGIES: Registry<TopologyBuilder> = Registry {
    kind: "topology",
    entries: &[
        &grid::MESH,
        &grid::TORUS,
        &hypercube::ENTRY,
        &haec::ENTRY,
        &tree::ENTRY,
        &fat_tree::ENTRY,
        &dragonfly::ENTRY,
        &graph::ENTRY,
        &cluster::ENTRY,
        &platform::ENTRY,
    ],
    common: &[Parameter { name: "slots", default: "1", summary: "ranks that each node can run" }],
};

/// How `hops` from a coordinate along an axis fall into stretches: up to the end of the axis, and
/// beyond the seam of the ring.
fn stretch_lengths(length: u32, coordinate: u32, down: bool, hops: u32) -> [u32; 2] {
    let to_seam = if down { coordinate + 1 } else { length - coordinate };
    [hops.min(to_seam), hops.saturating_sub(to_seam)]
}

/// The product of `lengths`, or an error where it is beyond what a machine may have.
fn checked_volume(spec: &Spec, lengths: &[u32]) -> Result<usize, SpecError> {
    let product =
        lengths.iter().fold(1u128, |product, &length| product.saturating_mul(u128::from(length)));
    if product > u128::from(MAX_NODES) {
        return Err(SpecError::new(format!(
            "{spec} has {product} nodes; at most {MAX_NODES} are possible"
        )));
    }
    budget::memory().check_items(&spec.to_string(), product as u64, BYTES_OF_NODE)?;
    Ok(product as usize)
}

/// What a machine keeps of each node: its coordinates, at most.
const BYTES_OF_NODE: u64 = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    #[test]
    fn distances_by_formula_are_those_of_all_pairs_for_many_parameters() {
        let mut specs: Vec<String> = (0..=7).map(|n| format!("hypercube:{n}")).collect();
        for (x, y, z) in
            (1..=5).flat_map(|x| (1..=4).flat_map(move |y| (1..=3).map(move |z| (x, y, z))))
        {
            specs.extend(["mesh", "torus", "haec"].map(|name| format!("{name}:{x}x{y}x{z}")));
            specs.push(format!("torus:{x}x{y}x{z},double-links"));
            for distances in ["1:10:100", "0:0:3", "2:2:2"] {
                specs.push(format!("tree:{x}:{y}:{z},distances={distances}"));
            }
            for up in 1..=2 {
                specs.push(format!("fat-tree:levels=2,down={x}:{y},up={up}"));
                specs.push(format!("fat-tree:levels=3,down={x}:{y}:{z},up={up}:{z}"));
            }
        }
        specs.extend((1..=3).map(|half| format!("fat-tree:k={}", 2 * half)));
        specs.extend(
            ["mesh:7", "torus:8", "torus:2x3x2x3", "mesh:2x2x3x2x2", "torus:4x2x2x2x2x2"]
                .map(String::from),
        );
        let mut tried = 0;
        // Not every combination is a machine; the kinds are counted below.
        for machine in specs.iter().filter_map(|spec| Machine::parse(spec).ok()) {
            let (spec, topology) = (machine.spec(), machine.topology());
            let pairs = metric::pairs_at_distance_by_counting(topology);
            assert_eq!(topology.pairs_at_distance(), pairs, "{spec}");
            assert_eq!(
                topology.largest_ball(),
                metric::largest_ball_by_counting(topology),
                "{spec}"
            );
            tried += 1;
        }
        assert!(tried > 600, "{tried} of {} are machines", specs.len());
    }

    /// Distances and next links between all vertices, switches included, against a search over
    /// the links.
    pub(super) fn check_all_vertices(machine: &Machine) {
        let (spec, topology) = (machine.spec(), machine.topology());
        let links: Vec<(LinkId, Link)> = (0..topology.link_id_bound())
            .map(LinkId)
            .filter_map(|id| Some((id, topology.link(id)?)))
            .collect();
        assert_eq!(links.len() as u64, topology.num_links(), "{spec}");
        let vertices = links.iter().map(|(_, link)| link.from.0 + 1).max().unwrap();
        assert_eq!(topology.num_vertices(), vertices as usize, "{spec}");
        for to in 0..vertices {
            let mut hops = vec![u32::MAX; vertices as usize];
            hops[to as usize] = 0;
            for round in 0..vertices {
                for (_, link) in &links {
                    if hops[link.to.index()] == round && hops[link.from.index()] == u32::MAX {
                        hops[link.from.index()] = round + 1;
                    }
                }
            }
            for from in (0..vertices).map(Vertex) {
                assert_eq!(topology.distance(from, Vertex(to)), hops[from.index()], "{from} {to}");
                let mut next = Vec::new();
                topology.next_links(from, Vertex(to), &mut next);
                next.sort_unstable();
                let closer = |(_, link): &&(LinkId, Link)| {
                    link.from == from && hops[link.to.index()] + 1 == hops[from.index()]
                };
                let expected: Vec<LinkId> =
                    links.iter().filter(closer).map(|&(id, _)| id).collect();
                assert_eq!(next, expected, "{from} {to}");
            }
        }
    }
}
