//! Equal cells in rows and columns, and the lines of processors they are made of.

use topoloom_core::NotApplicable;
use topoloom_core::words::counted;

use crate::arrangement::Arrangement;
use crate::measure::Measure;
use crate::strategy::Grids;

/// How a line of processors is laid into a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    RowByRow,
    ColumnByColumn,
}

/// The processors of an arrangement in a line. If columns have different numbers of rectangles,
/// there are no rows, and the line goes column by column.
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
        "no grid of {} has at least {} and {} on a domain of {} x {}",
        counted(processors, "processor"),
        counted(grids.min_rows.max(1), "row"),
        counted(grids.min_columns.max(1), "column"),
        grids.domain.0,
        grids.domain.1
    ))
}

/// Clusters in the cells of a grid.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cells {
    pub rows: usize,
    pub columns: usize,
    /// Height and width of a cell.
    pub cell: (u32, u32),
    /// Row by row.
    pub clusters: Vec<u32>,
}

impl Cells {
    /// A line of clusters laid into a grid.
    pub(crate) fn new(
        grids: &Grids,
        (rows, columns): (usize, usize),
        direction: Direction,
        line: &[u32],
    ) -> Self {
        let place = |at: usize| match direction {
            Direction::RowByRow => line[at],
            Direction::ColumnByColumn => line[at % columns * rows + at / columns],
        };
        let clusters = (0..rows * columns).map(place).collect();
        Cells { rows, columns, cell: grids.cell((rows, columns)), clusters }
    }

    /// The clusters of a row, from left to right.
    pub(crate) fn row(&self, row: usize) -> &[u32] {
        &self.clusters[row * self.columns..(row + 1) * self.columns]
    }

    /// The cost of a row.
    pub(crate) fn row_cost(&self, measure: &Measure, row: usize) -> f64 {
        let ring = measure.ring.cost(self.row(row), |from, to| measure.horizontal_link(from, to));
        f64::from(self.cell.0) * ring
    }

    /// The cost of a column.
    pub(crate) fn column_cost(&self, measure: &Measure, column: usize) -> f64 {
        let column: Vec<u32> =
            self.clusters[column..].iter().step_by(self.columns).copied().collect();
        let ring = measure.ring.cost(&column, |from, to| measure.vertical_link(from, to));
        f64::from(self.cell.1) * ring
    }

    /// The cost of all cells.
    pub(crate) fn cost(&self, measure: &Measure) -> f64 {
        (0..self.rows).map(|row| self.row_cost(measure, row)).sum::<f64>()
            + (0..self.columns).map(|column| self.column_cost(measure, column)).sum::<f64>()
    }

    /// An arrangement: the processors of a cluster in the order of `line`, row by row.
    pub(crate) fn arrangement(&self, cluster_of: &[u32], line: &[u32]) -> Arrangement {
        let clusters = cluster_of.iter().map(|&c| c as usize + 1).max().unwrap_or(0);
        let mut of_cluster: Vec<Vec<u32>> = vec![Vec::new(); clusters];
        for &processor in line.iter().rev() {
            of_cluster[cluster_of[processor as usize] as usize].push(processor);
        }
        let processors: Vec<u32> = self
            .clusters
            .iter()
            .filter_map(|&cluster| of_cluster[cluster as usize].pop())
            .collect();
        Arrangement::grid(self.rows, self.columns, self.cell, &processors)
            .expect("cells hold as many of each cluster as there are")
    }
}
