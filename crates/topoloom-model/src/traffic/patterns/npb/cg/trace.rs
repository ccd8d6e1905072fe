//! CG: an iteration is matrix products, sums along rows of ranks, a transpose and dot products.

use super::super::bal;
use super::super::pace::Pace;
use super::super::traces::Calls;
use super::super::traces::{exchange, trace_of};
use super::run::Run;
use crate::spec::{Spec, SpecError};
use crate::trace::{ProgramWriter, Trace};
use crate::traffic::{Group, Operation};

/// Nonzeros per row of the sparse vectors that make up the matrix, by class.
const NONZEROS: [u32; 7] = [7, 8, 11, 13, 15, 21, 26];

/// Inner iterations per outer one.
const INNER: u32 = 25;

/// Kinds of messages.
const DOT: u32 = 0;
const NORMS: u32 = 1;
const SUM: u32 = 2;
const TRANSPOSE: u32 = 3;

pub(super) fn trace(spec: &Spec) -> Result<Trace, SpecError> {
    let run = Run::read(spec)?;
    let mut calls = Calls::default();
    let world = Group::first(run.case.ranks);
    let broadcast = calls.number(Operation::Broadcast, &world, 4);
    let barrier = calls.number(Operation::Barrier, &world, 0);
    let reduce = calls.number(Operation::Reduce, &world, 8);
    trace_of(&run.case, calls, |rank, writer| {
        let program = Program::of(rank, &run);
        writer.collective(broadcast);
        program.outer_iteration(writer);
        writer.collective(barrier);
        writer.repeat(run.iterations, |writer| program.outer_iteration(writer));
        writer.collective(reduce);
    })
}

/// What one rank does.
struct Program {
    /// Ranks of the same row, farthest first.
    partners: Vec<u32>,
    /// Where the transpose goes; none if the rank is alone.
    transpose: Option<u32>,
    /// Values of the rank's rows, and of the part of them that it keeps in a sum.
    values: u64,
    segment: u64,
    is_square: bool,
    /// The rank's share of the rows, and the nonzeros of a row.
    rows: f64,
    nonzeros: f64,
    pace: Pace,
}

impl Program {
    fn of(rank: u32, run: &Run) -> Self {
        let grid = run.grid;
        let (row, column) = (rank / grid.columns, rank % grid.columns);
        let steps = 1..=grid.columns.ilog2();
        let partner = |step: u32| row * grid.columns + (column ^ (grid.columns >> step));
        let values = bal(run.matrix_rows, u64::from(grid.rows), u64::from(row));
        let segment = if grid.is_square() {
            values
        } else if rank.is_multiple_of(2) {
            values.div_ceil(2)
        } else {
            values / 2
        };
        let nonzeros = run.case.class.of(&NONZEROS);
        Program {
            partners: steps.map(partner).collect(),
            transpose: (run.case.ranks > 1).then(|| grid.transpose_partner(rank)),
            values,
            segment,
            is_square: grid.is_square(),
            rows: values as f64 / f64::from(grid.columns),
            nonzeros: f64::from(nonzeros * (nonzeros + 1)),
            pace: run.case.pace,
        }
    }

    /// Vector operations are counted per row: 10 in an inner iteration, 12 around them.
    fn outer_iteration(&self, writer: &mut ProgramWriter) {
        self.compute(writer, 2.0);
        self.dot(writer);
        writer.repeat(INNER, |writer| {
            self.matrix_product(writer);
            self.compute(writer, 2.0);
            self.dot(writer);
            self.compute(writer, 6.0);
            self.dot(writer);
            self.compute(writer, 2.0);
        });
        self.matrix_product(writer);
        self.compute(writer, 4.0);
        self.dot(writer);
        self.compute(writer, 4.0);
        for &partner in &self.partners {
            swap(writer, partner, 16, NORMS);
        }
        self.compute(writer, 2.0);
    }

    /// The product of the rank's own block, its sum over the row, and the transpose of the sum.
    fn matrix_product(&self, writer: &mut ProgramWriter) {
        self.compute(writer, 2.0 * self.nonzeros);
        for (number, &partner) in self.partners.iter().rev().enumerate() {
            // If there are twice as many columns as rows, the first exchange halves the vector:
            // each rank gives away what the other keeps.
            let values = match (number, self.is_square) {
                (0, false) => self.values - self.segment,
                _ => self.segment,
            };
            swap(writer, partner, 8 * values, SUM);
        }
        if let Some(partner) = self.transpose {
            swap(writer, partner, 8 * self.segment, TRANSPOSE);
        }
    }

    fn dot(&self, writer: &mut ProgramWriter) {
        for &partner in &self.partners {
            swap(writer, partner, 8, DOT);
        }
    }

    fn compute(&self, writer: &mut ProgramWriter, operations_of_a_row: f64) {
        writer.compute(self.pace.nanoseconds(operations_of_a_row * self.rows));
    }
}

/// Both send to each other; the partner may be the rank itself.
fn swap(writer: &mut ProgramWriter, partner: u32, bytes: u64, tag: u32) {
    exchange(writer, Some(partner), Some((partner, bytes)), tag);
}
