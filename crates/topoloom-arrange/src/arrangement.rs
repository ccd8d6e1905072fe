//! Rectangles in columns: which processor holds which part.

use thiserror::Error;

/// The part of one processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rectangle {
    /// The processor that holds it.
    pub processor: u32,
    /// Its height in blocks; its width is that of its column.
    pub height: u32,
}

/// Rectangles of one width, from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// In blocks.
    pub width: u32,
    /// From top to bottom.
    pub rectangles: Vec<Rectangle>,
}

/// Columns from left to right that tile a rectangle of blocks without gaps or overlaps: all columns
/// have the same height, and every processor has one rectangle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrangement {
    height: u32,
    width: u32,
    columns: Vec<Column>,
}

/// Why columns are not an arrangement.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidArrangement {
    /// An empty column.
    #[error("column {0} (of 0, 1, ...) is empty, or has a width or a height of 0 blocks")]
    Empty(usize),
    /// Columns of different height.
    #[error("column {column} is {found} blocks high, but the first column is {expected}")]
    Height {
        /// The column.
        column: usize,
        /// Its height.
        found: u64,
        /// The height of the first column.
        expected: u64,
    },
    /// A processor that occurs twice, or a missing number.
    #[error("processors must be numbered 0 to {last}, each with one rectangle; {processor} is not")]
    Processor {
        /// The wrong processor.
        processor: u32,
        /// The last number.
        last: usize,
    },
    /// More blocks than can be counted.
    #[error("more than {} blocks per side", u32::MAX)]
    TooLarge,
}

impl Arrangement {
    /// An arrangement of these columns, after checks.
    pub fn new(columns: Vec<Column>) -> Result<Self, InvalidArrangement> {
        let sum = |column: &Column| column.rectangles.iter().map(|r| u64::from(r.height)).sum();
        let mut seen = vec![false; columns.iter().map(|column| column.rectangles.len()).sum()];
        let last = seen.len().wrapping_sub(1);
        let height: u64 = columns.first().map(sum).ok_or(InvalidArrangement::Empty(0))?;
        for (number, column) in columns.iter().enumerate() {
            let flat = column.rectangles.iter().any(|rectangle| rectangle.height == 0);
            if column.width == 0 || column.rectangles.is_empty() || flat {
                return Err(InvalidArrangement::Empty(number));
            }
            let found: u64 = sum(column);
            if found != height {
                return Err(InvalidArrangement::Height { column: number, found, expected: height });
            }
            for &Rectangle { processor, .. } in &column.rectangles {
                match seen.get_mut(processor as usize) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(InvalidArrangement::Processor { processor, last }),
                }
            }
        }
        let width: u64 = columns.iter().map(|column| u64::from(column.width)).sum();
        let blocks = |side: u64| u32::try_from(side).map_err(|_| InvalidArrangement::TooLarge);
        Ok(Arrangement { height: blocks(height)?, width: blocks(width)?, columns })
    }

    /// Equal cells of `height` x `width` blocks in rows and columns; `processors` row by row.
    pub fn grid(
        rows: usize,
        columns: usize,
        cell: (u32, u32),
        processors: &[u32],
    ) -> Result<Self, InvalidArrangement> {
        let (height, width) = cell;
        let column = |column: usize| Column {
            width,
            rectangles: (0..rows)
                .filter_map(|row| processors.get(row * columns + column))
                .map(|&processor| Rectangle { processor, height })
                .collect(),
        };
        Arrangement::new((0..columns).map(column).collect())
    }

    /// In blocks.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// In blocks.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// From left to right.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The number of rectangles, and of processors.
    pub fn num_processors(&self) -> usize {
        self.columns.iter().map(|column| column.rectangles.len()).sum()
    }

    /// The rows where any column is cut, from 0 to the height. Between two of these, the same
    /// rectangles lie beside each other.
    pub fn cuts(&self) -> Vec<u32> {
        let mut cuts = vec![0];
        for column in &self.columns {
            let mut y = 0;
            cuts.extend(column.rectangles.iter().map(|rectangle| {
                y += rectangle.height;
                y
            }));
        }
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// The processor of every column in the row of blocks `y`.
    pub fn row(&self, y: u32) -> Vec<u32> {
        let at = |column: &Column| {
            let mut bottom = 0;
            let found = column.rectangles.iter().find(|rectangle| {
                bottom += rectangle.height;
                y < bottom
            });
            found.map_or(u32::MAX, |rectangle| rectangle.processor)
        };
        self.columns.iter().map(at).collect()
    }

    /// The processors of a grid, row by row. If columns differ, the first rectangles of all
    /// columns, then the second ones, and so on.
    pub fn row_by_row(&self) -> Vec<u32> {
        let rows = self.columns.iter().map(|column| column.rectangles.len()).max().unwrap_or(0);
        let row =
            |row: usize| self.columns.iter().filter_map(move |column| column.rectangles.get(row));
        (0..rows).flat_map(row).map(|rectangle| rectangle.processor).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(width: u32, rectangles: &[(u32, u32)]) -> Column {
        let rectangles =
            rectangles.iter().map(|&(processor, height)| Rectangle { processor, height }).collect();
        Column { width, rectangles }
    }

    #[test]
    fn cuts_are_those_of_all_columns() {
        let columns = vec![column(2, &[(0, 3), (1, 2)]), column(3, &[(2, 1), (3, 2), (4, 2)])];
        let arrangement = Arrangement::new(columns).unwrap();
        assert_eq!(arrangement.cuts(), [0, 1, 3, 5]);
        assert_eq!(arrangement.row(2), [0, 3]);
        assert_eq!(arrangement.row(3), [1, 4]);
    }

    #[test]
    fn what_does_not_tile_is_refused() {
        let uneven = vec![column(1, &[(0, 3)]), column(1, &[(1, 2)])];
        assert!(matches!(Arrangement::new(uneven), Err(InvalidArrangement::Height { .. })));
        let twice = vec![column(1, &[(0, 3)]), column(1, &[(0, 3)])];
        assert!(matches!(Arrangement::new(twice), Err(InvalidArrangement::Processor { .. })));
        assert!(matches!(Arrangement::new(Vec::new()), Err(InvalidArrangement::Empty(0))));
    }

    #[test]
    fn a_grid_is_filled_row_by_row() {
        let grid = Arrangement::grid(2, 3, (5, 7), &[0, 1, 2, 3, 4, 5]).unwrap();
        assert_eq!((grid.height(), grid.width()), (10, 21));
        assert_eq!(grid.row(5), [3, 4, 5]);
        assert_eq!(grid.row_by_row(), [0, 1, 2, 3, 4, 5]);
    }
}
