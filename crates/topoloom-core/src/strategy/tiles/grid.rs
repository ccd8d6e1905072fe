//! Grids: their shapes as text, the squarest grid, and the order of its cells by nested tiles.

use std::cmp::Reverse;

use crate::spec::{Spec, SpecError};

/// Shapes separated by colons, `32x32:4x4`; none if the option is not given.
pub(super) fn parse_shapes(
    spec: &Spec,
    key: &str,
    example: &str,
) -> Result<Vec<Vec<u32>>, SpecError> {
    let Some(text) = spec.get::<String>(key, "shapes")? else { return Ok(Vec::new()) };
    let shape = |text: &str| -> Option<Vec<u32>> {
        let lengths = text.split('x').map(|length| length.parse().ok().filter(|&n| n > 0));
        lengths.collect()
    };
    text.split(':').map(shape).collect::<Option<_>>().ok_or_else(|| {
        SpecError::new(format!(
            "tiles: expected shapes such as {example} for \"{key}\", found \"{text}\""
        ))
    })
}

/// One shape, `128x128`; none if the option is not given.
pub(super) fn parse_shape(
    spec: &Spec,
    key: &str,
    example: &str,
) -> Result<Option<Vec<u32>>, SpecError> {
    let mut shapes = parse_shapes(spec, key, example)?;
    if shapes.len() > 1 {
        return Err(SpecError::new(format!("tiles: expected one shape for \"{key}\"")));
    }
    Ok(shapes.pop())
}

/// A shape as it is written.
pub(super) fn shown(shape: &[u32]) -> String {
    shape.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// How many cells there are, unless there are too many to count.
pub(super) fn checked_volume(shape: &[u32]) -> Option<u64> {
    shape.iter().try_fold(1u64, |volume, &length| volume.checked_mul(u64::from(length)))
}

/// The grid of `cells` cells that whole tiles fill, with the shortest longest axis, then the
/// longest shortest axis; among equals, the one with the longest axes first.
pub(super) fn squarest(cells: u32, tile: &[u32]) -> Option<Vec<u32>> {
    let volume = checked_volume(tile)?;
    if !u64::from(cells).is_multiple_of(volume) {
        return None;
    }
    let mut best = None;
    extend((u64::from(cells) / volume) as u32, tile, &mut Vec::new(), &mut best);
    best
}

/// Tries every way to distribute `tiles` tiles over the axes that have no length yet.
fn extend(tiles: u32, tile: &[u32], grid: &mut Vec<u32>, best: &mut Option<Vec<u32>>) {
    let rank = |grid: &[u32]| {
        (grid.iter().max().copied(), Reverse(grid.iter().min().copied()), Reverse(grid.to_vec()))
    };
    if best.as_ref().is_some_and(|best| grid.iter().max() > best.iter().max()) {
        return;
    }
    let Some(&length) = tile.get(grid.len()) else {
        if tiles == 1 && best.as_ref().is_none_or(|best| rank(grid) < rank(best)) {
            *best = Some(grid.clone());
        }
        return;
    };
    let is_last = grid.len() + 1 == tile.len();
    let mut factors = divisors(tiles);
    factors.retain(|&factor| !is_last || factor == tiles);
    for factor in factors {
        grid.push(factor * length);
        extend(tiles / factor, tile, grid, best);
        grid.pop();
    }
}

/// The divisors of a number.
fn divisors(number: u32) -> Vec<u32> {
    let small = (1..).take_while(|&d| number / d >= d).filter(|d| number.is_multiple_of(*d));
    small.flat_map(|d| [Some(d), Some(number / d).filter(|&e| e != d)]).flatten().collect()
}

/// The cells of a box, ordered by the tiles of the first level, within each by those of the next,
/// and so on, row by row with the last axis fastest; `cell` gives the number of the cell at a
/// place. Each shape must divide the one before it.
pub(super) fn nested_order(
    lengths: &[u32],
    levels: &[Vec<u32>],
    cell: impl Fn(&[u32]) -> u32,
) -> Vec<u32> {
    let mut digits = Vec::new();
    let single = vec![1; lengths.len()];
    let mut outer = lengths;
    for inner in levels.iter().chain([&single]) {
        for axis in 0..lengths.len() {
            digits.push(Digit { axis, count: outer[axis] / inner[axis], step: inner[axis] });
        }
        outer = inner;
    }
    let mut place = vec![0; lengths.len()];
    (0..lengths.iter().product())
        .map(|number: u32| {
            place.fill(0);
            let mut rest = number;
            for digit in digits.iter().rev() {
                place[digit.axis] += rest % digit.count * digit.step;
                rest /= digit.count;
            }
            cell(&place)
        })
        .collect()
}

/// One digit of a cell's number in the order: which tile of a level along one axis.
struct Digit {
    axis: usize,
    count: u32,
    step: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_squarest_grid_has_the_shortest_longest_axis() {
        assert_eq!(squarest(16_384, &[4, 4]), Some(vec![128, 128]));
        assert_eq!(squarest(512, &[1, 1]), Some(vec![32, 16]));
        assert_eq!(squarest(24, &[1, 1, 1]), Some(vec![4, 3, 2]));
        assert_eq!(squarest(7, &[1, 1]), Some(vec![7, 1]));
    }

    #[test]
    fn whole_tiles_fill_the_squarest_grid() {
        // 4x3 would be squarer, but has no tiles of 2x2.
        assert_eq!(squarest(12, &[2, 2]), Some(vec![6, 2]));
        assert_eq!(squarest(12, &[1, 4]), Some(vec![3, 4]));
        assert_eq!(squarest(12, &[5, 1]), None);
    }

    #[test]
    fn an_order_without_levels_is_row_by_row() {
        let order = nested_order(&[2, 3], &[], |place| 10 * place[0] + place[1]);
        assert_eq!(order, [0, 1, 2, 10, 11, 12]);
    }
}
