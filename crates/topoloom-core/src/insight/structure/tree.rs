//! Trees: binomial and binary ones by their numbers, others because they have no cycles.

use super::candidate::Candidate;
use super::kinds::{RankOrder, Structure, TreeKind};
use super::view::View;

/// Computes the number of the parent from that of a child, both counted from the root.
type Parent = fn(u32) -> u32;

/// The tree that consists of the pairs that matter.
pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    if ranks < 4 {
        return None;
    }
    numbered(view).or_else(|| any(view))
}

/// Trees defined by numbers: children are counted from the root, with wrap-around.
fn numbered(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    let parents: [(TreeKind, Parent); 3] = [
        (TreeKind::Binomial, |child| child & (child - 1)),
        (TreeKind::Binomial, |child| child ^ (1 << child.ilog2())),
        (TreeKind::Binary, |child| (child - 1) / 2),
    ];
    let hub = view.hub();
    parents.into_iter().find_map(|(kind, parent)| {
        // The root of a binary tree has fewer partners than its children.
        let roots = if kind == TreeKind::Binary { [0, hub] } else { [hub, 0] };
        roots.into_iter().find_map(|root| {
            let joins = move |a: u32, b: u32| {
                let number = |rank: u32| (rank + (ranks - root)) % ranks;
                let (low, high) = (number(a).min(number(b)), number(a).max(number(b)));
                parent(high) == low
            };
            view.judge(Structure::Tree { kind, root }, f64::from(ranks - 1), joins)
        })
    })
}

/// A tree of any shape: one pair less than ranks, and all of them reached.
fn any(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    let ends: usize = (0..ranks).map(|rank| view.partners(rank).count()).sum();
    if ends != 2 * (ranks as usize - 1) {
        return None;
    }
    let root = view.hub();
    let mut parent = vec![u32::MAX; ranks as usize];
    parent[root as usize] = root;
    let mut order = vec![root];
    let mut next = 0;
    while let Some(&rank) = order.get(next) {
        next += 1;
        for partner in view.partners(rank) {
            if parent[partner as usize] == u32::MAX {
                parent[partner as usize] = rank;
                order.push(partner);
            }
        }
    }
    if order.len() != ranks as usize {
        return None;
    }
    let kind = if is_binomial(&parent, &order) { TreeKind::Binomial } else { TreeKind::Other };
    let joins = move |a: u32, b: u32| parent[a as usize] == b || parent[b as usize] == a;
    let candidate = view.judge(Structure::Tree { kind, root }, f64::from(ranks - 1), joins)?;
    Some(Candidate { order: RankOrder::Other, ..candidate })
}

/// Whether the children of every rank are roots of binomial trees of 1, 2, 4, ... ranks.
fn is_binomial(parent: &[u32], order: &[u32]) -> bool {
    // Bit k: a child of 2^k ranks. Leaves first, because children must be known.
    let mut children = vec![0u32; parent.len()];
    for &rank in order.iter().rev() {
        let own = children[rank as usize];
        if !(own + 1).is_power_of_two() {
            return false;
        }
        let above = parent[rank as usize];
        if above != rank {
            let bit = own + 1;
            if children[above as usize] & bit != 0 {
                return false;
            }
            children[above as usize] |= bit;
        }
    }
    true
}
