//! Rows and columns of equal cells.

/// Rows and columns of equal cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grids {
    /// Rows and columns of the domain that is cut into cells.
    pub domain: (u32, u32),
    /// The fewest rows of cells.
    pub min_rows: usize,
    /// The fewest columns of cells.
    pub min_columns: usize,
}

impl Grids {
    /// Every (rows, columns) that holds this many processors, fewest rows first.
    pub fn shapes(&self, processors: usize) -> Vec<(usize, usize)> {
        (1..=processors)
            .filter(|rows| processors.is_multiple_of(*rows))
            .map(|rows| (rows, processors / rows))
            .filter(|&(rows, columns)| rows >= self.min_rows && columns >= self.min_columns)
            .filter(|&(rows, columns)| {
                rows <= self.domain.0 as usize && columns <= self.domain.1 as usize
            })
            .collect()
    }

    /// Height and width of a cell, rounded down, as in the thesis.
    pub fn cell(&self, shape: (usize, usize)) -> (u32, u32) {
        (self.domain.0 / shape.0 as u32, self.domain.1 / shape.1 as u32)
    }
}
