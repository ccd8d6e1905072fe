//! Mixed integer linear programs.

/// How a row is compared with its right side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// At most.
    AtMost,
    /// Equal.
    Equal,
}

/// A variable: its cost and its bounds.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub cost: f64,
    pub low: f64,
    pub high: f64,
    pub integer: bool,
}

/// A row: a sum of variables, compared with a number.
#[derive(Debug, Clone)]
pub struct Row {
    pub terms: Vec<(usize, f64)>,
    pub sense: Sense,
    pub right: f64,
}

/// A program to minimise.
#[derive(Debug, Clone, Default)]
pub struct Program {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

/// The result of a solver.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The value of every variable.
    pub values: Vec<f64>,
    /// A lower bound for every solution; minus infinity if the solver does not give one.
    pub bound: f64,
    /// Whether nothing better exists.
    pub proven: bool,
    /// The maximum number of search tree nodes that it used.
    pub nodes: u64,
}

impl Program {
    /// Adds a variable between `low` and `high`; returns its number.
    pub fn add_column(&mut self, cost: f64, low: f64, high: f64, integer: bool) -> usize {
        self.columns.push(Column { cost, low, high, integer });
        self.columns.len() - 1
    }

    /// Adds a row, in which no variable occurs twice.
    pub fn add_row(&mut self, terms: Vec<(usize, f64)>, sense: Sense, right: f64) {
        self.rows.push(Row { terms, sense, right });
    }

    /// Whether `values` keep every bound and row, up to `tolerance`.
    pub fn allows(&self, values: &[f64], tolerance: f64) -> bool {
        let within = |(column, &value): (&Column, &f64)| {
            (column.low - tolerance..=column.high + tolerance).contains(&value)
                && (!column.integer || (value - value.round()).abs() <= tolerance)
        };
        let kept = |row: &Row| {
            let sum: f64 = row.terms.iter().map(|&(column, factor)| factor * values[column]).sum();
            match row.sense {
                Sense::AtMost => sum <= row.right + tolerance,
                Sense::Equal => (sum - row.right).abs() <= tolerance,
            }
        };
        values.len() == self.columns.len()
            && self.columns.iter().zip(values).all(within)
            && self.rows.iter().all(kept)
    }
}
