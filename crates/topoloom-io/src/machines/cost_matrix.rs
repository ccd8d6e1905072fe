//! Cost matrices as text: what a unit of weight costs from each node to each.
//!
//! One row per sending node, with as many numbers as there are rows, separated by commas, tabs,
//! semicolons or blanks. A `#` starts a comment. Matrix Market is accepted too; its missing entries
//! are 0. Of an assignment problem of QAPLIB, the second matrix counts.

use std::path::Path;
use std::sync::Arc;

use thiserror::Error;
use topoloom_core::objective::CostMatrix;
use topoloom_core::words::counted;
use topoloom_core::{OBJECTIVES, Objective, Spec, SpecError, Weight, parse_objective};

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::input::{Opener, open};
use crate::text::number::{self, Kind};
use crate::text::source::Source;
use crate::traffic::qaplib;
use crate::traffic::registry::{is_qaplib, looks_like_matrix_market, parse_traffic};

/// Why an objective cannot be made: its specification is wrong, or the file that it names.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ObjectiveError {
    /// The specification is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The file is wrong.
    #[error(transparent)]
    File(#[from] ReadError),
}

/// The objective that a specification names, from a file if it names one: `cost-matrix:FILE`.
pub fn read_objective(text: &str) -> Result<Arc<dyn Objective>, ObjectiveError> {
    read_objective_with(text, &open)
}

/// Like [`read_objective`]; files come from `open`.
pub fn read_objective_with(
    text: &str,
    open: &Opener<'_>,
) -> Result<Arc<dyn Objective>, ObjectiveError> {
    let spec = Spec::parse(text)?;
    if spec.name != CostMatrix::NAME {
        return Ok(parse_objective(text)?);
    }
    OBJECTIVES.find(&spec)?;
    let input = open(Path::new(CostMatrix::file(&spec)?))?;
    Ok(Arc::new(parse_cost_matrix(input.name(), &input.bytes()?)?))
}

/// Reads the cost matrix at `path`.
pub fn read_cost_matrix(path: impl AsRef<Path>) -> Result<CostMatrix, ReadError> {
    let path = path.as_ref();
    let input = open(path)?;
    parse_cost_matrix(input.name(), &input.bytes()?)
}

/// Reads the content `bytes` of a cost matrix called `name`.
pub fn parse_cost_matrix(name: &str, bytes: &[u8]) -> Result<CostMatrix, ReadError> {
    let source = Source::new(name, bytes);
    let rows = if looks_like_matrix_market(source.bytes()) {
        matrix_market_rows(&source)?
    } else if is_qaplib(&source) {
        qaplib::costs(&source)?
    } else {
        table_rows(&source)?
    };
    CostMatrix::new(name, rows).map_err(|invalid| source.error(Fault::refused(invalid)))
}

/// Rejects matrices that are too large before memory is allocated.
fn checked_size(nodes: usize) -> Result<usize, Fault> {
    match nodes {
        nodes if nodes <= CostMatrix::MOST_NODES => Ok(nodes),
        nodes => {
            let most = CostMatrix::MOST_NODES;
            Err(Fault::TooLarge(format!(
                "{nodes} nodes are too many for a cost matrix; at most {most} fit"
            )))
        }
    }
}

/// The entries of a Matrix Market file, read as if they were bytes that ranks send.
fn matrix_market_rows(source: &Source<'_>) -> Result<Vec<Vec<f64>>, ReadError> {
    let entries = parse_traffic(source.name(), source.bytes(), Weight::Bytes)?;
    let nodes = checked_size(entries.num_ranks()).map_err(|fault| source.error(fault))?;
    let mut rows = vec![vec![0.0; nodes]; nodes];
    entries.for_each_flow(Weight::Bytes, |from, to, cost| rows[from as usize][to as usize] = cost);
    Ok(rows)
}

fn table_rows(source: &Source<'_>) -> Result<Vec<Vec<f64>>, ReadError> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut last_line = 0;
    for (line_number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(line_number, fault);
        let fields = fields(line);
        if fields.is_empty() {
            continue;
        }
        let width = rows.first().map_or(fields.len(), Vec::len);
        checked_size(width).map_err(error)?;
        if fields.len() != width {
            return Err(error(Fault::expected(counted(width, "column"), fields.len())));
        }
        if rows.len() == width {
            return Err(error(Fault::expected(square(width), "more")));
        }
        let row = fields.into_iter().map(|field| number::weight(field, Kind::Real));
        rows.push(row.collect::<Result<_, _>>().map_err(error)?);
        last_line = line_number;
    }
    match rows.first().map(Vec::len) {
        None => Err(source.error(Fault::expected("a square matrix of costs", "none"))),
        Some(width) if rows.len() < width => {
            let found = rows.len();
            let fault = Fault::expected(square(width), found);
            Err(source.error_in_line(last_line, fault))
        }
        Some(_) => Ok(rows),
    }
}

fn square(width: usize) -> String {
    format!("{} of {}", counted(width, "row"), counted(width, "column"))
}

/// The columns of a line without its comment: separated by commas, semicolons or tabs if there are
/// any, else by blanks.
fn fields(line: &[u8]) -> Vec<&[u8]> {
    let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
    let line = &line[..end];
    if line.trim_ascii().is_empty() {
        return Vec::new();
    }
    for separator in [b',', b';', b'\t'] {
        if line.contains(&separator) {
            return line.split(|&byte| byte == separator).map(<[u8]>::trim_ascii).collect();
        }
    }
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect()
}
