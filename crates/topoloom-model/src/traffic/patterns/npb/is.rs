//! IS: integer sort by buckets, all by collectives but one message to the next rank.

use super::{CLASS, Case, Class, GFLOPS, ITERATIONS, KeyExchange, RANKS, collective, send, traces};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder, VariableSizes};

/// Binary logarithms of the keys in all, the values a key may have and the buckets, by class.
const SIZES: [(u32, u32, u32); 7] = [
    (16, 11, 9),
    (20, 16, 10),
    (23, 19, 10),
    (25, 21, 10),
    (27, 23, 10),
    (31, 27, 10),
    (35, 31, 10),
];

const USUAL_ITERATIONS: u32 = 10;

/// Counting the keys takes time for each iteration, so there must be some end.
const MOST_ITERATIONS: u32 = 1000;

/// The pattern `is`.
pub static ENTRY: PatternEntry = Entry {
    name: "is",
    summary: "NPB IS: bucket sort with a variable all-to-all; almost only collectives",
    example: "is:class=S,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(traces::is) },
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

/// The key exchange that `case` asks for, if it is legal.
pub(super) fn key_exchange(case: &Case) -> Result<KeyExchange, SpecError> {
    let (least, most) = match case.class {
        Class::S => (1, 128),
        Class::W | Class::A | Class::B | Class::C => (1, 1024),
        Class::D => (4, 1024),
        Class::E => (64, 1024),
    };
    let rule = format!("a power of two from {least} to {most}");
    case.check_ranks(most, &rule, |ranks| ranks >= least && ranks.is_power_of_two())?;

    let (log2_keys, log2_key_values, log2_buckets) = case.class.of(&SIZES);
    let iterations = case.iterations_or(USUAL_ITERATIONS);
    // Iteration i changes keys i and i + iterations of rank 0, so it must have as many.
    let keys_of_a_rank = (1u64 << log2_keys) / u64::from(case.ranks);
    let most_iterations = u64::from(MOST_ITERATIONS).min((keys_of_a_rank - 1) / 2);
    if u64::from(iterations) > most_iterations {
        return Err(SpecError::new(format!(
            "{}: expected at most {most_iterations} iterations, found {iterations}",
            case.name
        )));
    }
    Ok(KeyExchange::new(log2_keys, log2_key_values, log2_buckets, case.ranks, iterations))
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
        // 2^16 keys on 128 ranks are 512 each: iterations 1 to 255 change keys 1 to 510.
        assert!(parse_pattern("is:class=S,ranks=128,iterations=255").is_ok());
        let error = parse_pattern("is:class=S,ranks=128,iterations=256").unwrap_err();
        assert_eq!(error.0, "is: expected at most 255 iterations, found 256");
    }
}
