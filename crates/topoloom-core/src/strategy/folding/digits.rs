//! Axes of an application, written as digits with one for each dimension of the machine that the
//! axis runs along: 64 = 16 along x times 4 along z.

use super::shape::{Dimension, Kind};

/// The search for factorisations stops here; those with large factors come first.
const MOST_STEPS: usize = 30_000;

/// One axis of an application.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    pub(super) length: u32,
    pub(super) periodic: bool,
    /// What one pair of neighbours exchanges.
    pub(super) weight: f64,
}

/// `factors[axis][dimension]`: how many positions of the dimension the axis takes.
pub(super) type Factors = Vec<Vec<u32>>;

/// Every way to divide the dimensions among the axes by lengths. The product of the factors of an
/// axis is its length, or the smallest possible above it; that of a dimension is at most its
/// length.
pub(super) fn factorisations(axes: &[Axis], dimensions: &[Dimension]) -> Vec<Factors> {
    let mut search = Search {
        axes,
        dimensions,
        room: dimensions.iter().map(|dimension| dimension.length).collect(),
        factors: vec![vec![1; dimensions.len()]; axes.len()],
        steps: 0,
        found: Vec::new(),
    };
    if let Some(first) = axes.first() {
        search.share_out(0, 0, first.length);
    }
    search.found
}

struct Search<'a> {
    axes: &'a [Axis],
    dimensions: &'a [Dimension],
    /// The rest of each dimension.
    room: Vec<u32>,
    factors: Factors,
    steps: usize,
    found: Vec<Factors>,
}

impl Search<'_> {
    /// Divides `dimension` and those after it, while `need` of `axis` still needs room.
    fn share_out(&mut self, axis: usize, dimension: usize, need: u32) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return;
        }
        if need == 1 {
            match self.axes.get(axis + 1) {
                Some(next) => self.share_out(axis + 1, 0, next.length),
                None => self.found.push(self.factors.clone()),
            }
            return;
        }
        if !self.has_room(axis, dimension, need) {
            return;
        }
        for factor in self.choices(axis, dimension, need) {
            self.factors[axis][dimension] = factor;
            let before = self.room[dimension];
            self.room[dimension] = before / factor;
            self.share_out(axis, dimension + 1, need.div_ceil(factor));
            self.room[dimension] = before;
            self.factors[axis][dimension] = 1;
        }
    }

    /// Whether the remaining room can hold the rest of this axis and all axes after it.
    fn has_room(&self, axis: usize, dimension: usize, need: u32) -> bool {
        let product = |numbers: &mut dyn Iterator<Item = u32>| {
            numbers.fold(1u64, |product, number| product.saturating_mul(u64::from(number)))
        };
        let rest = product(&mut self.axes[axis + 1..].iter().map(|axis| axis.length));
        let all = product(&mut self.room.iter().copied());
        let ahead = product(&mut self.room[dimension..].iter().copied());
        ahead >= u64::from(need) && all >= rest.saturating_mul(u64::from(need))
    }

    /// Factors worth trying, in descending order: divisors, the one that fills the dimension, and a
    /// few that leave a short last row.
    fn choices(&self, axis: usize, dimension: usize, need: u32) -> Vec<u32> {
        let mut most = self.room[dimension].min(need);
        // Dimensions that are alike in all decisions so far are interchangeable; only one order is
        // tried.
        if let Some(before) = dimension.checked_sub(1)
            && self.is_twin(axis, before, dimension)
        {
            most = most.min(self.factors[axis][before]);
        }
        let short_last_row = (1..=4).map(|rows| need.div_ceil(rows));
        let mut choices: Vec<u32> = (1..=need.isqrt())
            .filter(|divisor| need.is_multiple_of(*divisor))
            .flat_map(|divisor| [divisor, need / divisor])
            .chain([most])
            .chain(short_last_row)
            .filter(|&factor| factor <= most)
            .collect();
        choices.sort_unstable_by(|a, b| b.cmp(a));
        choices.dedup();
        choices
    }

    fn is_twin(&self, axis: usize, a: usize, b: usize) -> bool {
        let (first, second) = (&self.dimensions[a], &self.dimensions[b]);
        first.length == second.length
            && first.kind == second.kind
            && (0..axis).all(|earlier| self.factors[earlier][a] == self.factors[earlier][b])
    }
}

/// The digits of every position along an axis: a walk that reverses a digit whenever a higher one
/// moves. So each step changes one digit by one.
#[derive(Debug, Clone)]
pub(super) struct Digits {
    /// The dimensions of the digits, the one that changes most often first.
    pub(super) dimensions: Vec<usize>,
    radix: Vec<u32>,
    length: u32,
}

impl Digits {
    /// The digits of `axis` for the given factors. Slots change most often, because their steps are
    /// free. Dimensions shared with other axes change least often, because their steps may be long.
    pub(super) fn new(
        axis: usize,
        length: u32,
        factors: &Factors,
        machine: &[Dimension],
    ) -> Digits {
        let mut dimensions: Vec<usize> =
            (0..machine.len()).filter(|&dimension| factors[axis][dimension] > 1).collect();
        let is_shared = |dimension: usize| {
            (0..factors.len()).any(|other| other != axis && factors[other][dimension] > 1)
        };
        // An even number of turns brings a ring back to its start.
        let is_even = |dimension: usize| factors[axis][dimension].is_multiple_of(2);
        dimensions.sort_by_key(|&dimension| {
            (
                machine[dimension].kind != Kind::Free,
                is_shared(dimension),
                is_even(dimension),
                dimension,
            )
        });
        let radix = dimensions.iter().map(|&dimension| factors[axis][dimension]).collect();
        Digits { dimensions, radix, length }
    }

    /// The digits of a position, in the order of `dimensions`.
    pub(super) fn of(&self, position: u32, digits: &mut Vec<u32>) {
        digits.clear();
        let mut rest = position;
        for &radix in &self.radix {
            let digit = rest % radix;
            rest /= radix;
            digits.push(if rest.is_multiple_of(2) { digit } else { radix - 1 - digit });
        }
    }

    /// Calls `visit` for every step along the axis and every digit that it changes, with the
    /// dimension and the digit before and after.
    pub(super) fn steps(&self, periodic: bool, visit: &mut dyn FnMut(usize, u32, u32)) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut step = |from: u32, to: u32| {
            self.of(from, &mut before);
            self.of(to, &mut after);
            for (place, &dimension) in self.dimensions.iter().enumerate() {
                if before[place] != after[place] {
                    visit(dimension, before[place], after[place]);
                }
            }
        };
        (1..self.length).for_each(|to| step(to - 1, to));
        if periodic && self.length > 2 {
            step(self.length - 1, 0);
        }
    }
}
