//! For lengths that do not divide: the grid and the machine are cut in two, part by part.

use super::shape::{Dimension, Kind, Shape};
use crate::grid_detection::LogicalGrid;

/// The slots of all ranks: the low half of the cells in the low half of the machine, and so on down
/// to single slots. Cuts go across the longest side; with `ring_by_ring` a ring counts as half as
/// long, because its ends are neighbours.
pub(super) fn by_halves(grid: &LogicalGrid, shape: &Shape, ring_by_ring: bool) -> Vec<u32> {
    let mut ranks: Vec<u32> = (0..grid.ranks() as u32).collect();
    let mut slots = vec![0; ranks.len()];
    let whole: Vec<(u32, u32)> =
        shape.dimensions.iter().map(|dimension| (0, dimension.length)).collect();
    let cut = Cut { grid, dimensions: &shape.dimensions, ring_by_ring };
    cut.place(&mut ranks, whole, &mut slots);
    slots
}

struct Cut<'a> {
    grid: &'a LogicalGrid,
    dimensions: &'a [Dimension],
    ring_by_ring: bool,
}

impl Cut<'_> {
    /// Places `ranks` in the part of the machine between two numbers per dimension, the second
    /// excluded.
    fn place(&self, ranks: &mut [u32], part: Vec<(u32, u32)>, slots: &mut [u32]) {
        let length = |dimension: usize| part[dimension].1 - part[dimension].0;
        // Slots of a node are cut last: ranks that stay together longest cost least.
        let weight = |dimension: usize| match self.dimensions[dimension].kind {
            _ if length(dimension) == 1 => 0,
            Kind::Free => 1,
            Kind::Ring if self.ring_by_ring => 1 + length(dimension),
            _ => 1 + 2 * length(dimension),
        };
        let longest = (0..part.len()).rev().max_by_key(|&dimension| weight(dimension));
        let Some(dimension) = longest.filter(|&d| length(d) > 1 && !ranks.is_empty()) else {
            let first = part.iter().zip(self.dimensions);
            let slot = first.map(|(&(from, _), dimension)| from * dimension.stride).sum();
            ranks.iter().for_each(|&rank| slots[rank as usize] = slot);
            return;
        };
        let middle = part[dimension].0 + length(dimension) / 2;
        let (mut low, mut high) = (part.clone(), part.clone());
        low[dimension].1 = middle;
        high[dimension].0 = middle;
        let room = |part: &[(u32, u32)]| -> u64 {
            part.iter().map(|&(from, to)| u64::from(to - from)).product()
        };
        let share = ranks.len() as u64 * room(&low) / room(&part);
        let in_low = share.max((ranks.len() as u64).saturating_sub(room(&high))) as usize;
        self.sort_along_longest(ranks);
        let (first, second) = ranks.split_at_mut(in_low);
        self.place(first, low, slots);
        self.place(second, high, slots);
    }

    /// Sorts ranks by their cells along the axis in which they spread most.
    fn sort_along_longest(&self, ranks: &mut [u32]) {
        let extent = |axis: usize| {
            let cells = ranks.iter().map(|&rank| self.grid.cell(rank as usize)[axis]);
            let (low, high) =
                cells.fold((u32::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
            high.saturating_sub(low)
        };
        let axes = 0..self.grid.axes();
        let axis = axes.rev().max_by_key(|&axis| extent(axis)).unwrap_or(0);
        ranks.sort_unstable_by_key(|&rank| {
            let cell = self.grid.cell(rank as usize);
            (cell[axis], cell, rank)
        });
    }
}
