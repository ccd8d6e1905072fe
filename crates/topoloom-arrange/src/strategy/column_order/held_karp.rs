//! The shortest path through all columns, or round trip, by the dynamic programme of Held and Karp
//! (1962).

use super::columns::Columns;

/// How many steps it takes.
pub(super) fn work(columns: &Columns) -> u64 {
    let free = free_columns(columns) as u64;
    (1_u64 << free) * free * free
}

/// A round trip may begin at any column; column 0 is used.
fn free_columns(columns: &Columns) -> usize {
    columns.number - usize::from(columns.is_cyclic())
}

/// A lower bound of the rest, for every set of columns and the last of it.
#[derive(Debug)]
pub(super) struct Rests {
    free: usize,
    /// The number of the first free column.
    offset: usize,
    rest: Vec<f64>,
}

impl Rests {
    pub(super) fn new(columns: &Columns) -> Self {
        let free = free_columns(columns);
        let offset = columns.number - free;
        let full = (1_usize << free) - 1;
        let mut rest = vec![f64::INFINITY; (full + 1) * free];
        for last in 0..free {
            rest[full * free + last] =
                if columns.is_cyclic() { columns.distance(last + offset, 0) } else { 0.0 };
        }
        for set in (1..full).rev() {
            for last in (0..free).filter(|last| set >> last & 1 == 1) {
                let mut least = f64::INFINITY;
                for next in (0..free).filter(|next| set >> next & 1 == 0) {
                    let way = columns.distance(last + offset, next + offset)
                        + rest[(set | 1 << next) * free + next];
                    least = least.min(way);
                }
                rest[set * free + last] = least;
            }
        }
        Rests { free, offset, rest }
    }

    /// A lower bound of the rest after `column`, the last of `set`; sets contain free columns.
    pub(super) fn after(&self, set: usize, column: usize) -> f64 {
        self.rest[set * self.free + column - self.offset]
    }

    /// The bit of a free column.
    pub(super) fn bit(&self, column: usize) -> usize {
        1 << (column - self.offset)
    }
}

/// The best order; among equals, the one with the lowest numbers first.
pub(super) fn search(columns: &Columns) -> Vec<usize> {
    let rests = Rests::new(columns);
    let mut order: Vec<usize> = (0..rests.offset).collect();
    let mut set = 0;
    while order.len() < columns.number {
        let mut best = (f64::INFINITY, usize::MAX);
        for next in rests.offset..columns.number {
            if set & rests.bit(next) != 0 {
                continue;
            }
            let link = order.last().map_or(0.0, |&last| columns.distance(last, next));
            let way = link + rests.after(set | rests.bit(next), next);
            if way < best.0 || best.1 == usize::MAX {
                best = (way, next);
            }
        }
        set |= rests.bit(best.1);
        order.push(best.1);
    }
    order
}
