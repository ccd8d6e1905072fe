//! The recognisers of structures that join all ranks.

use super::candidate::{Candidate, better};
use super::view::View;
use super::{complete, cube, grid, lines, star, steps, transpose, tree};

/// The best structure that joins all.
pub(super) fn recognise_connected(view: &View<'_>) -> Option<Candidate> {
    // In order of preference if they explain the same share.
    let recognisers: [fn(&View<'_>) -> Option<Candidate>; 8] = [
        complete::recognise,
        star::recognise,
        grid::recognise,
        cube::recognise,
        lines::recognise,
        tree::recognise,
        transpose::recognise,
        steps::recognise,
    ];
    recognisers.into_iter().fold(None, |best, recogniser| better(best, || recogniser(view)))
}
