//! Which keys of IS go where, counted from the random numbers that the benchmark draws.

use rayon::prelude::*;

const MULTIPLIER: u64 = 1_220_703_125; // 5^13
const SEED: u64 = 314_159_265;
/// Random numbers are taken modulo 2^46.
const LOG2_MODULUS: u32 = 46;
const NUMBERS_OF_A_KEY: u64 = 4;
const BYTES_OF_A_KEY: f64 = 4.0;
/// How many keys one piece of parallel work counts.
const KEYS_OF_A_PIECE: u64 = 1 << 18;

/// The key exchange of integer sort: small, until it is asked how much each pair sends.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyExchange {
    log2_keys: u32,
    log2_key_values: u32,
    log2_buckets: u32,
    ranks: u32,
    iterations: u32,
}

impl KeyExchange {
    /// `ranks` must be a power of two, and each rank must have more keys than twice the
    /// iterations.
    pub(super) fn new(
        log2_keys: u32,
        log2_key_values: u32,
        log2_buckets: u32,
        ranks: u32,
        iterations: u32,
    ) -> Self {
        KeyExchange { log2_keys, log2_key_values, log2_buckets, ranks, iterations }
    }

    /// How many exchanges there are in the whole run: one per iteration and the warm-up.
    pub(super) fn exchanges(&self) -> u64 {
        u64::from(self.iterations) + 1
    }

    pub(super) fn keys(&self) -> u64 {
        1 << self.log2_keys
    }

    pub(super) fn buckets(&self) -> u64 {
        1 << self.log2_buckets
    }

    /// Bytes of all keys in all exchanges, including those that a rank keeps.
    pub fn bytes_in_all(&self) -> f64 {
        BYTES_OF_A_KEY * self.keys() as f64 * self.exchanges() as f64
    }

    /// Bytes that each ordered pair exchanges in the whole run, by sender, then by receiver. What a
    /// rank keeps is on the diagonal.
    ///
    /// Draws all keys, so this takes time proportional to their number (class C: 2^27), spread over
    /// the available threads. The result does not depend on them.
    pub fn bytes_of_pairs(&self) -> Vec<f64> {
        let mut bytes = vec![0.0; (self.ranks as usize).pow(2)];
        self.each_exchange(|keys| {
            for (sum, &keys) in bytes.iter_mut().zip(keys) {
                *sum += BYTES_OF_A_KEY * keys as f64;
            }
        });
        bytes
    }

    /// Calls `visit` with the keys that each ordered pair exchanges, one exchange after the other.
    pub(super) fn each_exchange(&self, mut visit: impl FnMut(&[u64])) {
        let (ranks, buckets) = (self.ranks as usize, self.buckets() as usize);
        // Keys of each rank in each bucket, by rank, then by bucket.
        let mut counts = self.draw_all_keys();
        let mut totals = vec![0u64; buckets];
        for of_rank in counts.chunks_exact(buckets) {
            totals.iter_mut().zip(of_rank).for_each(|(total, count)| *total += count);
        }
        // The warm-up step changes the keys of iteration 1, which then finds them changed.
        for iteration in 0..=u64::from(self.iterations) {
            if iteration != 1 {
                for (from, to) in self.changes_before(iteration.max(1)) {
                    for histogram in [&mut counts[..buckets], &mut totals[..]] {
                        histogram[from] -= 1;
                        histogram[to] += 1;
                    }
                }
            }
            let owners = self.owners(&totals);
            let mut pairs = vec![0u64; ranks * ranks];
            for (to_ranks, of_rank) in pairs.chunks_mut(ranks).zip(counts.chunks_exact(buckets)) {
                for (&owner, count) in owners.iter().zip(of_rank) {
                    to_ranks[owner] += count;
                }
            }
            visit(&pairs);
        }
    }

