//! The models by their names and options: `packet:buffers=8`, `flow`.

use std::fmt;

use topoloom_model::registry::Registry;
use topoloom_model::spec::{Spec, SpecError};

use crate::model::{Model, ModelBuilder};
use crate::protocol::PROTOCOL_PARAMETERS;
use crate::{flow, packet};

/// Every known model.
pub static MODELS: Registry<ModelBuilder> = Registry {
    kind: "simulation model",
    entries: &[&packet::ENTRY, &flow::ENTRY],
    common: PROTOCOL_PARAMETERS,
};

impl Model {
    /// The model that `text` names, such as `packet:buffers=8`.
    pub fn parse(text: &str) -> Result<Model, SpecError> {
        let spec = Spec::parse(text)?;
        let entry = MODELS.find(&spec)?;
        spec.no_shape()?;
        (entry.build)(&spec)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Packet(_) => packet::ENTRY.name,
            Model::Flow(_) => flow::ENTRY.name,
        })
    }
}
