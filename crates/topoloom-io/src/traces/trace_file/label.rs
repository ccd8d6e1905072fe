//! How a trace begins.

/// The word that a trace begins with.
pub(super) const FORMAT: &str = "topoloom-trace";

/// The version that is written, and the newest that is read.
pub(super) const VERSION: u64 = 1;
