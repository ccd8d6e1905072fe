//! Mixed integer linear programs, and the solver that answers them.

use microlp::{
    ComparisonOp, OptimizationDirection, ResumeOptions, SolutionStatus, SolveOptions, SolveOutcome,
};

use crate::run::Run;

/// Nodes of the search tree between two looks at the clock.
const NODES_BETWEEN_LOOKS: u64 = 16;

/// What a row compares with its right side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// At most.
    AtMost,
    /// Equal.
    Equal,
}

/// A variable: what it costs and between what it lies.
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

/// What a solver found.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The value of every variable.
    pub values: Vec<f64>,
    /// What no solution lies below.
    pub bound: f64,
    /// Whether nothing better exists.
    pub proven: bool,
    /// Nodes of the search tree that it took.
    pub nodes: u64,
}

impl Program {
    /// Adds a variable between `low` and `high`; its number.
    pub fn add_column(&mut self, cost: f64, low: f64, high: f64, integer: bool) -> usize {
        self.columns.push(Column { cost, low, high, integer });
        self.columns.len() - 1
    }

    /// Adds a row.
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

    /// Minimises, from a start if there is one, with at most so many nodes of the search tree.
    /// `None` if no solution was found in time.
    pub fn minimise(
        &self,
        start: Option<&[(usize, f64)]>,
        most_nodes: u64,
        run: &Run,
    ) -> Option<Answer> {
        let mut problem = microlp::Problem::new(OptimizationDirection::Minimize);
        let variables: Vec<microlp::Variable> =
            self.columns
                .iter()
                .map(|column| match column.integer {
                    true => problem
                        .add_integer_var(column.cost, (column.low as i32, column.high as i32)),
                    false => problem.add_var(column.cost, (column.low, column.high)),
                })
                .collect();
        for row in &self.rows {
            let terms: Vec<_> =
                row.terms.iter().map(|&(column, factor)| (variables[column], factor)).collect();
            let comparison = match row.sense {
                Sense::AtMost => ComparisonOp::Le,
                Sense::Equal => ComparisonOp::Eq,
            };
            problem.add_constraint(terms.as_slice(), comparison, row.right);
        }
        let mut options = SolveOptions::default();
        options.warm_start = start
            .map(|start| start.iter().map(|&(column, value)| (variables[column], value)).collect());
        options.node_limit = Some(most_nodes.min(NODES_BETWEEN_LOOKS));
        options.time_limit = run.time_left();
        let mut outcome = problem.solve_with(options).ok()?;
        let mut nodes = NODES_BETWEEN_LOOKS;
        while !outcome.is_optimal() && nodes < most_nodes && !run.is_over() {
            let mut options = ResumeOptions::default();
            options.node_limit = Some(NODES_BETWEEN_LOOKS);
            options.time_limit = run.time_left();
            outcome = outcome.resume_with(options).ok()?;
            nodes += NODES_BETWEEN_LOOKS;
        }
        answer(outcome, &variables)
    }
}

fn answer(outcome: SolveOutcome, variables: &[microlp::Variable]) -> Option<Answer> {
    let solution = outcome.solution()?;
    let values = variables.iter().map(|&variable| solution.var_value(variable)).collect();
    let proven = solution.status() == SolutionStatus::Optimal;
    let bound =
        if proven { solution.objective() } else { solution.stats().best_bound.unwrap_or(0.0) };
    let nodes = solution.stats().nodes_solved;
    Some(Answer { values, bound, proven, nodes })
}
