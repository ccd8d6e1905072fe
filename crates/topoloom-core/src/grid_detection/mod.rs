//! Decides from the traffic alone whether an application computes on a grid.
//!
//! If ranks are in order, the grid is read from their numbers (`strides`). Otherwise a few ranks
//! are checked for the right angles of a grid (`frame`), which rejects most other traffic at once.
//! Then the grid is grown from one of them (`growth`), cut to a box (`fit`) and repaired
//! (`repair`).

mod fit;
mod frame;
mod growth;
mod line;
mod logical;
mod neighbours;
mod repair;
mod strides;
mod threshold;

pub(crate) use self::logical::{LogicalGrid, MOST_AXES};
pub(crate) use self::strides::long_chains;

use self::neighbours::Neighbours;
use crate::clock::Clock;
use crate::traffic::CommunicationGraph;

/// Ranks that growth starts from before the search gives up.
const MOST_SEEDS: usize = 3;

/// In a grid without faults, this share of the neighbour pairs exchanges something.
const NEARLY_ALL: f64 = 0.97;

/// The grid in `graph`, or `None` if there is none. Deterministic. It says no in time proportional
/// to the number of edges, and when the time is up.
pub(crate) fn detect(graph: &CommunicationGraph, clock: &Clock<'_>) -> Option<LogicalGrid> {
    if let Some(grid) = strides::detect(graph, clock) {
        return Some(grid);
    }
    let mut best: Option<LogicalGrid> = None;
    for least in threshold::thresholds(graph) {
        if clock.is_over() {
            break;
        }
        let Some(grid) = detect_shuffled(graph, least, clock) else { continue };
        // Light edges that were not left out may have distorted the grid without hiding it.
        if best.as_ref().is_none_or(|best| grid.quality() > best.quality()) {
            best = Some(grid);
        }
        if best.as_ref().is_some_and(|best| best.present > NEARLY_ALL) {
            break;
        }
    }
    best
}

