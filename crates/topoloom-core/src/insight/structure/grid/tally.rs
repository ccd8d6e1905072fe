//! The pairs of ranks by their direction on a box.

use super::cells::Cells;
use super::directions::{opposite, steps};
use crate::insight::structure::view::{View, least_of_mean};

/// A diagonal belongs to the neighbours if this share of its pairs exchanges something.
const LEAST_OF_DIAGONAL: f64 = 0.75;

/// At least one in this many diagonals must belong, or none counts: on narrow boxes a few occur by
/// chance.
const LEAST_DIAGONALS: usize = 4;

/// The counts for each direction. A pair lies in a direction and in its opposite: the lower number
/// stands for both.
pub(super) struct Tally {
    axes: usize,
    /// The number that stands for each direction.
    pub(super) canonical: Vec<usize>,
    /// How many pairs exchange anything, and how much.
    exchanged: Vec<(f64, f64)>,
    /// The same for pairs that are not neighbours.
    outside: (f64, f64),
    /// How many pairs there could be.
    full: Vec<f64>,
    /// How many pairs exchange what matters.
    there: Vec<f64>,
}

/// How much of the traffic a set of directions explains.
#[derive(Clone, Copy)]
pub(super) struct Measured {
    /// The share of all bytes.
    pub(super) share: f64,
    /// The share of the pairs that exchange what matters.
    pub(super) present: f64,
    /// How many pairs there could be.
    expected: f64,
    /// How many exchange what matters.
    found: f64,
}

impl Measured {
    pub(super) fn is_convincing(&self, view: &View<'_>) -> bool {
        view.is_convincing(self.share, self.present, self.expected)
    }
}

impl Tally {
    pub(super) fn of(view: &View<'_>, cells: &Cells) -> Tally {
        let axes = cells.lengths.len();
        let directions = 3usize.pow(axes as u32);
        let canonical: Vec<usize> =
            (0..directions).map(|direction| direction.min(opposite(direction, axes))).collect();
        let mut exchanged = vec![(0.0, 0.0); directions];
        let mut outside = (0.0, 0.0);
        view.graph.for_each_pair(|a, b, weight| {
            let sums = match cells.direction(a, b) {
                Some(direction) => &mut exchanged[canonical[direction]],
                None => &mut outside,
            };
            sums.0 += 1.0;
            sums.1 += weight;
        });
        // Counted exactly only if many are present, because there may be thousands of directions.
        let full: Vec<f64> = (0..directions)
            .map(|way| match cells.roughly_expected(view, way) {
                roughly if exchanged[way].0 < 0.25 * roughly => roughly,
                _ => cells.expected(view, way),
            })
            .collect();
        let mut tally = Tally { axes, canonical, exchanged, outside, full, there: Vec::new() };
        tally.there = tally.count_there(view, cells);
        tally
    }

    /// How many pairs of each direction exchange what matters.
    fn count_there(&self, view: &View<'_>, cells: &Cells) -> Vec<f64> {
        let directions = self.canonical.len();
        // Corners of a halo carry almost nothing compared with its faces, but about as much as each
        // other.
        let least: Vec<f64> = (0..directions)
            .map(|way| match steps(way, self.axes) {
                1 => view.least_present(self.exchanged[way].1, self.full[way]),
                _ => least_of_mean(self.exchanged[way].1, self.full[way]),
            })
            .collect();
        let mut there = vec![0.0; directions];
        view.graph.for_each_pair(|a, b, weight| {
            if let Some(direction) = cells.direction(a, b) {
                let way = self.canonical[direction];
                there[way] += if weight >= least[way] { 1.0 } else { 0.0 };
            }
        });
        there
    }

    /// The share of all bytes in a direction.
    pub(super) fn share(&self, view: &View<'_>, way: usize) -> f64 {
        self.exchanged[way].1 / view.total
    }

    /// Measures the directions along axes, which have these shares.
    pub(super) fn along_axes(
        &self,
        view: &View<'_>,
        cells: &Cells,
        straight: &[usize],
        shares: &[f64],
    ) -> Measured {
        let expected: f64 = straight.iter().map(|&way| cells.expected(view, way)).sum();
        let found = sum_of(straight, &self.there);
        let present = (found / expected).min(1.0);
        Measured { share: shares.iter().sum(), present, expected, found }
    }

    /// All diagonal directions.
    pub(super) fn diagonals(&self) -> Vec<usize> {
        let is_diagonal = |way: usize| self.canonical[way] == way && steps(way, self.axes) > 1;
        (0..self.canonical.len()).filter(|&way| is_diagonal(way)).collect()
    }

    /// The diagonals whose pairs exchange something; none if they are too few, or if the box is so
    /// narrow that they would join all ranks.
    pub(super) fn diagonals_there(&self, diagonals: &[usize], cells: &Cells) -> Vec<usize> {
        // Light traffic between all pairs would produce diagonals too.
        let outside = self.outside;
        let background = if outside.0 > 0.0 { outside.1 / outside.0 } else { 0.0 };
        let belongs = |way: usize| {
            self.there[way] > 0.0
                && self.there[way] >= LEAST_OF_DIAGONAL * self.full[way]
                && self.exchanged[way].1 > 2.0 * background * self.there[way]
        };
        let mut there: Vec<usize> = diagonals.iter().copied().filter(|&way| belongs(way)).collect();
        let is_everyone = there.len() == diagonals.len() && cells.all_are_neighbours();
        if LEAST_DIAGONALS * there.len() < diagonals.len() || is_everyone {
            there.clear();
        }
        there
    }

    /// Measures the directions along axes together with these diagonals.
    pub(super) fn with_diagonals(
        &self,
        view: &View<'_>,
        along_axes: &Measured,
        diagonals: &[usize],
    ) -> Measured {
        let carried: f64 = diagonals.iter().map(|&way| self.share(view, way)).sum();
        let expected = along_axes.expected + sum_of(diagonals, &self.full);
        let found = along_axes.found + sum_of(diagonals, &self.there);
        let present = (found / expected).min(1.0);
        Measured { share: along_axes.share + carried, present, expected, found }
    }
}

fn sum_of(ways: &[usize], sums: &[f64]) -> f64 {
    ways.iter().map(|&way| sums[way]).sum::<f64>()
}
