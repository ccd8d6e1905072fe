//! BT and SP: faces to all neighbours, then a sweep forwards and backwards in each direction.

use super::super::bal;
use super::super::multipartition::{DIRECTIONS, Direction, Multipartition};
use super::super::pace::Pace;
use super::super::traces::Calls;
use super::super::traces::trace_of;
use super::run::{Benchmark, Run};
use crate::spec::{Spec, SpecError};
use crate::trace::{ProgramWriter, Trace};
use crate::traffic::{Group, Operation};

/// Kinds of messages. Each direction has its own.
const FACE_FORTH: u32 = 0;
const FACE_BACK: u32 = 3;
const SWEEP_FORTH: u32 = 6;
const SWEEP_BACK: u32 = 9;

/// Which part of a step is computed where, once for all cells; there are three sweeps. The
/// benchmarks count whole steps. These values are rounded from what their loops do.
struct Parts {
    right_hand_side: f64,
    /// Before a cell's message is awaited: its matrix.
    build: f64,
    eliminate: f64,
    substitute: f64,
    /// While the next cell's message is awaited: the end of the work on the current cell.
    invert: f64,
}

const BT_PARTS: Parts =
    Parts { right_hand_side: 0.1, build: 0.0, eliminate: 0.25, substitute: 0.05, invert: 0.0 };
const SP_PARTS: Parts =
    Parts { right_hand_side: 0.28, build: 0.06, eliminate: 0.1, substitute: 0.04, invert: 0.04 };

pub(super) fn trace(spec: &Spec, benchmark: Benchmark) -> Result<Trace, SpecError> {
    let run = Run::read(spec, benchmark)?;
    let mut calls = Calls::default();
    let active = Group::first((run.q * run.q) as u32);
    let world = Group::first(run.case.ranks);
    let sizes: &[u64] = match benchmark {
        Benchmark::Bt => &[4, 8, 12, 4, 4, 4],
        Benchmark::Sp => &[4, 8, 12, 4],
    };
    let numbers = Numbers {
        broadcasts: calls.broadcasts(&active, sizes),
        barrier: calls.number(Operation::Barrier, &active, 0),
        norm: calls.number(Operation::Allreduce, &active, 40),
        time: calls.number(Operation::Reduce, &active, 8),
        last_barrier: calls.number(Operation::Barrier, &world, 0),
    };
    trace_of(&run.case, calls, |rank, writer| {
        if rank < active.size() {
            Program::of(rank, &run, benchmark).write(writer, &numbers);
        }
        // Idle ranks meet the others only here.
        writer.collective(numbers.last_barrier);
    })
}

/// The collectives. All except the last are among the working ranks.
struct Numbers {
    broadcasts: Vec<u32>,
    barrier: u32,
    norm: u32,
    time: u32,
    last_barrier: u32,
}

/// What one working rank does.
struct Program<'a> {
    run: &'a Run<'a>,
    benchmark: Benchmark,
    cells: Multipartition,
    i: usize,
    j: usize,
    parts: &'static Parts,
    /// Operations per step and point.
    operations: f64,
    pace: Pace,
}

impl<'a> Program<'a> {
    fn of(rank: u32, run: &'a Run, benchmark: Benchmark) -> Self {
        let (rank, q) = (rank as usize, run.q);
        Program {
            run,
            benchmark,
            cells: Multipartition { q },
            i: rank % q,
            j: rank / q,
            parts: match benchmark {
                Benchmark::Bt => &BT_PARTS,
                Benchmark::Sp => &SP_PARTS,
            },
            operations: operations_of_a_step(benchmark, run.n) / (run.n as f64).powi(3),
            pace: run.case.pace,
        }
    }

    fn write(&self, writer: &mut ProgramWriter, numbers: &Numbers) {
        numbers.broadcasts.iter().for_each(|&number| writer.collective(number));
        self.step(writer);
        writer.collective(numbers.barrier);
        writer.repeat(self.run.iterations, |writer| self.step(writer));
        // The error, then the residual.
        writer.collective(numbers.norm);
        self.faces(writer);
        writer.collective(numbers.norm);
        writer.collective(numbers.time);
    }

    fn step(&self, writer: &mut ProgramWriter) {
        self.faces(writer);
        let points: u64 =
            (0..self.run.q).map(|layer| volume(self.lengths(Direction::Z, layer))).sum();
        self.compute(writer, self.parts.right_hand_side, points);
        for (number, direction) in DIRECTIONS.into_iter().enumerate() {
            self.sweep_forth(writer, direction, SWEEP_FORTH + number as u32);
            self.sweep_back(writer, direction, SWEEP_BACK + number as u32);
        }
    }

