//! CG: sums along the rows of a grid of ranks, and a transpose.

mod run;
mod trace;

use run::{Grid, Run};

use super::{CLASS, GFLOPS, ITERATIONS, RANKS, bal, collective, send};
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::traffic::patterns::entry::{PatternBuilder, PatternEntry};
use crate::traffic::{Group, Operation, Traffic, TrafficBuilder};

/// The pattern `cg`.
pub static ENTRY: PatternEntry = Entry {
    name: "cg",
    summary: "NPB CG: sums along rows of a 2-D grid of ranks, and a transpose",
    example: "cg:class=A,ranks=16",
    parameters: &[CLASS, RANKS, ITERATIONS, GFLOPS],
    build: PatternBuilder { traffic: build, trace: Some(trace::trace) },
};

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    let Run { case, matrix_rows, iterations, grid } = Run::read(spec)?;
    let iterations = u64::from(iterations);
    let flows = (grid.columns.ilog2() as usize + 1) * case.ranks as usize;
    let mut builder = TrafficBuilder::with_capacity(case.ranks, flows);
    if case.ranks > 1 {
        for rank in 0..case.ranks {
            send_all(&mut builder, rank, grid, matrix_rows, iterations);
        }
    }
    let world = Group::first(case.ranks);
    collective(&mut builder, Operation::Broadcast, &world, &[(1, 4)]);
    collective(&mut builder, Operation::Barrier, &world, &[(1, 0)]);
    collective(&mut builder, Operation::Reduce, &world, &[(1, 8)]);
    Ok(builder.build())
}

/// Adds everything that `rank` sends in the whole run. There must be more than one rank.
fn send_all(
    builder: &mut TrafficBuilder,
    rank: u32,
    grid: Grid,
    matrix_rows: u64,
    iterations: u64,
) {
    let outer = iterations + 1;
    let (row, column) = (rank / grid.columns, rank % grid.columns);
    let own_rows = bal(matrix_rows, u64::from(grid.rows), u64::from(row));
    let segment = match (grid.is_square(), rank % 2) {
        (true, _) => own_rows,
        (false, 0) => own_rows.div_ceil(2),
        (false, _) => own_rows / 2,
    };
    let mut distance = grid.columns / 2;
    while distance > 0 {
        let partner = row * grid.columns + (column ^ distance);
        // The nearest partner comes first in a vector sum and splits the vector if necessary.
        let part = if distance == 1 && !grid.is_square() { own_rows - segment } else { segment };
        let (dots, norms, sums) = (52 * outer, outer, 26 * outer);
        let bytes = 8.0 * dots as f64 + 16.0 * norms as f64 + 8.0 * part as f64 * sums as f64;
        builder.add(rank, partner, (dots + norms + sums) as f64, bytes);
        distance /= 2;
    }
    send(builder, rank, grid.transpose_partner(rank), 26 * outer, 8 * segment);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_pattern;

    fn flows(text: &str) -> Vec<(u32, u32, f64, f64)> {
        let traffic = parse_pattern(text).unwrap();
        traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect()
    }

    #[test]
    fn the_transpose_is_its_own_inverse() {
        for ranks in [2, 4, 8, 16, 512, 1024] {
            let grid = Grid::new(ranks);
            for rank in 0..ranks {
                let partner = grid.transpose_partner(rank);
                assert_eq!(grid.transpose_partner(partner), rank);
            }
        }
    }

    #[test]
    fn two_ranks_split_the_vector_and_transpose_to_themselves() {
        // One row, two columns, T = 1, so 2 outer steps: 104 dots of 8 bytes, 2 norms of 16, 52
        // sums of the partner's half (700 rows) and 52 transposes of the rank's own half.
        let dots_and_norms = 104.0 * 8.0 + 2.0 * 16.0;
        let half = 52.0 * 8.0 * 700.0;
        let row = |from, to| (from, to, 158.0, dots_and_norms + half);
        let own = |rank| (rank, rank, 52.0, half);
        assert_eq!(
            flows("cg:class=S,ranks=2,iterations=1"),
            [own(0), row(0, 1), row(1, 0), own(1)]
        );
    }

    #[test]
    fn four_ranks_transpose_across_the_diagonal() {
        // 2 x 2: ranks 1 and 2 swap, 0 and 3 keep theirs.
        let pairs: Vec<_> =
            flows("cg:class=S,ranks=4").into_iter().map(|flow| (flow.0, flow.1)).collect();
        assert_eq!(pairs, [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 3)]);
    }
}
