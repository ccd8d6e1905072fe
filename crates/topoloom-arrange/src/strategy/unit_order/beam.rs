//! A good order if there are too many sets: the same states, but only the most promising ones are
//! kept.

use std::collections::HashSet;

use topoloom_core::random::mix;

use super::pricing::Pricing;

/// How many states are kept for each number of units.
pub(super) const WIDTH: usize = 96;

struct State {
    parent: usize,
    class: usize,
    first: usize,
    counts: Vec<u32>,
    /// The same for the same counts, whatever the order.
    hash: u64,
    row: u32,
    sum: f64,
    /// The cheapest link so far, as the price of a block.
    cheapest: f64,
}

struct Candidate {
    rank: f64,
    parent: usize,
    class: usize,
    sum: f64,
    cheapest: f64,
}

/// A good order of classes.
pub(super) fn search(pricing: &Pricing) -> Vec<usize> {
    let classes = pricing.classes.len();
    let empty = State {
        parent: 0,
        class: usize::MAX,
        first: usize::MAX,
        counts: vec![0; classes],
        hash: 0,
        row: 0,
        sum: 0.0,
        cheapest: pricing.cheapest_fixed,
    };
    let mut levels = vec![vec![empty]];
    for _ in 0..pricing.class_of.len() {
        let level = &levels[levels.len() - 1];
        let mut candidates: Vec<Candidate> = Vec::new();
        for (parent, state) in level.iter().enumerate() {
            let left =
                (0..classes).filter(|&c| (state.counts[c] as usize) < pricing.classes[c].count);
            candidates.extend(left.map(|class| candidate(pricing, state, parent, class)));
        }
        // Stable, so among equals the first one comes first.
        candidates.sort_by(|a, b| a.rank.total_cmp(&b.rank));
        let mut seen = HashSet::new();
        let mut next = Vec::with_capacity(WIDTH);
        for found in candidates {
            let state = step(pricing, &level[found.parent], &found);
            if seen.insert((state.hash, state.class, state.first)) {
                next.push(state);
                if next.len() == WIDTH {
                    break;
                }
            }
        }
        levels.push(next);
    }
    best_walk(pricing, &levels)
}

fn candidate(pricing: &Pricing, state: &State, parent: usize, class: usize) -> Candidate {
    let link = match state.class {
        usize::MAX => pricing.entry(class),
        last => Some(pricing.link(last, class)),
    };
    let row = state.row + pricing.classes[class].height;
    let sum = state.sum + link.unwrap_or(0.0) + pricing.place(class, state.row);
    let width = pricing.sequence.chain.map_or(1.0, |chain| f64::from(chain.width.max(1)));
    let cheapest = link.map_or(state.cheapest, |link| state.cheapest.min(link / width));
    let top = pricing.sequence.top;
    let rest =
        pricing.sequence.rows.map_or(0.0, |rows| rows.least_between(top + row, top + pricing.span));
    let spared = if pricing.spares_cheapest() { pricing.spared(cheapest) } else { 0.0 };
    Candidate { rank: sum + rest - spared, parent, class, sum, cheapest }
}

fn step(pricing: &Pricing, from: &State, to: &Candidate) -> State {
    let mut counts = from.counts.clone();
    counts[to.class] += 1;
    State {
        parent: to.parent,
        class: to.class,
        first: if !pricing.is_cyclic() {
            0
        } else if from.class == usize::MAX {
            to.class
        } else {
            from.first
        },
        counts,
        hash: from.hash.wrapping_add(mix(to.class as u64)),
        row: from.row + pricing.classes[to.class].height,
        sum: to.sum,
        cheapest: to.cheapest,
    }
}

/// The best of the complete orders, judged by the definition.
fn best_walk(pricing: &Pricing, levels: &[Vec<State>]) -> Vec<usize> {
    let last = levels.len() - 1;
    let walk = |end: usize| {
        let mut order = Vec::with_capacity(last);
        let mut at = end;
        for level in levels[1..].iter().rev() {
            order.push(level[at].class);
            at = level[at].parent;
        }
        order.reverse();
        order
    };
    let mut best: Option<(f64, Vec<usize>)> = None;
    for end in 0..levels[last].len() {
        let order = walk(end);
        let cost = pricing.cost(&order);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, order));
        }
    }
    best.map_or_else(|| pricing.class_of.clone(), |(_, order)| order)
}
