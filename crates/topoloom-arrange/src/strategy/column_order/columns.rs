//! Columns to be put in order, and the cost of an order.

use std::collections::BTreeMap;

use crate::arrangement::Column;
use crate::measure::{Measure, Ring};
use crate::strategy::row_costs::{cost_beside, for_each_stretch};

/// An order that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnOrder {
    /// The numbers of the columns from left to right.
    pub columns: Vec<usize>,
    /// Whether it is proven to be the best.
    pub exact: bool,
    /// How many steps it took.
    pub work: u64,
}

/// Columns to be put in order.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) number: usize,
    pub(super) ring: Ring,
    /// From the left to the right column, row by row of this table.
    pub(super) distances: Vec<f64>,
    /// The different rows with their heights, if the cheapest link of a row is left out.
    pub(super) rows: Vec<Row>,
}

/// Rows that are the same for a measure.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) height: f64,
    /// The cost of a row between two columns, like `Columns::distances`.
    pub(super) links: Vec<f64>,
}

impl Columns {
    pub(super) fn new(measure: &Measure, columns: &[Column]) -> Self {
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
    pub(super) fn distance(&self, from: usize, to: usize) -> f64 {
        self.distances[from * self.number + to]
    }

    pub(super) fn by_rows(&self) -> bool {
        self.ring == Ring::AllButCheapest
    }

    pub(super) fn is_cyclic(&self) -> bool {
        self.ring != Ring::Open
    }

    /// The cost of all links, including the cheapest ones.
    pub(super) fn length(&self, order: &[usize]) -> f64 {
        let way: f64 = order.windows(2).map(|pair| self.distance(pair[0], pair[1])).sum();
        if self.is_cyclic() { way + self.distance(order[order.len() - 1], order[0]) } else { way }
    }

    /// The definition: the cost of rows if columns are in this order.
    pub(super) fn cost(&self, order: &[usize]) -> f64 {
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
