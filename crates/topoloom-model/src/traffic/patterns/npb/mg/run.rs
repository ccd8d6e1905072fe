//! A run of MG: its V-cycles on a grid of ranks.

use super::super::Case;
use crate::spec::{Spec, SpecError};

/// Binary logarithm of the points in a direction, and iterations, by class.
const SIZES: [(u32, u32); 7] = [(5, 4), (7, 4), (8, 4), (8, 20), (9, 20), (10, 50), (11, 50)];

/// Binary logarithm of the largest number of ranks that the benchmark lets work.
const MOST_ACTIVE: u32 = 17;

/// A legal run: its V-cycles, and the number of working ranks.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) case: Case<'a>,
    pub(super) active: u32,
    pub(super) cycles: Cycles,
}

impl<'a> Run<'a> {
    pub(super) fn read(spec: &'a Spec) -> Result<Self, SpecError> {
        let case = Case::read(spec)?;
        let (levels, usual_iterations) = case.class.of(&SIZES);
        let iterations = u64::from(case.iterations_or(usual_iterations));
        // The longest side of the grid of ranks is a third of the exponent, rounded up. Ranks
        // beyond a power of two are idle.
        let most_active = MOST_ACTIVE.min(3 * levels);
        case.check_ranks(
            (1 << (most_active + 1)) - 1,
            "at most 131072 ranks, and no more than grid points in a direction",
            |_| true,
        )?;
        let active = 1 << case.ranks.ilog2();
        let cycles = Cycles { sides: sides(active), levels, iterations };
        Ok(Run { case, active, cycles })
    }
}

/// The sides of the grid of ranks, all powers of two; later axes get the larger ones.
pub(super) fn sides(active: u32) -> [u32; 3] {
    let exponent = active.ilog2();
    let x = exponent / 3;
    let y = (exponent - x) / 2;
    [1 << x, 1 << y, 1 << (exponent - x - y)]
}

/// All V-cycles of a run. Levels are counted from 1; level k has 2^k points in a direction.
#[derive(Debug)]
pub(super) struct Cycles {
    pub(super) sides: [u32; 3],
    pub(super) levels: u32,
    pub(super) iterations: u64,
}

impl Cycles {
    /// The position of a rank on the grid.
    pub(super) fn position(&self, rank: u32) -> [u32; 3] {
        let [x, y, _] = self.sides;
        [rank % x, rank / x % y, rank / (x * y)]
    }

    /// Points that a rank has along each axis.
    pub(super) fn widths(&self, level: u32, position: [u32; 3]) -> [u64; 3] {
        std::array::from_fn(|axis| {
            let points = 1 << level;
            if points >= self.sides[axis] {
                u64::from(points / self.sides[axis])
            } else {
                u64::from((position[axis] + 1).is_multiple_of(self.distance(level, axis)))
            }
        })
    }

    /// The distance to the next rank awake on this level along an axis.
    pub(super) fn distance(&self, level: u32, axis: usize) -> u32 {
        (self.sides[axis] >> level).max(1)
    }

    /// The ranks above and below along an axis.
    pub(super) fn neighbours(&self, level: u32, position: [u32; 3], axis: usize) -> (u32, u32) {
        let (side, distance) = (self.sides[axis], self.distance(level, axis));
        let at = |coordinate: u32| {
            let mut place = position;
            place[axis] = coordinate % side;
            place[0] + self.sides[0] * (place[1] + self.sides[1] * place[2])
        };
        (at(position[axis] + distance), at(position[axis] + side - distance))
    }
}
