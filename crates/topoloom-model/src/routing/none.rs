//! Machines for which only distances are known.

use super::interface::Routing;
use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

/// No message takes a link, because there are none.
#[derive(Debug, Clone, Copy)]
pub struct NoRouting;

impl Routing for NoRouting {
    fn name(&self) -> String {
        "none".to_string()
    }

    fn route(
        &self,
        _topology: &dyn Topology,
        _from: Vertex,
        _to: Vertex,
        _visit: &mut dyn FnMut(LinkId, f64),
    ) {
    }
}
