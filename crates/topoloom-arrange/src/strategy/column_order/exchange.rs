//! Good orders of many columns: moves of one to three columns, exchanges and reversals until none
//! helps.

use super::columns::Columns;
use crate::strategy::gains;

/// The best order found from the given one and from nearest-neighbour orders that start with each
/// of the first columns. Returns the number of steps as well.
pub(super) fn from_several_starts(columns: &Columns, max_work: u64) -> (Vec<usize>, u64) {
    let given: Vec<usize> = (0..columns.number).collect();
    let beginnings = columns.number.min(4);
    let share = max_work / (beginnings as u64 + 2);
    let mut best = given.clone();
    let mut least = columns.cost(&best);
    let mut work = 0;
    let starts = (0..beginnings).map(|first| nearest_next(columns, first));
    for mut order in std::iter::once(given).chain(starts) {
        work += improve(&mut order, share, columns.number as u64, |order| columns.length(order));
        let cost = columns.cost(&order);
        if gains(cost, least) {
            (best, least) = (order, cost);
        }
    }
    if columns.by_rows() {
        let size = (columns.rows.len() * columns.number) as u64;
        work += improve(&mut best, share, size, |order| columns.cost(order));
    }
    (best, work)
}

fn nearest_next(columns: &Columns, first: usize) -> Vec<usize> {
    let mut order = vec![first];
    let mut left: Vec<usize> = (0..columns.number).filter(|&column| column != first).collect();
    while !left.is_empty() {
        let last = order[order.len() - 1];
        let mut nearest = 0;
        for at in 1..left.len() {
            if columns.distance(last, left[at]) < columns.distance(last, left[nearest]) {
                nearest = at;
            }
        }
        order.push(left.remove(nearest));
    }
    order
}

/// Improves `order` until no change helps or about `max_work` steps are made, with `size` steps per
/// tried change.
fn improve(order: &mut [usize], max_work: u64, size: u64, cost: impl Fn(&[usize]) -> f64) -> u64 {
    let number = order.len();
    let mut work = size;
    let mut least = cost(order);
    let mut tried = order.to_vec();
    loop {
        let before = least;
        for from in 0..number {
            for to in (0..number).filter(|&to| to != from) {
                for change in CHANGES {
                    if work > max_work {
                        return work;
                    }
                    tried.copy_from_slice(order);
                    if !change(&mut tried, from, to) {
                        continue;
                    }
                    work += size;
                    let cost = cost(&tried);
                    if gains(cost, least) {
                        least = cost;
                        order.copy_from_slice(&tried);
                    }
                }
            }
        }
        if !gains(least, before) {
            return work;
        }
    }
}

/// A change of an order at two places; returns whether there is one.
type Change = fn(&mut [usize], usize, usize) -> bool;

const CHANGES: [Change; 5] = [
    |order, from, to| {
        let exchanges = from < to;
        if exchanges {
            order.swap(from, to);
        }
        exchanges
    },
    |order, from, to| {
        let reverses = from + 1 < to;
        if reverses {
            order[from..=to].reverse();
        }
        reverses
    },
    |order, from, to| shift(order, from, to, 1),
    |order, from, to| shift(order, from, to, 2),
    |order, from, to| shift(order, from, to, 3),
];

/// Moves the `length` columns at `from` to `to`.
fn shift(order: &mut [usize], from: usize, to: usize, length: usize) -> bool {
    if from.max(to) + length > order.len() {
        return false;
    }
    if from < to {
        order[from..to + length].rotate_left(length);
    } else {
        order[to..from + length].rotate_right(length);
    }
    true
}
