//! The best order if the cheapest link of each row is left out. It tries every order that the
//! shortest round trip does not rule out.

use super::columns::{ColumnOrder, Columns};
use super::exchange;
use super::held_karp::{self, Rests};
use crate::strategy::gains;

/// Up to this many columns if rows must be examined one by one.
const MAX_EXACT_BY_ROWS: usize = 14;

/// The best order, if it is found and proven with about `max_work` steps.
pub(super) fn search(columns: &Columns, max_work: u64) -> ColumnOrder {
    let (start, used) = exchange::from_several_starts(columns, max_work);
    let rows = columns.rows.len() as u64;
    if columns.number > MAX_EXACT_BY_ROWS || held_karp::work(columns) > max_work {
        return ColumnOrder { columns: start, exact: false, work: used };
    }
    let mut search = Search {
        columns,
        rests: Rests::new(columns),
        least: columns.cost(&start),
        best: start,
        order: vec![0],
        work: held_karp::work(columns),
        max_work: held_karp::work(columns) + max_work,
        rows,
    };
    let untouched = vec![f64::INFINITY; columns.rows.len()];
    let exact = search.extend(0, 0.0, &untouched);
    ColumnOrder { columns: search.best, exact, work: search.work + used }
}

struct Search<'a> {
    columns: &'a Columns,
    rests: Rests,
    least: f64,
    best: Vec<usize>,
    order: Vec<usize>,
    work: u64,
    max_work: u64,
    rows: u64,
}

impl Search<'_> {
    /// Tries all orders that begin like `order`, which has this `length` and these cheapest links
    /// in each row. Returns whether it finished.
    fn extend(&mut self, set: usize, length: f64, cheapest: &[f64]) -> bool {
        let columns = self.columns;
        let last = self.order[self.order.len() - 1];
        if self.order.len() == columns.number {
            let spared = self.spared(cheapest, last, 0);
            let cost = length + columns.distance(last, 0) - spared;
            if gains(cost, self.least) {
                self.least = cost;
                self.best = self.order.clone();
            }
            return true;
        }
        let mut next: Vec<(f64, usize)> = Vec::new();
        for column in (1..columns.number).filter(|&column| set & self.rests.bit(column) == 0) {
            let whole = length
                + columns.distance(last, column)
                + self.rests.after(set | self.rests.bit(column), column);
            self.work += self.rows;
            if self.work > self.max_work {
                return false;
            }
            // The cheapest link of a row is at most the cheapest so far, and at most the mean of
            // all.
            let spared = self.spared(cheapest, last, column);
            let bound = whole - spared.min(whole / columns.number as f64);
            next.push((bound, column));
        }
        next.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (bound, column) in next {
            if !gains(bound, self.least) {
                break;
            }
            let link = last * columns.number + column;
            let cheapest: Vec<f64> = columns
                .rows
                .iter()
                .zip(cheapest)
                .map(|(row, cheapest)| cheapest.min(row.links[link]))
                .collect();
            self.order.push(column);
            let done = self.extend(
                set | self.rests.bit(column),
                length + columns.distance(last, column),
                &cheapest,
            );
            self.order.pop();
            if !done {
                return false;
            }
        }
        true
    }

    /// The sum of the cheapest links after `from` is linked to `to`.
    fn spared(&self, cheapest: &[f64], from: usize, to: usize) -> f64 {
        let link = from * self.columns.number + to;
        let rows = self.columns.rows.iter().zip(cheapest);
        rows.map(|(row, cheapest)| row.height * cheapest.min(row.links[link])).sum()
    }
}
