//! What the registry knows about a topology.

use std::sync::Arc;

use super::interface::Topology;
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};

/// Makes a topology from a specification, without reading any file.
pub type TopologyBuilder = fn(&Spec) -> Result<Arc<dyn Topology>, SpecError>;

/// An entry of [`TOPOLOGIES`](super::TOPOLOGIES).
pub type TopologyEntry = Entry<TopologyBuilder>;
