//! IS: integer sort by buckets, with collectives only, except for one message to the next rank.

mod run;
mod trace;

use run::key_exchange;

use super::{CLASS, Case, GFLOPS, ITERATIONS, RANKS, collective, send};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::entry::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder, VariableSizes};

/// The pattern `is`.
pub static ENTRY: PatternEntry = Entry {
    name: "is",
    summary: "NPB IS: bucket sort with a variable all-to-all; almost only collectives",
    example: "is:class=S,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(trace::trace) },
};

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    let case = Case::read(spec)?;
    let exchange = key_exchange(&case)?;
    let mut builder = TrafficBuilder::new(case.ranks);
    // The final check compares the last key of each rank with the first of the next.
    for rank in 1..case.ranks {
        send(&mut builder, rank - 1, rank, 1, 4);
    }
    let world = Group::first(case.ranks);
    let steps = exchange.exchanges();
    // The bucket totals are added up with the 5 test keys of the benchmark.
    let totals = 4 * (exchange.buckets() + 5);
    collective(&mut builder, Operation::Broadcast, &world, &[(1, 4)]);
    collective(&mut builder, Operation::Allreduce, &world, &[(steps, totals)]);
    collective(&mut builder, Operation::AllToAll, &world, &[(steps, 4)]);
    let keys = Operation::AllToAllVariable(VariableSizes::Keys(exchange));
    collective(&mut builder, keys, &world, &[(steps, 0)]);
    collective(&mut builder, Operation::Reduce, &world, &[(1, 8), (1, 4)]);
    Ok(builder.build())
}

#[cfg(test)]
mod tests {
    use crate::parse_pattern;

    #[test]
    fn the_only_messages_go_to_the_next_rank() {
        let traffic = parse_pattern("is:class=S,ranks=4").unwrap();
        let flows: Vec<_> =
            traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
        assert_eq!(flows, [(0, 1, 1.0, 4.0), (1, 2, 1.0, 4.0), (2, 3, 1.0, 4.0)]);
    }

    #[test]
    fn more_iterations_than_keys_to_change_are_refused() {
        // 2^16 keys on 128 ranks are 512 per rank: iterations 1 to 255 change keys 1 to 510.
        assert!(parse_pattern("is:class=S,ranks=128,iterations=255").is_ok());
        let error = parse_pattern("is:class=S,ranks=128,iterations=256").unwrap_err();
        assert_eq!(error.to_string(), "is: expected at most 255 iterations, found 256");
    }
}
