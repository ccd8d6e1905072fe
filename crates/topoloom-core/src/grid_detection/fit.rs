//! Cuts a grown grid to a box: the length of each axis, and which axes are rings.

use super::growth::Position;
use super::neighbours::Neighbours;
use super::repair::Cells;

/// At least this share of all ranks must have found a place.
const LEAST_PLACED: f64 = 0.7;

/// A box may have this many cells for each rank.
const MOST_CELLS_PER_RANK: f64 = 1.3;

/// Pairs used to compare readings.
const MOST_PAIRS: usize = 20_000;

/// One reading of an axis.
#[derive(Debug, Clone, Copy)]
struct Reading {
    first: i32,
    length: u32,
    ring: bool,
}

impl Reading {
    /// The coordinate of a position; none outside an open axis.
    fn coordinate(&self, at: i32) -> Option<u32> {
        if self.ring {
            return Some(at.rem_euclid(self.length as i32) as u32);
        }
        let coordinate = u32::try_from(at - self.first).ok()?;
        (coordinate < self.length).then_some(coordinate)
    }

    /// Steps between two positions; none if one lies outside.
    fn steps(&self, a: i32, b: i32) -> Option<u32> {
        let straight = self.coordinate(a)?.abs_diff(self.coordinate(b)?);
        Some(if self.ring { straight.min(self.length - straight) } else { straight })
    }
}

/// The box that makes most pairs of neighbours lie one step apart, with the cell of each rank.
pub(super) fn fit(
    neighbours: &Neighbours,
    positions: &[Option<Position>],
    axes: usize,
) -> Option<Cells> {
    let placed: Vec<Position> = positions.iter().flatten().copied().collect();
    let ranks = positions.len();
    if (placed.len() as f64) < LEAST_PLACED * ranks as f64 {
        return None;
    }
    let mut pairs: Vec<(Position, Position)> = neighbours
        .pairs()
        .filter_map(|(a, b)| Some((positions[a as usize]?, positions[b as usize]?)))
        .collect();
    let every = pairs.len().div_ceil(MOST_PAIRS).max(1);
    pairs = pairs.into_iter().step_by(every).collect();

    let readings: Vec<Vec<Reading>> =
        (0..axes).map(|axis| readings(&placed, &pairs, axis)).collect();
    let mut best: Option<(usize, u64, Vec<Reading>)> = None;
    let most_cells = (MOST_CELLS_PER_RANK * ranks as f64) as u64;
    for_each_choice(&readings, &mut Vec::new(), &mut |choice| {
        let cells =
            choice.iter().fold(1u64, |cells, axis| cells.saturating_mul(u64::from(axis.length)));
        if cells < ranks as u64 || cells > most_cells {
            return;
        }
        let beside = pairs.iter().filter(|(a, b)| are_beside(choice, a, b)).count();
        let better = |(most, fewest, _): &(usize, u64, _)| {
            beside > *most || (beside == *most && cells < *fewest)
        };
        if best.as_ref().is_none_or(better) {
            best = Some((beside, cells, choice.to_vec()));
        }
    });
    let (_, _, choice) = best?;
    let wanted = positions.iter().map(|position| {
        let position = (*position)?;
        choice.iter().zip(position).map(|(axis, at)| axis.coordinate(at)).collect()
    });
    let lengths = choice.iter().map(|axis| axis.length).collect();
    let rings = choice.iter().map(|axis| axis.ring).collect();
    Some(Cells::new(neighbours, lengths, rings, wanted.collect()))
}

/// The possible readings of the axis: open from the first to the last place, the same without
/// slices that are nearly empty, or a ring of a length that joins distant ends.
fn readings(placed: &[Position], pairs: &[(Position, Position)], axis: usize) -> Vec<Reading> {
    let coordinates = || placed.iter().map(|position| position[axis]);
    let (low, high) = (coordinates().min().unwrap_or(0), coordinates().max().unwrap_or(0));
    let mut slices = vec![0usize; (high - low) as usize + 1];
    coordinates().for_each(|at| slices[(at - low) as usize] += 1);
    let mut readings = vec![Reading { first: low, length: slices.len() as u32, ring: false }];

    let fullest = slices.iter().copied().max().unwrap_or(0);
    let is_full = |&slice: &usize| 3 * slice >= fullest;
    if let (Some(from), Some(to)) =
        (slices.iter().position(is_full), slices.iter().rposition(is_full))
        && to - from + 1 < slices.len()
    {
        let length = (to - from + 1) as u32;
        readings.push(Reading { first: low + from as i32, length, ring: false });
    }

    let mut apart = vec![0usize; slices.len()];
    for (a, b) in pairs {
        apart[a[axis].abs_diff(b[axis]) as usize] += 1;
    }
    let mut jumps: Vec<usize> = (2..apart.len()).filter(|&jump| apart[jump] > 0).collect();
    jumps.sort_by_key(|&jump| (std::cmp::Reverse(apart[jump]), jump));
    for &jump in jumps.iter().take(3) {
        for length in [jump as u32 + 1, jump as u32, jump as u32 - 1] {
            let is_new = readings.iter().all(|known| !known.ring || known.length != length);
            if length > 2 && is_new {
                readings.push(Reading { first: 0, length, ring: true });
            }
        }
    }
    readings
}

fn for_each_choice(
    readings: &[Vec<Reading>],
    choice: &mut Vec<Reading>,
    visit: &mut dyn FnMut(&[Reading]),
) {
    let Some(axis) = readings.get(choice.len()) else { return visit(choice) };
    for &reading in axis {
        choice.push(reading);
        for_each_choice(readings, choice, visit);
        choice.pop();
    }
}

/// Whether two positions are one step apart.
fn are_beside(choice: &[Reading], a: &Position, b: &Position) -> bool {
    let steps = choice.iter().enumerate().map(|(axis, reading)| reading.steps(a[axis], b[axis]));
    steps.sum::<Option<u32>>() == Some(1)
}