    fn draw_all_keys(&self) -> Vec<u64> {
        let keys = 1u64 << self.log2_keys;
        let keys_of_a_rank = keys / u64::from(self.ranks);
        let piece = KEYS_OF_A_PIECE.min(keys_of_a_rank);
        let pieces_of_a_rank = keys_of_a_rank / piece;
        let counts_of_rank = |rank: u64| {
            (0..pieces_of_a_rank)
                .into_par_iter()
                .map(|number| self.count_keys(rank * keys_of_a_rank + number * piece, piece))
                .reduce_with(|mut sum, counts| {
                    sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                    sum
                })
                .expect("a rank has at least one piece")
        };
        (0..u64::from(self.ranks)).into_par_iter().flat_map_iter(counts_of_rank).collect()
    }

    /// How many of the `keys` keys from number `first` on are in each bucket.
    fn count_keys(&self, first: u64, keys: u64) -> Vec<u64> {
        let mut counts = vec![0u64; self.buckets() as usize];
        // The highest bits of a key are its bucket.
        let shift = LOG2_MODULUS + 2 - self.log2_buckets;
        Keys::from(first).take(keys as usize).for_each(|sum| counts[(sum >> shift) as usize] += 1);
        counts
    }

    /// The two keys of rank 0 that change before `iteration`, as (old bucket, new bucket).
    fn changes_before(&self, iteration: u64) -> [(usize, usize); 2] {
        let key_values = 1 << self.log2_key_values;
        let bucket_of = |key: u64| (key >> (self.log2_key_values - self.log2_buckets)) as usize;
        let drawn = |number: u64| {
            let sum = Keys::from(number).next().expect("there is always a next key");
            bucket_of(sum >> (LOG2_MODULUS + 2 - self.log2_key_values))
        };
        [
            (drawn(iteration), bucket_of(iteration)),
            (drawn(iteration + u64::from(self.iterations)), bucket_of(key_values - iteration)),
        ]
    }

    /// The rank that gets each bucket: ranks are filled in turn up to an equal share.
    ///
    /// The last bucket always holds the key that was changed to the largest value, so no bucket
    /// is left when the last rank is full.
    fn owners(&self, totals: &[u64]) -> Vec<usize> {
        let share = (1u64 << self.log2_keys) / u64::from(self.ranks);
        let (mut owner, mut filled) = (0, 0);
        let next = |&total: &u64| {
            let current = owner;
            filled += total;
            if filled >= (owner as u64 + 1) * share {
                owner += 1;
            }
            current
        };
        totals.iter().map(next).collect()
    }
}

/// The keys in the order in which they are drawn, each as the sum of four random numbers below
/// 2^46. Arithmetic modulo 2^64 is correct in the lowest 46 bits, so only sums need the mask.
struct Keys {
    state: u64,
}

impl Keys {
    fn from(first: u64) -> Self {
        let jump = power_of_multiplier(NUMBERS_OF_A_KEY * first + 1);
        Keys { state: SEED.wrapping_mul(jump) }
    }
}

impl Iterator for Keys {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        const POWERS: [u64; 5] = {
            let mut powers = [1; 5];
            let mut exponent = 1;
            while exponent < 5 {
                powers[exponent] = MULTIPLIER.wrapping_mul(powers[exponent - 1]);
                exponent += 1;
            }
            powers
        };
        // All are computed from one state, not each from the one before: four products at a time
        // are in flight.
        let number = |power: u64| self.state.wrapping_mul(power) & ((1 << LOG2_MODULUS) - 1);
        let sum = number(POWERS[0]) + number(POWERS[1]) + number(POWERS[2]) + number(POWERS[3]);
        self.state = self.state.wrapping_mul(POWERS[4]);
        Some(sum)
    }
}

