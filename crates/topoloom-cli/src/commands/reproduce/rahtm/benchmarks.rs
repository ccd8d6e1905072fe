//! What all tables of the paper have in common.

/// Every shortest route carries the same share.
pub const ROUTING: &str = "minimal-adaptive";

/// In the order of the tables.
pub const BENCHMARKS: [&str; 3] = ["bt", "sp", "cg"];
