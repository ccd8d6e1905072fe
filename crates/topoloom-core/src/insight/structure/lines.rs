//! Rows and columns of ranks that are all-to-all among themselves, as in transforms on a plane of
//! processes.

use super::candidate::Candidate;
use super::kinds::{RankOrder, Structure};
use super::view::View;

/// In natural order, rows of consecutive ranks; then with ranks in any order.
pub(super) fn recognise(view: &View<'_>) -> Option<Candidate> {
    natural(view).or_else(|| shuffled(view))
}

fn natural(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    // Longer lines would have more pairs than there are.
    let longest = 1 + (view.graph.num_pairs() as f64 / (0.375 * f64::from(ranks))) as u32;
    let mut best: Option<Candidate> = None;
    for columns in (2..=ranks / 2).filter(|columns| ranks.is_multiple_of(*columns)) {
        let rows = ranks / columns;
        if columns.min(rows) > longest {
            continue;
        }
        let in_row = move |a: u32, b: u32| a / columns == b / columns;
        let in_column = move |a: u32, b: u32| a % columns == b % columns;
        let pairs = |length: u32| f64::from(ranks) * f64::from(length - 1) / 2.0;
        let found = [
            (columns > 2).then(|| {
                let structure = lines(rows, columns, true, false);
                view.judge(structure, pairs(columns), in_row)
            }),
            (rows > 2).then(|| {
                let structure = lines(rows, columns, false, true);
                view.judge(structure, pairs(rows), in_column)
            }),
            (rows.max(columns) > 2).then(|| {
                let structure = lines(rows, columns, true, true);
                let joins = move |a, b| in_row(a, b) || in_column(a, b);
                let both = view.judge(structure, pairs(columns) + pairs(rows), joins)?;
                has_both(view, in_row, in_column, pairs(columns), pairs(rows)).then_some(both)
            }),
        ];
        for candidate in found.into_iter().flatten().flatten() {
            if best.as_ref().is_none_or(|best| candidate.quality() > best.quality()) {
                best = Some(candidate);
            }
        }
    }
    best
}

fn lines(rows: u32, columns: u32, in_rows: bool, in_columns: bool) -> Structure {
    Structure::Lines { rows, columns, in_rows, in_columns }
}

/// Whether rows and columns each have most of their pairs: one alone would look like both.
fn has_both(
    view: &View<'_>,
    in_row: impl Fn(u32, u32) -> bool,
    in_column: impl Fn(u32, u32) -> bool,
    pairs_in_rows: f64,
    pairs_in_columns: f64,
) -> bool {
    let (mut rows, mut columns) = (0.0, 0.0);
    view.graph.for_each_pair(|a, b, weight| {
        let matters = weight >= view.least;
        rows += f64::from(u8::from(matters && in_row(a, b)));
        columns += f64::from(u8::from(matters && in_column(a, b)));
    });
    rows >= 0.75 * pairs_in_rows && columns >= 0.75 * pairs_in_columns
}

/// The common partners of two ranks of a line are the rest of the line. The lines through one rank
/// are its row and its column; each rank of the column has its own row, and vice versa.
fn shuffled(view: &View<'_>) -> Option<Candidate> {
    let ranks = view.ranks();
    let origin = 0;
    let own: Vec<u32> = view.partners(origin).collect();
    let row = line_through(view, &own, origin, *own.first()?);
    let other = *own.iter().find(|rank| !row.contains(rank))?;
    let column = line_through(view, &own, origin, other);
    let (columns, rows) = (row.len() as u32, column.len() as u32);
    if rows.max(columns) < 3 || u64::from(rows) * u64::from(columns) != u64::from(ranks) {
        return None;
    }
    let row_of = numbers(view, &column, ranks)?;
    let column_of = numbers(view, &row, ranks)?;
    let pairs = |length: u32| f64::from(ranks) * f64::from(length - 1) / 2.0;
    let structure = lines(rows.min(columns), rows.max(columns), true, true);
    let joins = move |a: u32, b: u32| {
        let (a, b) = (a as usize, b as usize);
        row_of[a] == row_of[b] || column_of[a] == column_of[b]
    };
    let candidate = view.judge(structure, pairs(rows) + pairs(columns), joins)?;
    Some(Candidate { order: RankOrder::Other, ..candidate })
}

/// The line that joins a rank, whose partners are `own`, and one of them, in ascending order.
fn line_through(view: &View<'_>, own: &[u32], rank: u32, partner: u32) -> Vec<u32> {
    let both = view.partners(partner).filter(|common| own.binary_search(common).is_ok());
    let mut line: Vec<u32> = both.chain([rank, partner]).collect();
    line.sort_unstable();
    line.dedup();
    line
}

/// Which member of `line` each rank shares its crossing line with; `None` if some rank shares it
/// with none or with two.
fn numbers(view: &View<'_>, line: &[u32], ranks: u32) -> Option<Vec<u32>> {
    let mut number = vec![u32::MAX; ranks as usize];
    for (position, &member) in (0..).zip(line) {
        let crossing = view.partners(member).filter(|rank| line.binary_search(rank).is_err());
        for rank in crossing.chain([member]) {
            let place = &mut number[rank as usize];
            if *place != u32::MAX {
                return None;
            }
            *place = position;
        }
    }
    number.iter().all(|&place| place != u32::MAX).then_some(number)
}
