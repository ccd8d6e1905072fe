//! Whether ranks in the cells of a box are a grid, and which.

use super::cells::Cells;
use super::directions::straight;
use super::tally::Tally;
use crate::insight::structure::candidate::Candidate;
use crate::insight::structure::kinds::{Diagonals, Grid, RankOrder, Structure};
use crate::insight::structure::view::View;

/// Grids of fewer ranks in any order
const FEW_RANKS: u32 = 64;

/// must explain this much.
const LEAST_OF_FEW: f64 = 0.9;

/// A box with ranks in any order may have this many cells per rank.
const MOST_CELLS: f64 = 1.02;

/// Measures a grid; `None` if it is not convincing.
pub(super) fn judge(view: &View<'_>, cells: &Cells) -> Option<Candidate> {
    let tally = Tally::of(view, cells);
    let straight = straight(cells.lengths.len());
    let axis_shares: Vec<f64> = straight.iter().map(|&way| tally.share(view, way)).collect();
    let along_axes = tally.along_axes(view, cells, &straight, &axis_shares);
    let possible = tally.diagonals();
    let mut diagonals = tally.diagonals_there(&possible, cells);
    // Judged again: with diagonals a small box contains most of all pairs.
    let with_diagonals = tally.with_diagonals(view, &along_axes, &diagonals);
    let measured = if !diagonals.is_empty() && with_diagonals.is_convincing(view) {
        with_diagonals
    } else if along_axes.is_convincing(view) {
        diagonals.clear();
        along_axes
    } else {
        return None;
    };
    let order = if cells.is_in_order() { RankOrder::Natural } else { RankOrder::Other };
    if order == RankOrder::Other && is_lucky(view, cells, measured.share * measured.present) {
        return None;
    }
    let kind = kind_of(diagonals.len(), possible.len());
    let mut joined = vec![false; tally.canonical.len()];
    straight.iter().chain(&diagonals).for_each(|&way| joined[way] = true);
    let (own, canonical) = (cells.without_gaps(), tally.canonical);
    Some(Candidate {
        structure: named(cells, view, kind, axis_shares, order),
        order,
        ranks: view.ranks() as usize,
        share: measured.share.min(1.0),
        present: measured.present,
        talkers_only: false,
        joins: Box::new(move |a, b| own.direction(a, b).is_some_and(|way| joined[canonical[way]])),
    })
}

/// Whether a grid of ranks in any order may be due to chance. A box with gaps explains away many
/// missing pairs, and a search over all orders of a few ranks nearly always finds something.
fn is_lucky(view: &View<'_>, cells: &Cells, quality: f64) -> bool {
    cells.cells_per_rank(view) > MOST_CELLS || view.ranks() < FEW_RANKS && quality < LEAST_OF_FEW
}

fn kind_of(diagonals: usize, possible: usize) -> Diagonals {
    match diagonals {
        0 => Diagonals::None,
        all if all == possible => Diagonals::All,
        some => Diagonals::Some(some, possible),
    }
}

/// The grid; a box of side 2 is a hypercube. If ranks are in any order, the axes have no order
/// either: long ones come first.
fn named(
    cells: &Cells,
    view: &View<'_>,
    diagonals: Diagonals,
    axis_shares: Vec<f64>,
    order: RankOrder,
) -> Structure {
    let axes = cells.lengths.len();
    let is_cube = axes > 2 && diagonals == Diagonals::None;
    if is_cube && cells.lengths.iter().all(|&length| length == 2) {
        return Structure::Hypercube { bits: (0..axes as u32).collect() };
    }
    let mut by_length: Vec<usize> = (0..axes).collect();
    if order == RankOrder::Other {
        by_length
            .sort_by_key(|&axis| (std::cmp::Reverse(cells.lengths[axis]), !cells.periodic[axis]));
    }
    Structure::Grid(Grid {
        lengths: by_length.iter().map(|&axis| cells.lengths[axis]).collect(),
        periodic: by_length.iter().map(|&axis| cells.periodic[axis]).collect(),
        diagonals,
        one_way: cells.is_one_way(view),
        axis_shares: by_length.iter().map(|&axis| axis_shares[axis]).collect(),
    })
}
