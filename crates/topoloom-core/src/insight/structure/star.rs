//! A master and its workers: one rank with all others.

use super::candidate::Candidate;
use super::kinds::Structure;
use super::view::View;

pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    if ranks < 4 {
        return None;
    }
    let carried = |&rank: &u32| view.graph.weights(rank).iter().sum::<f64>();
    // The first of equal ones, because `max_by` would return the last.
    let master = (0..ranks).rev().max_by(|a, b| carried(a).total_cmp(&carried(b)))?;
    let structure = Structure::Star { master };
    view.judge(structure, f64::from(ranks - 1), move |a, b| a == master || b == master)
}
