//! The list of all routings, and which of them is the default.

use std::sync::Arc;

use super::entry::RoutingBuilder;
use super::interface::Routing;
use super::{dimension_order, ecmp, minimal_adaptive, none};
use crate::registry::Registry;
use crate::topology::Topology;

/// Every known routing.
pub static ROUTINGS: Registry<RoutingBuilder> = Registry {
    kind: "routing",
    entries: &[&dimension_order::ENTRY, &minimal_adaptive::ENTRY, &ecmp::ENTRY],
    common: &[],
};

/// The default routing of a topology.
pub fn default_for(topology: &dyn Topology) -> Arc<dyn Routing> {
    if !topology.is_wired() {
        Arc::new(none::NoRouting)
    } else if topology.grid_lengths().is_some() {
        Arc::new(dimension_order::DimensionOrder::natural(topology))
    } else {
        Arc::new(ecmp::ecmp(topology))
    }
}
