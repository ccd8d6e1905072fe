//! What the registry knows about a routing.

use std::sync::Arc;

use super::interface::Routing;
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::topology::Topology;

/// Makes a routing for a topology.
pub type RoutingBuilder = fn(&Spec, &dyn Topology) -> Result<Arc<dyn Routing>, SpecError>;

/// An entry of [`ROUTINGS`](super::ROUTINGS).
pub type RoutingEntry = Entry<RoutingBuilder>;
