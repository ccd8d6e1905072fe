//! Which rank sends how much to which, as a picture shows it: in bins if there are many ranks.

use crate::traffic::{Traffic, Weight};

/// A square table of the traffic between bins of ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Rows, which are senders, and columns, which are receivers.
    pub size: usize,
    /// Consecutive ranks in one bin; the last may have fewer.
    pub ranks_per_cell: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// The flows of `traffic`, self messages included, in at most `most` x `most` cells. Takes
    /// O(flows + cells).
    pub fn of(traffic: &Traffic, weight: Weight, most: usize) -> Matrix {
        Matrix::with_order(traffic, weight, most, |rank| rank)
    }

    /// The same with ranks in another order: `position_of` a rank is its place in that order.
    pub fn ordered(traffic: &Traffic, weight: Weight, most: usize, position_of: &[u32]) -> Matrix {
        Matrix::with_order(traffic, weight, most, |rank| position_of[rank as usize])
    }

    fn with_order(
        traffic: &Traffic,
        weight: Weight,
        most: usize,
        position_of: impl Fn(u32) -> u32,
    ) -> Matrix {
        let ranks = traffic.num_ranks();
        let ranks_per_cell = ranks.div_ceil(most.max(1)).max(1);
        let size = ranks.div_ceil(ranks_per_cell);
        let mut cells = vec![0.0; size * size];
        traffic.for_each_flow(weight, |from, to, value| {
            let [row, column] = [from, to].map(|rank| position_of(rank) as usize / ranks_per_cell);
            cells[row * size + column] += value;
        });
        Matrix { size, ranks_per_cell, cells }
    }

    /// What the bin of a row sends to that of a column.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    /// The cells that are not empty, row by row, and their values.
    pub fn held(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.cells.iter().copied().enumerate().filter(|&(_, value)| value > 0.0)
    }

    /// The smallest and the largest value of the cells that are not empty.
    pub fn range(&self) -> Option<(f64, f64)> {
        let mut held = self.cells.iter().copied().filter(|&value| value > 0.0);
        let first = held.next()?;
        Some(held.fold((first, first), |(least, most), value| (least.min(value), most.max(value))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_pattern;

    #[test]
    fn ranks_are_binned_so_that_few_cells_hold_all() {
        let traffic = parse_pattern("ring:10").unwrap();
        // Bins 0-3, 4-7 and 8-9; a bin of 4 contains 3 pairs, both ways.
        let matrix = Matrix::of(&traffic, Weight::Bytes, 3);
        assert_eq!((matrix.size, matrix.ranks_per_cell), (3, 4));
        let rows: Vec<Vec<f64>> =
            (0..3).map(|row| (0..3).map(|column| matrix.at(row, column)).collect()).collect();
        assert_eq!(rows, [[6.0, 1.0, 1.0], [1.0, 6.0, 1.0], [1.0, 1.0, 2.0]]);
        assert_eq!(matrix.range(), Some((1.0, 6.0)));
        assert_eq!(Matrix::of(&traffic, Weight::Bytes, 256).size, 10);
    }

    #[test]
    fn ranks_in_another_order_change_their_rows_and_columns() {
        let traffic = parse_pattern("stencil:2,bytes=5").unwrap();
        let matrix = Matrix::ordered(&traffic, Weight::Bytes, 256, &[1, 0]);
        assert_eq!(matrix.held().collect::<Vec<_>>(), [(1, 5.0), (2, 5.0)]);
        let ring = parse_pattern("ring:4").unwrap();
        // Rank 0 stands third, rank 2 first: 0's partners 1 and 3 stay where they are.
        let matrix = Matrix::ordered(&ring, Weight::Bytes, 256, &[2, 1, 0, 3]);
        assert_eq!((matrix.at(2, 1), matrix.at(2, 3), matrix.at(2, 0)), (1.0, 1.0, 0.0));
    }
}
