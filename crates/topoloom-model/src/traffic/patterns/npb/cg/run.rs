//! A run of CG and its grid of ranks.

use super::super::Case;
use crate::spec::{Spec, SpecError};

/// Rows of the matrix and outer iterations, by class.
const SIZES: [(u64, u32); 7] = [
    (1400, 15),
    (7000, 15),
    (14000, 15),
    (75000, 75),
    (150_000, 75),
    (1_500_000, 100),
    (9_000_000, 100),
];

/// More than the cores of any machine. The benchmark itself has no limit, but memory has.
const MOST_RANKS: u32 = 1 << 24;

/// A legal run: rows of the matrix, timed iterations and the grid of ranks.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) case: Case<'a>,
    pub(super) matrix_rows: u64,
    pub(super) iterations: u32,
    pub(super) grid: Grid,
}

impl<'a> Run<'a> {
    pub(super) fn read(spec: &'a Spec) -> Result<Self, SpecError> {
        let case = Case::read(spec)?;
        let (matrix_rows, usual_iterations) = case.class.of(&SIZES);
        let iterations = case.iterations_or(usual_iterations);
        let rule = format!("a power of two, here up to {MOST_RANKS}");
        case.check_ranks(MOST_RANKS, &rule, u32::is_power_of_two)?;
        let grid = Grid::new(case.ranks);
        Ok(Run { case, matrix_rows, iterations, grid })
    }
}

/// Rows of ranks, and the same number of columns or twice as many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) rows: u32,
    pub(super) columns: u32,
}

impl Grid {
    pub(super) fn new(ranks: u32) -> Self {
        let rows = 1 << (ranks.ilog2() / 2);
        Grid { rows, columns: ranks / rows }
    }

    pub(super) fn is_square(self) -> bool {
        self.rows == self.columns
    }

    /// Where the transpose sends the part of `rank`. Pairs of columns stay together if there are
    /// twice as many columns as rows. Ranks on the diagonal send to themselves.
    pub(super) fn transpose_partner(self, rank: u32) -> u32 {
        let transposed = |place: u32| place % self.rows * self.rows + place / self.rows;
        if self.is_square() { transposed(rank) } else { 2 * transposed(rank / 2) + rank % 2 }
    }
}
