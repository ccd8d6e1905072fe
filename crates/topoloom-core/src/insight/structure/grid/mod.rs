//! Neighbours on a box: chains, rings, grids, tori and wavefronts.

mod cells;
mod directions;
mod judge;
mod tally;

use cells::Cells;
use judge::judge;

use super::candidate::{Candidate, better};
use super::components::part_of_each;
use super::kinds::{Diagonals, Grid, RankOrder, Structure};
use super::view::View;
use crate::clock::Clock;
use crate::grid_detection;
use crate::run::Run;

/// Axes of a grid whose ranks are in order; if they are in any order, up to 4 are found.
const MOST_AXES: usize = 8;

/// This share of the ranks with partners must be connected: jobs side by side are not a grid.
const LEAST_TOGETHER: f64 = 0.9;

/// The best box that is connected.
pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    best(view).filter(|_| hangs_together(view))
}

/// Whether nearly all ranks that exchange what matters reach each other.
fn hangs_together(view: &View<'_>) -> bool {
    let (part, parts) = part_of_each(view);
    let mut sizes = vec![0.0; parts];
    part.iter().flatten().for_each(|&part| sizes[part as usize] += 1.0);
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    largest >= LEAST_TOGETHER * sizes.iter().sum::<f64>()
}

fn best(view: &View<'_>) -> Option<Candidate> {
    if view.ranks() == 2 && view.graph.num_pairs() == 1 {
        return pair(view);
    }
    let judged = |cells: Cells| Some((judge(view, &cells)?, cells.occupied.is_none()));
    let few_axes = grid_detection::detect(view.graph, &Clock::new(&Run::new(0))).and_then(|grid| {
        let ranks = 0..grid.ranks();
        let coordinates = ranks.flat_map(|rank| grid.cell(rank).to_vec()).collect();
        judged(Cells::new(view, &grid.lengths, coordinates)?)
    });
    if let Some((found, true)) = &few_axes
        && found.quality() > 0.97
    {
        return few_axes.map(|found| found.0);
    }
    // If ranks are in order, it may have missed small, long or noisy grids.
    let in_order = grid_detection::long_chains(view.graph, MOST_AXES).into_iter();
    let in_order = in_order.filter_map(|strides| judged(Cells::of_strides(view, &strides)?));
    let (full, with_gaps): (Vec<_>, Vec<_>) =
        few_axes.into_iter().chain(in_order).partition(|(_, is_full)| *is_full);
    let best = |found: Vec<(Candidate, bool)>| {
        let candidates = found.into_iter().map(|found| found.0);
        candidates.reduce(|best, next| if next.quality() > best.quality() { next } else { best })
    };
    // Empty cells explain away missing pairs, so a box without any is more credible.
    better(best(full), || best(with_gaps))
}

/// Two ranks: any result would be trivial.
fn pair(view: &View<'_>) -> Option<Candidate> {
    let cells = Cells::new(view, &[2], vec![0, 1])?;
    let grid = Grid {
        lengths: vec![2],
        periodic: vec![false],
        diagonals: Diagonals::None,
        one_way: cells.is_one_way(view),
        axis_shares: vec![1.0],
    };
    Some(Candidate {
        structure: Structure::Grid(grid),
        order: RankOrder::Natural,
        ranks: 2,
        share: 1.0,
        present: 1.0,
        talkers_only: false,
        joins: Box::new(|_, _| true),
    })
}
