//! The models of how messages travel.

use topoloom_model::registry::Entry;
use topoloom_model::spec::{Spec, SpecError};

use crate::flow::FlowOptions;
use crate::packet::PacketOptions;

/// How messages travel in a simulation.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// Packet by packet through buffers.
    Packet(PacketOptions),
    /// Links shared fairly between messages.
    Flow(FlowOptions),
}

/// Makes a model from a specification.
pub type ModelBuilder = fn(&Spec) -> Result<Model, SpecError>;

/// An entry of [`MODELS`](crate::MODELS).
pub(crate) type ModelEntry = Entry<ModelBuilder>;
