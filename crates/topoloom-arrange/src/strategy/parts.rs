//! Columns of rectangles in proportion to the speeds of their processors, and the lines of
//! processors that they are made of: the counterpart of a grid for unequal processors.

use topoloom_core::NotApplicable;
use topoloom_core::words::counted;

use super::grid::Direction;
use crate::arrangement::Arrangement;
use crate::partition::Cutter;

/// A domain in columns of unequal rectangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// Rows and columns of the domain that is cut.
    pub domain: (u32, u32),
    /// The fewest rectangles in a column.
    pub min_rows: usize,
    /// The fewest columns.
    pub min_columns: usize,
}

impl Parts {
    /// Whether columns with these numbers of rectangles are allowed, with at least one block for
    /// each.
    pub fn allow(&self, mut lengths: impl ExactSizeIterator<Item = usize>) -> bool {
        let (height, width) = self.domain;
        let columns = self.min_columns.max(1)..=width as usize;
        columns.contains(&lengths.len())
            && lengths.all(|length| (self.min_rows.max(1)..=height as usize).contains(&length))
    }

    /// Every number of columns that is allowed for this many processors, divided as evenly as
    /// possible.
    pub fn column_numbers(&self, processors: usize) -> Vec<usize> {
        let even = |columns: &usize| {
            self.allow((0..*columns).map(|column| even_length(processors, *columns, column)))
        };
        (1..=processors).filter(even).collect()
    }

    /// A line of processors in this many columns, row by row: column by column, then the next row.
    pub fn dealt(&self, line: &[u32], columns: usize) -> Vec<Vec<u32>> {
        (0..columns)
            .map(|first| line.iter().skip(first).step_by(columns).copied().collect())
            .collect()
    }
}

/// How many of `processors` the column number `column` of `columns` gets.
fn even_length(processors: usize, columns: usize, column: usize) -> usize {
    processors / columns + usize::from(column < processors % columns)
}

/// Consecutive pieces of a line, with these lengths.
fn stretches(line: &[u32], lengths: impl Iterator<Item = usize>) -> Vec<Vec<u32>> {
    let mut rest = line;
    lengths
        .map(|length| {
            let (stretch, others) = rest.split_at(length.min(rest.len()));
            rest = others;
            stretch.to_vec()
        })
        .collect()
}

/// The lengths of pieces that have about the same area each.
fn lengths_by_area(line: &[u32], columns: usize, areas: &[f64]) -> Vec<usize> {
    let all: f64 = line.iter().map(|&processor| areas[processor as usize]).sum();
    let (mut lengths, mut sum) = (vec![0; columns], 0.0);
    for &processor in line {
        let area = areas[processor as usize];
        // By the position of its middle.
        let column = ((sum + area / 2.0) / all * columns as f64) as usize;
        lengths[column.min(columns - 1)] += 1;
        sum += area;
    }
    lengths
}

/// The numbers of columns to try: all for few processors, otherwise some from 1 to the number of
/// processors that grow by the same factor.
fn tried_numbers(processors: usize) -> Vec<usize> {
    if processors <= MOST_NUMBERS {
        return (1..=processors).collect();
    }
    let step = (processors as f64).powf(1.0 / (MOST_NUMBERS - 1) as f64);
    let number = |at: usize| (step.powi(at as i32).round() as usize).min(processors);
    let mut numbers: Vec<usize> = (0..MOST_NUMBERS).map(number).collect();
    numbers.dedup();
    numbers
}

/// The most numbers of columns that a line is folded into.
const MOST_NUMBERS: usize = 64;

/// Every way to fold a line of processors into columns: row by row, and column by column with the
/// same number of processors or the same area in each.
pub(super) fn foldings(
    parts: &Parts,
    cutter: &Cutter,
    line: &[u32],
) -> Vec<(Direction, Arrangement)> {
    let mut found: Vec<(Direction, Arrangement)> = Vec::new();
    for columns in tried_numbers(line.len()) {
        let even = |column: usize| even_length(line.len(), columns, column);
        let by_area = lengths_by_area(line, columns, cutter.areas());
        for (direction, folded) in [
            (Direction::RowByRow, parts.dealt(line, columns)),
            (Direction::ColumnByColumn, stretches(line, (0..columns).map(even))),
            (Direction::ColumnByColumn, stretches(line, by_area.into_iter())),
        ] {
            if !parts.allow(folded.iter().map(Vec::len)) {
                continue;
            }
            // There are at most two others with the same number of columns.
            if let Ok(arrangement) = cutter.cut(&folded)
                && found.iter().rev().take(2).all(|(_, other)| *other != arrangement)
            {
                found.push((direction, arrangement));
            }
        }
    }
    found
}

