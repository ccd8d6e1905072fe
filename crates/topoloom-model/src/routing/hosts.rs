//! Routes of a cluster: out of a host, through the network, and into another host.

use std::sync::Arc;

use super::interface::{PacketWays, Routing};
use crate::ids::{LinkId, Vertex};
use crate::topology::{Cluster, Topology};

/// The routing of the network between hosts, with what is inside hosts around it.
#[derive(Debug)]
pub struct HostRouting {
    /// None for a single host.
    network: Option<Arc<dyn Routing>>,
}

impl HostRouting {
    /// The routes of a cluster whose network has this routing.
    pub fn around(network: Option<Arc<dyn Routing>>) -> HostRouting {
        HostRouting { network }
    }
}

impl Routing for HostRouting {
    fn name(&self) -> String {
        self.network.as_ref().map_or_else(|| "none".to_string(), |network| network.name())
    }

    fn route(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        visit: &mut dyn FnMut(LinkId, f64),
    ) {
        let wired = topology.cluster().and_then(Cluster::wired).expect("made for a wired cluster");
        wired.route(from.0, to.0, visit, |sender, receiver, visit| {
            if let (Some(routing), Some(network)) = (&self.network, wired.network()) {
                routing.route(network, Vertex(sender), Vertex(receiver), visit);
            }
        });
    }

    fn is_straight(&self) -> bool {
        self.network.as_ref().is_none_or(|network| network.is_straight())
    }

    fn may_be_longer(&self) -> bool {
        self.network.as_ref().is_some_and(|network| network.may_be_longer())
    }

    fn packet_ways(&self) -> Option<PacketWays> {
        self.network.as_ref().and_then(|network| network.packet_ways())
    }

    fn one_way(
        &self,
        topology: &dyn Topology,
        (from, to): (Vertex, Vertex),
        shortest: bool,
        pick: &mut dyn FnMut(u32) -> u32,
        visit: &mut dyn FnMut(LinkId),
    ) {
        let wired = topology.cluster().and_then(Cluster::wired).expect("made for a wired cluster");
        wired.route(from.0, to.0, &mut |link, _| visit(link), |sender, receiver, visit| {
            if let (Some(routing), Some(network)) = (&self.network, wired.network()) {
                let ends = (Vertex(sender), Vertex(receiver));
                routing.one_way(network, ends, shortest, pick, &mut |link| visit(link, 1.0));
            }
        });
    }
}
