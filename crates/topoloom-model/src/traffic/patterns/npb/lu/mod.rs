//! LU: wavefronts that run through a two-dimensional grid of ranks.

mod run;
mod trace;

use run::{Place, Run};

use super::{CLASS, GFLOPS, ITERATIONS, RANKS, collective, send};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::entry::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder};

/// The pattern `lu`.
pub static ENTRY: PatternEntry = Entry {
    name: "lu",
    summary: "NPB LU: pipelined wavefronts on a 2-D grid of ranks",
    example: "lu:class=A,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(trace::trace) },
};

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

/// Adds everything that `rank` sends in the whole run.
fn send_all(builder: &mut TrafficBuilder, rank: u32, run: &Run) {
    let (n, iterations) = (run.n, u64::from(run.iterations));
    let place = Place::of(rank, run);
    let [nx, ny] = place.points;
    let (on_edges_x, on_edges_y) = (place.edges(0), place.edges(1));
    let Place { north, south, west, east, .. } = place;

    // Each sweep passes five values per point of the inner planes, the lower sweep to the south and
    // east, the upper one to the north and west. The halo goes in all directions: two layers of
    // five values.
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
    use super::run::process_grid;
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
        // 2 x 1 grid, T = 1: nx = 6, ny = 12, inner y = 12 - 2 = 10; 2 x 10 planes of 400 bytes and
        // 5 halos of 80 x 12 x 12 bytes in each direction. To the north also 16 x 14 bytes, and 8 x
        // 12 bytes twice since Y = 1.
        let traffic = parse_pattern("lu:class=S,ranks=2,iterations=1").unwrap();
        let flows: Vec<_> =
            traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
        let both_ways = 20.0 * 400.0 + 5.0 * 11520.0;
        assert_eq!(flows, [(0, 1, 25.0, both_ways), (1, 0, 28.0, both_ways + 224.0 + 192.0)]);
    }

    #[test]
    fn a_hundred_thousand_ranks_have_four_neighbours_each_but_at_the_edges() {
        // 320 x 320: 2 x (319 x 320) pairs, in both directions.
        let traffic = parse_pattern("lu:class=E,ranks=102400").unwrap();
        assert_eq!(traffic.num_flows(), 4 * 319 * 320);
    }
}
