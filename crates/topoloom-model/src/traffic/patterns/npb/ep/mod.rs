//! EP: independent work and a few reductions.

mod run;
mod trace;

use run::read;

use super::{CLASS, GFLOPS, RANKS, collective};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::entry::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder};

/// The pattern `ep`.
pub static ENTRY: PatternEntry = Entry {
    name: "ep",
    summary: "NPB EP: independent work, then reductions; collectives only",
    example: "ep:class=A,ranks=16",
    parameters: &[CLASS, RANKS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(trace::trace) },
};

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
