//! Units to be put in order, and an order of them.

use crate::arrangement::{Column, Rectangle};
use crate::measure::Measure;
use crate::strategy::row_costs::RowCosts;

/// The column's own ring, as far as the units change it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain<'a> {
    /// The costs of links, and which of them count.
    pub measure: &'a Measure,
    /// The width of the column.
    pub width: u32,
    /// The cluster of the rectangle before the first unit; `None` if there is none, or if the units
    /// are the whole column.
    pub before: Option<u32>,
    /// The same for the rectangle after the last unit.
    pub after: Option<u32>,
    /// Whether the units are the whole column, in which case the last is linked to the first if
    /// rings are closed.
    pub whole: bool,
    /// The cheapest of the links between rectangles that are not among the units.
    pub cheapest_elsewhere: f64,
}

/// Units to be put in order.
#[derive(Debug)]
pub(crate) struct Sequence<'a> {
    /// Cluster and height of the rectangles of each unit, from top to bottom.
    pub units: Vec<Vec<(u32, u32)>>,
    /// Where the first one begins.
    pub top: u32,
    /// The cost of rows, if it counts.
    pub rows: Option<&'a RowCosts>,
    /// The column's ring, if it counts.
    pub chain: Option<Chain<'a>>,
}

/// An order that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Order {
    /// The units' numbers from top to bottom.
    pub units: Vec<usize>,
    /// Whether it is proven to be the best.
    pub exact: bool,
    /// How many steps it took.
    pub work: u64,
    /// Whether it costs less than the order in which the units are given.
    pub gains: bool,
}

impl<'a> Sequence<'a> {
    /// The rectangles of a whole column, each as its own unit.
    pub(crate) fn of_rectangles(
        measure: &'a Measure,
        column: &Column,
        rows: Option<&'a RowCosts>,
    ) -> Self {
        Sequence::of_units(measure, column, rows, column.rectangles.chunks(1))
    }

    /// The rectangles of a whole column, with consecutive rectangles of one cluster as one unit.
    pub(crate) fn of_runs(
        measure: &'a Measure,
        column: &Column,
        rows: Option<&'a RowCosts>,
    ) -> Self {
        let cluster = |r: &Rectangle| measure.cluster_of()[r.processor as usize];
        let runs = column.rectangles.chunk_by(|one, next| cluster(one) == cluster(next));
        Sequence::of_units(measure, column, rows, runs)
    }

    fn of_units<'b>(
        measure: &'a Measure,
        column: &Column,
        rows: Option<&'a RowCosts>,
        units: impl Iterator<Item = &'b [Rectangle]>,
    ) -> Self {
        let cluster = |r: &Rectangle| measure.cluster_of()[r.processor as usize];
        let chain = Chain {
            measure,
            width: column.width,
            before: None,
            after: None,
            whole: true,
            cheapest_elsewhere: f64::INFINITY,
        };
        Sequence {
            units: units
                .map(|unit| unit.iter().map(|r| (cluster(r), r.height)).collect())
                .collect(),
            top: 0,
            rows,
            chain: Some(chain),
        }
    }
}
