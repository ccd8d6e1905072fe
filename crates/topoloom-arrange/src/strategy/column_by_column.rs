//! What the three published heuristics have in common: rectangles in groups, columns built up from
//! left to right, and columns put in order at the end.
//!
//! Malik 2016, algorithms 1 to 3. The published steps try all permutations; the same orders are
//! found here by dynamic programming, and by search if there are too many groups.

use topoloom_core::Run;
use topoloom_core::words::counted;

use crate::arrangement::{Arrangement, Column};
use crate::measure::Measure;
use crate::platform::Platform;
use crate::strategy::column_order;
use crate::strategy::groups::{Aim, Levels, Tally};
use crate::strategy::row_costs::RowCosts;

/// The most steps for the order of one column's groups: exact for 14 groups if the column's own
/// ring counts, for 17 if it does not.
const MAX_GROUP_WORK: u64 = 3_000_000;

/// The most steps for the order of all columns.
const MAX_COLUMN_WORK: u64 = 12_000_000;

/// What is minimised when a column joins those to its left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// The cost along rows; the first column stays as it is (algorithm 1).
    Rows,
    /// The cost along rows and columns; the first column has the cheapest ring (algorithms 2 and
    /// 3).
    Both,
}

/// Columns with their rectangles in groups, each in the best order for those to its left, and the
/// columns themselves in the best order.
pub(crate) fn arrange(
    platform: &Platform,
    measure: &Measure,
    counts: Counts,
    start: &Arrangement,
    run: &mut Run,
) -> Arrangement {
    let levels = Levels::new(platform);
    let cluster_of = measure.cluster_of();
    let mut columns: Vec<Column> = start.columns().to_vec();
    for column in &mut columns {
        levels.gather(&mut column.rectangles, |r| cluster_of[r.processor as usize]);
    }
    let mut tally = Tally::default();
    let first = usize::from(counts == Counts::Rows);
    for number in first..columns.len() {
        let rows = (number > 0).then(|| RowCosts::through(measure, &columns[..=number], number));
        let aim = Aim {
            measure,
            levels: &levels,
            rows: rows.as_ref(),
            ring: counts == Counts::Both,
            max_work: MAX_GROUP_WORK,
        };
        let found = aim.order_groups(&mut columns[number]);
        tally.unproven += found.unproven;
        if !run.spend_long(found.work + 1) {
            break;
        }
    }
    if tally.unproven > 0 {
        run.note(format!(
            "{} with too many groups to try all orders: the order is good, but not proven to be \
             the best",
            counted(tally.unproven, "column")
        ));
    }
    if !run.was_cut_short() {
        let order = column_order::best_order(measure, &columns, MAX_COLUMN_WORK);
        run.spend_long(order.work + 1);
        if !order.exact {
            run.note(format!(
                "the order of the {} is good, but not proven to be the best",
                counted(columns.len(), "column")
            ));
        }
        columns = order.columns.iter().map(|&number| columns[number].clone()).collect();
    }
    Arrangement::new(columns).expect("columns in another order tile as before")
}
