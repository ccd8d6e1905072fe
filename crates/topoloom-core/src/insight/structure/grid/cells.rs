//! Ranks in the cells of a box, and which ranks are neighbours.

use super::directions::digits;
use crate::insight::structure::view::View;

/// Axes go one way if this share of their bytes does.
const ONE_WAY: f64 = 0.95;

/// Ranks in the cells of a box.
pub(super) struct Cells {
    pub(super) lengths: Vec<u32>,
    pub(super) periodic: Vec<bool>,
    /// Rank by rank.
    pub(super) coordinates: Vec<u32>,
    /// The cells that ranks are in, if some are empty.
    pub(super) occupied: Option<Vec<bool>>,
}

impl Cells {
    /// Axes of length 1 are left out. `None` if no axis is left, or more cells than twice the ranks.
    pub(super) fn new(view: &View<'_>, lengths: &[u32], coordinates: Vec<u32>) -> Option<Cells> {
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

    /// Ranks row by row, with the fastest axis first in `strides`.
    pub(super) fn of_strides(view: &View<'_>, strides: &[u32]) -> Option<Cells> {
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
    pub(super) fn cells_per_rank(&self, view: &View<'_>) -> f64 {
        let cells = self.occupied.as_ref().map_or(view.ranks() as usize, Vec::len);
        cells as f64 / f64::from(view.ranks())
    }

    fn cell(&self, rank: u32) -> &[u32] {
        &self.coordinates[rank as usize * self.lengths.len()..][..self.lengths.len()]
    }

    /// The step from one coordinate to the other on an axis, with wrap-around on a ring.
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

    /// The steps from one rank to a neighbour as a number: one digit per axis, 1 up and 2 down.
    #[inline]
    pub(super) fn direction(&self, from: u32, to: u32) -> Option<usize> {
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
    pub(super) fn roughly_expected(&self, view: &View<'_>, direction: usize) -> f64 {
        let of_axis = |(axis, digit): (usize, usize)| {
            let length = f64::from(self.lengths[axis]);
            if digit == 0 || self.periodic[axis] { 1.0 } else { (length - 1.0) / length }
        };
        let digits = digits(direction, self.lengths.len());
        f64::from(view.ranks()) * digits.into_iter().enumerate().map(of_axis).product::<f64>()
    }

    /// How many pairs of ranks lie in this direction.
    pub(super) fn expected(&self, view: &View<'_>, direction: usize) -> f64 {
        let Some(occupied) = &self.occupied else { return self.roughly_expected(view, direction) };
        let digits = digits(direction, self.lengths.len());
        let is_pair = |cell: &[u32]| {
            self.beside(cell, &digits).is_some_and(|number| occupied[number as usize])
        };
        self.coordinates.chunks(self.lengths.len()).filter(|cell| is_pair(cell)).count() as f64
    }

    /// The number of the next cell in a direction, if the box continues there.
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

    /// Whether the box is so narrow that all ranks are neighbours.
    pub(super) fn all_are_neighbours(&self) -> bool {
        let mut axes = self.lengths.iter().zip(&self.periodic);
        axes.all(|(&length, &periodic)| length == 2 || (length == 3 && periodic))
    }

    /// Whether the ranks run through the box row by row, the last axis fastest.
    pub(super) fn is_in_order(&self) -> bool {
        (0..)
            .zip(self.coordinates.chunks(self.lengths.len()))
            .all(|(rank, cell)| self.number(cell) == rank)
    }

    /// Whether along every axis nearly all bytes go the same way.
    pub(super) fn is_one_way(&self, view: &View<'_>) -> bool {
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

    /// A copy that knows directions but not which cells are empty.
    pub(super) fn without_gaps(&self) -> Cells {
        Cells {
            lengths: self.lengths.clone(),
            periodic: self.periodic.clone(),
            coordinates: self.coordinates.clone(),
            occupied: None,
        }
    }
}
