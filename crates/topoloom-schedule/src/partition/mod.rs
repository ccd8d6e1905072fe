//! Which nodes a job gets.

mod any_nodes;
mod compact;
mod divider;
mod entry;
mod fixed;
mod free_box;
mod interface;
mod registry;
mod switches;

pub use divider::Divider;
pub use entry::{PartitionBuilder, PartitionEntry};
pub use interface::{Partition, PartitionPolicy, Request};
pub use registry::PARTITIONS;
