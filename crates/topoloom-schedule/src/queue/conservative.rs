//! Conservative backfilling: every job has a reservation, and a job that delays none may go ahead.
//!
//! A. W. Mu'alem and D. G. Feitelson, "Utilization, predictability, workloads, and user runtime
//! estimates in scheduling the IBM SP2 with backfilling" (2001). A job gets the earliest time at
//! which it delays no reservation made before. When a job ends early, reservations move earlier in
//! the order of arrival, and none moves later. Reservations use estimates. If a job turns out to
//! take longer on its partition, all reservations are made again, in the order of arrival.

use topoloom_core::Entry;

use super::interface::{Queue, QueueBuilder, QueueEntry};
use super::profile::{Level, Profile};
use crate::job::Ticks;
use crate::node_set::NodeSet;
use crate::partition::Partition;
use crate::room::{Halt, Room, Running};

/// The registry's entry.
pub static ENTRY: QueueEntry = Entry {
    name: "conservative",
    summary: "conservative backfilling: a job may start early if it delays no reservation",
    example: "conservative",
    parameters: &[],
    build: QueueBuilder(|| Box::new(Conservative::default())),
};

/// When a waiting job is to start, and what it takes.
#[derive(Debug, Clone)]
struct Reservation<S> {
    job: usize,
    start: Ticks,
    share: S,
}

/// The reservations of waiting jobs, in the order of arrival.
type Plan<S> = Vec<Reservation<S>>;

/// What has to be done before anything starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Change {
    #[default]
    Nothing,
    /// Reservations may move earlier.
    Compress,
    /// Reservations are no longer valid.
    MakeAgain,
}

#[derive(Debug, Default)]
struct Conservative {
    by_number: Plan<u32>,
    by_nodes: Plan<Partition>,
    change: Change,
}

impl Queue for Conservative {
    fn schedule(&mut self, room: &mut Room<'_>) -> Result<(), Halt> {
        match room.policy.takes_any_nodes() {
            true => schedule::<u32>(&mut self.by_number, &mut self.change, room),
            false => schedule::<NodeSet>(&mut self.by_nodes, &mut self.change, room),
        }
    }

    fn ended(&mut self, ended: &Running, now: Ticks) {
        if ended.expected_end > now {
            self.change = self.change.max(Change::Compress);
        }
    }

    fn wake_up(&self) -> Option<Ticks> {
        let by_number = self.by_number.iter().map(|planned| planned.start);
        let by_nodes = self.by_nodes.iter().map(|planned| planned.start);
        by_number.chain(by_nodes).min()
    }
}

fn schedule<L: Level>(
    plan: &mut Plan<L::Share>,
    change: &mut Change,
    room: &mut Room<'_>,
) -> Result<(), Halt> {
    loop {
        if *change == Change::MakeAgain {
            plan.clear();
        }
        let mut profile = Profile::<L>::new(room);
        for planned in plan.iter() {
            let end = planned.start + room.job(planned.job).estimate;
            profile.take(planned.start, end, &planned.share);
        }
        if *change == Change::Compress {
            for planned in plan.iter_mut() {
                let estimate = room.job(planned.job).estimate;
                profile.give(planned.start, planned.start + estimate, &planned.share);
                let (start, share) = reserve(&mut profile, room, planned.job);
                (planned.start, planned.share) = (start, share);
            }
        }
        // Waiting jobs are in the order of arrival, and so are reservations: jobs that arrived now,
        // or lost theirs, are at the end.
        for at in plan.len()..room.waiting.len() {
            let job = room.waiting[at];
            let (start, share) = reserve(&mut profile, room, job);
            plan.push(Reservation { job, start, share });
        }
        *change = start_what_is_due::<L>(plan, room)?;
        if *change == Change::Nothing {
            return Ok(());
        }
    }
}

/// Takes the earliest share of a profile for a job.
fn reserve<L: Level>(
    profile: &mut Profile<L>,
    room: &mut Room<'_>,
    job: usize,
) -> (Ticks, L::Share) {
    let estimate = room.job(job).estimate;
    let found = profile.earliest(room, job, estimate);
    let (start, share) = found.expect("every job fits the empty machine");
    profile.take(start, start + estimate, &share);
    (start, share)
}

/// Starts the jobs that are due, and returns what that means for the others.
fn start_what_is_due<L: Level>(
    plan: &mut Plan<L::Share>,
    room: &mut Room<'_>,
) -> Result<Change, Halt> {
    let mut change = Change::Nothing;
    let due: Vec<Reservation<L::Share>> =
        plan.iter().filter(|planned| planned.start <= room.now).cloned().collect();
    for planned in due {
        let Some(partition) = L::partition(&planned.share, room, planned.job) else {
            // An earlier job takes longer than planned.
            return Ok(Change::MakeAgain);
        };
        let factor = room.factor(planned.job, &partition)?;
        let expected = room.expected_end(planned.job, factor);
        room.start(planned.job, partition, factor);
        plan.retain(|other| other.job != planned.job);
        let planned_end = planned.start + room.job(planned.job).estimate;
        match expected.cmp(&planned_end) {
            std::cmp::Ordering::Less => change = change.max(Change::Compress),
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Greater => return Ok(Change::MakeAgain),
        }
    }
    Ok(change)
}
