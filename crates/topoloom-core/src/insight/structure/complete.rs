//! Everyone with everyone.

use super::Structure;
use super::grid::RankOrder;
use super::view::{Candidate, View};

/// Of all pairs this share must exchange something that matters.
const LEAST_PAIRS: f64 = 0.9;

/// A pair matters here with this part of the mean over all pairs,
const LEAST_OF_MEAN: f64 = 0.1;

/// and more than so many means are more than its part of an all-to-all.
const MOST_OF_MEAN: f64 = 4.0;

pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    let possible = view.possible_pairs();
    if view.ranks() < 3 || (view.graph.num_pairs() as f64) < LEAST_PAIRS * possible {
        return None;
    }
    let mean = view.total / possible;
    let (mut found, mut even) = (0.0, 0.0);
    view.graph.for_each_pair(|_, _, weight| {
        if weight >= LEAST_OF_MEAN * mean {
            found += 1.0;
            even += weight.min(MOST_OF_MEAN * mean);
        }
    });
    let (present, share) = (found / possible, even / view.total);
    (present >= LEAST_PAIRS && share >= 0.6).then(|| Candidate {
        structure: Structure::AllToAll,
        order: RankOrder::Natural,
        ranks: view.ranks() as usize,
        share,
        present,
        joins: Box::new(|_, _| true),
    })
}
