//! A run of IS: how many keys are exchanged.

use super::super::keys::KeyExchange;
use super::super::{Case, Class};
use crate::spec::SpecError;

/// Binary logarithms of the total number of keys, the number of values a key may have and the
/// number of buckets, by class.
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

/// Counting the keys takes time in each iteration, so there must be a limit.
const MOST_ITERATIONS: u32 = 1000;

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
    // Iteration i changes keys i and i + iterations of rank 0, so rank 0 must have that many.
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
