//! Matrix multiplication by SUMMA on rectangles of different size.
//!
//! In iteration k the block column k of A, the pivot column, goes to all columns of rectangles, and
//! the block row k of B, the pivot row, to all rectangles of each column. The holder of a block of
//! C also holds the blocks of A and B at the same position.

mod trace;
mod traffic;

use std::fmt;
use std::str::FromStr;

use topoloom_core::spec::UnknownName;

use crate::arrangement::{Arrangement, Column};

/// How a pivot travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flow {
    /// From neighbour to neighbour, to the right and downwards, around the end (FPM-BR).
    #[default]
    Ring,
    /// From its holder to everyone (BR).
    OneToAll,
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flow::Ring => "ring",
            Flow::OneToAll => "one-to-all",
        })
    }
}

impl FromStr for Flow {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "ring" => Ok(Flow::Ring),
            "one-to-all" => Ok(Flow::OneToAll),
            _ => Err(UnknownName::new("flow", text, "one-to-all, ring")),
        }
    }
}

/// Matrix multiplication with one pivot per block of a side, or only the first pivots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summa {
    /// Rows and columns of numbers in a block.
    pub block: u32,
    /// Bytes per number.
    pub element_bytes: u32,
    /// How pivots travel.
    pub flow: Flow,
    /// Only this many pivots, from the first on; `None` for all.
    pub iterations: Option<u32>,
}

impl Default for Summa {
    fn default() -> Self {
        Summa { block: 64, element_bytes: 8, flow: Flow::Ring, iterations: None }
    }
}

/// One message of one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// The processor that sends.
    pub from: u32,
    /// The processor that receives.
    pub to: u32,
    /// The bytes.
    pub bytes: u64,
}

impl Summa {
    /// The bytes of this many blocks; saturates at the largest number.
    pub fn bytes_of_blocks(&self, blocks: u32) -> u64 {
        let block =
            u128::from(self.block) * u128::from(self.block) * u128::from(self.element_bytes);
        u64::try_from(block * u128::from(blocks)).unwrap_or(u64::MAX)
    }

    /// The number of iterations: a pivot is a column and a row, so if an arrangement is not a
    /// square, the shorter side counts.
    pub fn num_iterations(&self, arrangement: &Arrangement) -> u32 {
        let all = arrangement.height().min(arrangement.width());
        self.iterations.map_or(all, |iterations| iterations.min(all))
    }

    /// The definition: the messages of the iteration with this pivot, horizontal ones first.
    pub fn messages(&self, arrangement: &Arrangement, pivot: u32) -> Vec<Message> {
        let mut messages = Vec::new();
        self.horizontal(arrangement, pivot, &mut messages);
        for column in arrangement.columns() {
            self.vertical(column, pivot, &mut messages);
        }
        messages
    }

    /// The messages of the pivot column.
    fn horizontal(&self, arrangement: &Arrangement, pivot: u32, messages: &mut Vec<Message>) {
        let columns = arrangement.columns();
        let mut right = 0;
        let holder = columns.iter().position(|column| {
            right += column.width;
            pivot < right
        });
        let Some(holder) = holder else { return };
        match self.flow {
            Flow::Ring => {
                for cut in arrangement.cuts().windows(2) {
                    let row = arrangement.row(cut[0]);
                    let bytes = self.bytes_of_blocks(cut[1] - cut[0]);
                    for step in 0..row.len() - 1 {
                        let from = row[(holder + step) % row.len()];
                        let to = row[(holder + step + 1) % row.len()];
                        messages.push(Message { from, to, bytes });
                    }
                }
            }
            Flow::OneToAll => {
                for (_, column) in columns.iter().enumerate().filter(|(one, _)| *one != holder) {
                    for (from, top, bottom) in extents(&columns[holder]) {
                        for (to, other_top, other_bottom) in extents(column) {
                            let overlap =
                                bottom.min(other_bottom).saturating_sub(top.max(other_top));
                            if overlap > 0 {
                                let bytes = self.bytes_of_blocks(overlap);
                                messages.push(Message { from, to, bytes });
                            }
                        }
                    }
                }
            }
        }
    }

    /// The messages of the part of the pivot row that is in one column.
    fn vertical(&self, column: &Column, pivot: u32, messages: &mut Vec<Message>) {
        let ring: Vec<(u32, u32, u32)> = extents(column).collect();
        let Some(holder) = ring.iter().position(|&(_, top, bottom)| top <= pivot && pivot < bottom)
        else {
            return;
        };
        let bytes = self.bytes_of_blocks(column.width);
        for step in 1..ring.len() {
            let from = match self.flow {
                Flow::Ring => ring[(holder + step - 1) % ring.len()].0,
                Flow::OneToAll => ring[holder].0,
            };
            messages.push(Message { from, to: ring[(holder + step) % ring.len()].0, bytes });
        }
    }
}

/// The processor, the first row and the row after the last of every rectangle of a column.
fn extents(column: &Column) -> impl Iterator<Item = (u32, u32, u32)> {
    let mut bottom = 0;
    column.rectangles.iter().map(move |rectangle| {
        let top = bottom;
        bottom += rectangle.height;
        (rectangle.processor, top, bottom)
    })
}

#[cfg(test)]
mod tests;
