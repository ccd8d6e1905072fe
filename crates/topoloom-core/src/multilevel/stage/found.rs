//! A division that a search found.

/// A division that was found, and how good it is.
pub(super) struct Found {
    pub(super) overload: f64,
    pub(super) cost: f64,
    pub(super) block_of: Vec<u32>,
}

impl Found {
    /// Less is better.
    pub(super) fn rank(&self) -> (f64, f64) {
        (self.overload, self.cost)
    }
}