/// The grid of the edges of at least this weight, ranks in any order.
fn detect_shuffled(
    graph: &CommunicationGraph,
    least: f64,
    clock: &Clock<'_>,
) -> Option<LogicalGrid> {
    if let Some(order) = line::order(graph, least) {
        let mut coordinates = vec![0; order.len()];
        (0..).zip(&order).for_each(|(at, &rank)| coordinates[rank as usize] = at);
        let grid = LogicalGrid::measure(graph, vec![order.len() as u32], coordinates);
        return Some(grid).filter(LogicalGrid::is_convincing);
    }
    let diagonals = frame::sample(graph, least)?;
    let heavy = Neighbours::heavy(graph, least);
    let neighbours = if diagonals { heavy.along_axes() } else { heavy.without_hubs() };
    for seed in frame::seeds(&neighbours, MOST_SEEDS) {
        let positions = growth::grow(&neighbours, &seed, clock);
        if clock.is_over() {
            return None;
        }
        let Some(mut cells) = fit::fit(&neighbours, &positions, seed.axes()) else { continue };
        repair::repair(&neighbours, &mut cells, clock);
        if diagonals {
            // Diagonals identify corners that have lost their edges along axes.
            repair::repair(&heavy, &mut cells, clock);
        }
        let grid = LogicalGrid::measure(graph, cells.lengths().to_vec(), cells.coordinates());
        if grid.is_convincing() {
            return Some(grid);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{TrafficBuilder, Weight};
    use crate::{Run, parse_pattern, random};

    /// A pattern with its ranks in random order, with missing pairs and with extra pairs.
    struct Disturbed {
        pattern: &'static str,
        /// Random order if not 0.
        seed: u64,
        percent_missing: u32,
        on_top: &'static [fn(u32) -> u32],
    }

    impl Disturbed {
        fn shuffled(pattern: &'static str, seed: u64) -> Disturbed {
            Disturbed { pattern, seed, percent_missing: 0, on_top: &[] }
        }

        fn graph(&self) -> CommunicationGraph {
            let traffic = parse_pattern(self.pattern).unwrap();
            let ranks = traffic.num_ranks() as u32;
            let mut rng = random::stream(self.seed, &[]);
            let mut order: Vec<u32> = (0..ranks).collect();
            if self.seed > 0 {
                random::shuffle(&mut rng, &mut order);
            }
            let mut builder = TrafficBuilder::new(ranks);
            for (a, b, weight) in traffic.graph(Weight::Bytes).pairs() {
                if random::below(&mut rng, 100) >= self.percent_missing {
                    builder.add(order[a as usize], order[b as usize], 1.0, 100.0 * weight);
                }
            }
            for partner in self.on_top {
                (1..ranks).for_each(|rank| builder.add(rank, partner(rank), 1.0, 9.0));
            }
            builder.build().graph(Weight::Bytes)
        }

        fn detect(&self) -> Option<LogicalGrid> {
            let grid = detect(&self.graph(), &Clock::new(&Run::new(1)))?;
            let mut cells: Vec<&[u32]> = (0..grid.ranks()).map(|rank| grid.cell(rank)).collect();
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells.len(), grid.ranks(), "two ranks in one cell: {}", self.pattern);
            let inside = |cell: &&[u32]| cell.iter().zip(&grid.lengths).all(|(at, end)| at < end);
            assert!(cells.iter().all(inside), "a cell outside: {}", self.pattern);
            Some(grid)
        }
    }

    /// Lengths in ascending order; each says whether the axis is a ring.
    fn axes(grid: &LogicalGrid) -> Vec<(u32, bool)> {
        let pairs = grid.lengths.iter().copied().zip(grid.periodic.iter().copied());
        let mut axes: Vec<_> = pairs.collect();
        axes.sort_unstable();
        axes
    }

    const GRIDS: [(&str, &[(u32, bool)]); 13] = [
        ("stencil:64", &[(64, false)]),
        ("ring:64", &[(64, true)]),
        ("stencil:5x7", &[(5, false), (7, false)]),
        ("stencil:16x32", &[(16, false), (32, false)]),
        ("stencil:2x20", &[(2, false), (20, false)]),
        ("stencil:16x16,periodic", &[(16, true), (16, true)]),
        ("stencil:9x13,periodic", &[(9, true), (13, true)]),
        ("stencil:8x8x8", &[(8, false), (8, false), (8, false)]),
        ("stencil:6x7x8,periodic", &[(6, true), (7, true), (8, true)]),
        ("stencil:5x6x5x7", &[(5, false), (5, false), (6, false), (7, false)]),
        ("stencil:32x32,moore", &[(32, false), (32, false)]),
        ("stencil:12x16,moore,periodic", &[(12, true), (16, true)]),
        ("stencil:7x8x9,moore", &[(7, false), (8, false), (9, false)]),
    ];

    #[test]
    fn a_grid_is_found_with_its_ranks_in_order_and_in_any_order() {
        for (pattern, expected) in GRIDS {
            for seed in 0..4 {
                let grid = Disturbed::shuffled(pattern, seed).detect();
                let grid = grid.unwrap_or_else(|| panic!("{pattern} {seed}: nothing found"));
                assert_eq!(axes(&grid), expected, "{pattern} {seed}");
                // Corners of boxes with diagonals may get mixed up.
                let least = if pattern.contains("x9,moore") { 0.95 } else { 1.0 };
                assert!(grid.explained.min(grid.present) >= least, "{pattern} {seed}: {grid:?}");
            }
        }
    }

    #[test]
    fn a_grid_is_found_with_two_percent_of_its_pairs_missing() {
        // Lines fall apart, and so do narrow grids.
        for (pattern, expected) in GRIDS.iter().filter(|(_, axes)| axes[0].0 > 6 && axes.len() > 1)
        {
            for seed in 0..4 {
                let disturbed =
                    Disturbed { percent_missing: 2, ..Disturbed::shuffled(pattern, seed) };
                let grid = disturbed.detect();
                let grid = grid.unwrap_or_else(|| panic!("{pattern} {seed}: nothing found"));
                assert_eq!(axes(&grid), *expected, "{pattern} {seed}");
                assert!(grid.explained > 0.95, "{pattern} {seed}: {}", grid.explained);
            }
        }
    }

    #[test]
    fn light_edges_on_top_do_not_hide_a_grid() {
        // A broadcast from rank 0 and a reduction along a binary tree.
        let on_top: &[fn(u32) -> u32] = &[|_| 0, |rank| rank / 2];
        for (pattern, expected) in &GRIDS[3..12] {
            for seed in 0..3 {
                let grid = Disturbed { on_top, ..Disturbed::shuffled(pattern, seed) }.detect();
                let grid = grid.unwrap_or_else(|| panic!("{pattern} {seed}: nothing found"));
                assert_eq!(axes(&grid), *expected, "{pattern} {seed}");
                assert!(grid.explained > 0.8, "{pattern} {seed}: {}", grid.explained);
            }
        }
    }

    #[test]
    fn other_traffic_shows_no_grid() {
        for pattern in [
            "random:ranks=1000,degree=8,seed=1",
            "random:ranks=1000,degree=4,seed=2",
            "random:ranks=64,degree=3,seed=3",
            "all-to-all:64",
            "ring:1",
        ] {
            for seed in 0..2 {
                assert_eq!(Disturbed::shuffled(pattern, seed).detect(), None, "{pattern}");
            }
        }
        // A tree, and a star.
        let trees: [fn(u32) -> u32; 2] = [|rank| rank / 2, |_| 0];
        for parent in trees {
            let mut builder = TrafficBuilder::new(500);
            (1..500).for_each(|rank| builder.add(rank, parent(rank), 1.0, 1.0));
            let graph = builder.build().graph(Weight::Bytes);
            assert_eq!(detect(&graph, &Clock::new(&Run::new(1))), None);
        }
    }
}