/// 5^13 to this power, modulo 2^64, by repeated squaring.
fn power_of_multiplier(mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1u64, MULTIPLIER);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_follow_the_recurrence() {
        let mut x = SEED;
        for sum in Keys::from(0).take(100) {
            let mut expected = 0;
            for _ in 0..4 {
                x = (u128::from(x) * u128::from(MULTIPLIER) % (1 << 46)) as u64;
                expected += x;
            }
            assert_eq!(sum, expected);
        }
    }

    #[test]
    fn a_jump_ahead_lands_where_single_steps_do() {
        assert_eq!(Keys::from(37).next(), Keys::from(0).nth(37));
    }

    #[test]
    fn a_bucket_goes_to_the_next_rank_once_the_share_is_full() {
        // 8 keys on 4 ranks, 2 each. The first bucket alone fills two shares, but only one rank is
        // passed per bucket. The last rank is never reached.
        let exchange = KeyExchange::new(3, 3, 2, 4, 1);
        assert_eq!(exchange.owners(&[4, 0, 1, 3]), [0, 1, 2, 2]);
        assert_eq!(exchange.owners(&[2, 2, 2, 2]), [0, 1, 2, 3]);
    }

    /// All exchanges from scratch, key by key, as the benchmark does it.
    fn exchanges_key_by_key(exchange: &KeyExchange) -> Vec<Vec<u64>> {
        let (ranks, max_key) = (exchange.ranks as usize, 1 << exchange.log2_key_values);
        let drawn = Keys::from(0).take(1 << exchange.log2_keys);
        let mut keys: Vec<u64> =
            drawn.map(|sum| ((u128::from(max_key) / 4 * u128::from(sum)) >> 46) as u64).collect();
        let share = keys.len() / ranks;
        let mut exchanges = Vec::new();
        let iterations = exchange.iterations as usize;
        for iteration in std::iter::once(1).chain(1..=iterations) {
            keys[iteration] = iteration as u64;
            keys[iteration + iterations] = max_key - iteration as u64;
            let bucket_of = |key: u64| (key / (max_key / exchange.buckets())) as usize;
            let mut totals = vec![0; exchange.buckets() as usize];
            keys.iter().for_each(|&key| totals[bucket_of(key)] += 1);
            let owners = exchange.owners(&totals);
            let mut pairs = vec![0; ranks * ranks];
            for (number, &key) in keys.iter().enumerate() {
                pairs[number / share * ranks + owners[bucket_of(key)]] += 1;
            }
            exchanges.push(pairs);
        }
        exchanges
    }

    #[test]
    fn counting_buckets_equals_moving_every_key() {
        for (log2_keys, ranks, iterations) in
            [(16, 1, 10), (16, 8, 10), (16, 128, 10), (12, 4, 300)]
        {
            let exchange = KeyExchange::new(log2_keys, 11, 9, ranks, iterations);
            let mut found = Vec::new();
            exchange.each_exchange(|keys| found.push(keys.to_vec()));
            assert_eq!(found, exchanges_key_by_key(&exchange));
        }
    }

    fn range_of_keys(exchange: &KeyExchange) -> (u64, u64) {
        let (mut least, mut most) = (u64::MAX, 0);
        exchange.each_exchange(|keys| {
            least = least.min(*keys.iter().min().unwrap());
            most = most.max(*keys.iter().max().unwrap());
        });
        (least, most)
    }

    #[test]
    fn recorded_extremes_of_the_exchange_come_out() {
        // Recorded runs of NPB 3.4: class W on 16 ranks, class S on 128.
        assert_eq!(range_of_keys(&KeyExchange::new(20, 16, 10, 16, 10)), (3870, 4341));
        assert_eq!(range_of_keys(&KeyExchange::new(16, 11, 9, 128, 10)), (0, 16));
    }

    #[test]
    fn every_rank_sends_all_its_keys_in_every_exchange() {
        // 2^16 keys on 4 ranks, 4 bytes each, 11 exchanges.
        let bytes = KeyExchange::new(16, 11, 9, 4, 10).bytes_of_pairs();
        for of_rank in bytes.chunks(4) {
            assert_eq!(of_rank.iter().sum::<f64>(), 11.0 * 4.0 * 16384.0);
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let exchange = KeyExchange::new(20, 16, 10, 2, 10);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| exchange.bytes_of_pairs())
        };
        assert_eq!(with(1), with(3));
    }
}
