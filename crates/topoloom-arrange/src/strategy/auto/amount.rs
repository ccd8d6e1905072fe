//! How much work a search may do.

/// How much work a search may do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    /// Random changes, if a number was given.
    pub(super) rounds: Option<u64>,
    /// Otherwise steps.
    pub(super) steps: u64,
}
