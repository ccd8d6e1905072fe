//! Streams of jobs where there is no record of one.

mod gamma;
mod lublin;

use std::fmt::Debug;

pub use lublin::Lublin;
use topoloom_core::{Registry, Spec, SpecError};

use crate::job::Job;

/// A model of the jobs that users hand in.
pub trait WorkloadModel: Debug + Send + Sync {
    /// Jobs for a machine, in the order of arrival; the same seed gives the same jobs.
    fn generate(&self, nodes: u32, slots_per_node: u32, seed: u64) -> Vec<Job>;
}

/// Makes a model from a specification.
pub type WorkloadBuilder = fn(&Spec) -> Result<Box<dyn WorkloadModel>, SpecError>;

/// Every known model.
pub static WORKLOADS: Registry<WorkloadBuilder> =
    Registry { kind: "workload model", entries: &[&lublin::ENTRY], common: &[] };

/// The model that `text` names.
pub fn parse_workload(text: &str) -> Result<Box<dyn WorkloadModel>, SpecError> {
    let spec = Spec::parse(text)?;
    (WORKLOADS.find(&spec)?.build)(&spec)
}
