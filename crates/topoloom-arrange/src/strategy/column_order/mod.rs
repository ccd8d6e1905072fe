//! The best order of columns, with the order inside each given.
//!
//! The cost of neighbouring columns is the cost of their rectangles that touch. So the order is a
//! round trip (or a path, if rings are open) through columns at known distances. If the cheapest
//! link of each row is left out, rows must be examined one by one.

mod branch;
mod columns;
mod exchange;
mod held_karp;

use crate::arrangement::Column;
use crate::measure::{Measure, Ring};
use crate::strategy::gains;
use columns::{ColumnOrder, Columns};

/// Up to this many columns, all sets of them are examined.
const MAX_EXACT: usize = 16;

/// The best order of `columns` if it can be found with about `max_work` steps, a good one
/// otherwise. If several are equally good, the given one is preferred.
pub(crate) fn best_order(measure: &Measure, columns: &[Column], max_work: u64) -> ColumnOrder {
    let given: Vec<usize> = (0..columns.len()).collect();
    if columns.len() < 2 || (columns.len() == 2 && measure.ring != Ring::Open) {
        return ColumnOrder { columns: given, exact: true, work: 0 };
    }
    let columns = Columns::new(measure, columns);
    let mut found = if columns.by_rows() {
        branch::search(&columns, max_work)
    } else if columns.number <= MAX_EXACT && held_karp::work(&columns) <= max_work {
        let order = held_karp::search(&columns);
        ColumnOrder { columns: order, exact: true, work: held_karp::work(&columns) }
    } else {
        let (order, work) = exchange::from_several_starts(&columns, max_work);
        ColumnOrder { columns: order, exact: false, work }
    };
    if !gains(columns.cost(&found.columns), columns.cost(&given)) {
        found.columns = given;
    }
    found
}

#[cfg(test)]
mod tests;
