//! What every topology says about itself.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::distance_counts::DistanceCounts;
use super::drawing::Drawing;
use super::graph::Forwarding;
use super::groups::Groups;
use super::lattice::Lattice;
use super::link::{Lines, Link, Stretch};
use super::metric::Metric;
use crate::ids::{LinkId, Vertex};

/// Nodes, switches and links. Nodes are the vertices `0 .. num_nodes()`; switches, if any, follow.
///
/// `distance` is symmetric and counts hops of the machine's own routing.
pub trait Topology: Any + Debug + Send + Sync {
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

    /// Whether messages take links. Otherwise only distances are known, and nothing is routed.
    fn is_wired(&self) -> bool {
        true
    }

    /// The number of directed links.
    fn num_links(&self) -> u64;

    /// Link numbers are below this. Not every number below it has to be a link.
    fn link_id_bound(&self) -> u64;

    /// The link with this number, or `None` if there is none.
    fn link(&self, id: LinkId) -> Option<Link>;

    /// Hops from one vertex to another.
    fn distance(&self, from: Vertex, to: Vertex) -> u32;

    /// How many links there are on the way from one vertex to a node. The same as `distance`, except
    /// on machines whose distances are costs.
    fn hops(&self, from: Vertex, to: Vertex) -> u32 {
        self.distance(from, to)
    }

    /// Links with numbers below this are inside hosts; all others belong to the network.
    fn inner_link_bound(&self) -> u64 {
        0
    }

    /// How many links are inside hosts.
    fn num_inner_links(&self) -> u64 {
        0
    }

    /// How many links belong to the network: all that are not inside hosts.
    fn num_network_links(&self) -> u64 {
        self.num_links() - self.num_inner_links()
    }

    /// Vertices from this number on are switches.
    fn first_switch(&self) -> u32 {
        self.num_nodes() as u32
    }

    /// What a vertex is called.
    fn vertex_name(&self, vertex: Vertex) -> String {
        vertex.to_string()
    }

    /// What a link is called: both of its ends.
    fn link_name(&self, id: LinkId) -> Option<String> {
        let link = self.link(id)?;
        Some(format!("{} -> {}", self.vertex_name(link.from), self.vertex_name(link.to)))
    }

    /// The number of the port through which a link leaves its vertex. Where ports are not known, it is
    /// the number of the link.
    fn port(&self, id: LinkId) -> u64 {
        id.0
    }

    /// The tables by which switches forward, if they are known.
    fn forwarding(&self) -> Option<&Forwarding> {
        None
    }

    /// Adds to `out` every link from `at` that leads one hop closer to `to`, in the sense of `hops`.
    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>);

    /// Walks the one route that settles the dimensions in the given order, in straight stretches
    /// that do not cross the seam of a ring; `false` (and no visit) if the topology has no
    /// dimensions.
    fn dimension_order_route(
        &self,
        _from: Vertex,
        _to: Vertex,
        _order: &[usize],
        _visit: &mut dyn FnMut(Stretch),
    ) -> bool {
        false
    }

    /// Which links are in lines.
    fn lines(&self) -> Lines {
        Lines::default()
    }

    /// The lengths of the box that the nodes fill, first dimension fastest, if they fill one.
    fn grid_lengths(&self) -> Option<&[u32]> {
        None
    }

    /// The box, if routes on it depend only on the offset between their ends.
    fn lattice(&self) -> Option<Lattice> {
        None
    }

    /// The number of parts of each level, lowest first, if nodes are grouped level by level and the
    /// distance is that of the highest level at which two differ.
    fn levels(&self) -> Option<Vec<u32>> {
        None
    }

    /// The number of parts of each level, lowest first, if nodes are in equal parts, these are in
    /// equal parts again and so on, whatever their distances. All parts of a level are alike. Every
    /// topology with levels has such parts.
    fn nested_parts(&self) -> Option<Vec<u32>> {
        self.levels()
    }

    /// Groups in groups, if the distance of two nodes is that of the smallest group that holds
    /// both. Every topology with levels has them.
    fn groups(&self) -> Option<Arc<Groups>> {
        None
    }

    /// The fast version of `distance` for inner loops, if there is one. Its type must be in the
    /// list of [`MetricKind`](super::MetricKind); otherwise it is not used.
    fn metric(&self) -> Option<Box<dyn Metric>> {
        None
    }

    /// The largest bandwidth of any link of the network, in bytes per second; 0 without links.
    fn fastest_link(&self) -> f64 {
        let links = (0..self.link_id_bound()).filter_map(|id| self.link(LinkId(id)));
        links.map(|link| link.properties.bytes_per_second).fold(0.0, f64::max)
    }

    /// Visits the nodes that are exactly `distance` from `from`, in a fixed order, until the
    /// visitor asks it to stop.
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

    /// For each distance, how many unordered pairs of different nodes are that far apart.
    fn pairs_at_distance(&self) -> DistanceCounts {
        pairs_at_distance_by_counting(self)
    }

    /// For each distance d, the largest number of other nodes that any node has within d. Omitted
    /// if it is the same as for the previous distance.
    fn largest_ball(&self) -> DistanceCounts {
        largest_ball_by_counting(self)
    }

    /// Every distance between nodes, in rising order, from 0.
    fn distances(&self) -> Vec<u32> {
        let counts = self.pairs_at_distance();
        let distances = counts.iter().map(|&(distance, _)| distance);
        std::iter::once(0).chain(distances.filter(|&distance| distance > 0)).collect()
    }

    /// A set of nodes such that every other node is an image of one of them under a symmetry of the
    /// machine.
    fn representative_nodes(&self) -> Vec<Vertex> {
        (0..self.num_nodes() as u32).map(Vertex).collect()
    }

    /// The node in the middle: where growth from the centre begins.
    fn central_node(&self) -> Vertex {
        Vertex(0)
    }
}

/// The definition of [`Topology::pairs_at_distance`]: it examines every pair.
pub fn pairs_at_distance_by_counting<T: Topology + ?Sized>(topology: &T) -> DistanceCounts {
    let mut counts = BTreeMap::new();
    let nodes = topology.num_nodes() as u32;
    for a in 0..nodes {
        for b in a + 1..nodes {
            *counts.entry(topology.distance(Vertex(a), Vertex(b))).or_default() += 1;
        }
    }
    counts.into_iter().collect()
}

/// The definition of [`Topology::largest_ball`]: it examines every pair.
pub fn largest_ball_by_counting<T: Topology + ?Sized>(topology: &T) -> DistanceCounts {
    let mut largest: DistanceCounts = pairs_at_distance_by_counting(topology)
        .into_iter()
        .map(|(distance, _)| (distance, 0))
        .collect();
    let nodes = topology.num_nodes() as u32;
    for a in 0..nodes {
        let mut hops: Vec<u32> = (0..nodes)
            .filter(|&b| b != a)
            .map(|b| topology.distance(Vertex(a), Vertex(b)))
            .collect();
        hops.sort_unstable();
        for (distance, within) in &mut largest {
            *within = (*within).max(hops.partition_point(|hops| hops <= distance) as u64);
        }
    }
    largest.dedup_by_key(|&mut (_, within)| within);
    largest
}
