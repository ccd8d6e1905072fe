//! EP: independent work and a few reductions.

use super::{CLASS, Case, GFLOPS, RANKS, collective, traces};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder};

/// Binary logarithm of the pairs of random numbers, by class.
const LOG2_PAIRS: [u32; 7] = [24, 25, 28, 30, 32, 36, 40];

/// Binary logarithm of the pairs that are made in one batch.
pub(super) const LOG2_BATCH: u32 = 16;

/// The pattern `ep`.
pub static ENTRY: PatternEntry = Entry {
    name: "ep",
    summary: "NPB EP: independent work, then reductions; collectives only",
    example: "ep:class=A,ranks=16",
    parameters: &[CLASS, RANKS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(traces::ep) },
};

/// A legal run, and its batches of work.
pub(super) fn read(spec: &Spec) -> Result<(Case<'_>, u32), SpecError> {
    let case = Case::read(spec)?;
    let batches = 1 << (case.class.of(&LOG2_PAIRS) - LOG2_BATCH);
    case.check_ranks(batches, &format!("at most {batches}, with one batch each"), |_| true)?;
    Ok((case, batches))
}

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    let (case, _) = read(spec)?;
    let mut builder = TrafficBuilder::new(case.ranks);
    let world = Group::first(case.ranks);
    collective(&mut builder, Operation::Broadcast, &world, &[(1, 4)]);
    collective(&mut builder, Operation::Barrier, &world, &[(1, 0)]);
    collective(&mut builder, Operation::Allreduce, &world, &[(3, 8), (1, 80)]);
    Ok(builder.build())
}

#[cfg(test)]
mod tests {
    use crate::parse_pattern;

    #[test]
    fn there_are_no_messages_but_four_reductions() {
        let traffic = parse_pattern("ep:class=S,ranks=12").unwrap();
        assert_eq!(traffic.num_flows(), 0);
        let reductions: Vec<_> = traffic
            .collectives()
            .iter()
            .filter(|collective| collective.operation.mpi_name() == "Allreduce")
            .map(|collective| (collective.calls, collective.bytes))
            .collect();
        assert_eq!(reductions, [(3, 8), (1, 80)]);
    }
}
