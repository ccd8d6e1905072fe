//! The list of all workload models.

use topoloom_core::{Registry, Spec, SpecError};

use super::interface::{WorkloadBuilder, WorkloadModel};
use super::lublin;

/// Every known model.
pub static WORKLOADS: Registry<WorkloadBuilder> =
    Registry { kind: "workload model", entries: &[&lublin::ENTRY], common: &[] };

/// The model that `text` names.
pub fn parse_workload(text: &str) -> Result<Box<dyn WorkloadModel>, SpecError> {
    let spec = Spec::parse(text)?;
    (WORKLOADS.find(&spec)?.build)(&spec)
}
