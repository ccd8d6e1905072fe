//! What every routing can do.

use std::fmt::Debug;

use super::loads::LinkLoads;
use super::spreading::Spreading;
use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

/// The links that a message takes.
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

    /// Whether flows run along straight stretches and are not split.
    fn is_straight(&self) -> bool {
        true
    }

    /// The routing itself if it spreads flows, so inner loops need no dynamic calls.
    fn spreading(&self) -> Option<&Spreading> {
        None
    }
}
