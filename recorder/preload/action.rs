//! What a call does to totals and events. It is kept apart from the moment when it happens, because
//! a persistent request does it at every start.

/// Additions to totals, and events.
#[derive(Debug, Clone, Default)]
pub struct Action {
    /// Where in the file of totals, and how much.
    pub additions: Vec<(usize, u64)>,
    /// Without their times and requests.
    pub events: Vec<[u64; 4]>,
    /// The communicator of messages that begin.
    pub comm: u32,
    /// Whether the events belong where the call is waited for.
    pub at_the_end: bool,
}

impl Action {
    pub fn clear(&mut self) {
        self.additions.clear();
        self.events.clear();
        self.at_the_end = false;
    }
}
