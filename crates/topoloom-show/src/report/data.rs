//! The data for the page's script: numbers as base64 of little-endian bytes (see `page/README.md`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use topoloom_core::insight::Matrix;
use topoloom_core::{Mapping, Problem};

use super::content::{File, Report};
use crate::layout::{DrawnMachine, narrowed};

/// The most partners of a rank that are listed; the others are given as a sum.
const MOST_PARTNERS: usize = 32;

/// The most partners listed in total; if there are more, each rank lists fewer.
const MOST_LISTED: usize = 500_000;

/// The most ranks for which a report allows picking one by one.
const MOST_PICKED: usize = 65_536;

#[derive(Serialize)]
struct Data<'a> {
    version: u32,
    ranks: usize,
    weight: String,
    placements: Vec<&'a str>,
    matrix: Option<MatrixData<'a>>,
    machine: MachineData<'a>,
    points_of_ranks: Option<Vec<String>>,
    partners: Option<Partners>,
    files: &'a [File],
}

#[derive(Serialize)]
struct MatrixData<'a> {
    size: usize,
    ranks_per_cell: usize,
    orders: Vec<Order<'a>>,
}

#[derive(Serialize)]
struct Order<'a> {
    name: &'a str,
    axis: &'static str,
    cells: String,
    values: String,
}

#[derive(Serialize)]
struct MachineData<'a> {
    turns: bool,
    boundaries: bool,
    points: String,
    names: &'a [String],
    holding: usize,
    edges: String,
    around: String,
    bends: String,
    rows: Vec<RowData<'a>>,
    cells: bool,
    loads: Vec<LoadData>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct RowData<'a> {
    name: &'a str,
    point: usize,
}

#[derive(Serialize)]
struct LoadData {
    forward: String,
    backward: String,
    traffic: String,
    most: f64,
}

#[derive(Serialize)]
struct Partners {
    start: String,
    rank: String,
    weight: String,
    left_out: String,
    left_out_weight: String,
}

/// One order of ranks of the matrix.
pub struct OrderedMatrix {
    /// Its name.
    pub name: String,
    /// What rows and columns are: `rank` or `place`.
    pub axis: &'static str,
    /// The traffic.
    pub matrix: Matrix,
}

/// The data as written in the page: JSON that cannot end the element around it.
pub fn json(report: &Report<'_>, drawn: &DrawnMachine, orders: &[OrderedMatrix]) -> String {
    let problem = report.problem;
    let shown = report.drawn();
    let picked = problem.num_ranks() <= MOST_PICKED;
    let data = Data {
        version: 1,
        ranks: problem.num_ranks(),
        weight: problem.weight().to_string(),
        placements: shown.iter().map(|placed| placed.name.as_str()).collect(),
        matrix: matrix_data(orders),
        machine: machine_data(drawn),
        points_of_ranks: picked
            .then(|| shown.iter().map(|placed| points_of_ranks(&placed.mapping, drawn)).collect()),
        partners: picked.then(|| partners(problem)),
        files: &report.files,
    };
    let text = serde_json::to_string(&data).expect("the data has no maps with odd keys");
    // Only strings contain this character: numbers and punctuation of JSON do not.
    text.replace('<', "\\u003c")
}

/// What was left out because there is too much of it.
pub fn notes(problem: &Problem) -> Vec<String> {
    match problem.num_ranks() > MOST_PICKED {
        true => vec![format!(
            "With more than {} ranks, single ranks cannot be picked.",
            crate::numbers::grouped(MOST_PICKED as f64)
        )],
        false => Vec::new(),
    }
}

fn matrix_data(orders: &[OrderedMatrix]) -> Option<MatrixData<'_>> {
    let first = orders.first()?;
    first.matrix.range()?;
    let order = |order: &'_ OrderedMatrix| {
        let held: Vec<(usize, f64)> = order.matrix.held().collect();
        (
            integers(held.iter().map(|&(cell, _)| cell as u32)),
            floats(held.iter().map(|&(_, value)| narrowed(value))),
        )
    };
    Some(MatrixData {
        size: first.matrix.size,
        ranks_per_cell: first.matrix.ranks_per_cell,
        orders: orders
            .iter()
            .map(|ordered| {
                let (cells, values) = order(ordered);
                Order { name: &ordered.name, axis: ordered.axis, cells, values }
            })
            .collect(),
    })
}

fn machine_data(drawn: &DrawnMachine) -> MachineData<'_> {
    let around = (0..).zip(&drawn.around).filter(|(_, around)| **around).map(|(edge, _)| edge);
    MachineData {
        turns: drawn.turns,
        boundaries: drawn.boundaries,
        points: floats(drawn.points.iter().flatten().copied()),
        names: &drawn.names,
        holding: drawn.holding,
        edges: integers(drawn.edges.iter().flatten().copied()),
        around: integers(around),
        bends: match drawn.bends.iter().any(|&bend| bend != 0.0) {
            true => floats(drawn.bends.iter().copied()),
            false => String::new(),
        },
        rows: rows(drawn),
        cells: drawn.layers.as_ref().is_some_and(|layers| layers.in_cells),
        loads: drawn
            .loads
            .iter()
            .map(|loads| LoadData {
                forward: floats(loads.forward.iter().copied()),
                backward: floats(loads.backward.iter().copied()),
                traffic: floats(loads.traffic.iter().copied()),
                most: loads.most,
            })
            .collect(),
        notes: &drawn.notes,
    }
}

/// The name of each row, and the first point in it.
fn rows(drawn: &DrawnMachine) -> Vec<RowData<'_>> {
    let Some(layers) = &drawn.layers else { return Vec::new() };
    let first = |level: usize| layers.highest(&drawn.points, level);
    let named = layers.names.iter().enumerate();
    named.filter_map(|(level, name)| Some(RowData { name, point: first(level)? })).collect()
}

fn points_of_ranks(mapping: &Mapping, drawn: &DrawnMachine) -> String {
    integers(mapping.nodes().iter().map(|&node| drawn.point_of_node[node as usize]))
}

/// The partners of every rank, heaviest first, with both directions together.
fn partners(problem: &Problem) -> Partners {
    let graph = problem.graph();
    let ranks = graph.num_ranks();
    let most = MOST_PARTNERS.min(MOST_LISTED / ranks.max(1)).max(4);
    let (mut start, mut rank_of, mut weight_of) = (vec![0u32], Vec::new(), Vec::new());
    let (mut left_out, mut left_out_weight) = (Vec::new(), Vec::new());
    for rank in 0..ranks as u32 {
        let mut edges: Vec<(u32, f64)> = graph.edges(rank).filter(|edge| edge.1 > 0.0).collect();
        edges.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let rest = edges.split_off(edges.len().min(most));
        rank_of.extend(edges.iter().map(|edge| edge.0));
        weight_of.extend(edges.iter().map(|edge| narrowed(edge.1)));
        start.push(rank_of.len() as u32);
        left_out.push(rest.len() as u32);
        left_out_weight.push(narrowed(rest.iter().map(|edge| edge.1).sum()));
    }
    Partners {
        start: integers(start),
        rank: integers(rank_of),
        weight: floats(weight_of),
        left_out: integers(left_out),
        left_out_weight: floats(left_out_weight),
    }
}

fn integers(values: impl IntoIterator<Item = u32>) -> String {
    let bytes: Vec<u8> = values.into_iter().flat_map(u32::to_le_bytes).collect();
    STANDARD.encode(bytes)
}

fn floats(values: impl IntoIterator<Item = f32>) -> String {
    let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
    STANDARD.encode(bytes)
}
