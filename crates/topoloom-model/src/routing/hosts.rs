//! Routes of a cluster: out of a host, through the network, and into another host.

use std::sync::Arc;

use super::interface::Routing;
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
}
