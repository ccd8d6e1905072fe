//! What every queue can do, and what the registry knows about it.

use std::fmt::Debug;

use topoloom_core::Entry;

use crate::job::Ticks;
use crate::room::{Halt, Room, Running};

/// Decides which of the waiting jobs start.
pub(crate) trait Queue: Debug + Send {
    /// Starts what starts now. Everything that ends or arrives now has done so.
    fn schedule(&mut self, room: &mut Room<'_>) -> Result<(), Halt>;

    /// Is told of a job that has ended.
    fn ended(&mut self, _ended: &Running, _now: Ticks) {}

    /// When it has to be asked again at the latest.
    fn wake_up(&self) -> Option<Ticks> {
        None
    }
}

/// Makes a queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueBuilder(pub(crate) fn() -> Box<dyn Queue>);

/// An entry of [`QUEUES`](super::QUEUES).
pub type QueueEntry = Entry<QueueBuilder>;
