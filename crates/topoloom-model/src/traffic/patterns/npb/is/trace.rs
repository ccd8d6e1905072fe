//! IS: every step counts keys, agrees on which rank gets which, and exchanges them.
//!
//! An operation is a key that is ranked. Half of it is the counting before the exchange, by the
//! rank that has the key. The other half is the ranking after it, by the rank that got the key.

use super::super::Case;
use super::super::keys::KeyExchange;
use super::super::traces::Calls;
use super::super::traces::{exchange, trace_of};
use super::run::key_exchange;
use crate::spec::{Spec, SpecError};
use crate::trace::Trace;
use crate::traffic::{Collective, Group, Operation};

const BYTES_OF_A_KEY: f64 = 4.0;

/// Every exchange has a table of all pairs, with 8 bytes per entry.
const MOST_ENTRIES: u64 = 1 << 27;

pub(super) fn trace(spec: &Spec) -> Result<Trace, SpecError> {
    let case = Case::read(spec)?;
    let keys = key_exchange(&case)?;
    check_tables(&case, &keys)?;
    let ranks = case.ranks;
    let mut calls = Calls::default();
    let world = Group::first(ranks);
    let broadcast = calls.number(Operation::Broadcast, &world, 4);
    // The bucket totals, with the 5 test keys of the benchmark.
    let totals = calls.number(Operation::Allreduce, &world, 4 * (keys.buckets() + 5));
    let counts = calls.number(Operation::AllToAll, &world, 4);
    let time = calls.number(Operation::Reduce, &world, 8);
    let errors = calls.number(Operation::Reduce, &world, 4);
    let steps = steps(&keys, &world, &mut calls);

    let own = keys.keys() as f64 / f64::from(ranks);
    trace_of(&case, calls, |rank, writer| {
        writer.collective(broadcast);
        for step in &steps {
            writer.compute(case.pace.nanoseconds(own / 2.0));
            writer.collective(totals);
            writer.collective(counts);
            writer.collective(step.number);
            let received = step.received[rank as usize] as f64;
            writer.compute(case.pace.nanoseconds(received / 2.0));
        }
        writer.collective(time);
        // The last key of each rank is compared with the first of the next.
        let before = rank.checked_sub(1);
        let next = (rank + 1 < ranks).then_some((rank + 1, 4));
        exchange(writer, before, next, 0);
        writer.collective(errors);
    })
}

fn check_tables(case: &Case, keys: &KeyExchange) -> Result<(), SpecError> {
    let pairs = u64::from(case.ranks).pow(2);
    let most = MOST_ENTRIES / pairs;
    if keys.exchanges() <= most {
        return Ok(());
    }
    Err(SpecError::new(format!(
        "{}: a trace of {} ranks has at most {} iterations",
        case.name,
        case.ranks,
        most - 1
    )))
}

/// One exchange of keys.
struct Step {
    /// The collective.
    number: u32,
    /// Keys that each rank gets.
    received: Vec<u64>,
}

/// All exchanges. An exchange that is the same as the previous one shares its table.
fn steps(keys: &KeyExchange, world: &Group, calls: &mut Calls) -> Vec<Step> {
    let ranks = world.size() as usize;
    let mut steps: Vec<Step> = Vec::new();
    let mut last = Vec::new();
    keys.each_exchange(|pairs| {
        let number = match steps.last() {
            Some(step) if last == pairs => step.number,
            _ => {
                let bytes: Vec<f64> =
                    pairs.iter().map(|&keys| BYTES_OF_A_KEY * keys as f64).collect();
                let operation = Operation::all_to_all_of(bytes);
                calls.add(Collective { operation, group: world.clone(), calls: 1, bytes: 0 })
            }
        };
        let received = |rank: usize| pairs.iter().skip(rank).step_by(ranks).sum();
        steps.push(Step { number, received: (0..ranks).map(received).collect() });
        last.clear();
        last.extend_from_slice(pairs);
    });
    steps
}
