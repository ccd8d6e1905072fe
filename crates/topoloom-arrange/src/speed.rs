//! How fast a processor computes.

/// How fast a processor computes, in blocks a second.
#[derive(Debug, Clone, PartialEq)]
pub enum Speed {
    /// The same at every size.
    Constant(f64),
}
