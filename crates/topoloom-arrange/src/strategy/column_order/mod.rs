//! In which order columns stand best, the order inside each given.
//!
//! Columns side by side cost what their rectangles that touch cost, so that the order is a round trip (or a
//! way, if rings are open) through columns at known distances. Where the cheapest link of each row
//! is left out, rows have to be looked at one by one.

mod branch;
mod exchange;
mod held_karp;

use std::collections::BTreeMap;

use crate::arrangement::Column;
use crate::measure::{Measure, Ring};
use crate::strategy::row_costs::{cost_beside, for_each_stretch};

/// Up to so many columns, all sets of them are looked at.
const MAX_EXACT: usize = 16;

/// Up to so many if rows have to be looked at one by one.
const MAX_EXACT_BY_ROWS: usize = 14;

/// An order that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnOrder {
    /// The numbers of the columns from left to right.
    pub columns: Vec<usize>,
    /// Whether there is none better.
    pub exact: bool,
    /// How many steps it took.
    pub work: u64,
}

/// Columns to be put in order.
#[derive(Debug)]
struct Columns {
    number: usize,
    ring: Ring,
    /// From left to right column, row by row of this table.
    distances: Vec<f64>,
    /// Where the cheapest link of a row is left out: rows that differ, with their height.
    rows: Vec<Row>,
}

/// Rows that are the same to a measure.
#[derive(Debug)]
struct Row {
    height: f64,
    /// What a row costs between two columns, as `Columns::distances`.
    links: Vec<f64>,
}

/// The best order of `columns` if it can be found with about `max_work` steps, a good one
/// otherwise. Where several are equally good, the given one is preferred.
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
    if !crate::strategy::gains(columns.cost(&found.columns), columns.cost(&given)) {
        found.columns = given;
    }
    found
}

impl Columns {
    fn new(measure: &Measure, columns: &[Column]) -> Self {
        let number = columns.len();
        if measure.ring != Ring::AllButCheapest {
            let mut distances = vec![0.0; number * number];
            for (from, left) in columns.iter().enumerate() {
                for (to, right) in columns.iter().enumerate() {
                    distances[from * number + to] = cost_beside(measure, left, right);
                }
            }
            return Columns { number, ring: measure.ring, distances, rows: Vec::new() };
        }
        let link = |from: u32, to: u32| measure.horizontal_link(from, to);
        let mut heights: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for_each_stretch(measure.cluster_of(), columns.iter(), |top, bottom, row| {
            *heights.entry(row.to_vec()).or_default() += bottom - top;
        });
        let rows: Vec<Row> = heights
            .into_iter()
            .map(|(row, height)| Row {
                height: f64::from(height),
                links: row
                    .iter()
                    .flat_map(|&from| row.iter().map(move |&to| link(from, to)))
                    .collect(),
            })
            .collect();
        let mut distances = vec![0.0; number * number];
        for row in &rows {
            for (distance, link) in distances.iter_mut().zip(&row.links) {
                *distance += row.height * link;
            }
        }
        Columns { number, ring: measure.ring, distances, rows }
    }

    #[inline]
    fn distance(&self, from: usize, to: usize) -> f64 {
        self.distances[from * self.number + to]
    }

    fn by_rows(&self) -> bool {
        self.ring == Ring::AllButCheapest
    }

    fn is_cyclic(&self) -> bool {
        self.ring != Ring::Open
    }

    /// All links, the cheapest ones included.
    fn length(&self, order: &[usize]) -> f64 {
        let way: f64 = order.windows(2).map(|pair| self.distance(pair[0], pair[1])).sum();
        if self.is_cyclic() { way + self.distance(order[order.len() - 1], order[0]) } else { way }
    }

    /// The definition: what rows cost if columns stand in this order.
    fn cost(&self, order: &[usize]) -> f64 {
        let mut cost = self.length(order);
        for row in &self.rows {
            let mut cheapest = row.links[order[order.len() - 1] * self.number + order[0]];
            for pair in order.windows(2) {
                cheapest = cheapest.min(row.links[pair[0] * self.number + pair[1]]);
            }
            cost -= row.height * cheapest;
        }
        cost
    }
}

#[cfg(test)]
mod tests;
