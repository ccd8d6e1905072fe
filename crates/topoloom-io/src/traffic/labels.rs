//! Labels of the rows and columns of a matrix in a table.

use std::collections::{HashMap, HashSet};

use super::columns::column_named;
use crate::text::fault::Fault;
use crate::text::number::shown;

/// The labels of a matrix.
#[derive(Debug)]
pub(super) struct Labels<'a> {
    ranks: HashMap<&'a [u8], u32>,
    /// Whether the rows have labels too, as a first column.
    pub are_of_rows: bool,
}

impl Labels<'_> {
    pub fn count(&self) -> usize {
        self.ranks.len()
    }

    /// The rank of a row.
    pub fn rank(&self, label: &[u8]) -> Result<u32, Fault> {
        let expected = || Fault::expected("the label of a column", shown(label));
        self.ranks.get(label).copied().ok_or_else(expected)
    }
}

/// The labels of a matrix with this first line, second line, and first column below the first line;
/// none if it is not a matrix with labels. `two_is_edges` says whether lines of two numbers are
/// edges.
pub(super) fn find<'a>(
    header: &[&'a [u8]],
    second: &[&[u8]],
    rows: impl Iterator<Item = &'a [u8]>,
    two_is_edges: bool,
) -> Result<Option<Labels<'a>>, Fault> {
    // With more rows than this it is not a matrix with labels.
    let rows: Vec<&[u8]> = rows.take(header.len() + 1).collect();
    // With a corner, or without one as R writes it.
    let has_corner = rows.len() + 1 == header.len() && !is_number(header[0]);
    let has_no_corner = rows.len() == header.len() && second.len() == header.len() + 1;
    if has_corner || has_no_corner {
        let names = &header[usize::from(has_corner)..];
        let of_columns: HashSet<&[u8]> = names.iter().copied().collect();
        let of_rows: HashSet<&[u8]> = rows.iter().copied().collect();
        if !names.is_empty() && of_columns == of_rows {
            return labels(names, true).map(Some);
        }
    }
    // Names above a matrix whose rows have no names. Numbers above a matrix are the ranks in order.
    let is_square = rows.len() == header.len() && second.len() == header.len();
    let is_matrix = is_square && second.iter().all(|field| is_number(field));
    let are_names = header.iter().all(|name| !is_number(name) && column_named(name).is_none());
    let are_edges = (3..=4).contains(&header.len()) || (two_is_edges && header.len() == 2);
    let in_order = |(rank, name): (usize, &&[u8])| rank.to_string().as_bytes() == *name;
    let are_ranks = !are_edges && header.iter().enumerate().all(in_order);
    if is_matrix && (are_names || are_ranks) {
        return labels(header, false).map(Some);
    }
    Ok(None)
}

fn labels<'a>(names: &[&'a [u8]], are_of_rows: bool) -> Result<Labels<'a>, Fault> {
    let mut ranks = HashMap::with_capacity(names.len());
    for (&name, rank) in names.iter().zip(0..) {
        if ranks.insert(name, rank).is_some() {
            return Err(Fault::Repeated(format!("label {} appears twice", shown(name))));
        }
    }
    Ok(Labels { ranks, are_of_rows })
}

/// Whether a field begins like a number.
pub(super) fn is_number(field: &[u8]) -> bool {
    field.first().is_some_and(|first| first.is_ascii_digit() || b"+-.".contains(first))
}
