//! EP: every rank works alone, and then the results are added up.
//!
//! An operation is a random number that is drawn and used: two for each pair.

use super::super::bal;
use super::super::traces::Calls;
use super::super::traces::trace_of;
use super::run::{LOG2_BATCH, read};
use crate::spec::{Spec, SpecError};
use crate::trace::Trace;
use crate::traffic::{Group, Operation};

pub(super) fn trace(spec: &Spec) -> Result<Trace, SpecError> {
    let (case, batches) = read(spec)?;
    let mut calls = Calls::default();
    let world = Group::first(case.ranks);
    let broadcast = calls.number(Operation::Broadcast, &world, 4);
    let barrier = calls.number(Operation::Barrier, &world, 0);
    let scalar = calls.number(Operation::Allreduce, &world, 8);
    let counts = calls.number(Operation::Allreduce, &world, 80);
    trace_of(&case, calls, |rank, writer| {
        writer.collective(broadcast);
        writer.collective(barrier);
        let own = bal(u64::from(batches), u64::from(case.ranks), u64::from(rank));
        writer.compute(case.pace.nanoseconds((own << (LOG2_BATCH + 1)) as f64));
        // Both sums, the counts of ten rings, and the time.
        [scalar, scalar, counts, scalar].into_iter().for_each(|number| writer.collective(number));
    })
}
