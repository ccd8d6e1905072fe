//! Phase 1: groups of ranks, and groups of groups, by tiles of the grid of ranks.
//!
//! Ranks lie row by row in a box. Of all shapes that a tile of the wanted size can have, the one
//! with the least traffic between tiles is used. The tiles are the cells of the next level.

use std::collections::HashMap;

use crate::clock::Clock;
use crate::grid_detection;
use crate::problem::Problem;
use crate::run::Run;
use crate::traffic::{Traffic, Weight};

/// Flows that may be visited for all shapes of a tile together.
const MOST_LOOKS: usize = 1 << 27;

/// A box of units, row by row, with the last axis fastest.
#[derive(Debug, Clone)]
pub struct Grid {
    lengths: Vec<u32>,
    /// The cell of each unit.
    cell_of: Vec<u32>,
}

/// Units in groups, and the box that contains the groups.
#[derive(Debug)]
pub struct Tiling {
    /// The group of each unit.
    pub group_of: Vec<u32>,
    /// The shape of the tiles.
    pub shape: Vec<u32>,
    /// The groups, as units of the next level.
    pub grid: Grid,
}

impl Grid {
    /// Units in order, in a box of these lengths.
    fn in_order(lengths: Vec<u32>) -> Grid {
        let units = lengths.iter().product();
        Grid { lengths, cell_of: (0..units).collect() }
    }

    /// The boxes that the ranks of a problem may form: the grid found in the traffic, and every box
    /// that their numbers may fill row by row.
    pub fn of_ranks(problem: &Problem, run: &mut Run) -> Vec<Grid> {
        let ranks = problem.num_ranks() as u32;
        let mut grids = Vec::new();
        if let Some(grid) = grid_detection::detect(problem.graph(), &Clock::new(run)) {
            let cells: u32 = grid.lengths.iter().product();
            let row_by_row = |cell: &[u32]| {
                let both = cell.iter().zip(&grid.lengths);
                both.fold(0, |number, (&at, &length)| number * length + at)
            };
            let cell_of: Vec<u32> =
                (0..ranks as usize).map(|rank| row_by_row(grid.cell(rank))).collect();
            if cells == ranks {
                grids.push(Grid { lengths: grid.lengths, cell_of });
            }
        }
        let divisors: Vec<u32> = (2..ranks).filter(|&rows| ranks.is_multiple_of(rows)).collect();
        grids.push(Grid::in_order(vec![ranks]));
        grids.extend(divisors.iter().map(|&rows| Grid::in_order(vec![rows, ranks / rows])));
        let looks = problem.traffic().num_flows().max(1) * divisors.len() * divisors.len() * 16;
        if looks <= MOST_LOOKS {
            for &planes in &divisors {
                for &rows in divisors.iter().filter(|&&rows| (ranks / planes).is_multiple_of(rows))
                {
                    if rows < ranks / planes {
                        grids.push(Grid::in_order(vec![planes, rows, ranks / planes / rows]));
                    }
                }
            }
        }
        grids
    }

    /// The shapes of tiles of `size` cells: those that fill the box, or all if none does.
    fn shapes(&self, size: u32) -> Vec<Vec<u32>> {
        let all = shapes(size, self.lengths.len());
        let fills = |shape: &&Vec<u32>| {
            self.lengths.iter().zip(shape.iter()).all(|(length, side)| length % side == 0)
        };
        let filling: Vec<Vec<u32>> = all.iter().filter(fills).cloned().collect();
        if filling.is_empty() { all } else { filling }
    }

    /// Groups of `size` units by tiles of this shape. If tiles do not fill the box, they are cut at
    /// its boundary, and groups continue in the next tile; then the groups form a line.
    fn tiled(&self, shape: &[u32], size: u32) -> Tiling {
        let mut tiles = Vec::new();
        let mut divides = true;
        for (&length, &side) in self.lengths.iter().zip(shape) {
            tiles.push(length.div_ceil(side));
            divides &= length % side == 0;
        }
        let tile_of_cell = |mut cell: u32| {
            let (mut tile, mut stride) = (0, 1);
            for axis in (0..self.lengths.len()).rev() {
                tile += cell % self.lengths[axis] / shape[axis] * stride;
                cell /= self.lengths[axis];
                stride *= tiles[axis];
            }
            tile
        };
        let mut group_of: Vec<u32> = self.cell_of.iter().map(|&cell| tile_of_cell(cell)).collect();
        if divides {
            return Tiling { group_of, shape: shape.to_vec(), grid: Grid::in_order(tiles) };
        }
        let mut units: Vec<u32> = (0..group_of.len() as u32).collect();
        units.sort_by_key(|&unit| (group_of[unit as usize], self.cell_of[unit as usize]));
        for (position, unit) in (0..).zip(units) {
            group_of[unit as usize] = position / size;
        }
        let groups = (group_of.len() as u32).div_ceil(size);
        Tiling { group_of, shape: shape.to_vec(), grid: Grid::in_order(vec![groups]) }
    }
}

