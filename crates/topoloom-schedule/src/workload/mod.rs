//! Streams of jobs for use without a recorded one.

mod gamma;
mod interface;
mod lublin;
mod registry;

pub use interface::{WorkloadBuilder, WorkloadModel};
pub use lublin::Lublin;
pub use registry::{WORKLOADS, parse_workload};
