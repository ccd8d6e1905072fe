//! Programs solved by microlp, in Rust: the build needs nothing else.

use microlp::{
    ComparisonOp, OptimizationDirection, ResumeOptions, SolutionStatus, SolveOptions, SolveOutcome,
};

use super::program::{Answer, Program, Sense};
use crate::run::Run;

/// Search tree nodes between two checks of the clock.
const NODES_BETWEEN_LOOKS: u64 = 16;

/// See [`Program::minimise`].
pub fn minimise(
    program: &Program,
    start: Option<&[(usize, f64)]>,
    most_nodes: u64,
    run: &Run,
) -> Option<Answer> {
    let (problem, variables) = problem(program);
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

fn problem(program: &Program) -> (microlp::Problem, Vec<microlp::Variable>) {
    let mut problem = microlp::Problem::new(OptimizationDirection::Minimize);
    let variables: Vec<microlp::Variable> = program
        .columns
        .iter()
        .map(|column| match column.integer {
            true => problem.add_integer_var(column.cost, (column.low as i32, column.high as i32)),
            false => problem.add_var(column.cost, (column.low, column.high)),
        })
        .collect();
    for row in &program.rows {
        let terms: Vec<_> =
            row.terms.iter().map(|&(column, factor)| (variables[column], factor)).collect();
        let comparison = match row.sense {
            Sense::AtMost => ComparisonOp::Le,
            Sense::Equal => ComparisonOp::Eq,
        };
        problem.add_constraint(terms.as_slice(), comparison, row.right);
    }
    (problem, variables)
}

fn answer(outcome: SolveOutcome, variables: &[microlp::Variable]) -> Option<Answer> {
    let solution = outcome.solution()?;
    let values = variables.iter().map(|&variable| solution.var_value(variable)).collect();
    let proven = solution.status() == SolutionStatus::Optimal;
    let bound = match proven {
        true => solution.objective(),
        false => solution.stats().best_bound.unwrap_or(f64::NEG_INFINITY),
    };
    Some(Answer { values, bound, proven, nodes: solution.stats().nodes_solved })
}
