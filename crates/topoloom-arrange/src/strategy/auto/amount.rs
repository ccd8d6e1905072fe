//! How much a search may do.

/// How much a search may do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    /// Random changes, if that was asked for.
    pub(super) rounds: Option<u64>,
    /// Steps otherwise.
    pub(super) steps: u64,
}
