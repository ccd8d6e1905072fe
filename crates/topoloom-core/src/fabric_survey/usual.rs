//! What most things of a kind have in common.

use std::collections::BTreeMap;

/// The value that at least two thirds have; none if there is no such value.
pub fn usual<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    let mut all = 0;
    for value in values {
        *counts.entry(value).or_default() += 1;
        all += 1;
    }
    counts.into_iter().find(|(_, count)| 3 * count >= 2 * all).map(|(value, _)| value)
}
