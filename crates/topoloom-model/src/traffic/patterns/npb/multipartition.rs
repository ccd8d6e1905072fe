//! The multipartition of BT and SP: q x q ranks share q x q x q cells in such a way that each rank
//! has exactly one cell in every layer of every direction.

use super::bal;

/// The q x q ranks. Rank (i, j) holds the cells ((i+k) mod q, (j-k) mod q, k) for k below q.
#[derive(Debug, Clone, Copy)]
pub(super) struct Multipartition {
    pub(super) q: usize,
}

/// A direction in which cells have neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    X,
    Y,
    Z,
}

pub(super) const DIRECTIONS: [Direction; 3] = [Direction::X, Direction::Y, Direction::Z];

impl Multipartition {
    /// The rank that holds the next cells of rank (i, j) in this direction.
    pub(super) fn successor(self, i: usize, j: usize, direction: Direction) -> u32 {
        let q = self.q;
        match direction {
            Direction::X => self.rank(i + 1, j),
            Direction::Y => self.rank(i, j + 1),
            Direction::Z => self.rank(i + q - 1, j + 1),
        }
    }

    /// The rank that holds the cells before those of rank (i, j).
    pub(super) fn predecessor(self, i: usize, j: usize, direction: Direction) -> u32 {
        let q = self.q;
        match direction {
            Direction::X => self.rank(i + q - 1, j),
            Direction::Y => self.rank(i, j + q - 1),
            Direction::Z => self.rank(i + 1, j + q - 1),
        }
    }

    /// The coordinates of the cell of rank (i, j) that is in this layer of a direction.
    pub(super) fn cell_in_layer(
        self,
        i: usize,
        j: usize,
        direction: Direction,
        layer: usize,
    ) -> [usize; 3] {
        let q = self.q;
        let k = match direction {
            Direction::X => (layer + q - i) % q,
            Direction::Y => (j + q - layer) % q,
            Direction::Z => layer,
        };
        [(i + k) % q, (j + q - k) % q, k]
    }

    fn rank(self, i: usize, j: usize) -> u32 {
        (i % self.q + self.q * (j % self.q)) as u32
    }
}

/// Sums of cross sections over the cells of a rank, each in constant time: as k runs, two cell
/// coordinates always have a constant sum or a constant difference, so q sums of each kind cover
/// all cases.
#[derive(Debug)]
pub(super) struct CrossSections {
    /// The length of a cell by its coordinate, the same in all directions.
    length: Vec<u64>,
    /// By s: the sum of length(a) * length(b) over a + b = s mod q.
    by_sum: Vec<u64>,
    /// By s: the sum of length(a) * length(b) over a - b = s mod q.
    by_difference: Vec<u64>,
}

impl CrossSections {
    /// With all `n` points of a direction.
    pub(super) fn whole(n: u64, q: usize) -> Self {
        Self::new((0..q).map(|part| bal(n, q as u64, part as u64)).collect())
    }

    /// Without the first and the last point of a direction.
    pub(super) fn interior(n: u64, q: usize) -> Self {
        let inner = |part: usize| {
            bal(n, q as u64, part as u64) - u64::from(part == 0) - u64::from(part + 1 == q)
        };
        Self::new((0..q).map(inner).collect())
    }

    fn new(length: Vec<u64>) -> Self {
        let q = length.len();
        let sum_over = |other: &dyn Fn(usize) -> usize| -> u64 {
            (0..q).map(|k| length[k] * length[other(k)]).sum()
        };
        let by_sum = (0..q).map(|s| sum_over(&|k| (s + q - k) % q)).collect();
        let by_difference = (0..q).map(|s| sum_over(&|k| (s + k) % q)).collect();
        CrossSections { by_sum, by_difference, length }
    }

    /// The sum of the cross sections, seen in this direction, of the cells of rank (i, j) except
    /// the one in `layer`.
    pub(super) fn all_but(&self, i: usize, j: usize, direction: Direction, layer: usize) -> u64 {
        let q = self.length.len();
        let length = |coordinate: usize| self.length[coordinate % q];
        match direction {
            // The other two are j - k and k; the cell left out has i + k = layer.
            Direction::X => {
                let k = layer + q - i;
                self.by_sum[j] - length(j + 2 * q - k) * length(k)
            }
            // The other two are i + k and k; the cell left out has j - k = layer.
            Direction::Y => {
                let k = j + q - layer;
                self.by_difference[i] - length(i + k) * length(k)
            }
            // The other two are i + k and j - k; the cell left out has k = layer.
            Direction::Z => self.by_sum[(i + j) % q] - length(i + layer) * length(j + q - layer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(i: usize, j: usize, k: usize, q: usize) -> [usize; 3] {
        [(i + k) % q, (j + q - k) % q, k]
    }

    #[test]
    fn sums_in_constant_time_equal_sums_cell_by_cell() {
        for (n, q) in [(12, 1), (12, 2), (24, 3), (33, 7), (50, 8)] {
            for sections in [CrossSections::whole(n, q), CrossSections::interior(n, q)] {
                for (i, j, layer) in
                    (0..q * q * q).map(|number| (number % q, number / q % q, number / q / q))
                {
                    for (d, direction) in DIRECTIONS.into_iter().enumerate() {
                        let expected: u64 = (0..q)
                            .map(|k| cell(i, j, k, q))
                            .filter(|c| c[d] != layer)
                            .map(|c| {
                                sections.length[c[(d + 1) % 3]] * sections.length[c[(d + 2) % 3]]
                            })
                            .sum();
                        assert_eq!(sections.all_but(i, j, direction, layer), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn a_rank_has_one_cell_in_every_layer() {
        let q = 4;
        for (i, j, layer) in
            (0..q * q * q).map(|number| (number % q, number / q % q, number / q / q))
        {
            for (d, direction) in DIRECTIONS.into_iter().enumerate() {
                let found = Multipartition { q }.cell_in_layer(i, j, direction, layer);
                assert_eq!(found[d], layer);
                assert!((0..q).any(|k| cell(i, j, k, q) == found));
            }
        }
    }

    #[test]
    fn the_successor_holds_the_cells_next_to_mine() {
        let q = 5;
        let parts = Multipartition { q };
        let holds = |rank: u32, wanted: [usize; 3]| {
            (0..q).any(|k| cell(rank as usize % q, rank as usize / q, k, q) == wanted)
        };
        for (i, j, k) in (0..q * q * q).map(|number| (number % q, number / q % q, number / q / q)) {
            for (d, direction) in DIRECTIONS.into_iter().enumerate() {
                let (mut next, mut before) = (cell(i, j, k, q), cell(i, j, k, q));
                next[d] = (next[d] + 1) % q;
                before[d] = (before[d] + q - 1) % q;
                assert!(holds(parts.successor(i, j, direction), next));
                assert!(holds(parts.predecessor(i, j, direction), before));
            }
        }
    }
}
