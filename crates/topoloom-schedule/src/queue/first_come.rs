//! First come, first served.

use topoloom_core::Entry;

use super::interface::{Queue, QueueBuilder, QueueEntry};
use crate::room::{Halt, Room};

/// The registry's entry.
pub static ENTRY: QueueEntry = Entry {
    name: "first-come",
    summary: "first come, first served: no job starts before the job in front of it",
    example: "first-come",
    parameters: &[],
    build: QueueBuilder(|| Box::new(FirstCome)),
};

#[derive(Debug)]
struct FirstCome;

impl Queue for FirstCome {
    fn schedule(&mut self, room: &mut Room<'_>) -> Result<(), Halt> {
        start_from_the_front(room)
    }
}

/// Starts jobs until one has to wait.
pub(super) fn start_from_the_front(room: &mut Room<'_>) -> Result<(), Halt> {
    while let Some(&job) = room.waiting.first() {
        let Some(partition) = room.find(job) else { break };
        let factor = room.factor(job, &partition)?;
        room.start(job, partition, factor);
    }
    Ok(())
}
