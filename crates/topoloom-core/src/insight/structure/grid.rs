//! Neighbours on a box: chains, rings, grids, tori and wavefronts.

use super::Structure;
use super::view::{Candidate, View};
use crate::strategy::folding;

/// Axes of a grid whose ranks are in order; in any order up to 4 are found.
const MOST_AXES: usize = 8;

/// A diagonal belongs to the neighbours if this share of its pairs exchanges something.
const LEAST_OF_DIAGONAL: f64 = 0.75;

/// One in so many diagonals must, or none counts: a few come about by chance on narrow boxes.
const LEAST_DIAGONALS: usize = 4;

/// Grids of fewer ranks in any order
const FEW_RANKS: u32 = 64;

/// must explain so much.
const LEAST_OF_FEW: f64 = 0.9;

/// Axes go one way if this share of their bytes does.
const ONE_WAY: f64 = 0.95;

/// How ranks are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankOrder {
    /// As the structure's own numbers run; in grids the last axis is fastest.
    Natural,
    /// In some other order.
    Other,
}

/// Whether diagonal neighbours exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagonals {
    /// Only neighbours along axes do (von Neumann).
    None,
    /// Along some of the diagonals, of which there are so many.
    Some(usize, usize),
    /// All around do (Moore).
    All,
}

/// A box of ranks whose neighbours exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The length of each axis; in natural order the last one is fastest.
    pub lengths: Vec<u32>,
    /// Whether the ends of an axis exchange.
    pub periodic: Vec<bool>,
    /// Which diagonal neighbours exchange.
    pub diagonals: Diagonals,
    /// Whether messages go along each axis one way only, as wavefronts do.
    pub one_way: bool,
    /// The share of all bytes along each axis.
    pub axis_shares: Vec<f64>,
}

pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    if view.ranks() == 2 && view.graph.num_pairs() == 1 {
        return pair(view);
    }
    let few_axes = folding::detect(view.graph).and_then(|grid| {
        let ranks = 0..grid.ranks();
        let coordinates = ranks.flat_map(|rank| grid.cell(rank).to_vec()).collect();
        judge(view, &Cells::new(view, grid.lengths.clone(), coordinates))
    });
    if few_axes.as_ref().is_some_and(|found| found.quality() > 0.97) {
        return few_axes;
    }
    // Small or long grids may have escaped it where ranks are in order.
    let chains = folding::long_chains(view.graph, MOST_AXES);
    let long = chains.into_iter().filter(|strides| few_axes.is_none() || strides.len() > 4);
    let more_axes: Vec<Candidate> =
        long.filter_map(|strides| judge(view, &Cells::of_strides(view, &strides))).collect();
    few_axes.into_iter().chain(more_axes).fold(None, |best: Option<Candidate>, next| match best {
        Some(best) if best.quality() >= next.quality() => Some(best),
        _ => Some(next),
    })
}

/// Two ranks, for which nothing is surprising.
fn pair(view: &View<'_>) -> Option<Candidate> {
    let cells = Cells { lengths: vec![2], periodic: vec![false], coordinates: vec![0, 1] };
    let grid = Grid {
        lengths: vec![2],
        periodic: vec![false],
        diagonals: Diagonals::None,
        one_way: cells.is_one_way(view),
        axis_shares: vec![1.0],
    };
    Some(Candidate {
        structure: Structure::Grid(grid),
        order: RankOrder::Natural,
        ranks: 2,
        share: 1.0,
        present: 1.0,
        joins: Box::new(|_, _| true),
    })
}

/// Ranks in the cells of a box.
struct Cells {
    lengths: Vec<u32>,
    periodic: Vec<bool>,
    /// Rank by rank.
    coordinates: Vec<u32>,
}

impl Cells {
    fn new(view: &View<'_>, lengths: Vec<u32>, coordinates: Vec<u32>) -> Cells {
        let periodic = vec![true; lengths.len()];
        let mut cells = Cells { lengths, periodic, coordinates };
        cells.periodic = cells.rings(view);
        cells
    }

    /// Ranks row by row, the fastest axis first in `strides`.
    fn of_strides(view: &View<'_>, strides: &[u32]) -> Cells {
        let ranks = view.ranks();
        let whole = ranks.next_multiple_of(strides[strides.len() - 1]);
        let above = strides.iter().copied().skip(1).chain([whole]);
        let mut lengths: Vec<u32> =
            strides.iter().zip(above).map(|(stride, above)| above / stride).collect();
        lengths.reverse();
        let mut coordinates = Vec::with_capacity(ranks as usize * lengths.len());
        for rank in 0..ranks {
            let slowest_first = strides.iter().rev().zip(&lengths);
            coordinates.extend(slowest_first.map(|(stride, length)| rank / stride % length));
        }
        Cells::new(view, lengths, coordinates)
    }

