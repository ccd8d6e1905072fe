//! A message as the ranks keep it.

/// No message, request or rank.
pub(super) const NOBODY: u32 = u32::MAX;

/// The request of a rank that does nothing else in the meantime.
pub(super) const BLOCKED: u32 = u32::MAX - 1;

/// A message from its send or its receive, whichever comes first, to its arrival.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    pub bytes: u64,
    pub channel: u32,
    pub sent: bool,
    pub awaited: bool,
    pub arrived: bool,
    /// What its arrival frees: the request of the sender, or [`BLOCKED`], or nobody.
    pub sender_request: u32,
    /// The same for the receiver.
    pub receiver_request: u32,
    /// The next message of its channel that lacks the same half, its send or its receive.
    pub next: u32,
}
