//! The costs of the rows of blocks, by the positions of clusters in one column.

use crate::arrangement::Column;
use crate::measure::{Measure, Ring};

/// Calls `see(top, bottom, clusters)` for every range of rows in which the same rectangles lie
/// beside each other, from top to bottom; `clusters` are those of the columns from left to right.
pub(crate) fn for_each_stretch<'a>(
    cluster_of: &[u32],
    columns: impl Iterator<Item = &'a Column>,
    mut see: impl FnMut(u32, u32, &[u32]),
) {
    let columns: Vec<&Column> = columns.collect();
    let mut bottoms: Vec<u32> = columns.iter().map(|column| column.rectangles[0].height).collect();
    let mut clusters: Vec<u32> =
        columns.iter().map(|column| cluster_of[column.rectangles[0].processor as usize]).collect();
    let mut at = vec![0; columns.len()];
    let mut top = 0;
    while let Some(&bottom) = bottoms.iter().min() {
        see(top, bottom, &clusters);
        top = bottom;
        for (number, column) in columns.iter().enumerate() {
            if bottoms[number] > bottom {
                continue;
            }
            at[number] += 1;
            // Columns have the same height, so all of them end together.
            let Some(rectangle) = column.rectangles.get(at[number]) else { return };
            bottoms[number] += rectangle.height;
            clusters[number] = cluster_of[rectangle.processor as usize];
        }
    }
}

/// The cost of columns: the same as [`Measure::cost`], without a new search for every row.
pub(crate) fn total_cost(measure: &Measure, columns: &[Column]) -> f64 {
    let mut total = 0.0;
    for_each_stretch(measure.cluster_of(), columns.iter(), |top, bottom, row| {
        let ring = measure.ring.cost(row, |from, to| measure.horizontal_link(from, to));
        total += f64::from(bottom - top) * ring;
    });
    total + columns.iter().map(|column| vertical_cost(measure, column)).sum::<f64>()
}

/// The cost of messages along one column.
pub(crate) fn vertical_cost(measure: &Measure, column: &Column) -> f64 {
    let cluster_of = measure.cluster_of();
    let ring: Vec<u32> =
        column.rectangles.iter().map(|r| cluster_of[r.processor as usize]).collect();
    f64::from(column.width) * measure.ring.cost(&ring, |from, to| measure.vertical_link(from, to))
}

/// The cost of rows from one column to the next.
pub(crate) fn cost_beside(measure: &Measure, left: &Column, right: &Column) -> f64 {
    let cluster_of = measure.cluster_of();
    let (mut cost, mut top) = (0.0, 0);
    let mut others = right.rectangles.iter();
    // Where the other rectangle ends, and which cluster it belongs to; columns have the same
    // height.
    let (mut other_bottom, mut other) = (0, 0);
    let mut bottom = 0;
    for rectangle in &left.rectangles {
        let own = cluster_of[rectangle.processor as usize];
        bottom += rectangle.height;
        while top < bottom {
            if other_bottom == top {
                let Some(next) = others.next() else { return cost };
                other_bottom += next.height;
                other = cluster_of[next.processor as usize];
            }
            let end = bottom.min(other_bottom);
            cost += f64::from(end - top) * measure.horizontal_link(own, other);
            top = end;
        }
    }
    cost
}

/// Up to this many rows, the sum above each row is kept, not only above cuts.
const MAX_DENSE: usize = 4096;

/// For one column, with all others given: the cost of the rows that cross it, as a function of the
/// positions of clusters in it. Between two cuts of the other columns, a row costs the same for a
/// given cluster. With sums from the top, the cost of a rectangle at any position is a difference
/// of two sums.
#[derive(Debug)]
pub(crate) struct RowCosts {
    /// Where the other columns are cut, from 0 to the height.
    cuts: Vec<u32>,
    /// The line of each cluster in the tables; `u32::MAX` for clusters that were not requested.
    line_of: Vec<u32>,
    /// The cost of a row: one line per cluster, one number per range between two cuts.
    slopes: Vec<f64>,
    /// The cost of all rows above a cut: one line per cluster, one number per cut.
    sums: Vec<f64>,
    /// The cost of all rows above each row: one line per cluster. Empty if there are too many rows.
    dense: Vec<f64>,
    /// The cost of a row with the cheapest of the clusters, and of all rows above a cut.
    least: (Vec<f64>, Vec<f64>),
}

impl RowCosts {
    /// The rows through column `at`, for the clusters that it holds.
    pub(crate) fn through(measure: &Measure, columns: &[Column], at: usize) -> Self {
        let cluster_of = measure.cluster_of();
        let clusters: Vec<u32> =
            columns[at].rectangles.iter().map(|r| cluster_of[r.processor as usize]).collect();
        RowCosts::new(measure, columns, at, &clusters)
    }

