//! Partners across the diagonal of a square of ranks: (i, j) and (j, i).

use super::candidate::Candidate;
use super::kinds::Structure;
use super::view::View;

pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    if let Some(side) = square_root(ranks) {
        let pairs = f64::from(side) * f64::from(side - 1) / 2.0;
        let structure = Structure::Transpose { rows: side, columns: side };
        return view.judge(structure, pairs, move |a, b| b == a % side * side + a / side);
    }
    // Twice as many columns as rows: two neighbouring ranks of a row make one place of the square,
    // as in CG of the NAS benchmarks.
    let side = square_root(ranks / 2).filter(|_| ranks.is_multiple_of(2))?;
    let pairs = f64::from(side) * f64::from(side - 1);
    let structure = Structure::Transpose { rows: side, columns: 2 * side };
    view.judge(structure, pairs, move |a, b| {
        let place = a / 2;
        b == 2 * (place % side * side + place / side) + a % 2
    })
}

/// The side of a square of this many ranks, if it is one of 3 or more.
fn square_root(ranks: u32) -> Option<u32> {
    let side = f64::from(ranks).sqrt().round() as u32;
    (side >= 3 && side * side == ranks).then_some(side)
}
