//! Programs solved by HiGHS, in C++: it needs fewer search tree nodes than microlp, with more work
//! in each.
//!
//! Q. Huangfu and J. A. J. Hall, "Parallelizing the dual revised simplex method" (2018).

use highs::{
    Col, HighsModelStatus, HighsSolutionStatus, Model, RowProblem, SolvedModel, TrySetOptionError,
};

use super::program::{Answer, Program, Sense};
use crate::run::Run;

/// HiGHS's marker for a column of a start that it should fill in.
const UNDEFINED: f64 = f64::INFINITY;

/// See [`Program::minimise`]. Once started, it ends only at the limits of nodes and time: no safe
/// call interrupts HiGHS.
pub fn minimise(
    program: &Program,
    start: Option<&[(usize, f64)]>,
    most_nodes: u64,
    run: &Run,
) -> Option<Answer> {
    if run.is_over() {
        return None;
    }
    let mut model = problem(program).try_optimise(highs::Sense::Minimise).ok()?;
    set_options(&mut model, most_nodes, run).ok()?;
    let integers = program.columns.iter().any(|column| column.integer);
    if let Some(start) = start.filter(|_| integers) {
        let mut values = vec![UNDEFINED; program.columns.len()];
        for &(column, value) in start {
            values[column] = value;
        }
        model.try_set_solution(Some(&values), None, None, None).ok()?;
    }
    answer(&model.try_solve().ok()?, integers, most_nodes)
}

fn problem(program: &Program) -> RowProblem {
    let mut problem = RowProblem::new();
    let columns: Vec<Col> = program
        .columns
        .iter()
        .map(|column| {
            let bounds = column.low..=column.high;
            problem.add_column_with_integrality(column.cost, bounds, column.integer)
        })
        .collect();
    for row in &program.rows {
        let terms = row.terms.iter().map(|&(column, factor)| (columns[column], factor));
        match row.sense {
            Sense::AtMost => problem.add_row(..=row.right, terms),
            Sense::Equal => problem.add_row(row.right..=row.right, terms),
        }
    }
    problem
}

fn set_options(model: &mut Model, most_nodes: u64, run: &Run) -> Result<(), TrySetOptionError> {
    model.make_quiet();
    // This gives the same answer each time, and other threads belong to the caller.
    model.try_set_option("threads", 1)?;
    model.try_set_option("parallel", "off")?;
    model.try_set_option("mip_rel_gap", 0.0)?;
    model.try_set_option("mip_abs_gap", 0.0)?;
    // Smaller factors are dropped; this is the smallest limit that HiGHS allows.
    model.try_set_option("small_matrix_value", 1e-12)?;
    // The largest value means no limit.
    model.try_set_option("mip_max_nodes", i32::try_from(most_nodes).unwrap_or(i32::MAX))?;
    if let Some(left) = run.time_left() {
        model.try_set_option("time_limit", left.as_secs_f64())?;
    }
    Ok(())
}

/// Without integers HiGHS has no bound until it has finished.
fn answer(solved: &SolvedModel, integers: bool, most_nodes: u64) -> Option<Answer> {
    if solved.primal_solution_status() != HighsSolutionStatus::Feasible {
        return None;
    }
    let proven = solved.status() == HighsModelStatus::Optimal;
    let bound = if proven {
        solved.objective_value()
    } else if integers {
        solved.double_info_value(c"mip_dual_bound").unwrap_or(f64::NEG_INFINITY)
    } else {
        f64::NEG_INFINITY
    };
    // No safe call reports how many it used.
    let nodes = if integers { most_nodes } else { 0 };
    Some(Answer { values: solved.get_solution().columns().to_vec(), bound, proven, nodes })
}