    /// The rows through column `at`, for each of `clusters`. Costs that do not depend on that
    /// column are left out.
    pub(crate) fn new(measure: &Measure, columns: &[Column], at: usize, clusters: &[u32]) -> Self {
        let mut line_of = vec![u32::MAX; measure.num_clusters()];
        let mut lines = Vec::new();
        for &cluster in clusters {
            if line_of[cluster as usize] == u32::MAX {
                line_of[cluster as usize] = lines.len() as u32;
                lines.push(cluster);
            }
        }
        let mut cuts = vec![0];
        let mut by_stretch: Vec<f64> = Vec::new();
        let mut add = |bottom: u32, cost: &dyn Fn(u32) -> f64| {
            cuts.push(bottom);
            by_stretch.extend(lines.iter().map(|&cluster| cost(cluster)));
        };
        let link = |from: u32, to: u32| measure.horizontal_link(from, to);
        let last = columns.len() - 1;
        if last == 0 {
            add(columns[0].rectangles.iter().map(|rectangle| rectangle.height).sum(), &|_| 0.0);
        } else if measure.ring == Ring::AllButCheapest {
            let (left, right) =
                (if at == 0 { last } else { at - 1 }, if at == last { 0 } else { at + 1 });
            for_each_stretch(measure.cluster_of(), columns.iter(), |_, bottom, row| {
                let others = (0..=last)
                    .map(|from| (from, if from == last { 0 } else { from + 1 }))
                    .filter(|&(from, to)| from != at && to != at);
                let cheapest = others
                    .fold(f64::INFINITY, |least, (from, to)| least.min(link(row[from], row[to])));
                add(bottom, &|cluster| {
                    let (before, after) = (link(row[left], cluster), link(cluster, row[right]));
                    before + after - cheapest.min(before).min(after)
                });
            });
        } else {
            let closed = measure.ring == Ring::Closed;
            let left = if at > 0 { Some(at - 1) } else { closed.then_some(last) };
            let right = if at < last { Some(at + 1) } else { closed.then_some(0) };
            let beside = left.into_iter().chain(right).map(|number| &columns[number]);
            for_each_stretch(measure.cluster_of(), beside, |_, bottom, row| {
                add(bottom, &|cluster| {
                    let before = if left.is_some() { link(row[0], cluster) } else { 0.0 };
                    let after =
                        if right.is_some() { link(cluster, row[row.len() - 1]) } else { 0.0 };
                    before + after
                });
            });
        }
        RowCosts::summed(cuts, line_of, lines.len(), &by_stretch)
    }

    /// Turns costs by range into lines, and adds them up.
    fn summed(cuts: Vec<u32>, line_of: Vec<u32>, lines: usize, by_stretch: &[f64]) -> Self {
        let stretches = cuts.len() - 1;
        let mut slopes = Vec::with_capacity(lines * stretches);
        let mut sums = Vec::with_capacity(lines * cuts.len());
        let add_up = |slopes: &[f64], sums: &mut Vec<f64>| {
            let mut sum = 0.0;
            sums.push(sum);
            for (slope, pair) in slopes.iter().zip(cuts.windows(2)) {
                sum += slope * f64::from(pair[1] - pair[0]);
                sums.push(sum);
            }
        };
        for line in 0..lines {
            slopes.extend(by_stretch[line..].iter().step_by(lines.max(1)));
            add_up(&slopes[line * stretches..], &mut sums);
        }
        let least: Vec<f64> = by_stretch
            .chunks(lines.max(1))
            .map(|costs| costs.iter().copied().fold(f64::INFINITY, f64::min))
            .collect();
        let mut least_sums = Vec::with_capacity(cuts.len());
        add_up(&least, &mut least_sums);
        let height = cuts[stretches] as usize;
        let mut dense = Vec::new();
        if height <= MAX_DENSE {
            dense.reserve(lines * (height + 1));
            for line in 0..lines {
                for stretch in 0..stretches {
                    let sum = sums[line * cuts.len() + stretch];
                    let slope = slopes[line * stretches + stretch];
                    let rows = cuts[stretch + 1] - cuts[stretch];
                    dense.extend((0..rows).map(|row| sum + slope * f64::from(row)));
                }
                dense.push(sums[line * cuts.len() + stretches]);
            }
        }
        RowCosts { cuts, line_of, slopes, sums, dense, least: (least, least_sums) }
    }

    /// The cost of all rows above each row with `cluster` in the column; empty if there are too
    /// many rows.
    pub(crate) fn above_each_row(&self, cluster: u32) -> &[f64] {
        if self.dense.is_empty() {
            return &[];
        }
        let rows = self.cuts[self.cuts.len() - 1] as usize + 1;
        let line = self.line_of[cluster as usize] as usize;
        &self.dense[line * rows..(line + 1) * rows]
    }

    /// The range in which row `y` begins, or the last one.
    fn stretch(&self, y: u32) -> usize {
        (self.cuts.partition_point(|&cut| cut <= y) - 1).min(self.cuts.len() - 2)
    }

    #[inline]
    fn above(&self, line: usize, y: u32) -> f64 {
        if !self.dense.is_empty() {
            return self.dense[line * (self.cuts[self.cuts.len() - 1] as usize + 1) + y as usize];
        }
        let stretch = self.stretch(y);
        self.sums[line * self.cuts.len() + stretch]
            + self.slopes[line * (self.cuts.len() - 1) + stretch]
                * f64::from(y - self.cuts[stretch])
    }

    /// The cost of the rows from `top` to `bottom` with `cluster` in the column.
    #[inline]
    pub(crate) fn between(&self, cluster: u32, top: u32, bottom: u32) -> f64 {
        let line = self.line_of[cluster as usize] as usize;
        self.above(line, bottom) - self.above(line, top)
    }

    /// A lower bound of the cost of the rows from `top` to `bottom`, with any cluster there.
    pub(crate) fn least_between(&self, top: u32, bottom: u32) -> f64 {
        let above = |y: u32| {
            let stretch = self.stretch(y);
            self.least.1[stretch] + self.least.0[stretch] * f64::from(y - self.cuts[stretch])
        };
        above(bottom) - above(top)
    }
}
