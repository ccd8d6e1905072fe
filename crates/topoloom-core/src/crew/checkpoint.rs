//! Where a long search leaves its state, to be continued later.

/// Keeps the state of a search.
pub trait Checkpoint: Send + Sync {
    /// The state that was saved under this mark, if there is one. It is called once, when the search
    /// begins.
    fn load(&self, mark: u64) -> Option<Vec<u8>>;

    /// The search has a new state. `state` makes its bytes: call it only if they are to be written.
    ///
    /// `mark` sums up the problem and the settings. All processes of a crew have the same state.
    fn save(&self, mark: u64, state: &dyn Fn() -> Vec<u8>);
}
