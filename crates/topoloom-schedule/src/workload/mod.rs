//! Streams of jobs where there is no record of one.

mod gamma;
mod interface;
mod lublin;
mod registry;

pub use interface::{WorkloadBuilder, WorkloadModel};
pub use lublin::Lublin;
pub use registry::{WORKLOADS, parse_workload};
