//! Grids whose ranks are numbered row by row: a few constant differences of rank numbers.

use super::logical::{LogicalGrid, MOST_AXES};
use crate::clock::Clock;
use crate::traffic::CommunicationGraph;

/// Differences examined: a Moore stencil of 4 axes has 40.
const MOST_DIFFERENCES: usize = 64;

/// Readings that are measured on every edge.
const MOST_READINGS: usize = 8;

/// Together, the differences must carry this share of the bytes. Otherwise ranks are not in order.
const LEAST_SHARE: f64 = 0.6;

/// The grid of `graph` if its ranks run through it row by row. Takes O(edges).
pub(super) fn detect(graph: &CommunicationGraph, clock: &Clock<'_>) -> Option<LogicalGrid> {
    let differences = common_differences(graph)?;
    let mut best: Option<LogicalGrid> = None;
    for strides in chains(&differences, graph.num_ranks() as u32, MOST_AXES) {
        if clock.is_over() {
            break;
        }
        let grid = read(graph, &strides);
        if best.as_ref().is_none_or(|best| grid.quality() > best.quality()) {
            best = Some(grid);
        }
    }
    best.filter(LogicalGrid::is_convincing)
}

/// The strides of grids of up to `most_axes` axes, fastest axis first, that carry most bytes if
/// ranks run through a grid row by row. Only the heaviest differences are considered, because many
/// differences make too many chains.
pub(crate) fn long_chains(graph: &CommunicationGraph, most_axes: usize) -> Vec<Vec<u32>> {
    const MOST_OF_LONG_CHAINS: usize = 12;
    let Some(mut differences) = common_differences(graph) else { return Vec::new() };
    differences.truncate(MOST_OF_LONG_CHAINS);
    chains(&differences, graph.num_ranks() as u32, most_axes)
}

/// Of many chains of strides, those that carry most: they are worth measuring on every edge.
fn chains(differences: &[(u32, f64)], ranks: u32, most_axes: usize) -> Vec<Vec<u32>> {
    let mut readings = Vec::new();
    let first = (1, bytes_of(differences, 1));
    extend(differences, ranks, most_axes, &mut vec![first], &mut readings);
    readings.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    readings.truncate(MOST_READINGS);
    readings.into_iter().map(|(_, strides)| strides).collect()
}

/// The differences that carry most bytes, and those bytes; `None` if they carry too few.
fn common_differences(graph: &CommunicationGraph) -> Option<Vec<(u32, f64)>> {
    let mut bytes = vec![0.0; graph.num_ranks()];
    let mut total = 0.0;
    for (a, b, weight) in graph.pairs() {
        bytes[(b - a) as usize] += weight;
        total += weight;
    }
    let mut differences: Vec<(u32, f64)> =
        (0..).zip(bytes).filter(|&(_, bytes)| bytes > 0.002 * total).collect();
    differences.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    differences.truncate(MOST_DIFFERENCES);
    let carried: f64 = differences.iter().map(|&(_, bytes)| bytes).sum();
    (total > 0.0 && carried >= LEAST_SHARE * total).then_some(differences)
}

fn bytes_of(differences: &[(u32, f64)], difference: u32) -> f64 {
    differences.iter().find(|known| known.0 == difference).map_or(0.0, |known| known.1)
}

/// Adds to `readings` every chain of strides that begins with `chain`, and its bytes. Each stride
/// divides the next: a row holds whole rows of the axes below.
fn extend(
    differences: &[(u32, f64)],
    ranks: u32,
    most_axes: usize,
    chain: &mut Vec<(u32, f64)>,
    readings: &mut Vec<(f64, Vec<u32>)>,
) {
    let strides = chain.iter().map(|link| link.0).collect();
    readings.push((chain.iter().map(|link| link.1).sum(), strides));
    if chain.len() == most_axes {
        return;
    }
    let last = chain[chain.len() - 1].0;
    for &(stride, bytes) in differences {
        if stride > last && stride % last == 0 && stride < ranks {
            chain.push((stride, bytes));
            extend(differences, ranks, most_axes, chain, readings);
            chain.pop();
        }
    }
}

/// The grid whose axes have these strides, the slowest axis first.
fn read(graph: &CommunicationGraph, strides: &[u32]) -> LogicalGrid {
    let ranks = graph.num_ranks() as u32;
    let whole = ranks.next_multiple_of(strides[strides.len() - 1]);
    let above = |place: usize| strides.get(place + 1).copied().unwrap_or(whole);
    let lengths: Vec<u32> =
        (0..strides.len()).rev().map(|place| above(place) / strides[place]).collect();
    let mut coordinates = Vec::with_capacity(graph.num_ranks() * strides.len());
    for rank in 0..ranks {
        for (&stride, &length) in strides.iter().rev().zip(&lengths) {
            coordinates.push(rank / stride % length);
        }
    }
    LogicalGrid::measure(graph, lengths, coordinates)
}