/// Tilings whose traffic between groups differs by less than this share of it count as equal.
const AS_GOOD: f64 = 0.01;

/// The tiling into groups of `size` units with the least traffic between groups. Among nearly equal
/// ones, it is the one whose heaviest flow from one group to another is least, then the first.
pub fn best_tiling(
    grids: &[Grid],
    size: u32,
    traffic: &Traffic,
    weight: Weight,
    run: &mut Run,
) -> Tiling {
    let mut tilings: Vec<(f64, Tiling)> = Vec::new();
    let mut least = f64::INFINITY;
    for grid in grids {
        for shape in grid.shapes(size) {
            // If the time is up, the best of those evaluated so far.
            let work = (traffic.num_flows() + traffic.num_ranks()) as u64;
            if !run.goes_on(work) && !tilings.is_empty() {
                break;
            }
            let tiling = grid.tiled(&shape, size);
            let mut between = 0.0;
            traffic.for_each_flow(weight, |from, to, weight| {
                if tiling.group_of[from as usize] != tiling.group_of[to as usize] {
                    between += weight;
                }
            });
            least = least.min(between);
            if between <= least * (1.0 + AS_GOOD) {
                tilings.push((between, tiling));
                tilings.retain(|(between, _)| *between <= least * (1.0 + AS_GOOD));
            }
        }
    }
    if run.was_cut_short() {
        return tilings.swap_remove(0).1;
    }
    let mut judged: Vec<(f64, f64, Tiling)> = Vec::new();
    for (between, tiling) in tilings {
        if !judged.is_empty() && run.out_of_time() {
            break;
        }
        judged.push((heaviest_flow(&tiling, traffic, weight), between, tiling));
    }
    judged.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    judged.swap_remove(0).2
}

/// The heaviest flow from one group to another.
fn heaviest_flow(tiling: &Tiling, traffic: &Traffic, weight: Weight) -> f64 {
    let mut flows: HashMap<(u32, u32), f64> = HashMap::new();
    traffic.for_each_flow(weight, |from, to, weight| {
        let pair = (tiling.group_of[from as usize], tiling.group_of[to as usize]);
        if pair.0 != pair.1 {
            *flows.entry(pair).or_default() += weight;
        }
    });
    flows.into_values().fold(0.0, f64::max)
}

/// Every way to write `size` as a product of this many sides.
fn shapes(size: u32, axes: usize) -> Vec<Vec<u32>> {
    if axes <= 1 {
        return vec![vec![size; axes]];
    }
    let sides = (1..=size).filter(|&side| size.is_multiple_of(side));
    let with_side = |side: u32| {
        shapes(size / side, axes - 1).into_iter().map(move |mut rest| {
            rest.insert(0, side);
            rest
        })
    };
    sides.flat_map(with_side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, parse_pattern};

    fn best(pattern: &str, size: u32) -> Tiling {
        let traffic = parse_pattern(pattern).unwrap();
        let machine = Machine::parse(&format!("mesh:{}", traffic.num_ranks())).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let run = &mut Run::new(1);
        let grids = Grid::of_ranks(&problem, run);
        best_tiling(&grids, size, problem.traffic(), Weight::Bytes, run)
    }

    #[test]
    fn a_square_has_the_shortest_border() {
        let tiling = best("stencil:8x8", 16);
        assert_eq!(tiling.shape, [4, 4]);
        assert_eq!(tiling.grid.lengths, [2, 2]);
        assert_eq!(tiling.group_of[..9], [0, 0, 0, 0, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn rows_that_exchange_everything_stay_whole() {
        // Eight rows of four that exchange only within the row.
        let mut builder = crate::TrafficBuilder::new(32);
        for row in 0..8 {
            for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                builder.add_both_ways(4 * row + a, 4 * row + b, 1.0, 1.0);
            }
        }
        let machine = Machine::parse("mesh:32").unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        let run = &mut Run::new(1);
        let grids = Grid::of_ranks(&problem, run);
        let tiling = best_tiling(&grids, 4, problem.traffic(), Weight::Bytes, run);
        assert_eq!(tiling.group_of, (0..32).map(|rank| rank / 4).collect::<Vec<u32>>());
    }

    #[test]
    fn tiles_that_do_not_fill_the_box_are_filled_up_from_the_next() {
        let tiling = best("stencil:5x5", 4);
        let mut sizes = [0; 7];
        tiling.group_of.iter().for_each(|&group| sizes[group as usize] += 1);
        assert_eq!(sizes, [4, 4, 4, 4, 4, 4, 1]);
    }
}
