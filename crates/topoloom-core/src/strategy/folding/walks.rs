//! For lengths that do not divide: cells and nodes, each in the order of the same curve.

use super::super::curves::CURVES;
use crate::grid_detection::LogicalGrid;
use crate::machine::Machine;

/// Curves whose neighbouring positions are near in the box.
const NAMES: [&str; 2] = ["scan", "hilbert"];

/// The slots of all ranks, once for each curve. Neighbours along the curve stay neighbours; how
/// near others stay depends on the curve.
pub(super) fn along_curves(grid: &LogicalGrid, machine: &Machine) -> Vec<Vec<u32>> {
    let Some(lengths) = machine.topology().grid_lengths() else { return Vec::new() };
    let ranks = machine.num_slots();
    let cells = grid.lengths.iter().map(|&length| u64::from(length)).product::<u64>();
    // With many empty cells the walk would be wasted time.
    if cells > 2 * ranks as u64 {
        return Vec::new();
    }
    let per_node = machine.slots_per_node() as usize;
    let curves = CURVES.iter().filter(|curve| NAMES.contains(&curve.name));
    curves
        .map(|curve| {
            let nodes = (curve.walk)(lengths);
            let order = ranks_along(grid, &(curve.walk)(&grid.lengths));
            let mut slots = vec![0; order.len()];
            for (position, &rank) in order.iter().enumerate() {
                let slot = nodes[position / per_node] as usize * per_node + position % per_node;
                slots[rank as usize] = slot as u32;
            }
            slots
        })
        .collect()
}

/// The ranks in the order in which `walk` reaches their cells.
fn ranks_along(grid: &LogicalGrid, walk: &[u32]) -> Vec<u32> {
    const EMPTY: u32 = u32::MAX;
    let mut rank_in = vec![EMPTY; walk.len()];
    for rank in 0..grid.ranks() {
        let mut number = 0;
        for (&at, &length) in grid.cell(rank).iter().zip(&grid.lengths).rev() {
            number = number * length as usize + at as usize;
        }
        rank_in[number] = rank as u32;
    }
    walk.iter().map(|&cell| rank_in[cell as usize]).filter(|&rank| rank != EMPTY).collect()
}