    /// Two layers of five values from every cell that has a neighbour.
    fn faces(&self, writer: &mut ProgramWriter) {
        let q = self.run.q;
        if q == 1 {
            return;
        }
        for (number, direction) in DIRECTIONS.into_iter().enumerate() {
            let number = number as u32;
            writer.start_receive(self.predecessor(direction), FACE_FORTH + number);
            writer.start_receive(self.successor(direction), FACE_BACK + number);
        }
        for (number, direction) in DIRECTIONS.into_iter().enumerate() {
            let face = |layer| cross_section(self.lengths(direction, layer), direction);
            let forth: u64 = (0..q - 1).map(face).sum();
            let back: u64 = (1..q).map(face).sum();
            let number = number as u32;
            writer.start_send(self.successor(direction), 80 * forth, FACE_FORTH + number);
            writer.start_send(self.predecessor(direction), 80 * back, FACE_BACK + number);
        }
        writer.wait_all();
    }

    /// Elimination, layer by layer. A cell goes on when it has what the previous one left over.
    fn sweep_forth(&self, writer: &mut ProgramWriter, direction: Direction, tag: u32) {
        let last = self.run.q - 1;
        let mut sent = None;
        for layer in 0..=last {
            let points = volume(self.lengths(direction, layer));
            let received =
                (layer > 0).then(|| writer.start_receive(self.predecessor(direction), tag));
            self.compute(writer, self.parts.build, points);
            received.into_iter().chain(sent.take()).for_each(|request| writer.wait(request));
            self.compute(writer, self.parts.eliminate, points);
            if layer < last {
                let bytes = match self.benchmark {
                    Benchmark::Bt => 240 * self.buffer(),
                    Benchmark::Sp => 176 * self.inner_cross_section(direction, layer),
                };
                sent = Some(writer.start_send(self.successor(direction), bytes, tag));
            }
        }
    }

    /// Substitution, from the last layer to the first.
    fn sweep_back(&self, writer: &mut ProgramWriter, direction: Direction, tag: u32) {
        let last = self.run.q - 1;
        let mut sent = None;
        for layer in (0..=last).rev() {
            let points = |layer| volume(self.lengths(direction, layer));
            if layer < last {
                let received = writer.start_receive(self.successor(direction), tag);
                self.compute(writer, self.parts.invert, points(layer + 1));
                writer.wait(received);
            }
            sent.take().into_iter().for_each(|request| writer.wait(request));
            self.compute(writer, self.parts.substitute, points(layer));
            if layer > 0 {
                let bytes = match self.benchmark {
                    Benchmark::Bt => 40 * self.buffer(),
                    Benchmark::Sp => 80 * self.inner_cross_section(direction, layer),
                };
                sent = Some(writer.start_send(self.predecessor(direction), bytes, tag));
            } else {
                self.compute(writer, self.parts.invert, points(0));
            }
        }
    }

    fn compute(&self, writer: &mut ProgramWriter, part: f64, points: u64) {
        writer.compute(self.pace.nanoseconds(part * self.operations * points as f64));
    }

    fn successor(&self, direction: Direction) -> u32 {
        self.cells.successor(self.i, self.j, direction)
    }

    fn predecessor(&self, direction: Direction) -> u32 {
        self.cells.predecessor(self.i, self.j, direction)
    }

    /// The lengths of this rank's cell in this layer.
    fn lengths(&self, direction: Direction, layer: usize) -> [u64; 3] {
        let cell = self.cells.cell_in_layer(self.i, self.j, direction, layer);
        cell.map(|part| bal(self.run.n, self.run.q as u64, part as u64))
    }

    /// The cross section of this rank's cell in this layer without the boundary of the cube.
    fn inner_cross_section(&self, direction: Direction, layer: usize) -> u64 {
        let last = self.run.q - 1;
        let cell = self.cells.cell_in_layer(self.i, self.j, direction, layer);
        let inner = cell.map(|part| {
            let whole = bal(self.run.n, self.run.q as u64, part as u64);
            whole - u64::from(part == 0) - u64::from(part == last)
        });
        cross_section(inner, direction)
    }

    /// BT's buffers have the size of the largest cell, and one point more.
    fn buffer(&self) -> u64 {
        (self.run.n / self.run.q as u64 + 1).pow(2)
    }
}

fn volume(lengths: [u64; 3]) -> u64 {
    lengths.into_iter().product()
}

fn cross_section([x, y, z]: [u64; 3], direction: Direction) -> u64 {
    match direction {
        Direction::X => y * z,
        Direction::Y => x * z,
        Direction::Z => x * y,
    }
}

/// Floating point operations that the benchmark counts for a step of all ranks.
fn operations_of_a_step(benchmark: Benchmark, n: u64) -> f64 {
    let n = n as f64;
    match benchmark {
        Benchmark::Bt => 3478.8 * n.powi(3) - 17655.7 * n.powi(2) + 28023.7 * n,
        Benchmark::Sp => 881.174 * n.powi(3) - 4683.91 * n.powi(2) + 11484.5 * n - 19272.4,
    }
}
