//! How many nodes or pairs there are at each distance, and how to count them with formulas.

/// How many there are at each distance: (distance, number), in the order of distances, without
/// numbers of 0. Distances may be sparse, so they are not an index.
pub type DistanceCounts = Vec<(u32, u64)>;

/// Adds up independent distances: the histogram of the sum of two distances.
pub(super) fn convolve(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut sum = vec![0; a.len() + b.len() - 1];
    for (i, &x) in a.iter().enumerate().filter(|&(_, &x)| x > 0) {
        for (j, &y) in b.iter().enumerate() {
            sum[i + j] += x * y;
        }
    }
    sum
}

/// The counts of a histogram by distance.
pub(super) fn counts(histogram: Vec<u64>) -> DistanceCounts {
    (0..).zip(histogram).filter(|&(_, count)| count > 0).collect()
}

/// Turns a histogram over ordered pairs, including self pairs, into one over unordered pairs.
pub(super) fn unordered(mut ordered: Vec<u64>, nodes: u64) -> DistanceCounts {
    ordered[0] -= nodes;
    ordered.iter_mut().for_each(|count| *count /= 2);
    counts(ordered)
}

/// Running sums of a histogram around one node, without the node itself.
pub(super) fn ball(mut histogram: Vec<u64>) -> DistanceCounts {
    histogram[0] -= 1;
    let mut shells = counts(histogram);
    let mut within = 0;
    for (_, count) in &mut shells {
        within += *count;
        *count = within;
    }
    shells
}
