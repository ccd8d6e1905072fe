//! What happens at which time: a wheel of buckets for the near future, a heap for the rest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many ticks the wheel covers.
const REACH: u64 = 1 << 12;

/// Entries by tick, in the order in which they were added. Among entries for the same tick, those
/// that were added when it was far off come first.
#[derive(Debug)]
pub(crate) struct Queue<E> {
    now: u64,
    buckets: Vec<Vec<E>>,
    /// One bit for each bucket that is not empty.
    filled: Vec<u64>,
    in_wheel: usize,
    /// (tick, number, entry).
    later: BinaryHeap<Reverse<(u64, u64, E)>>,
    added: u64,
}

impl<E: Copy + Ord> Queue<E> {
    pub fn new() -> Queue<E> {
        Queue {
            now: 0,
            buckets: vec![Vec::new(); REACH as usize],
            filled: vec![0; REACH as usize / 64],
            in_wheel: 0,
            later: BinaryHeap::new(),
            added: 0,
        }
    }

    /// Adds an entry for `tick`, which must not be in the past.
    #[inline]
    pub fn add(&mut self, tick: u64, entry: E) {
        debug_assert!(tick >= self.now, "time goes on");
        if tick - self.now < REACH {
            self.put(tick, entry);
        } else {
            self.added += 1;
            self.later.push(Reverse((tick, self.added, entry)));
        }
    }

    #[inline]
    fn put(&mut self, tick: u64, entry: E) {
        let place = (tick % REACH) as usize;
        self.buckets[place].push(entry);
        self.filled[place / 64] |= 1 << (place % 64);
        self.in_wheel += 1;
    }

    /// Goes on to the next tick that has entries and swaps them into `entries`; `None` when there
    /// are no more.
    pub fn next(&mut self, entries: &mut Vec<E>) -> Option<u64> {
        entries.clear();
        let in_wheel = (self.in_wheel > 0).then(|| self.next_filled());
        let later = self.later.peek().map(|Reverse((tick, ..))| *tick);
        let tick = match (in_wheel, later) {
            (Some(near), Some(far)) => near.min(far),
            (near, far) => near.or(far)?,
        };
        self.now = tick;
        // Entries that were far off come into reach before anything near them is added.
        while let Some(Reverse((far, ..))) = self.later.peek()
            && *far - tick < REACH
        {
            let Reverse((far, _, entry)) = self.later.pop().expect("it was just looked at");
            self.put(far, entry);
        }
        let place = (tick % REACH) as usize;
        std::mem::swap(entries, &mut self.buckets[place]);
        self.filled[place / 64] &= !(1 << (place % 64));
        self.in_wheel -= entries.len();
        Some(tick)
    }

    /// Takes the entries that were added for the current tick since its entries were taken.
    pub fn more_of_now(&mut self, entries: &mut Vec<E>) {
        entries.clear();
        let place = (self.now % REACH) as usize;
        std::mem::swap(entries, &mut self.buckets[place]);
        self.filled[place / 64] &= !(1 << (place % 64));
        self.in_wheel -= entries.len();
    }

    fn next_filled(&self) -> u64 {
        let place = (self.now % REACH) as usize;
        let words = self.filled.len();
        let mut word = place / 64;
        let mut bits = self.filled[word] & (!0 << (place % 64));
        // Once around, with the low bits of the first word at the end.
        for _ in 0..=words {
            if bits != 0 {
                let found = (word * 64) as u64 + u64::from(bits.trailing_zeros());
                return self.now + (found + REACH - place as u64) % REACH;
            }
            word = (word + 1) % words;
            bits = self.filled[word];
        }
        unreachable!("the wheel is not empty")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_by_tick_near_or_far() {
        let mut queue = Queue::new();
        let ticks = [5, 3, 1_000_000, 4_095, 4_096, 70, 3, 9_999, 1_000_000];
        for (number, tick) in ticks.into_iter().enumerate() {
            queue.add(tick, number);
        }
        let mut found = Vec::new();
        let mut entries = Vec::new();
        while let Some(tick) = queue.next(&mut entries) {
            found.extend(entries.iter().map(|&number| (tick, number)));
            if tick == 5 {
                queue.add(5, 100);
                queue.more_of_now(&mut entries);
                assert_eq!(entries, [100]);
                queue.add(4_100, 101);
            }
        }
        let mut expected: Vec<(u64, usize)> =
            ticks.into_iter().enumerate().map(|(number, tick)| (tick, number)).collect();
        expected.push((4_100, 101));
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
