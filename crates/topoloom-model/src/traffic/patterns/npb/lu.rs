//! LU: wavefronts that run through a two-dimensional grid of ranks.

use super::{CLASS, Case, GFLOPS, ITERATIONS, RANKS, bal, collective, send, traces};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder};

/// Points in a direction and iterations, by class.
const SIZES: [(u64, u32); 7] =
    [(12, 50), (33, 300), (64, 250), (102, 250), (162, 250), (408, 300), (1020, 300)];

/// The pattern `lu`.
pub static ENTRY: PatternEntry = Entry {
    name: "lu",
    summary: "NPB LU: pipelined wavefronts on a 2-D grid of ranks",
    example: "lu:class=A,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(traces::lu) },
};

/// A legal run: points in a direction, timed iterations and the grid of ranks.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) case: Case<'a>,
    pub(super) n: u64,
    pub(super) iterations: u32,
    grid: (u32, u32),
}

impl<'a> Run<'a> {
    pub(super) fn read(spec: &'a Spec) -> Result<Self, SpecError> {
        let case = Case::read(spec)?;
        let (n, usual_iterations) = case.class.of(&SIZES);
        let iterations = case.iterations_or(usual_iterations);
        // No part below 3 points: at most n/3 ranks in a direction.
        let longest = (n / 3) as u32;
        case.check_ranks(
            longest * longest,
            "the process grid X x Y needs X <= 2Y and at least 3 points per rank",
            |ranks| {
                let (x, y) = process_grid(ranks);
                x <= 2 * y && x <= longest
            },
        )?;
        let grid = process_grid(case.ranks);
        Ok(Run { case, n, iterations, grid })
    }
}

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    let run = Run::read(spec)?;
    let ranks = run.case.ranks;
    let mut builder = TrafficBuilder::with_capacity(ranks, 12 * ranks as usize);
    for rank in 0..ranks {
        send_all(&mut builder, rank, &run);
    }
    let world = Group::first(ranks);
    collective(&mut builder, Operation::Broadcast, &world, &[(7, 4), (2, 8), (1, 40)]);
    collective(&mut builder, Operation::Allreduce, &world, &[(5, 40), (5, 8)]);
    collective(&mut builder, Operation::Barrier, &world, &[(2, 0)]);
    Ok(builder.build())
}

/// X >= Y with X * Y ranks, as square as it gets.
fn process_grid(ranks: u32) -> (u32, u32) {
    let y = (1..=ranks.isqrt())
        .rev()
        .find(|&y| ranks.is_multiple_of(y))
        .expect("1 divides every count");
    (ranks / y, y)
}

/// Where a rank is on the grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Points along the first axis, from north to south, and the second, from west to east.
    pub(super) points: [u64; 2],
    /// Whether the rank is the first along each axis.
    pub(super) is_first: [bool; 2],
    /// Whether it is the last.
    pub(super) is_last: [bool; 2],
    pub(super) north: Option<u32>,
    pub(super) south: Option<u32>,
    pub(super) west: Option<u32>,
    pub(super) east: Option<u32>,
}

impl Place {
    pub(super) fn of(rank: u32, run: &Run) -> Self {
        let (grid_x, grid_y) = run.grid;
        let (a, b) = (rank % grid_x, rank / grid_x);
        Place {
            points: [
                bal(run.n, u64::from(grid_x), u64::from(a)),
                bal(run.n, u64::from(grid_y), u64::from(b)),
            ],
            is_first: [a == 0, b == 0],
            is_last: [a + 1 == grid_x, b + 1 == grid_y],
            north: (a > 0).then(|| rank - 1),
            south: (a + 1 < grid_x).then(|| rank + 1),
            west: (b > 0).then(|| rank - grid_x),
            east: (b + 1 < grid_y).then(|| rank + grid_x),
        }
    }

    /// On how many edges of the grid the rank is along an axis.
    pub(super) fn edges(&self, axis: usize) -> u64 {
        u64::from(self.is_first[axis]) + u64::from(self.is_last[axis])
    }
}

/// Adds everything that `rank` sends in the whole run.
fn send_all(builder: &mut TrafficBuilder, rank: u32, run: &Run) {
    let (n, iterations) = (run.n, u64::from(run.iterations));
    let place = Place::of(rank, run);
    let [nx, ny] = place.points;
    let (on_edges_x, on_edges_y) = (place.edges(0), place.edges(1));
    let Place { north, south, west, east, .. } = place;

    // Each sweep passes five values a point of the inner planes, the lower one to the south and
    // east, the upper one to the north and west. The halo goes all ways: two layers of five.
    let (planes, halos) = ((iterations + 1) * (n - 2), iterations + 4);
    for to in north.into_iter().chain(south) {
        send(builder, rank, to, planes, 40 * (ny - on_edges_y));
        send(builder, rank, to, halos, 80 * ny * n);
    }
    for to in west.into_iter().chain(east) {
        send(builder, rank, to, planes, 40 * (nx - on_edges_x));
        send(builder, rank, to, halos, 80 * nx * n);
    }
    // The surface integral at the end of the run goes north and west only.
    if let Some(north) = north {
        send(builder, rank, north, 1, 16 * (ny + 2));
        send(builder, rank, north, on_edges_y, 8 * n);
    }
    if let Some(west) = west {
        send(builder, rank, west, 1, 16 * nx);
        send(builder, rank, west, on_edges_x, 8 * n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_pattern;

    #[test]
    fn grids_are_as_square_as_the_divisors_allow() {
        assert_eq!(process_grid(1), (1, 1));
        assert_eq!(process_grid(12), (4, 3));
        assert_eq!(process_grid(64), (8, 8));
        assert_eq!(process_grid(7), (7, 1));
    }

    #[test]
    fn two_ranks_of_class_s_exchange_what_the_formulas_say() {
        // 2 x 1 grid, T = 1: nx = 6, ny = 12, inner y = 12 - 2 = 10; 2 x 10 planes of 400 bytes
        // and 5 halos of 80 x 12 x 12 bytes each way.
        // To the north also 16 x 14 bytes, and 8 x 12 bytes twice since Y = 1.
        let traffic = parse_pattern("lu:class=S,ranks=2,iterations=1").unwrap();
        let flows: Vec<_> =
            traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
        let both_ways = 20.0 * 400.0 + 5.0 * 11520.0;
        assert_eq!(flows, [(0, 1, 25.0, both_ways), (1, 0, 28.0, both_ways + 224.0 + 192.0)]);
    }

    #[test]
    fn a_hundred_thousand_ranks_have_four_neighbours_each_but_at_the_edges() {
        // 320 x 320: 2 x (319 x 320) pairs, both ways.
        let traffic = parse_pattern("lu:class=E,ranks=102400").unwrap();
        assert_eq!(traffic.num_flows(), 4 * 319 * 320);
    }
}
