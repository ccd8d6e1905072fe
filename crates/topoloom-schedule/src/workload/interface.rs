//! What every model of a workload can do.

use std::fmt::Debug;

use topoloom_core::{Spec, SpecError};

use crate::job::Job;

/// A model of the jobs that users submit.
pub trait WorkloadModel: Debug + Send + Sync {
    /// Jobs for a machine, in the order of arrival; the same seed gives the same jobs.
    fn generate(&self, nodes: u32, slots_per_node: u32, seed: u64) -> Vec<Job>;
}

/// Makes a model from a specification.
pub type WorkloadBuilder = fn(&Spec) -> Result<Box<dyn WorkloadModel>, SpecError>;
