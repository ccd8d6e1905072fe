//! A grid on a machine of groups in groups: boxes in boxes, cut where it costs least.

use crate::grid_detection::{LogicalGrid, MOST_AXES};
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::topology::Groups;

/// Ranks in the cells of a grid, to be divided among groups.
struct Sharing<'a> {
    grid: &'a LogicalGrid,
    groups: &'a Groups,
    per_node: usize,
    slot_of: Vec<u32>,
}

/// Gives each group a box of the grid; `None` for machines that are not groups in groups. Spare
/// places at the end stay empty.
pub(super) fn boxes(problem: &Problem, grid: &LogicalGrid) -> Option<Mapping> {
    let machine = problem.machine();
    let groups = machine.topology().groups()?;
    let ranks = problem.num_ranks();
    let per_node = machine.slots_per_node() as usize;
    let mut sharing = Sharing { grid, groups: &groups, per_node, slot_of: vec![0; ranks] };
    let mut all: Vec<u32> = (0..ranks as u32).collect();
    sharing.place(&mut all, &[0]);
    problem.mapping(sharing.slot_of).ok()
}

impl Sharing<'_> {
    fn room(&self, groups: &[u32]) -> usize {
        let nodes = |&group: &u32| self.groups.group(group).nodes.len();
        groups.iter().map(nodes).sum::<usize>() * self.per_node
    }

    /// Puts ranks into some neighbouring groups, in which they fit.
    fn place(&mut self, ranks: &mut [u32], groups: &[u32]) {
        match groups {
            _ if ranks.is_empty() => {}
            [group] => {
                let group = self.groups.group(*group);
                if group.children.is_empty() {
                    let first = group.nodes.start * self.per_node as u32;
                    for (slot, &rank) in (first..).zip(ranks.iter()) {
                        self.slot_of[rank as usize] = slot;
                    }
                } else {
                    let children: Vec<u32> = group.children.clone().collect();
                    self.place(ranks, &children);
                }
            }
            _ => {
                let (first, second) = self.halves(groups);
                let (room, room_after) = (self.room(first), self.room(second));
                // In proportion to the room, as far as possible.
                let share = (ranks.len() * room).div_ceil(room + room_after);
                let cut =
                    share.clamp(ranks.len().saturating_sub(room_after), room.min(ranks.len()));
                self.sort_for_cut(ranks, cut);
                let (low, high) = ranks.split_at_mut(cut);
                self.place(low, first);
                self.place(high, second);
            }
        }
    }

    /// Two runs of groups with room as equal as possible.
    fn halves<'b>(&self, groups: &'b [u32]) -> (&'b [u32], &'b [u32]) {
        let all = self.room(groups);
        let mut before = 0;
        let mut best = (usize::MAX, 1);
        for at in 1..groups.len() {
            before += self.room(&groups[at - 1..at]);
            best = best.min(((2 * before).abs_diff(all), at));
        }
        groups.split_at(best.1)
    }

    /// Sorts ranks along the axis across which a cut before `cut` costs least.
    fn sort_for_cut(&self, ranks: &mut [u32], cut: usize) {
        if cut == 0 || cut == ranks.len() {
            return;
        }
        let axes = self.grid.axes();
        let mut extent = vec![(u32::MAX, 0); axes];
        for &rank in ranks.iter() {
            for (extent, &at) in extent.iter_mut().zip(self.grid.cell(rank as usize)) {
                *extent = (extent.0.min(at), extent.1.max(at));
            }
        }
        let cells = ranks.len() as f64;
        let cost = |axis: usize| {
            let length = f64::from(extent[axis].1 - extent[axis].0 + 1);
            let layer = cells / length;
            // A cut inside a layer also runs along the layer.
            let inside = (cut as f64 / layer).fract() > 1e-9;
            let along =
                if inside { (0..axes).map(|other| self.grid.weights[other]).sum() } else { 0.0 };
            match extent[axis].0 == extent[axis].1 {
                true => f64::INFINITY,
                false => layer * self.grid.weights[axis] + along,
            }
        };
        let axis = (0..axes).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(0);
        // Inside a layer, along the longest of the other axes.
        let length = |&other: &usize| u32::MAX - (extent[other].1 - extent[other].0);
        let mut order: Vec<usize> = (0..axes).filter(|&other| other != axis).collect();
        order.sort_by_key(length);
        ranks.sort_unstable_by_key(|&rank| {
            let cell = self.grid.cell(rank as usize);
            let mut key = [0; MOST_AXES];
            key[0] = cell[axis];
            key[1..].iter_mut().zip(&order).for_each(|(key, &other)| *key = cell[other]);
            key
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::objective::{HopBytes, Objective};
    use crate::{Machine, Problem, Run, Weight, parse_pattern, parse_strategy};

    fn cost(traffic: &str, machine: &str) -> f64 {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let folding = parse_strategy("folding").unwrap();
        HopBytes.cost(&problem, &folding.map(&problem, None, &mut Run::new(1)).unwrap())
    }

    #[test]
    fn a_square_falls_into_squares() {
        // 8 x 8 in four squares of four squares of 2 x 2: 4 pairs in each smallest, 8 between
        // those, 16 between the largest; both ways.
        let expected = 2.0 * (16.0 * 4.0 + 4.0 * 8.0 * 10.0 + 16.0 * 100.0);
        assert_eq!(cost("stencil:8x8", "tree:4:4:4,distances=1:10:100"), expected);
    }

    #[test]
    fn uneven_grids_and_room_to_spare_are_placed_too() {
        assert!(cost("stencil:5x7", "tree:3:3:4,distances=1:10:100") < 6000.0);
        assert!(cost("stencil:6x6", "tree:4:16,distances=1:10,slots=2") < 1000.0);
    }
}
