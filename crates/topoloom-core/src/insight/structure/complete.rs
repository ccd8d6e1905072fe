//! All-to-all: every rank exchanges with every other.

use super::candidate::Candidate;
use super::kinds::{RankOrder, Structure};
use super::view::View;

/// This share of all pairs must exchange something that matters.
const LEAST_PAIRS: f64 = 0.9;

/// A pair matters here from this part of the mean over all pairs on,
const LEAST_OF_MEAN: f64 = 0.1;

/// and a pair with more than this many means is not part of an all-to-all.
const MOST_OF_MEAN: f64 = 4.0;

/// The others must carry this share of the bytes.
const LEAST_SHARE: f64 = 0.6;

pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    let possible = view.possible_pairs();
    if view.ranks() < 3 || (view.graph.num_pairs() as f64) < LEAST_PAIRS * possible {
        return None;
    }
    let mean = view.total / possible;
    let (mut found, mut carried) = (0.0, 0.0);
    let mut heavy: Vec<(u32, u32)> = Vec::new();
    view.graph.for_each_pair(|a, b, weight| {
        found += if weight >= LEAST_OF_MEAN * mean { 1.0 } else { 0.0 };
        if weight > MOST_OF_MEAN * mean {
            heavy.push((a, b));
        } else {
            carried += weight;
        }
    });
    heavy.sort_unstable();
    let (present, share) = (found / possible, carried / view.total);
    let is_convincing = present >= LEAST_PAIRS && share >= LEAST_SHARE;
    (is_convincing && view.is_enough(share, present)).then(|| Candidate {
        structure: Structure::AllToAll,
        order: RankOrder::Natural,
        ranks: view.ranks() as usize,
        share,
        present,
        talkers_only: false,
        joins: Box::new(move |a, b| heavy.binary_search(&(a, b)).is_err()),
    })
}
