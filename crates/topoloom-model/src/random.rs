//! Portable streams of random numbers, one for each (seed, purpose).

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator that everything here uses: the same numbers on every machine.
pub type Stream = Xoshiro256PlusPlus;

/// A stream that depends only on `seed` and on every number in `path`, so work can be divided among
/// threads in any way.
pub fn stream(seed: u64, path: &[u64]) -> Stream {
    let mixed = path.iter().fold(mix(seed), |state, &step| mix(state ^ mix(step.wrapping_add(1))));
    Stream::seed_from_u64(mixed)
}

/// The finaliser of SplitMix64: makes one number from another, as if at random.
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number below `bound`, which must not be 0.
#[inline]
pub fn below(rng: &mut Stream, bound: u32) -> u32 {
    rng.random_range(0..bound)
}

/// Puts `items` in a random order, each order equally likely.
pub fn shuffle<T>(rng: &mut Stream, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last as u32 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_of_different_paths_differ_and_the_same_path_repeats() {
        assert_eq!(stream(1, &[2, 3]).next_u64(), stream(1, &[2, 3]).next_u64());
        assert_ne!(stream(1, &[2, 3]).next_u64(), stream(1, &[3, 2]).next_u64());
        assert_ne!(stream(1, &[]).next_u64(), stream(2, &[]).next_u64());
    }
}
