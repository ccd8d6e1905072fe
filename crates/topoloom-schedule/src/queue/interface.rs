//! What every queue can do, and what the registry knows about it.

use std::fmt::Debug;

use topoloom_core::Entry;

use crate::job::Ticks;
use crate::room::{Halt, Room, Running};

/// Decides which of the waiting jobs start.
pub(crate) trait Queue: Debug + Send {
    /// Starts the jobs that can start now. All ends and arrivals of this moment have been handled.
    fn schedule(&mut self, room: &mut Room<'_>) -> Result<(), Halt>;

    /// Called when a job has ended.
    fn ended(&mut self, _ended: &Running, _now: Ticks) {}

    /// The latest time at which it has to be asked again.
    fn wake_up(&self) -> Option<Ticks> {
        None
    }
}

/// Makes a queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueBuilder(pub(crate) fn() -> Box<dyn Queue>);

/// An entry of [`QUEUES`](super::QUEUES).
pub type QueueEntry = Entry<QueueBuilder>;