/// The processors in a line, in the direction in which they were folded.
pub(super) fn line_of(arrangement: &Arrangement, direction: Direction) -> Vec<u32> {
    match direction {
        Direction::RowByRow => arrangement.row_by_row(),
        Direction::ColumnByColumn => {
            arrangement.columns().iter().flat_map(|c| &c.rectangles).map(|r| r.processor).collect()
        }
    }
}

/// The reason that is given if no columns are possible.
pub(super) fn no_columns(parts: &Parts, processors: usize) -> NotApplicable {
    NotApplicable(format!(
        "{} cannot fill at least {} of at least {} on a domain of {} x {}",
        counted(processors, "processor"),
        counted(parts.min_columns.max(1), "column"),
        counted(parts.min_rows.max(1), "part"),
        parts.domain.0,
        parts.domain.1
    ))
}

#[cfg(test)]
mod tests {
    use topoloom_core::random::stream;

    use super::*;
    use crate::strategy::cases;

    const FREE: Parts = Parts { domain: (60, 60), min_rows: 1, min_columns: 1 };

    fn columns(arrangement: &Arrangement) -> Vec<Vec<u32>> {
        let column = |c: &crate::Column| c.rectangles.iter().map(|r| r.processor).collect();
        arrangement.columns().iter().map(column).collect()
    }

    #[test]
    fn a_line_is_folded_row_by_row_by_number_and_by_area() {
        // The first is as fast as the other four together.
        let platform = cases::platform_of_speeds(&mut stream(1, &[]), &[&[4.0], &[1.0; 4]]);
        let cutter = Cutter::new(&platform, FREE.domain).unwrap();
        let found = foldings(&FREE, &cutter, &[0, 1, 2, 3, 4]);
        let in_two: Vec<Vec<Vec<u32>>> =
            found.iter().map(|(_, a)| columns(a)).filter(|columns| columns.len() == 2).collect();
        assert_eq!(
            in_two,
            [
                vec![vec![0, 2, 4], vec![1, 3]],
                vec![vec![0, 1, 2], vec![3, 4]],
                vec![vec![0], vec![1, 2, 3, 4]],
            ]
        );
        // A column for every processor and one for all: the same in both directions.
        assert!(found.iter().any(|(_, a)| a.columns().len() == 5));
        assert!(found.iter().any(|(_, a)| a.columns().len() == 1));
    }

    #[test]
    fn equal_processors_that_fill_a_grid_are_folded_as_algorithm_3_does() {
        let platform = cases::platform(&mut stream(1, &[]), &[3, 3], 0);
        let cutter = Cutter::new(&platform, FREE.domain).unwrap();
        let line = [4, 2, 0, 1, 3, 5];
        let found = foldings(&FREE, &cutter, &line);
        let grids = crate::Grids { domain: FREE.domain, min_rows: 1, min_columns: 1 };
        for shape in grids.shapes(6) {
            for direction in [Direction::RowByRow, Direction::ColumnByColumn] {
                let grid = super::super::grid::grid(&grids, shape, direction, &line);
                assert!(found.iter().any(|(_, folded)| *folded == grid), "{shape:?} {direction:?}");
            }
        }
    }

    #[test]
    fn few_rows_and_columns_are_left_out() {
        let parts = Parts { min_rows: 2, min_columns: 2, ..FREE };
        assert_eq!(parts.column_numbers(7), [2, 3]);
        assert_eq!(parts.column_numbers(3), []);
        let platform = cases::platform(&mut stream(1, &[]), &[4, 3], 0);
        let cutter = Cutter::new(&platform, parts.domain).unwrap();
        let found = foldings(&parts, &cutter, &[0, 1, 2, 3, 4, 5, 6]);
        assert!(!found.is_empty());
        for (_, arrangement) in found {
            assert!(parts.allow(arrangement.columns().iter().map(|c| c.rectangles.len())));
        }
    }
}
