//! Which processors share a column: the algorithm of Beaumont, Boudet, Rastello and Robert
//! ("Matrix multiplication on heterogeneous platforms", 2001).

/// Areas that are a smaller fraction of the largest one are treated as this fraction.
pub(super) const LEAST_AREA: f64 = 1e-100;

/// A column of a square with sides of 1.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedColumn {
    /// Its width: the sum of the areas of its rectangles.
    pub width: f64,
    /// From top to bottom, by increasing area: the processor, and its fraction of the height.
    pub rectangles: Vec<(u32, f64)>,
}

/// Columns from left to right, by increasing area of their rectangles.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPlan {
    /// From left to right.
    pub columns: Vec<PlannedColumn>,
}

impl ColumnPlan {
    /// The sum of widths and heights of all rectangles, to which the volume of communication is
    /// proportional. It is the smallest of all partitions into columns.
    pub fn half_perimeters(&self) -> f64 {
        let of = |column: &PlannedColumn| column.rectangles.len() as f64 * column.width + 1.0;
        self.columns.iter().map(of).sum()
    }
}

/// The columns with the smallest sum of half-perimeters for rectangles of these areas, which must
/// be positive; only their ratios count.
///
/// A column of k rectangles that is w wide adds k * w + 1. The best columns are consecutive areas
/// in sorted order, because small areas belong in columns with many rectangles. Dynamic programming
/// finds them in O(p^2), and mostly much faster. Equal areas keep the order of their processors.
///
/// ```
/// // Nine equal areas: three columns of three squares, each of half-perimeter 2/3.
/// let plan = topoloom_arrange::columns(&[1.0; 9]);
/// assert_eq!(plan.columns.len(), 3);
/// assert!((plan.half_perimeters() - 6.0).abs() < 1e-12);
/// ```
pub fn columns(areas: &[f64]) -> ColumnPlan {
    columns_within(areas, areas.len())
}

/// The same with at most `most` columns, and at most `most` rectangles in each, for whole blocks.
/// There must be at most `most` * `most` areas.
pub(super) fn columns_within(areas: &[f64], most: usize) -> ColumnPlan {
    let mut order: Vec<u32> = (0..areas.len() as u32).collect();
    order.sort_by(|&a, &b| areas[a as usize].total_cmp(&areas[b as usize]));
    // As fractions of the largest: sums must not be infinite, and every column must have a width.
    let largest = order.last().map_or(1.0, |&last| areas[last as usize]);
    let area = |processor: u32| (areas[processor as usize] / largest).max(LEAST_AREA);
    let mut sums = vec![0.0; areas.len() + 1];
    for (at, &processor) in order.iter().enumerate() {
        sums[at + 1] = sums[at] + area(processor);
    }
    let all = sums[areas.len()];
    sums.iter_mut().for_each(|sum| *sum /= all);
    let mut ends = best_ends(&sums, most);
    if ends.len() > most {
        ends = best_ends_of_few_columns(&sums, most);
    }
    let mut start = 0;
    let columns = ends.into_iter().map(|end| {
        // Added up separately, because differences of sums lose the digits of small areas.
        let members = &order[start..end];
        let sum: f64 = members.iter().map(|&processor| area(processor)).sum();
        let rectangles = members.iter().map(|&processor| (processor, area(processor) / sum));
        start = end;
        PlannedColumn { width: sum / all, rectangles: rectangles.collect() }
    });
    ColumnPlan { columns: columns.collect() }
}

/// The cost of the sorted rectangles `start..end` as one column.
fn cost(sums: &[f64], start: usize, end: usize) -> f64 {
    (end - start) as f64 * (sums[end] - sums[start]) + 1.0
}

/// Where the columns of the best partition end, each with at most `most` rectangles.
fn best_ends(sums: &[f64], most: usize) -> Vec<usize> {
    let count = sums.len() - 1;
    // The lowest cost of the first rectangles alone, and where their last column starts.
    let mut best = vec![(0.0, 0); count + 1];
    for end in 1..=count {
        best[end] = (f64::INFINITY, 0);
        for start in (end.saturating_sub(most)..end).rev() {
            let column = cost(sums, start, end);
            if column >= best[end].0 {
                // Longer columns cost more.
                break;
            }
            let total = best[start].0 + column;
            if total < best[end].0 {
                best[end] = (total, start);
            }
        }
    }
    let mut ends = Vec::new();
    let mut end = count;
    while end > 0 {
        ends.push(end);
        end = best[end].1;
    }
    ends.reverse();
    ends
}

