//! Warnings about what a file lacks or could not hold.

/// What was lost on the way to a file or from it, one line each.
pub type Warnings = Vec<String>;
