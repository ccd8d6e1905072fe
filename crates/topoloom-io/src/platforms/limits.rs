//! How large a platform may be.

/// More processors than any platform has: a typing error must not use up all memory.
pub(super) const MOST_NODES: usize = 1 << 20;

/// More clusters than any platform has; their table is quadratic.
pub(super) const MOST_CLUSTERS: usize = 2048;