/// The same with at most `most` columns too, which matters only if there are few blocks for many
/// processors. The best start never moves left as the end moves right (the quadrangle inequality),
/// so a layer with one more column can be found by divide and conquer.
fn best_ends_of_few_columns(sums: &[f64], most: usize) -> Vec<usize> {
    let count = sums.len() - 1;
    let mut layer = vec![f64::INFINITY; count + 1];
    layer[0] = 0.0;
    let mut starts: Vec<Vec<u32>> = Vec::new();
    let mut fewest = (f64::INFINITY, 0);
    for columns in 1..=most.min(count) {
        let mut next = Layer {
            sums,
            most,
            before: &layer,
            least: vec![f64::INFINITY; count + 1],
            starts: vec![0; count + 1],
        };
        // Fewer rectangles than columns, or more rectangles than these can hold, have no partition.
        next.fill((columns, count.min(columns.saturating_mul(most))), (columns - 1, count - 1));
        if next.least[count] < fewest.0 {
            fewest = (next.least[count], columns);
        }
        let Layer { least, starts: of_layer, .. } = next;
        starts.push(of_layer);
        layer = least;
    }
    let mut ends = Vec::new();
    let mut end = count;
    for of_layer in starts[..fewest.1].iter().rev() {
        ends.push(end);
        end = of_layer[end] as usize;
    }
    ends.reverse();
    ends
}

/// The best partitions of the first rectangles into a number of columns, one more than `before`.
struct Layer<'a> {
    sums: &'a [f64],
    most: usize,
    before: &'a [f64],
    least: Vec<f64>,
    starts: Vec<u32>,
}

impl Layer<'_> {
    /// Fills `ends`, whose last columns start in `starts`; both ranges include their bounds.
    fn fill(&mut self, ends: (usize, usize), starts: (usize, usize)) {
        if ends.0 > ends.1 {
            return;
        }
        let end = ends.0 + (ends.1 - ends.0) / 2;
        let first = starts.0.max(end.saturating_sub(self.most));
        let mut best = (f64::INFINITY, first);
        for start in first..=starts.1.min(end - 1) {
            let total = self.before[start] + cost(self.sums, start, end);
            if total < best.0 {
                best = (total, start);
            }
        }
        self.least[end] = best.0;
        self.starts[end] = best.1 as u32;
        self.fill((ends.0, end - 1), (starts.0, best.1));
        self.fill((end + 1, ends.1), (best.1, starts.1));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cost_of(sums: &[f64], ends: &[usize]) -> f64 {
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(ends).map(|(start, &end)| cost(sums, start, end)).sum()
    }

    /// The definition: every possible last column, layer by layer.
    fn least_by_trying_all(sums: &[f64], most: usize) -> f64 {
        let count = sums.len() - 1;
        let mut layer = vec![f64::INFINITY; count + 1];
        layer[0] = 0.0;
        let mut least = f64::INFINITY;
        for _ in 0..most {
            let of = |end: usize| {
                let starts = end.saturating_sub(most)..end;
                starts
                    .map(|start| layer[start] + cost(sums, start, end))
                    .fold(f64::INFINITY, f64::min)
            };
            layer = (0..=count).map(of).collect();
            least = least.min(layer[count]);
        }
        least
    }

    proptest! {
        #[test]
        fn few_columns_are_found_by_halving_as_by_trying_all(
            mut areas in prop::collection::vec(0.01..1.0, 1..80),
            beyond in 0_usize..4,
        ) {
            areas.sort_by(f64::total_cmp);
            let mut sums = vec![0.0];
            areas.iter().for_each(|area| sums.push(sums[sums.len() - 1] + area));
            // Fewer columns than would be best, if squares allow it.
            let most = (areas.len() as f64).sqrt().ceil() as usize + beyond;
            for scale in [1.0, 100.0] {
                let sums: Vec<f64> = sums.iter().map(|sum| sum * scale).collect();
                let ends = best_ends_of_few_columns(&sums, most);
                prop_assert!(ends.len() <= most);
                let expected = least_by_trying_all(&sums, most);
                prop_assert!((cost_of(&sums, &ends) / expected - 1.0).abs() < 1e-12);
                let free = best_ends(&sums, most);
                if free.len() <= most {
                    prop_assert!((cost_of(&sums, &free) / expected - 1.0).abs() < 1e-12);
                }
            }
        }
    }
}
