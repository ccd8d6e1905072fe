//! Iterations that are the same for the processors of a column.

use crate::arrangement::Arrangement;

/// Iterations in a row in which the same column holds the pivot column and the same rectangle of
/// one column its part of the pivot row: every processor of that column does the same in all of
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The column with the pivot column.
    pub column: usize,
    /// The rectangle with the pivot row.
    pub rectangle: usize,
    /// How many iterations.
    pub times: u32,
}

/// The runs of column `own`, in order: as many as columns and rectangles together, at most.
pub fn runs(
    arrangement: &Arrangement,
    own: usize,
    iterations: u32,
) -> impl Iterator<Item = Run> + '_ {
    let columns = arrangement.columns();
    let ring = &columns[own].rectangles;
    let (mut column, mut rectangle, mut pivot) = (0, 0, 0);
    // The ends of the column and of the rectangle that hold the pivot.
    let (mut right, mut bottom) = (columns[0].width, ring[0].height);
    std::iter::from_fn(move || {
        if pivot == iterations {
            return None;
        }
        let end = right.min(bottom).min(iterations);
        let run = Run { column, rectangle, times: end - pivot };
        pivot = end;
        if right == end && column + 1 < columns.len() {
            column += 1;
            right += columns[column].width;
        }
        if bottom == end && rectangle + 1 < ring.len() {
            rectangle += 1;
            bottom += ring[rectangle].height;
        }
        Some(run)
    })
}