    fn cell(&self, rank: u32) -> &[u32] {
        &self.coordinates[rank as usize * self.lengths.len()..][..self.lengths.len()]
    }

    /// The step from one coordinate to the other on an axis, around the end of a ring.
    #[inline]
    fn step(&self, axis: usize, from: u32, to: u32) -> Option<i32> {
        let length = self.lengths[axis];
        match i64::from(to) - i64::from(from) {
            0 => Some(0),
            1 => Some(1),
            -1 => Some(-1),
            apart if !self.periodic[axis] || apart.unsigned_abs() + 1 != u64::from(length) => None,
            apart => Some(if apart > 0 { -1 } else { 1 }),
        }
    }

    /// The steps from one rank to a neighbour as a number: a digit an axis, 1 up and 2 down.
    #[inline]
    fn direction(&self, from: u32, to: u32) -> Option<usize> {
        let mut direction = 0;
        for (axis, (&a, &b)) in self.cell(from).iter().zip(self.cell(to)).enumerate() {
            direction = 3 * direction + self.step(axis, a, b)?.rem_euclid(3) as usize;
        }
        Some(direction)
    }

    /// Which axes are rings: their ends exchange about as much as other neighbours do.
    fn rings(&self, view: &View<'_>) -> Vec<bool> {
        let mut straight = vec![(0.0, 0.0); self.lengths.len()];
        let mut around = vec![0.0; self.lengths.len()];
        view.graph.for_each_pair(|a, b, weight| {
            let (a, b) = (self.cell(a), self.cell(b));
            let mut moved = (0..a.len()).filter(|&axis| a[axis] != b[axis]);
            let (Some(axis), None) = (moved.next(), moved.next()) else { return };
            let apart = a[axis].abs_diff(b[axis]);
            if apart == 1 {
                straight[axis].0 += 1.0;
                straight[axis].1 += weight;
            } else if apart + 1 == self.lengths[axis] {
                around[axis] += weight;
            }
        });
        let ring = |axis: usize| {
            let lines = f64::from(view.ranks()) / f64::from(self.lengths[axis]);
            let usual = straight[axis].1 / f64::max(straight[axis].0, 1.0);
            self.lengths[axis] > 2 && usual > 0.0 && around[axis] >= 0.4 * lines * usual
        };
        (0..self.lengths.len()).map(ring).collect()
    }

    /// How many pairs lie in this direction.
    fn expected(&self, view: &View<'_>, direction: usize) -> f64 {
        let of_axis = |(axis, digit): (usize, usize)| {
            let length = f64::from(self.lengths[axis]);
            if digit == 0 || self.periodic[axis] { 1.0 } else { (length - 1.0) / length }
        };
        let digits = digits(direction, self.lengths.len());
        f64::from(view.ranks()) * digits.into_iter().enumerate().map(of_axis).product::<f64>()
    }

    /// Whether the ranks run through the box row by row, the last axis fastest.
    fn is_in_order(&self) -> bool {
        let number = |cell: &[u32]| {
            let pairs = cell.iter().zip(&self.lengths);
            pairs.fold(0u64, |number, (&at, &length)| number * u64::from(length) + u64::from(at))
        };
        (0..)
            .zip(self.coordinates.chunks(self.lengths.len()))
            .all(|(rank, cell)| number(cell) == rank)
    }

    /// Whether along every axis nearly all bytes go the same way.
    fn is_one_way(&self, view: &View<'_>) -> bool {
        let mut up_and_down = vec![(0.0, 0.0); self.lengths.len()];
        let places: Vec<(usize, usize)> = (0..self.lengths.len())
            .map(|axis| 3usize.pow((self.lengths.len() - 1 - axis) as u32))
            .map(|up| (up, 2 * up))
            .collect();
        view.traffic.for_each_flow(view.weight, |from, to, weight| {
            let Some(direction) = self.direction(from, to) else { return };
            for (sums, &(up, down)) in up_and_down.iter_mut().zip(&places) {
                sums.0 += if direction == up { weight } else { 0.0 };
                sums.1 += if direction == down { weight } else { 0.0 };
            }
        });
        up_and_down.iter().all(|&(up, down)| f64::max(up, down) >= ONE_WAY * (up + down))
    }
}

/// The digits of a direction, axis by axis.
fn digits(mut direction: usize, axes: usize) -> Vec<usize> {
    let mut digits = vec![0; axes];
    for digit in digits.iter_mut().rev() {
        *digit = direction % 3;
        direction /= 3;
    }
    digits
}

/// The opposite direction.
fn opposite(direction: usize, axes: usize) -> usize {
    let reversed = digits(direction, axes).into_iter().map(|digit| (3 - digit) % 3);
    reversed.fold(0, |number, digit| 3 * number + digit)
}

