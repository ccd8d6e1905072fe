//! Counts the work of bounds and checks the clock.

use crate::run::Run;

/// Pairs that are processed without checking the clock: some hundredths of a second.
const FREE_WORK: u64 = 1 << 22;
/// Pairs between two checks of the clock after that.
const WORK_BETWEEN_LOOKS: u64 = 1 << 16;
/// Weights that are sorted at once.
const SORTED_AT_ONCE: usize = 1 << 20;

/// Counts the processed pairs and checks the clock.
pub(super) struct Meter<'a> {
    run: &'a mut Run,
    free: u64,
    since_look: u64,
}

impl<'a> Meter<'a> {
    pub fn new(run: &'a mut Run) -> Meter<'a> {
        Meter { run, free: FREE_WORK, since_look: 0 }
    }

    /// The run whose clock is checked.
    pub fn run(&mut self) -> &mut Run {
        self.run
    }

    /// Whether there is time for more than must be done. Unlike `spend`, it does not mark the run as
    /// cut short: a bound that is not as good as it could be is not a failure of a search.
    pub fn has_time(&self) -> bool {
        !self.run.is_over()
    }

    /// `None` when the run must stop.
    #[inline]
    pub fn spend(&mut self, pairs: u64) -> Option<()> {
        if let Some(left) = self.free.checked_sub(pairs) {
            self.free = left;
            return Some(());
        }
        self.free = 0;
        self.since_look += pairs;
        if self.since_look < WORK_BETWEEN_LOOKS {
            return Some(());
        }
        self.since_look = 0;
        (!self.run.must_stop()).then_some(())
    }

    /// Sorts weights, heaviest first, one part at a time: sorting everything at once takes seconds.
    pub fn sort(&mut self, weights: &mut [f64]) -> Option<()> {
        for part in weights.chunks_mut(SORTED_AT_ONCE) {
            self.spend(part.len() as u64)?;
            part.sort_unstable_by(|a, b| b.total_cmp(a));
        }
        if weights.len() > SORTED_AT_ONCE {
            // The stable sort finds the sorted parts and merges them.
            weights.sort_by(|a, b| b.total_cmp(a));
        }
        self.spend(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sorted_in_parts_are_sorted() {
        let mut weights: Vec<f64> =
            (0..3u64 << 20).map(|number| (number * 7_919 % 1_000_003) as f64).collect();
        let mut expected = weights.clone();
        expected.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut run = Run::new(1);
        Meter { run: &mut run, free: 0, since_look: 0 }.sort(&mut weights).unwrap();
        assert_eq!(weights, expected);
    }
}
