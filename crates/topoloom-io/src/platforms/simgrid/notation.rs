//! What our SimGrid files agree on beyond SimGrid itself.

/// Properties of a zone that tell the groups which its cluster is in; a number follows.
pub(super) const GROUP_PROPERTY: &str = "topoloom-group-";

/// Bytes per second that bandwidths count in.
pub(super) const UNIT: f64 = 1e6;
