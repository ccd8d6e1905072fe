//! MPDATA's exchange of halos on parts of unequal size.
//!
//! The same as [`Mpdata`] for a grid of equal parts: bars of single rows to the sides, each to the
//! part that holds that row of elements there, and slices up and down.

use topoloom_core::trace::{ProgramWriter, most_events};
use topoloom_core::traffic::patterns::{InvalidMpdata, Mpdata};
use topoloom_core::{Trace, Traffic, TrafficBuilder};

use crate::arrangement::Arrangement;

/// What one part sends in a step; it receives the same amount from the same parts.
#[derive(Debug, Clone, Default)]
struct Exchange {
    /// Neighbours to the sides, with the rows of elements that lie beside each other.
    sides: Vec<(u32, u32)>,
    /// Neighbours above and below.
    over: Vec<u32>,
    bar_bytes: u64,
    slice_bytes: u64,
}

/// The rank of every part, column by column: ranks are numbered row by row.
fn ranks(arrangement: &Arrangement) -> Vec<Vec<u32>> {
    let mut of_processor = vec![0; arrangement.num_processors()];
    for (rank, processor) in (0..).zip(arrangement.row_by_row()) {
        of_processor[processor as usize] = rank;
    }
    let column = |column: &crate::Column| {
        column.rectangles.iter().map(|r| of_processor[r.processor as usize]).collect()
    };
    arrangement.columns().iter().map(column).collect()
}

fn bytes(mpdata: &Mpdata, rows: u32, columns: u64) -> Result<u64, InvalidMpdata> {
    let plane = u128::from(rows) * u128::from(columns);
    let bytes = plane * u128::from(mpdata.domain[2]) * u128::from(mpdata.element_bytes);
    match bytes <= 1 << 63 {
        true => Ok(bytes as u64),
        false => Err(InvalidMpdata::TooLarge),
    }
}

/// Whether every part has the elements that it must send.
pub(super) fn check(mpdata: &Mpdata, arrangement: &Arrangement) -> Result<(), InvalidMpdata> {
    let columns = arrangement.columns();
    let [n, m, l] = mpdata.domain;
    let numbers = [n, m, l, mpdata.ihalo, mpdata.jhalo, mpdata.element_bytes, mpdata.steps];
    if numbers.contains(&0) {
        return Err(InvalidMpdata::Nothing);
    }
    let narrowest = columns.iter().map(|column| column.width).min().unwrap_or(0);
    if columns.len() > 1 && narrowest < mpdata.jhalo {
        let (what, halo, parts) = ("columns", mpdata.jhalo, columns.len() as u32);
        return Err(InvalidMpdata::TooSmall { what, domain: m, parts, smallest: narrowest, halo });
    }
    for column in columns.iter().filter(|column| column.rectangles.len() > 1) {
        let smallest = column.rectangles.iter().map(|r| r.height).min().unwrap_or(0);
        if smallest < mpdata.ihalo {
            let (what, halo, parts) = ("rows", mpdata.ihalo, column.rectangles.len() as u32);
            return Err(InvalidMpdata::TooSmall { what, domain: n, parts, smallest, halo });
        }
    }
    bytes(mpdata, mpdata.ihalo, 2 * u64::from(mpdata.jhalo) + u64::from(m)).map(|_| ())
}

/// What every rank exchanges.
fn exchanges(mpdata: &Mpdata, arrangement: &Arrangement) -> Result<Vec<Exchange>, InvalidMpdata> {
    check(mpdata, arrangement)?;
    let ranks = ranks(arrangement);
    let columns = arrangement.columns();
    let mut exchanges = vec![Exchange::default(); arrangement.num_processors()];
    for (column, ranks) in columns.iter().zip(&ranks) {
        let slice = 2 * u64::from(mpdata.jhalo) + u64::from(column.width);
        for (at, &rank) in ranks.iter().enumerate() {
            let exchange = &mut exchanges[rank as usize];
            exchange.bar_bytes = bytes(mpdata, 1, u64::from(mpdata.jhalo))?;
            exchange.slice_bytes = bytes(mpdata, mpdata.ihalo, slice)?;
            exchange.over.extend(at.checked_sub(1).map(|above| ranks[above]));
            exchange.over.extend(ranks.get(at + 1));
        }
    }
    for (pair, ranks) in columns.windows(2).zip(ranks.windows(2)) {
        let (mut left, mut right) = (0, 0);
        let (mut left_end, mut right_end) = (0, 0);
        let mut y = 0;
        // Both have the same height, so they end together.
        while let (Some(of_left), Some(of_right)) =
            (pair[0].rectangles.get(left), pair[1].rectangles.get(right))
        {
            let (left_bottom, right_bottom) =
                (left_end + of_left.height, right_end + of_right.height);
            let bottom = left_bottom.min(right_bottom);
            let (one, other) = (ranks[0][left], ranks[1][right]);
            exchanges[one as usize].sides.push((other, bottom - y));
            exchanges[other as usize].sides.push((one, bottom - y));
            y = bottom;
            if left_bottom == bottom {
                (left, left_end) = (left + 1, left_bottom);
            }
            if right_bottom == bottom {
                (right, right_end) = (right + 1, right_bottom);
            }
        }
    }
    // As in a grid: first the neighbours on the left.
    exchanges.iter_mut().for_each(|exchange| exchange.sides.sort_unstable());
    Ok(exchanges)
}

