//! Where points of a layered network are: parts side by side, switches above the middle of what
//! they reach, in an order with few crossings.

use super::linked::Layered;
use super::spans::{Child, Parts, columns, gap};

/// Hosts fill one row while the picture is not wider than this.
const WIDE: f64 = 72.0;

/// Blocks of hosts are at most this much of the width in height.
const MOST_DEPTH: f64 = 0.3;

/// How often switches are sorted upwards and downwards (Sugiyama, Tagawa and Toda 1981). Regular
/// networks are in order after one round.
const ROUNDS: usize = 4;

/// The points of a layered network.
pub struct Placed {
    pub places: Vec<[f64; 2]>,
    pub blocks: Vec<Vec<u32>>,
    /// The most rows of a block.
    pub rows: usize,
}

/// A part from its left end to its right end.
#[derive(Clone, Copy)]
struct Span {
    left: f64,
    width: f64,
}

pub fn placed(layered: &Layered) -> Placed {
    let neighbours = layered.neighbours();
    let mut parts = Parts::of(layered, &neighbours);
    let rows = rows_of_blocks(&parts);
    let widths = parts.widths(rows);
    let whole = widths.last().copied().unwrap_or(1.0);
    let mut places = vec![[0.0; 2]; layered.level_of.len()];
    let mut spans = vec![Span { left: 0.0, width: whole }; parts.parts.len()];
    let mut left_of_block = vec![0.0; parts.blocks.len()];
    // Outer parts come last, so their places are known first.
    for (number, part) in parts.parts.iter().enumerate().rev() {
        let span = Span { width: widths[number], ..spans[number] };
        spans[number] = span;
        let mut left = span.left + (span.width - parts.inner_width(part, rows, &widths)) / 2.0;
        for &child in &part.children {
            match child {
                Child::Part(inner) => spans[inner as usize].left = left,
                Child::Block(block) => left_of_block[block as usize] = left,
            }
            left += parts.child_width(child, rows, &widths) + gap(part.level);
        }
    }
    let mut deepest = 1;
    for (block, &left) in parts.blocks.iter().zip(&left_of_block) {
        let columns = columns(block.len(), rows);
        deepest = deepest.max(block.len().div_ceil(columns));
        for (at, &host) in block.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            places[host as usize] = [left + column as f64 + 0.5, -(row as f64)];
        }
    }
    let top = layered.level_of.iter().copied().max().unwrap_or(0);
    let heights = heights(whole, top);
    for (place, &level) in places.iter_mut().zip(&layered.level_of).skip(layered.holding) {
        place[1] = heights[usize::from(level)];
    }
    for (part, &span) in parts.parts.iter().zip(&spans) {
        spread(&part.switches, span, &mut places);
    }
    for round in 0..2 * ROUNDS {
        let upwards = round % 2 == 0;
        let mut numbers: Vec<usize> = (0..parts.parts.len()).collect();
        if !upwards {
            numbers.reverse();
        }
        for number in numbers {
            let part = &mut parts.parts[number];
            sort(&mut part.switches, layered, &neighbours, &places, upwards);
            spread(&part.switches, spans[number], &mut places);
        }
    }
    Placed { places, blocks: parts.blocks, rows: deepest }
}

/// As few rows as possible while the picture is not too wide.
fn rows_of_blocks(parts: &Parts) -> usize {
    let largest = parts.largest_block();
    let width = |rows: usize| parts.widths(rows).last().copied().unwrap_or(1.0);
    let mut rows = 1;
    while rows < largest {
        let wide = width(rows);
        if wide <= WIDE || (rows + 1) as f64 > MOST_DEPTH * wide {
            break;
        }
        // The next number of rows that saves a column somewhere.
        rows = largest.div_ceil(columns(largest, rows).saturating_sub(1).max(1)).max(rows + 1);
    }
    rows.min(largest)
}

/// The height of each level. Hosts are close to their switches, higher levels are farther apart,
/// because their links cross.
fn heights(width: f64, top: u16) -> Vec<f64> {
    let first = (0.05 * width).max(1.6);
    let others = f64::from(top.saturating_sub(1).max(1));
    let apart = (0.36 * width / others).clamp(2.2, (0.2 * width).max(2.2));
    let height = |level: u16| match level {
        0 => 0.0,
        level => first + f64::from(level - 1) * apart,
    };
    (0..=top).map(height).collect()
}

/// Switches evenly over the width of their part.
fn spread(switches: &[u32], span: Span, places: &mut [[f64; 2]]) {
    let count = switches.len() as f64;
    for (at, &switch) in switches.iter().enumerate() {
        places[switch as usize][0] = span.left + (at as f64 + 0.5) / count * span.width;
    }
}

/// Sorts switches by the middle of what they are linked to below or above them.
fn sort(
    switches: &mut [u32],
    layered: &Layered,
    neighbours: &[Vec<u32>],
    places: &[[f64; 2]],
    upwards: bool,
) {
    if switches.len() < 2 {
        return;
    }
    let level = |point: u32| layered.level_of[point as usize];
    let key = |&switch: &u32| {
        let of = |&other: &u32| match upwards {
            true => level(other) < level(switch),
            false => level(other) > level(switch),
        };
        let linked = || neighbours[switch as usize].iter().copied().filter(of);
        let count = linked().count();
        let sum: f64 = linked().map(|other| places[other as usize][0]).sum();
        let middle = if count == 0 { places[switch as usize][0] } else { sum / count as f64 };
        // Rounded, because sums of the same numbers in another order differ a little.
        ((middle * 1024.0).round() as i64, linked().next().unwrap_or(0))
    };
    // Switches with equal keys keep their order.
    switches.sort_by_cached_key(key);
}
