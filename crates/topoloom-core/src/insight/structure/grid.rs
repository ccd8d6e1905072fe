//! Neighbours on a box: chains, rings, grids, tori and wavefronts.

use super::Structure;
use super::better;
use super::parts::part_of_each;
use super::view::{Candidate, View, least_of_mean};
use crate::clock::Clock;
use crate::grid_detection;
use crate::run::Run;

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

/// Of the ranks with partners this share must hang together: jobs side by side are no grid.
const LEAST_TOGETHER: f64 = 0.9;

/// A box that ranks in any order lie in may have so many cells for each of them.
const MOST_CELLS: f64 = 1.02;

/// The best box that hangs together.
pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    best(view).filter(|_| hangs_together(view))
}

/// Whether nearly all ranks that exchange what matters reach each other.
fn hangs_together(view: &View<'_>) -> bool {
    let (part, parts) = part_of_each(view);
    let mut sizes = vec![0.0; parts];
    part.iter().flatten().for_each(|&part| sizes[part as usize] += 1.0);
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    largest >= LEAST_TOGETHER * sizes.iter().sum::<f64>()
}

fn best(view: &View<'_>) -> Option<Candidate> {
    if view.ranks() == 2 && view.graph.num_pairs() == 1 {
        return pair(view);
    }
    let judged = |cells: Cells| Some((judge(view, &cells)?, cells.occupied.is_none()));
    let few_axes = grid_detection::detect(view.graph, &Clock::new(&Run::new(0))).and_then(|grid| {
        let ranks = 0..grid.ranks();
        let coordinates = ranks.flat_map(|rank| grid.cell(rank).to_vec()).collect();
        judged(Cells::new(view, &grid.lengths, coordinates)?)
    });
    if let Some((found, true)) = &few_axes
        && found.quality() > 0.97
    {
        return few_axes.map(|found| found.0);
    }
    // Where ranks are in order, small, long or noisy grids may have escaped it.
    let in_order = grid_detection::long_chains(view.graph, MOST_AXES).into_iter();
    let in_order = in_order.filter_map(|strides| judged(Cells::of_strides(view, &strides)?));
    let (full, with_gaps): (Vec<_>, Vec<_>) =
        few_axes.into_iter().chain(in_order).partition(|(_, is_full)| *is_full);
    let best = |found: Vec<(Candidate, bool)>| {
        let candidates = found.into_iter().map(|found| found.0);
        candidates.reduce(|best, next| if next.quality() > best.quality() { next } else { best })
    };
    // Empty cells excuse what is missing, so a box without any is more to be believed.
    better(best(full), || best(with_gaps))
}

/// Two ranks, for which nothing is surprising.
fn pair(view: &View<'_>) -> Option<Candidate> {
    let cells = Cells::new(view, &[2], vec![0, 1])?;
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
        talkers_only: false,
        joins: Box::new(|_, _| true),
    })
}

/// Ranks in the cells of a box.
struct Cells {
    lengths: Vec<u32>,
    periodic: Vec<bool>,
    /// Rank by rank.
    coordinates: Vec<u32>,
    /// The cells that ranks are in, where some are empty.
    occupied: Option<Vec<bool>>,
}

impl Cells {
    /// Axes of length 1 are none. `None` if no axis is left, or more cells than twice the ranks.
    fn new(view: &View<'_>, lengths: &[u32], coordinates: Vec<u32>) -> Option<Cells> {
        let is_axis: Vec<bool> = lengths.iter().map(|&length| length > 1).collect();
        let mut cells = Cells {
            lengths: lengths.iter().copied().filter(|&length| length > 1).collect(),
            periodic: Vec::new(),
            coordinates,
            occupied: None,
        };
        if is_axis.contains(&false) {
            let kept = is_axis.iter().cycle();
            let coordinates = cells.coordinates.iter().zip(kept);
            cells.coordinates = coordinates.filter(|at| *at.1).map(|at| *at.0).collect();
        }
        let ranks = u64::from(view.ranks());
        let count = cells.lengths.iter().try_fold(1u64, |count, &length| {
            count.checked_mul(u64::from(length)).filter(|&count| count <= 2 * ranks)
        })?;
        if cells.lengths.is_empty() || count < ranks {
            return None;
        }
        if count > ranks {
            let mut occupied = vec![false; count as usize];
            for cell in cells.coordinates.chunks(cells.lengths.len()) {
                occupied[cells.number(cell) as usize] = true;
            }
            cells.occupied = Some(occupied);
        }
        cells.periodic = vec![true; cells.lengths.len()];
        cells.periodic = cells.rings(view);
        Some(cells)
    }

    /// Ranks row by row, the fastest axis first in `strides`.
    fn of_strides(view: &View<'_>, strides: &[u32]) -> Option<Cells> {
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
        Cells::new(view, &lengths, coordinates)
    }

    /// The number of a cell, row by row, the last axis fastest.
    fn number(&self, cell: &[u32]) -> u64 {
        let pairs = cell.iter().zip(&self.lengths);
        pairs.fold(0, |number, (&at, &length)| number * u64::from(length) + u64::from(at))
    }

