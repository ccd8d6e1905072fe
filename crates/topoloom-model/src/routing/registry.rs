//! The list of all routings, and which of them is the default.

use std::sync::Arc;

use super::entry::RoutingBuilder;
use super::hosts::HostRouting;
use super::interface::Routing;
use super::{detour, dimension_order, ecmp, minimal_adaptive, mod_k, none, table, up_down};
use crate::registry::Registry;
use crate::spec::{Spec, SpecError};
use crate::topology::{Cluster, Topology};

/// Every known routing.
pub static ROUTINGS: Registry<RoutingBuilder> = Registry {
    kind: "routing",
    entries: &[
        &dimension_order::ENTRY,
        &minimal_adaptive::ENTRY,
        &ecmp::ENTRY,
        &table::ENTRY,
        &mod_k::D_MOD_K,
        &mod_k::S_MOD_K,
        &up_down::ENTRY,
        &detour::VALIANT,
        &detour::UGAL,
    ],
    common: &[],
};

/// The default routing of a topology.
pub fn default_for(topology: &dyn Topology) -> Arc<dyn Routing> {
    if !topology.is_wired() {
        Arc::new(none::NoRouting)
    } else if let Some(wired) = topology.cluster().and_then(Cluster::wired) {
        let network = wired.network().map(default_for);
        Arc::new(HostRouting::around(network))
    } else if topology.forwarding().is_some() {
        Arc::new(table::TableRouting::new(topology, 1))
    } else if topology.grid_lengths().is_some() {
        Arc::new(dimension_order::DimensionOrder::natural(topology))
    } else {
        Arc::new(ecmp::ecmp(topology))
    }
}

/// The routing that a specification describes. On a cluster it is that of the network between hosts.
pub fn routing_for(text: &str, topology: &dyn Topology) -> Result<Arc<dyn Routing>, SpecError> {
    let spec = Spec::parse(text)?;
    let entry = ROUTINGS.find(&spec)?;
    let Some(wired) = topology.cluster().and_then(Cluster::wired) else {
        return (entry.build)(&spec, topology);
    };
    let network = wired.network().map(|network| (entry.build)(&spec, network)).transpose()?;
    Ok(Arc::new(HostRouting::around(network)))
}
