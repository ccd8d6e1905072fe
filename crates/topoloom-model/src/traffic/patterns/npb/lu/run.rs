//! A run of LU and its grid of ranks.

use super::super::{Case, bal};
use crate::spec::{Spec, SpecError};

/// Points in a direction and iterations, by class.
const SIZES: [(u64, u32); 7] =
    [(12, 50), (33, 300), (64, 250), (102, 250), (162, 250), (408, 300), (1020, 300)];

/// A legal run: points in a direction, timed iterations and the grid of ranks.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) case: Case<'a>,
    pub(super) n: u64,
    pub(super) iterations: u32,
    grid: (u32, u32),
}

impl<'a> Run<'a> {
    pub(super) fn read(spec: &'a Spec) -> Result<Self, SpecError> {
        let case = Case::read(spec)?;
        let (n, usual_iterations) = case.class.of(&SIZES);
        let iterations = case.iterations_or(usual_iterations);
        // No part has fewer than 3 points: at most n/3 ranks in a direction.
        let longest = (n / 3) as u32;
        case.check_ranks(
            longest * longest,
            "the process grid X x Y needs X <= 2Y and at least 3 points per rank",
            |ranks| {
                let (x, y) = process_grid(ranks);
                x <= 2 * y && x <= longest
            },
        )?;
        let grid = process_grid(case.ranks);
        Ok(Run { case, n, iterations, grid })
    }
}

/// X >= Y with X * Y ranks, as square as possible.
pub(super) fn process_grid(ranks: u32) -> (u32, u32) {
    let y = (1..=ranks.isqrt())
        .rev()
        .find(|&y| ranks.is_multiple_of(y))
        .expect("1 divides every count");
    (ranks / y, y)
}

/// The position of a rank on the grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Points along the first axis, from north to south, and the second, from west to east.
    pub(super) points: [u64; 2],
    /// Whether the rank is the first along each axis.
    pub(super) is_first: [bool; 2],
    /// Whether it is the last.
    pub(super) is_last: [bool; 2],
    pub(super) north: Option<u32>,
    pub(super) south: Option<u32>,
    pub(super) west: Option<u32>,
    pub(super) east: Option<u32>,
}

impl Place {
    pub(super) fn of(rank: u32, run: &Run) -> Self {
        let (grid_x, grid_y) = run.grid;
        let (a, b) = (rank % grid_x, rank / grid_x);
        Place {
            points: [
                bal(run.n, u64::from(grid_x), u64::from(a)),
                bal(run.n, u64::from(grid_y), u64::from(b)),
            ],
            is_first: [a == 0, b == 0],
            is_last: [a + 1 == grid_x, b + 1 == grid_y],
            north: (a > 0).then(|| rank - 1),
            south: (a + 1 < grid_x).then(|| rank + 1),
            west: (b > 0).then(|| rank - grid_x),
            east: (b + 1 < grid_y).then(|| rank + grid_x),
        }
    }

    /// On how many edges of the grid the rank is along an axis.
    pub(super) fn edges(&self, axis: usize) -> u64 {
        u64::from(self.is_first[axis]) + u64::from(self.is_last[axis])
    }
}
