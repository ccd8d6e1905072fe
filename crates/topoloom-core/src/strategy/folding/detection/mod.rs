//! Decides from the traffic alone whether an application computes on a grid.
//!
//! Ranks in order are read off their numbers (`strides`). Otherwise a few ranks are looked at
//! for the right angles of a grid (`frame`), which refuses most other traffic at once; then the
//! grid is grown from one of them (`growth`), cut to a box (`fit`) and mended (`repair`).

mod fit;
mod frame;
mod growth;
mod line;
mod neighbours;
mod repair;
mod strides;
mod threshold;

use self::neighbours::Neighbours;
use super::logical::LogicalGrid;
use crate::traffic::CommunicationGraph;

/// Ranks that growth begins from before it is given up.
const MOST_SEEDS: usize = 3;

/// The grid that `graph` shows, or `None` where it shows none. Deterministic; says no in time
/// proportional to the number of edges.
pub(crate) fn detect(graph: &CommunicationGraph) -> Option<LogicalGrid> {
    if let Some(grid) = strides::detect(graph) {
        return Some(grid);
    }
    threshold::thresholds(graph).into_iter().find_map(|least| detect_shuffled(graph, least))
}

/// The grid of the edges of at least this weight, ranks in any order.
fn detect_shuffled(graph: &CommunicationGraph, least: f64) -> Option<LogicalGrid> {
    if let Some(order) = line::order(graph, least) {
        let mut coordinates = vec![0; order.len()];
        (0..).zip(&order).for_each(|(at, &rank)| coordinates[rank as usize] = at);
        let grid = LogicalGrid::measure(graph, vec![order.len() as u32], coordinates);
        return Some(grid).filter(LogicalGrid::is_convincing);
    }
    let diagonals = frame::sample(graph, least)?;
    let neighbours = Neighbours::new(graph, least, diagonals);
    for seed in frame::seeds(&neighbours, MOST_SEEDS) {
        let positions = growth::grow(&neighbours, &seed);
        let Some(mut cells) = fit::fit(&neighbours, &positions, seed.axes()) else { continue };
        repair::repair(&neighbours, &mut cells);
        let grid = LogicalGrid::measure(graph, cells.lengths().to_vec(), cells.coordinates());
        if grid.is_convincing() {
            return Some(grid);
        }
    }
    None
}
