//! EASY backfilling: a job that does not delay the first one in the queue may go before it.
//!
//! D. A. Lifka, "The ANL/IBM SP scheduling system" (1995). The first job that has to wait gets the
//! earliest time at which running jobs leave nodes for it. Another one may start if it ends by then, or
//! if the first one still finds its nodes beside it.

use topoloom_core::Entry;

use super::first_come::start_from_the_front;
use super::interface::{Queue, QueueBuilder, QueueEntry};
use crate::job::Ticks;
use crate::node_set::NodeSet;
use crate::room::{Halt, Room};

/// The registry's entry.
pub static ENTRY: QueueEntry = Entry {
    name: "easy",
    summary: "EASY backfilling: a job may start early if it does not delay the first in the queue",
    example: "easy",
    parameters: &[],
    build: QueueBuilder(|| Box::new(Easy)),
};

#[derive(Debug)]
struct Easy;

impl Queue for Easy {
    fn schedule(&mut self, room: &mut Room<'_>) -> Result<(), Halt> {
        start_from_the_front(room)?;
        let Some((&first, others)) = room.waiting.split_first() else { return Ok(()) };
        if others.is_empty() || room.free.is_empty() {
            return Ok(());
        }
        let others = others.to_vec();
        let (shadow, mut free_then) = reservation(room, first);
        for job in others {
            let Some(partition) = room.find(job) else { continue };
            let factor = room.factor(job, &partition)?;
            if room.expected_end(job, factor) > shadow {
                free_then.remove_all(&partition.nodes);
                if !room.could(first, &free_then) {
                    free_then.insert_all(&partition.nodes);
                    continue;
                }
            }
            room.start(job, partition, factor);
            if room.free.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

/// When the first job can start at the latest, and what is free then.
fn reservation(room: &mut Room<'_>, first: usize) -> (Ticks, NodeSet) {
    let mut ends: Vec<(Ticks, usize)> =
        room.running.iter().enumerate().map(|(at, job)| (job.expected_end, at)).collect();
    ends.sort_unstable();
    let mut free = room.free.clone();
    let mut shadow = room.now;
    for same_time in ends.chunk_by(|a, b| a.0 == b.0) {
        for &(end, at) in same_time {
            free.insert_all(&room.running[at].partition.nodes);
            shadow = end;
        }
        if room.could(first, &free) {
            break;
        }
    }
    (shadow, free)
}
