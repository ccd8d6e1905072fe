//! The conventions of our SimGrid files in addition to those of SimGrid.

/// Properties of a zone that name the groups of its cluster; a number follows.
pub(super) const GROUP_PROPERTY: &str = "topoloom-group-";

/// The unit of bandwidths, in bytes per second.
pub(super) const UNIT: f64 = 1e6;
