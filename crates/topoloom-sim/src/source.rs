//! What hands messages to a network: the ranks of a trace, or random traffic.

use crate::error::SimulationError;

/// A message that begins its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// The name under which its arrival is reported; reused after that.
    pub message: u32,
    /// The node it leaves.
    pub from: u32,
    /// The node it goes to.
    pub to: u32,
    /// How much it carries.
    pub bytes: u64,
    /// Where it waits for those before it, or [`NO_QUEUE`](crate::send_queues::NO_QUEUE). Messages
    /// between nodes and those on one node are in different queues with the same numbers.
    pub queue: u32,
}

/// What a source asks for.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// Messages that begin their way now.
    pub transfers: Vec<Transfer>,
    /// When to wake which one: (tick, number).
    pub timers: Vec<(u64, u32)>,
    /// There are more messages at once than fit in memory: the run must end.
    pub flood: Option<SimulationError>,
}

impl Outbox {
    pub fn is_empty(&self) -> bool {
        self.transfers.is_empty() && self.timers.is_empty() && self.flood.is_none()
    }
}

/// Hands messages to a network and is notified of their arrival. Time is counted in ticks.
pub(crate) trait Source {
    /// Asks for what begins at tick 0.
    fn begin(&mut self, outbox: &mut Outbox);

    /// A timer expires.
    fn wake(&mut self, number: u32, now: u64, outbox: &mut Outbox);

    /// All of a message has arrived.
    fn arrived(&mut self, message: u32, now: u64, outbox: &mut Outbox);
}
