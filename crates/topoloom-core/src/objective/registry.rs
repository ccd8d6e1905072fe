//! The list of objectives, and how their names are parsed.

use std::sync::Arc;

use super::cost_matrix::CostMatrix;
use super::definition::Objective;
use super::entry::ObjectiveBuilder;
use super::{
    balanced_hop_bytes, cardinality, cost_matrix, distance, energy, group_bytes, hop_bytes,
    link_load_mean, max_dilation, max_link_load, traffic_distribution,
};
use crate::registry::Registry;
use crate::spec::{Spec, SpecError};

/// Every known objective.
pub static OBJECTIVES: Registry<ObjectiveBuilder> = Registry {
    kind: "objective",
    entries: &[
        &hop_bytes::ENTRY,
        &balanced_hop_bytes::ENTRY,
        &cardinality::ENTRY,
        &max_dilation::ENTRY,
        &max_link_load::ENTRY,
        &link_load_mean::ENTRY,
        &distance::ENTRY,
        &traffic_distribution::ENTRY,
        &energy::ENTRY,
        &cost_matrix::ENTRY,
        &group_bytes::ENTRY,
    ],
    common: &[],
};

/// The objective that `text` names.
pub fn parse_objective(text: &str) -> Result<Arc<dyn Objective>, SpecError> {
    let spec = Spec::parse(text)?;
    let entry = OBJECTIVES.find(&spec)?;
    // Only a matrix has something after the colon: its file.
    if entry.name != CostMatrix::NAME {
        spec.no_shape()?;
    }
    (entry.build)(&spec)
}
