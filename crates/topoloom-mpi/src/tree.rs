//! A binomial tree: how something passes from the first of a list to all others.

/// The one that hands it to this one; none for the first.
pub fn above(index: usize) -> Option<usize> {
    (index > 0).then(|| index & (index - 1))
}

/// Those that this one hands it to. The one with the most below it comes first.
pub fn below(index: usize, size: usize) -> impl Iterator<Item = usize> {
    // Those with one more bit, lower than all of its own.
    let lowest = if index == 0 { usize::BITS } else { index.trailing_zeros() };
    (0..lowest).rev().map(move |bit| index | 1 << bit).filter(move |&other| other < size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_below_exactly_one_other() {
        for size in 1..70 {
            let mut reached = vec![0; size];
            for index in 0..size {
                for other in below(index, size) {
                    assert_eq!(above(other), Some(index));
                    reached[other] += 1;
                }
            }
            assert!(reached[0] == 0 && reached[1..].iter().all(|&times| times == 1));
        }
    }

    #[test]
    fn the_first_of_eight_serves_three() {
        assert_eq!(below(0, 8).collect::<Vec<_>>(), [4, 2, 1]);
        assert_eq!(below(4, 8).collect::<Vec<_>>(), [6, 5]);
        assert_eq!(above(0), None);
    }
}
