//! The list of all partition policies.

use topoloom_core::Registry;

use super::entry::PartitionBuilder;
use super::{any_nodes, compact, fixed, free_box, switches};

/// Every known way to choose nodes.
pub static PARTITIONS: Registry<PartitionBuilder> = Registry {
    kind: "partition policy",
    entries: &[
        &any_nodes::ENTRY,
        &fixed::ENTRY,
        &free_box::ENTRY,
        &compact::ENTRY,
        &switches::ENTRY,
    ],
    common: &[],
};
