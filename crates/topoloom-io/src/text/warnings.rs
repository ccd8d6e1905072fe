//! Warnings about what a file lacks or could not hold.

/// What was lost when a file was read or written, one line each.
pub type Warnings = Vec<String>;