/// Measures a grid; `None` if it is not convincing.
fn judge(view: &View<'_>, cells: &Cells) -> Option<Candidate> {
    let axes = cells.lengths.len();
    let directions = 3usize.pow(axes as u32);
    // A pair lies in a direction and in its opposite: the lower number stands for both.
    let canonical: Vec<usize> =
        (0..directions).map(|direction| direction.min(opposite(direction, axes))).collect();
    let mut tally = vec![(0.0, 0.0); directions];
    let mut outside = (0.0, 0.0);
    view.graph.for_each_pair(|a, b, weight| {
        let sums = match cells.direction(a, b) {
            Some(direction) => &mut tally[canonical[direction]],
            None => &mut outside,
        };
        sums.0 += 1.0;
        sums.1 += weight;
    });
    let steps =
        |direction: usize| digits(direction, axes).iter().filter(|&&digit| digit > 0).count();
    let straight: Vec<usize> = (0..axes).rev().map(|axis| 3usize.pow(axis as u32)).collect();
    let axis_shares: Vec<f64> =
        straight.iter().map(|&direction| tally[direction].1 / view.total).collect();
    let mut expected: f64 = straight.iter().map(|&way| cells.expected(view, way)).sum();
    let found: f64 = straight.iter().map(|&way| tally[way].0).sum();
    let present = (found / expected).min(1.0);
    let mut share: f64 = axis_shares.iter().sum();

    // Something light between all pairs would make diagonals too.
    let background = if outside.0 > 0.0 { outside.1 / outside.0 } else { 0.0 };
    let is_diagonal = |way: usize| canonical[way] == way && steps(way) > 1;
    let belongs = |way: usize| {
        let (pairs, carried) = tally[way];
        pairs >= LEAST_OF_DIAGONAL * cells.expected(view, way) && carried > 2.0 * background * pairs
    };
    let diagonals: Vec<usize> = (0..directions).filter(|&way| is_diagonal(way)).collect();
    let mut with_diagonals: Vec<usize> =
        diagonals.iter().copied().filter(|&way| belongs(way)).collect();
    if LEAST_DIAGONALS * with_diagonals.len() < diagonals.len() {
        with_diagonals.clear();
    }
    let along_axes = view.is_convincing(share, present, expected);
    for &way in &with_diagonals {
        share += tally[way].1 / view.total;
        expected += cells.expected(view, way);
    }
    if !along_axes && !view.is_convincing(share, present, expected) {
        return None;
    }
    let kind = match with_diagonals.len() {
        0 => Diagonals::None,
        some if some == diagonals.len() => Diagonals::All,
        some => Diagonals::Some(some, diagonals.len()),
    };
    let mut joined = vec![false; directions];
    straight.iter().chain(&with_diagonals).for_each(|&way| joined[way] = true);
    let order = if cells.is_in_order() { RankOrder::Natural } else { RankOrder::Other };
    // A search among all orders of a few ranks finds something nearly always.
    if order == RankOrder::Other && view.ranks() < FEW_RANKS && share * present < LEAST_OF_FEW {
        return None;
    }
    let own = Cells {
        lengths: cells.lengths.clone(),
        periodic: cells.periodic.clone(),
        coordinates: cells.coordinates.clone(),
    };
    Some(Candidate {
        structure: named(cells, view, kind, axis_shares, order),
        order,
        ranks: view.ranks() as usize,
        share: share.min(1.0),
        present,
        joins: Box::new(move |a, b| own.direction(a, b).is_some_and(|way| joined[canonical[way]])),
    })
}

/// The grid; a box of side 2 is a hypercube. Axes of ranks in any order have no order themselves:
/// long ones first.
fn named(
    cells: &Cells,
    view: &View<'_>,
    diagonals: Diagonals,
    axis_shares: Vec<f64>,
    order: RankOrder,
) -> Structure {
    let axes = cells.lengths.len();
    let is_cube = axes > 2 && diagonals == Diagonals::None;
    if is_cube && cells.lengths.iter().all(|&length| length == 2) {
        return Structure::Hypercube { bits: (0..axes as u32).collect() };
    }
    let mut by_length: Vec<usize> = (0..axes).collect();
    if order == RankOrder::Other {
        by_length
            .sort_by_key(|&axis| (std::cmp::Reverse(cells.lengths[axis]), !cells.periodic[axis]));
    }
    Structure::Grid(Grid {
        lengths: by_length.iter().map(|&axis| cells.lengths[axis]).collect(),
        periodic: by_length.iter().map(|&axis| cells.periodic[axis]).collect(),
        diagonals,
        one_way: cells.is_one_way(view),
        axis_shares: by_length.iter().map(|&axis| axis_shares[axis]).collect(),
    })
}
