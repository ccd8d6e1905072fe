//! Distances between hosts on a network whose distances are not those of a tree, such as a torus.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::cluster::{Costs, NamedNetwork};
use crate::ids::Vertex;
use crate::topology::distance_counts::DistanceCounts;
use crate::topology::interface::Topology;

/// The cost of sending a byte from host to host, by hops of the network: what the first level of
/// switches costs for the closest hosts, and half of what the second level adds for each further hop.
#[derive(Debug, Clone)]
pub struct Between {
    network: Arc<dyn Topology>,
    node_of_host: Arc<[u32]>,
    host_of_node: Arc<[u32]>,
    /// Every number of hops between two nodes of the network.
    hops: Arc<[u32]>,
    closest: u32,
    first: u32,
    /// What two further hops add.
    further: u32,
}

/// Marks a node of the network without a host.
const NONE: u32 = u32::MAX;

impl Between {
    /// Distances on a network with a name; none if they are those of a tree.
    pub fn new(named: &NamedNetwork, costs: &Costs) -> Option<Between> {
        if named.topology.groups().is_some() {
            return None;
        }
        let mut host_of_node = vec![NONE; named.topology.num_nodes()];
        for (host, &node) in (0..).zip(&named.node_of_host) {
            host_of_node[node as usize] = host;
        }
        let (first, second) = (costs.switch(1), costs.switch(2));
        Some(Between {
            network: named.topology.clone(),
            node_of_host: named.node_of_host.as_slice().into(),
            host_of_node: host_of_node.into(),
            hops: named.topology.distances().into_iter().filter(|&hops| hops > 0).collect(),
            closest: NamedNetwork::closest(named.topology.as_ref()),
            first,
            further: second.saturating_sub(first),
        })
    }

    /// The network.
    pub fn network(&self) -> &Arc<dyn Topology> {
        &self.network
    }

    /// The node of the network of each host.
    pub fn node_of_host(&self) -> &[u32] {
        &self.node_of_host
    }

    /// What this many hops of the network cost.
    #[inline(always)]
    pub fn cost(&self, hops: u32) -> u32 {
        let further = u64::from(hops.saturating_sub(self.closest)) * u64::from(self.further) / 2;
        self.first.saturating_add(further.min(u64::from(u32::MAX)) as u32)
    }

    /// The distance of places on two different hosts.
    pub fn distance(&self, a: u32, b: u32) -> u32 {
        let node = |host: u32| Vertex(self.node_of_host[host as usize]);
        self.cost(self.network.distance(node(a), node(b)))
    }

    /// Visits the other hosts at a distance from a host.
    pub fn hosts_at_distance(
        &self,
        from: u32,
        distance: u32,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let at = Vertex(self.node_of_host[from as usize]);
        for hops in self.hops.iter().copied().filter(|&hops| self.cost(hops) == distance) {
            self.network.nodes_at_distance(at, hops, &mut |node| match self
                .host_of_node
                .get(node.index())
            {
                Some(&host) if host != NONE => visit(host),
                _ => ControlFlow::Continue(()),
            })?;
        }
        ControlFlow::Continue(())
    }

    /// For each distance between hosts, how many unordered pairs of places on different hosts are
    /// that far apart. `places` has the number of places on each host.
    pub fn pairs_at_distance(&self, places: &[u64]) -> BTreeMap<u32, u64> {
        let mut pairs = BTreeMap::new();
        if let Some(each) = self.places_of_all(places) {
            for (hops, hosts) in self.network.pairs_at_distance() {
                *pairs.entry(self.cost(hops)).or_default() += hosts * each * each;
            }
            return pairs;
        }
        for (a, own) in (0..).zip(places) {
            for (b, other) in (0..a).zip(places) {
                *pairs.entry(self.distance(a, b)).or_default() += own * other;
            }
        }
        pairs
    }

    /// For each distance between hosts, the largest number of places on other hosts that any host
    /// has within it.
    pub fn largest_ball(&self, places: &[u64]) -> DistanceCounts {
        if let Some(each) = self.places_of_all(places) {
            let ball = self.network.largest_ball().into_iter().filter(|&(hops, _)| hops > 0);
            let mut largest: BTreeMap<u32, u64> = BTreeMap::new();
            for (hops, others) in ball {
                let within = largest.entry(self.cost(hops)).or_default();
                *within = (*within).max(others * each);
            }
            return largest.into_iter().collect();
        }
        let distances: Vec<u32> = self.pairs_at_distance(places).into_keys().collect();
        let mut largest: Vec<(u32, u64)> = distances.into_iter().map(|at| (at, 0)).collect();
        for a in 0..places.len() as u32 {
            let mut within: BTreeMap<u32, u64> = BTreeMap::new();
            for (b, other) in (0..).zip(places).filter(|&(b, _)| b != a) {
                *within.entry(self.distance(a, b)).or_default() += other;
            }
            let (mut sum, mut within) = (0, within.into_iter().peekable());
            for (distance, most) in &mut largest {
                while let Some((_, places)) = within.next_if(|(at, _)| *at <= *distance) {
                    sum += places;
                }
                *most = (*most).max(sum);
            }
        }
        largest
    }

    /// The number of places on each host, if it is the same on all and every node of the network has
    /// a host.
    fn places_of_all(&self, places: &[u64]) -> Option<u64> {
        let (&first, others) = places.split_first()?;
        let all = places.len() == self.host_of_node.len();
        (all && others.iter().all(|&other| other == first)).then_some(first)
    }
}
