//! Which job starts next.

mod conservative;
mod easy;
mod first_come;
mod profile;

use std::fmt::Debug;

use topoloom_core::{Entry, Registry, Spec, SpecError};

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

/// An entry of [`QUEUES`].
pub type QueueEntry = Entry<QueueBuilder>;

/// Every known queue policy.
pub static QUEUES: Registry<QueueBuilder> = Registry {
    kind: "queue policy",
    entries: &[&first_come::ENTRY, &easy::ENTRY, &conservative::ENTRY],
    common: &[],
};

/// A queue policy; every simulation makes its own queue.
#[derive(Debug, Clone, Copy)]
pub struct QueuePolicy {
    entry: &'static QueueEntry,
}

impl QueuePolicy {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    pub(crate) fn queue(&self) -> Box<dyn Queue> {
        (self.entry.build.0)()
    }
}

/// The queue policy that `text` names.
pub fn parse_queue(text: &str) -> Result<QueuePolicy, SpecError> {
    let spec = Spec::parse(text)?;
    let entry = QUEUES.find(&spec)?;
    spec.no_shape()?;
    Ok(QueuePolicy { entry })
}
