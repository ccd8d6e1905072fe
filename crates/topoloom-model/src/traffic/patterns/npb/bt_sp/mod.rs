//! BT and SP: sweeps through a multipartition, forwards and backwards in each direction.

mod run;
mod trace;

use run::{Benchmark, Run};

use super::multipartition::{CrossSections, DIRECTIONS, Multipartition};
use super::{CLASS, GFLOPS, ITERATIONS, RANKS, collective, send};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::entry::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder};

/// The pattern `bt`.
pub static BT: PatternEntry = Entry {
    name: "bt",
    summary: "NPB BT: block-tridiagonal sweeps on a multipartition of q x q ranks",
    example: "bt:class=W,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder {
        traffic: |spec| build(spec, Benchmark::Bt),
        trace: Some(|spec| trace::trace(spec, Benchmark::Bt)),
    },
};

/// The pattern `sp`.
pub static SP: PatternEntry = Entry {
    name: "sp",
    summary: "NPB SP: pentadiagonal sweeps on a multipartition of q x q ranks",
    example: "sp:class=W,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder {
        traffic: |spec| build(spec, Benchmark::Sp),
        trace: Some(|spec| trace::trace(spec, Benchmark::Sp)),
    },
};

fn build(spec: &Spec, benchmark: Benchmark) -> Result<Traffic, SpecError> {
    let Run { case, n, iterations, q } = Run::read(spec, benchmark)?;
    let iterations = u64::from(iterations);
    let mut builder = TrafficBuilder::with_capacity(case.ranks, 12 * q * q);
    if q > 1 {
        send_all(&mut builder, benchmark, q, n, iterations);
    }
    let (active, world) = (Group::first((q * q) as u32), Group::first(case.ranks));
    let broadcasts: &[(u64, u64)] = match benchmark {
        Benchmark::Bt => &[(4, 4), (1, 8), (1, 12)],
        Benchmark::Sp => &[(2, 4), (1, 8), (1, 12)],
    };
    collective(&mut builder, Operation::Broadcast, &active, broadcasts);
    collective(&mut builder, Operation::Allreduce, &active, &[(2, 40)]);
    collective(&mut builder, Operation::Reduce, &active, &[(1, 8)]);
    if active == world {
        collective(&mut builder, Operation::Barrier, &world, &[(2, 0)]);
    } else {
        collective(&mut builder, Operation::Barrier, &active, &[(1, 0)]);
        collective(&mut builder, Operation::Barrier, &world, &[(1, 0)]);
    }
    Ok(builder.build())
}

/// Adds all messages of the whole run for q > 1.
fn send_all(builder: &mut TrafficBuilder, benchmark: Benchmark, q: usize, n: u64, iterations: u64) {
    let (last, stages) = (q - 1, q as u64 - 1);
    let (exchanges, sweeps) = (iterations + 2, iterations + 1);
    let faces = CrossSections::whole(n, q);
    let interior = CrossSections::interior(n, q);
    // BT sends buffers of the largest cell, whatever the size of the current cell.
    let buffer = (n / q as u64 + 1).pow(2);
    let parts = Multipartition { q };
    for (i, j) in (0..q * q).map(|rank| (rank % q, rank / q)) {
        let rank = (i + q * j) as u32;
        for direction in DIRECTIONS {
            let successor = parts.successor(i, j, direction);
            let predecessor = parts.predecessor(i, j, direction);
            // The cells of the last layer have no successor, and those of the first have no
            // predecessor.
            let forth = faces.all_but(i, j, direction, last);
            let back = faces.all_but(i, j, direction, 0);
            send(builder, rank, successor, exchanges, 80 * forth);
            send(builder, rank, predecessor, exchanges, 80 * back);

            // Bytes of one sweep, in as many messages as there are stages.
            let (forth, back) = match benchmark {
                Benchmark::Bt => (240 * buffer * stages, 40 * buffer * stages),
                Benchmark::Sp => (
                    176 * interior.all_but(i, j, direction, last),
                    80 * interior.all_but(i, j, direction, 0),
                ),
            };
            let messages = (sweeps * stages) as f64;
            builder.add(rank, successor, messages, sweeps as f64 * forth as f64);
            builder.add(rank, predecessor, messages, sweeps as f64 * back as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::traffic::Weight;
    use crate::{Rank, parse_pattern};

    #[test]
    fn each_pair_gets_sweeps_and_faces() {
        // q = 3, T = 60: 61 sweeps of 2 stages and 62 exchanges of faces to each of 6 partners.
        let traffic = parse_pattern("bt:class=S,ranks=9").unwrap();
        assert_eq!(traffic.num_flows(), 6 * 9);
        assert!(traffic.flows().all(|flow| flow.messages == 61.0 * 2.0 + 62.0));
    }

    #[test]
    fn four_ranks_of_sp_send_equal_cells_of_six_points() {
        // q = 2, T = 1. Each rank has two cells of 6 x 6 x 6, one in each layer; inside the
        // boundary each is 5 points long. Successor and predecessor coincide in each direction: 3
        // exchanges of 80 x 36 bytes twice, 2 sweeps of (176 + 80) x 25.
        let traffic = parse_pattern("sp:class=S,ranks=4,iterations=1").unwrap();
        let to_one = 3.0 * 2.0 * 80.0 * 36.0 + 2.0 * 256.0 * 25.0;
        assert_eq!(traffic.num_flows(), 3 * 4);
        assert!(traffic.flows().all(|flow| flow.messages == 10.0 && flow.bytes == to_one));
    }

    #[test]
    fn ranks_beyond_the_square_only_meet_at_the_last_barrier() {
        let nine = parse_pattern("bt:class=S,ranks=9").unwrap();
        let eleven = parse_pattern("bt:class=S,ranks=11").unwrap();
        assert_eq!(eleven.total(Weight::Bytes), nine.total(Weight::Bytes));
        assert_eq!(eleven.flows_from(Rank(10)).count(), 0);
        let sizes: Vec<_> = eleven
            .collectives()
            .iter()
            .filter(|collective| collective.operation.mpi_name() == "Barrier")
            .map(|collective| (collective.group.size(), collective.calls))
            .collect();
        assert_eq!(sizes, [(9, 1), (11, 1)]);
    }
}
