//! All iterations together, without walking through them.
//!
//! A column that is w blocks wide holds w pivot columns, and a rectangle that is h blocks high
//! holds h pivot rows. In a ring, all pivots cross a link except those that its end holds.

use topoloom_core::{Traffic, TrafficBuilder};

use super::{Flow, Summa, extents};
use crate::application::{ApplicationError, MOST_FLOWS};
use crate::arrangement::{Arrangement, Column};

impl Summa {
    /// How much each processor sends to each other in all iterations; ranks are processors.
    pub fn traffic(&self, arrangement: &Arrangement) -> Result<Traffic, ApplicationError> {
        let flows = self.most_flows(arrangement);
        if flows > MOST_FLOWS {
            return Err(ApplicationError::TooManyFlows(flows));
        }
        let mut builder = TrafficBuilder::new(arrangement.num_processors() as u32);
        let iterations = self.num_iterations(arrangement);
        match self.flow {
            Flow::Ring => self.add_rings_of_columns(arrangement, iterations, &mut builder),
            Flow::OneToAll => self.add_columns_to_all(arrangement, iterations, &mut builder),
        }
        for column in arrangement.columns() {
            self.add_column(column, iterations, &mut builder);
        }
        Ok(builder.build())
    }

    /// An upper bound of the pairs that exchange anything.
    fn most_flows(&self, arrangement: &Arrangement) -> u64 {
        let columns = arrangement.columns().len() as u64;
        let processors = arrangement.num_processors() as u64;
        let pairs_in = |column: &Column| (column.rectangles.len() as u64).saturating_pow(2);
        match self.flow {
            Flow::Ring => 4 * processors,
            // Two columns have fewer overlaps than rectangles.
            Flow::OneToAll => {
                let vertical = arrangement.columns().iter().map(pairs_in);
                vertical.fold(processors.saturating_mul(2 * columns), u64::saturating_add)
            }
        }
    }

    fn add_rings_of_columns(
        &self,
        arrangement: &Arrangement,
        iterations: u32,
        builder: &mut TrafficBuilder,
    ) {
        let columns = arrangement.columns();
        let cuts = arrangement.cuts();
        let cut = |y: u32| cuts.partition_point(|&cut| cut < y);
        let pivots = pivots(columns.iter().map(|column| column.width), iterations);
        for (left, column) in columns.iter().enumerate() {
            let right = (left + 1) % columns.len();
            if right == left {
                return;
            }
            let times = f64::from(iterations - pivots[right]);
            for overlap in overlaps(column, &columns[right]) {
                let messages = (cut(overlap.bottom) - cut(overlap.top)) as f64;
                let bytes = self.bytes_of_blocks(overlap.bottom - overlap.top) as f64;
                builder.add(overlap.one, overlap.other, times * messages, times * bytes);
            }
        }
    }

    fn add_columns_to_all(
        &self,
        arrangement: &Arrangement,
        iterations: u32,
        builder: &mut TrafficBuilder,
    ) {
        let columns = arrangement.columns();
        let pivots = pivots(columns.iter().map(|column| column.width), iterations);
        for (holder, column) in columns.iter().enumerate() {
            let times = f64::from(pivots[holder]);
            for (_, other) in columns.iter().enumerate().filter(|(other, _)| *other != holder) {
                for overlap in overlaps(column, other) {
                    let bytes = self.bytes_of_blocks(overlap.bottom - overlap.top) as f64;
                    builder.add(overlap.one, overlap.other, times, times * bytes);
                }
            }
        }
    }

    /// Adds the pivot rows within one column.
    fn add_column(&self, column: &Column, iterations: u32, builder: &mut TrafficBuilder) {
        let ring = &column.rectangles;
        let pivots = pivots(ring.iter().map(|rectangle| rectangle.height), iterations);
        let bytes = self.bytes_of_blocks(column.width) as f64;
        match self.flow {
            Flow::Ring if ring.len() > 1 => {
                for (above, rectangle) in ring.iter().enumerate() {
                    let below = (above + 1) % ring.len();
                    let times = f64::from(iterations - pivots[below]);
                    builder.add(rectangle.processor, ring[below].processor, times, times * bytes);
                }
            }
            Flow::Ring => {}
            Flow::OneToAll => {
                for (holder, rectangle) in ring.iter().enumerate() {
                    let times = f64::from(pivots[holder]);
                    for other in ring.iter().filter(|other| *other != rectangle) {
                        builder.add(rectangle.processor, other.processor, times, times * bytes);
                    }
                }
            }
        }
    }
}

/// How many of the first `iterations` pivots lie in each of these lengths, one after the other.
fn pivots(lengths: impl Iterator<Item = u32>, iterations: u32) -> Vec<u32> {
    let mut left = iterations;
    let held = |length: u32| {
        let held = length.min(left);
        left -= held;
        held
    };
    lengths.map(held).collect()
}

/// Rows that a rectangle of one column and one of another have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overlap {
    pub one: u32,
    pub other: u32,
    pub top: u32,
    pub bottom: u32,
}

/// All overlaps of two columns, from top to bottom.
pub(super) fn overlaps(one: &Column, other: &Column) -> impl Iterator<Item = Overlap> {
    let (mut ones, mut others) = (extents(one), extents(other));
    let mut pair = ones.next().zip(others.next());
    std::iter::from_fn(move || {
        let ((one, one_top, one_bottom), (other, other_top, other_bottom)) = pair?;
        let bottom = one_bottom.min(other_bottom);
        let next_one =
            if one_bottom == bottom { ones.next() } else { Some((one, one_top, one_bottom)) };
        let next_other = if other_bottom == bottom {
            others.next()
        } else {
            Some((other, other_top, other_bottom))
        };
        pair = next_one.zip(next_other);
        Some(Overlap { one, other, top: one_top.max(other_top), bottom })
    })
}