    /// How many cells there are for each rank.
    fn cells_a_rank(&self, view: &View<'_>) -> f64 {
        let cells = self.occupied.as_ref().map_or(view.ranks() as usize, Vec::len);
        cells as f64 / f64::from(view.ranks())
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
                straight[axis].0 += if weight >= view.least { 1.0 } else { 0.0 };
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

    /// How many pairs lie in this direction, if no cell is empty.
    fn roughly_expected(&self, view: &View<'_>, direction: usize) -> f64 {
        let of_axis = |(axis, digit): (usize, usize)| {
            let length = f64::from(self.lengths[axis]);
            if digit == 0 || self.periodic[axis] { 1.0 } else { (length - 1.0) / length }
        };
        let digits = digits(direction, self.lengths.len());
        f64::from(view.ranks()) * digits.into_iter().enumerate().map(of_axis).product::<f64>()
    }

    /// How many pairs of ranks lie in this direction.
    fn expected(&self, view: &View<'_>, direction: usize) -> f64 {
        let Some(occupied) = &self.occupied else { return self.roughly_expected(view, direction) };
        let digits = digits(direction, self.lengths.len());
        let is_pair = |cell: &[u32]| {
            self.beside(cell, &digits).is_some_and(|number| occupied[number as usize])
        };
        self.coordinates.chunks(self.lengths.len()).filter(|cell| is_pair(cell)).count() as f64
    }

    /// The number of the next cell in a direction, if the box goes on there.
    fn beside(&self, cell: &[u32], digits: &[usize]) -> Option<u64> {
        let mut number = 0;
        for (axis, (&at, &digit)) in cell.iter().zip(digits).enumerate() {
            let length = self.lengths[axis];
            let next = match digit {
                0 => at,
                1 if at + 1 < length => at + 1,
                1 => Some(0).filter(|_| self.periodic[axis])?,
                _ if at > 0 => at - 1,
                _ => Some(length - 1).filter(|_| self.periodic[axis])?,
            };
            number = number * u64::from(length) + u64::from(next);
        }
        Some(number)
    }

    /// Whether the box is so narrow that everyone is beside everyone.
    fn all_are_neighbours(&self) -> bool {
        let mut axes = self.lengths.iter().zip(&self.periodic);
        axes.all(|(&length, &periodic)| length == 2 || (length == 3 && periodic))
    }

    /// Whether the ranks run through the box row by row, the last axis fastest.
    fn is_in_order(&self) -> bool {
        (0..)
            .zip(self.coordinates.chunks(self.lengths.len()))
            .all(|(rank, cell)| self.number(cell) == rank)
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
    // The pairs of each direction; exactly only where many are there, for there may be thousands.
    let full: Vec<f64> = (0..directions)
        .map(|way| match cells.roughly_expected(view, way) {
            roughly if tally[way].0 < 0.25 * roughly => roughly,
            _ => cells.expected(view, way),
        })
        .collect();
    let steps =
        |direction: usize| digits(direction, axes).iter().filter(|&&digit| digit > 0).count();
    // Corners of a halo are next to nothing beside its faces, but as much as each other.
    let least: Vec<f64> = (0..directions)
        .map(|way| match steps(way) {
            1 => view.least_present(tally[way].1, full[way]),
            _ => least_of_mean(tally[way].1, full[way]),
        })
        .collect();
    let mut there = vec![0.0; directions];
    view.graph.for_each_pair(|a, b, weight| {
        if let Some(direction) = cells.direction(a, b) {
            let way = canonical[direction];
            there[way] += if weight >= least[way] { 1.0 } else { 0.0 };
        }
    });
    let straight: Vec<usize> = (0..axes).rev().map(|axis| 3usize.pow(axis as u32)).collect();
    let axis_shares: Vec<f64> =
        straight.iter().map(|&direction| tally[direction].1 / view.total).collect();
    let of = |ways: &[usize], sums: &[f64]| ways.iter().map(|&way| sums[way]).sum::<f64>();
    let expected: f64 = straight.iter().map(|&way| cells.expected(view, way)).sum();
    let found = of(&straight, &there);
    let mut present = (found / expected).min(1.0);
    let mut share: f64 = axis_shares.iter().sum();
    let along_axes = view.is_convincing(share, present, expected);

    // Something light between all pairs would make diagonals too.
    let background = if outside.0 > 0.0 { outside.1 / outside.0 } else { 0.0 };
    let is_diagonal = |way: usize| canonical[way] == way && steps(way) > 1;
    let belongs = |way: usize| {
        there[way] > 0.0
            && there[way] >= LEAST_OF_DIAGONAL * full[way]
            && tally[way].1 > 2.0 * background * there[way]
    };
    let diagonals: Vec<usize> = (0..directions).filter(|&way| is_diagonal(way)).collect();
    let mut with_diagonals: Vec<usize> =
        diagonals.iter().copied().filter(|&way| belongs(way)).collect();
    let is_everyone = with_diagonals.len() == diagonals.len() && cells.all_are_neighbours();
    if LEAST_DIAGONALS * with_diagonals.len() < diagonals.len() || is_everyone {
        with_diagonals.clear();
    }
    // Judged again: with diagonals a small box has most of all pairs.
    if !with_diagonals.is_empty() {
        let carried: f64 = with_diagonals.iter().map(|&way| tally[way].1 / view.total).sum();
        let all = expected + of(&with_diagonals, &full);
        let all_present = ((found + of(&with_diagonals, &there)) / all).min(1.0);
        if view.is_convincing(share + carried, all_present, all) {
            (share, present) = (share + carried, all_present);
        } else {
            with_diagonals.clear();
        }
    }
    if !along_axes && with_diagonals.is_empty() {
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
    if order == RankOrder::Other && cells.cells_a_rank(view) > MOST_CELLS {
        return None;
    }
    // A search among all orders of a few ranks finds something nearly always.
    if order == RankOrder::Other && view.ranks() < FEW_RANKS && share * present < LEAST_OF_FEW {
        return None;
    }
    let own = Cells {
        lengths: cells.lengths.clone(),
        periodic: cells.periodic.clone(),
        coordinates: cells.coordinates.clone(),
        occupied: None,
    };
    Some(Candidate {
        structure: named(cells, view, kind, axis_shares, order),
        order,
        ranks: view.ranks() as usize,
        share: share.min(1.0),
        present,
        talkers_only: false,
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
