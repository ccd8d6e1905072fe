//! Equal cells in rows and columns, and the lines of processors they are made of.

use topoloom_core::NotApplicable;

use crate::arrangement::Arrangement;
use crate::strategy::Grids;

/// How a line of processors is laid into a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    RowByRow,
    ColumnByColumn,
}

/// The processors of an arrangement in a line. Where columns hold different numbers, there are no
/// rows, and the line goes column by column.
pub(crate) fn linear_order(arrangement: &Arrangement, direction: Direction) -> Vec<u32> {
    let columns = arrangement.columns();
    let rows = columns[0].rectangles.len();
    let even = columns.iter().all(|column| column.rectangles.len() == rows);
    if direction == Direction::RowByRow && even {
        let row = |row: usize| columns.iter().map(move |c| c.rectangles[row].processor);
        (0..rows).flat_map(row).collect()
    } else {
        columns.iter().flat_map(|column| &column.rectangles).map(|r| r.processor).collect()
    }
}

/// A line of processors as a grid of this many rows and columns.
pub(crate) fn grid(
    grids: &Grids,
    (rows, columns): (usize, usize),
    direction: Direction,
    line: &[u32],
) -> Arrangement {
    let cell = grids.cell((rows, columns));
    let arrangement = match direction {
        Direction::RowByRow => Arrangement::grid(rows, columns, cell, line),
        Direction::ColumnByColumn => {
            let place = |at: usize| line[at % columns * rows + at / columns];
            let line: Vec<u32> = (0..line.len()).map(place).collect();
            Arrangement::grid(rows, columns, cell, &line)
        }
    };
    arrangement.expect("a shape holds every processor once, in cells of at least one block")
}

/// Why there is no grid.
pub(crate) fn no_shape(grids: &Grids, processors: usize) -> NotApplicable {
    NotApplicable(format!(
        "{processors} processors fill no grid of at least {} rows and {} columns on a domain of {} x {}",
        grids.min_rows.max(1),
        grids.min_columns.max(1),
        grids.domain.0,
        grids.domain.1
    ))
}