/// How much each rank sends to each other rank in all steps.
pub(super) fn traffic(
    mpdata: &Mpdata,
    arrangement: &Arrangement,
) -> Result<Traffic, InvalidMpdata> {
    let steps = f64::from(mpdata.steps);
    let mut builder = TrafficBuilder::new(arrangement.num_processors() as u32);
    for (rank, exchange) in (0..).zip(exchanges(mpdata, arrangement)?) {
        for &(to, rows) in &exchange.sides {
            let bars = f64::from(rows) * steps;
            builder.add(rank, to, bars, bars * exchange.bar_bytes as f64);
        }
        for &to in &exchange.over {
            builder.add(rank, to, steps, steps * exchange.slice_bytes as f64);
        }
    }
    Ok(builder.build())
}

/// The order of events: in every step all bars, then, when these have arrived, the slices. Then
/// each rank computes for its seconds.
pub(super) fn trace(
    mpdata: &Mpdata,
    arrangement: &Arrangement,
    seconds_per_step: Option<&[f64]>,
) -> Result<Trace, InvalidMpdata> {
    let exchanges = exchanges(mpdata, arrangement)?;
    // A receive and a send of each bar and slice; waits; repetition.
    let messages = |exchange: &Exchange| {
        let bars: u64 = exchange.sides.iter().map(|&(_, rows)| u64::from(rows)).sum();
        2 * (bars + exchange.over.len() as u64) + 8
    };
    let events: u64 = exchanges.iter().map(messages).sum();
    if events > most_events() {
        return Err(InvalidMpdata::TooManyEvents(events));
    }
    let program = |(rank, exchange): (usize, &Exchange)| {
        let seconds = seconds_per_step.and_then(|seconds| seconds.get(rank));
        let nanoseconds = seconds.map_or(0, |seconds| (seconds * 1e9).round() as u64);
        let mut writer = ProgramWriter::default();
        writer.repeat(mpdata.steps, |writer| {
            let bars = exchange.sides.iter();
            let bars: Vec<u32> =
                bars.flat_map(|&(to, rows)| std::iter::repeat_n(to, rows as usize)).collect();
            exchanged(writer, &bars, exchange.bar_bytes);
            exchanged(writer, &exchange.over, exchange.slice_bytes);
            writer.compute(nanoseconds);
        });
        writer.finish()
    };
    let programs = exchanges.iter().enumerate().map(program).collect();
    Ok(Trace::new(programs, Vec::new()).expect("neighbours are ranks and repetitions are closed"))
}

/// One message to and from each of these, and a wait for all of them.
fn exchanged(writer: &mut ProgramWriter, neighbours: &[u32], bytes: u64) {
    if neighbours.is_empty() {
        return;
    }
    for &neighbour in neighbours {
        writer.start_receive(neighbour, 0);
    }
    for &neighbour in neighbours {
        writer.start_send(neighbour, bytes, 0);
    }
    writer.wait_all();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrangement::{Column, Rectangle};

    #[test]
    fn a_grid_of_equal_parts_exchanges_what_mpdata_does() {
        for (rows, columns) in [(1, 1), (1, 4), (3, 1), (3, 4)] {
            let mpdata = Mpdata {
                rows,
                columns,
                domain: [24, 32, 5],
                ihalo: 2,
                jhalo: 3,
                steps: 2,
                ..Mpdata::default()
            };
            let order: Vec<u32> = (0..rows * columns).rev().collect();
            let cell = (24 / rows, 32 / columns);
            let grid = Arrangement::grid(rows as usize, columns as usize, cell, &order).unwrap();
            assert_eq!(traffic(&mpdata, &grid).unwrap(), mpdata.traffic().unwrap());
            let seconds: Vec<f64> =
                (0..rows * columns).map(|rank| f64::from(rank) * 1e-9).collect();
            let ours = trace(&mpdata, &grid, Some(&seconds)).unwrap();
            let theirs = mpdata.trace(Some(&seconds)).unwrap();
            for rank in 0..order.len() {
                assert_eq!(
                    ours.programs()[rank],
                    theirs.programs()[rank],
                    "{rows} x {columns}: {rank}"
                );
            }
        }
    }

    fn uneven() -> Arrangement {
        let rectangle = |(processor, height): (u32, u32)| Rectangle { processor, height };
        let column = |width: u32, rectangles: &[(u32, u32)]| Column {
            width,
            rectangles: rectangles.iter().copied().map(rectangle).collect(),
        };
        Arrangement::new(vec![column(4, &[(2, 7), (0, 3)]), column(2, &[(1, 10)])]).unwrap()
    }

    #[test]
    fn parts_of_unequal_size_exchange_where_they_touch() {
        // Ranks 0, 1 and 2 are the parts of processors 2, 1 and 0. A bar is 1 x 1 x 1 x 8 bytes; a
        // slice of the first column 2 x (1 + 4 + 1) x 8.
        let mpdata = Mpdata { domain: [10, 6, 1], ihalo: 2, jhalo: 1, ..Mpdata::default() };
        let found = traffic(&mpdata, &uneven()).unwrap();
        let flows: Vec<(u32, u32, f64, f64)> =
            found.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
        assert_eq!(
            flows,
            [
                (0, 1, 7.0, 56.0),
                (0, 2, 1.0, 96.0),
                (1, 0, 7.0, 56.0),
                (1, 2, 3.0, 24.0),
                (2, 0, 1.0, 96.0),
                (2, 1, 3.0, 24.0),
            ]
        );
        assert_eq!(trace(&mpdata, &uneven(), None).unwrap().traffic(), found);
    }

    #[test]
    fn a_part_that_is_smaller_than_the_halo_is_refused() {
        let mpdata = Mpdata { domain: [10, 6, 1], ihalo: 4, jhalo: 1, ..Mpdata::default() };
        assert!(matches!(check(&mpdata, &uneven()), Err(InvalidMpdata::TooSmall { .. })));
        let mpdata = Mpdata { ihalo: 1, jhalo: 3, ..mpdata };
        assert!(matches!(check(&mpdata, &uneven()), Err(InvalidMpdata::TooSmall { .. })));
    }
}
