//! How messages travel, and what that puts on each link.

mod dimension_order;
mod ecmp;
mod footprint;
mod half;
mod kept;
mod loads;
mod minimal_adaptive;
mod none;
mod relative;
mod spread;
mod spreading;

use std::fmt::Debug;
use std::sync::Arc;

pub use loads::{LinkLoads, UsedLink};
pub use relative::RelativeRoutes;
pub use spreading::Spreading;

use crate::ids::{LinkId, Vertex};
use crate::registry::{Entry, Registry};
use crate::spec::{Spec, SpecError};
use crate::topology::Topology;

/// Which links a message takes.
pub trait Routing: Debug + Send + Sync {
    /// The specification of this routing, such as `dimension-order:zyx`.
    fn name(&self) -> String;

    /// Visits each link that traffic from `from` to `to` crosses, with the share of the
    /// traffic that crosses it.
    fn route(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        visit: &mut dyn FnMut(LinkId, f64),
    );

    /// Adds a flow of `weight` from `from` to `to` to every link it crosses.
    fn add_flow(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        weight: f64,
        loads: &mut LinkLoads,
    ) {
        self.route(topology, from, to, &mut |link, share| loads.add(link, weight * share));
    }

    /// Whether flows run along straight stretches, undivided.
    fn is_straight(&self) -> bool {
        true
    }

    /// The routing itself where it spreads flows, so that inner loops need no dynamic calls.
    fn spreading(&self) -> Option<&Spreading> {
        None
    }
}

/// Makes a routing for a topology.
pub type RoutingBuilder = fn(&Spec, &dyn Topology) -> Result<Arc<dyn Routing>, SpecError>;

/// An entry of [`ROUTINGS`].
pub type RoutingEntry = Entry<RoutingBuilder>;

/// Every known routing.
pub static ROUTINGS: Registry<RoutingBuilder> = Registry {
    kind: "routing",
    entries: &[&dimension_order::ENTRY, &minimal_adaptive::ENTRY, &ecmp::ENTRY],
    common: &[],
};

/// The routing that is usual on a topology.
pub fn default_for(topology: &dyn Topology) -> Arc<dyn Routing> {
    if !topology.is_wired() {
        Arc::new(none::NoRouting)
    } else if topology.grid_lengths().is_some() {
        Arc::new(dimension_order::DimensionOrder::natural(topology))
    } else {
        Arc::new(ecmp::ecmp(topology))
    }
}
