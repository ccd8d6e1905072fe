//! Distances for inner loops on hosts in a network whose distances are not those of a tree.

use std::fmt;
use std::sync::Arc;

use super::between::Between;
use super::metric::ClusterMetric;
use super::place::Place;
use crate::ids::Vertex;
use crate::topology::interface::Topology;
use crate::topology::metric::Metric;

/// Places of one host are as far apart as in its tree, all others as far as the network has it.
#[derive(Clone)]
pub struct HostedMetric {
    /// The node of the network that each place is at.
    nodes: Vec<u32>,
    inside: ClusterMetric,
    between: Between,
    /// The fast distances of the network. This is one call through a table of functions per pair of
    /// hosts, and spares one copy of all searches for each kind of network.
    hops: Arc<dyn Metric>,
}

/// The distances of a network without fast ones.
struct Hops(Arc<dyn Topology>);

impl Metric for Hops {
    fn distance(&self, a: u32, b: u32) -> u32 {
        self.0.distance(Vertex(a), Vertex(b))
    }
}

impl HostedMetric {
    pub(super) fn new(places: &[Place], inside: ClusterMetric, between: &Between) -> HostedMetric {
        let node = |place: &Place| between.node_of_host()[place.host as usize];
        let network = between.network();
        let hops = match network.metric() {
            Some(metric) => metric.into(),
            None => Arc::new(Hops(network.clone())) as Arc<dyn Metric>,
        };
        let nodes = places.iter().map(node).collect();
        HostedMetric { nodes, inside, between: between.clone(), hops }
    }
}

impl fmt::Debug for HostedMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedMetric").field("places", &self.nodes.len()).finish_non_exhaustive()
    }
}

impl Metric for HostedMetric {
    #[inline]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let (from, to) = (self.nodes[a as usize], self.nodes[b as usize]);
        match from == to {
            true => self.inside.distance(a, b),
            false => self.between.cost(self.hops.distance(from, to)),
        }
    }
}
