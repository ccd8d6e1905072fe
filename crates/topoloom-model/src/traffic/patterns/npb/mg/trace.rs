//! MG: V-cycles from the finest level to the coarsest and back, with halos on every level.

use super::super::pace::Pace;
use super::super::traces::Calls;
use super::super::traces::trace_of;
use super::run::{Cycles, Run};
use crate::spec::{Spec, SpecError};
use crate::trace::{ProgramWriter, Trace};
use crate::traffic::{Group, Operation};

/// Bytes of the broadcasts at the start.
const BROADCASTS: [u64; 7] = [4, 4, 4, 4, 4, 32, 4];

/// Operations per cycle and point of the finest level, as the benchmark counts them.
const OPERATIONS_OF_A_CYCLE: f64 = 58.0;

/// How often the largest and smallest values are searched for when charges are placed.
const CHARGES: u32 = 10;

/// Kinds of messages. Each axis has its own.
const HALO_UP: u32 = 0;
const HALO_DOWN: u32 = 3;
const SPREAD_UP: u32 = 6;
const SPREAD_DOWN: u32 = 9;

pub(super) fn trace(spec: &Spec) -> Result<Trace, SpecError> {
    let run = Run::read(spec)?;
    let mut calls = Calls::default();
    let group = Group::first(run.active);
    let numbers = Numbers {
        broadcasts: calls.broadcasts(&group, &BROADCASTS),
        barrier: calls.number(Operation::Barrier, &group, 0),
        scalar: calls.number(Operation::Allreduce, &group, 8),
        place: calls.number(Operation::Allreduce, &group, 16),
        time: calls.number(Operation::Reduce, &group, 8),
    };
    trace_of(&run.case, calls, |rank, writer| {
        if rank < run.active {
            Program::of(rank, &run, &numbers).write(writer);
        }
    })
}

/// The collectives, all among the working ranks.
struct Numbers {
    broadcasts: Vec<u32>,
    barrier: u32,
    scalar: u32,
    place: u32,
    time: u32,
}

/// What one working rank does.
struct Program<'a> {
    numbers: &'a Numbers,
    cycles: &'a Cycles,
    position: [u32; 3],
    /// A single rank copies its halos without a message.
    is_alone: bool,
    /// Operations per point of a level, the same for everything that is done there.
    operations: f64,
    pace: Pace,
}

impl<'a> Program<'a> {
    fn of(rank: u32, run: &'a Run, numbers: &'a Numbers) -> Self {
        Program {
            numbers,
            cycles: &run.cycles,
            position: run.cycles.position(rank),
            is_alone: run.active == 1,
            operations: operations_of_a_point(run.cycles.levels),
            pace: run.case.pace,
        }
    }

    fn write(&self, writer: &mut ProgramWriter) {
        let finest = self.cycles.levels;
        writer.collective(self.numbers.barrier);
        self.numbers.broadcasts.iter().for_each(|&number| writer.collective(number));
        self.place_charges(writer);
        self.norm(writer);
        self.halo(writer, finest);
        self.norm(writer);
        self.cycle(writer);

        self.place_charges(writer);
        writer.collective(self.numbers.barrier);
        self.halo(writer, finest);
        self.norm(writer);
        writer.repeat(self.cycles.iterations as u32, |writer| self.cycle(writer));
        self.norm(writer);
        writer.collective(self.numbers.time);
    }

    /// The right-hand side: charges at the positions of the largest and smallest random values.
    fn place_charges(&self, writer: &mut ProgramWriter) {
        let &Numbers { barrier, scalar, place, .. } = self.numbers;
        writer.collective(barrier);
        writer.repeat(CHARGES, |writer| {
            [scalar, place, scalar, place].into_iter().for_each(|number| writer.collective(number));
        });
        writer.collective(barrier);
        self.halo(writer, self.cycles.levels);
    }

    fn norm(&self, writer: &mut ProgramWriter) {
        writer.collective(self.numbers.scalar);
        writer.collective(self.numbers.scalar);
    }

    /// A V-cycle and the remaining residual.
    fn cycle(&self, writer: &mut ProgramWriter) {
        let finest = self.cycles.levels;
        // Restriction, level by level.
        for level in (1..finest).rev() {
            self.compute_and_exchange(writer, level);
        }
        // On the coarsest level there is only smoothing.
        self.compute_and_exchange(writer, 1);
        for level in 2..=finest {
            self.compute(writer, level);
            self.spread(writer, level);
            // The residual, then smoothing.
            self.compute_and_exchange(writer, level);
            self.compute_and_exchange(writer, level);
        }
        self.compute_and_exchange(writer, finest);
    }

    fn compute_and_exchange(&self, writer: &mut ProgramWriter, level: u32) {
        self.compute(writer, level);
        self.halo(writer, level);
    }

    fn compute(&self, writer: &mut ProgramWriter, level: u32) {
        let points: u64 = self.cycles.widths(level, self.position).into_iter().product();
        writer.compute(self.pace.nanoseconds(self.operations * points as f64));
    }

    /// One axis after the other, so edges and corners get through.
    fn halo(&self, writer: &mut ProgramWriter, level: u32) {
        let width = self.cycles.widths(level, self.position);
        if self.is_alone || width.contains(&0) {
            return;
        }
        let padded = width.map(|width| width + 2);
        let faces = [width[1] * width[2], padded[0] * width[2], padded[0] * padded[1]];
        for (axis, face) in faces.into_iter().enumerate() {
            let (up, down) = self.cycles.neighbours(level, self.position, axis);
            let (upwards, downwards) = (HALO_UP + axis as u32, HALO_DOWN + axis as u32);
            let from_up = writer.start_receive(up, downwards);
            let from_down = writer.start_receive(down, upwards);
            writer.send(up, 8 * face, upwards);
            writer.send(down, 8 * face, downwards);
            writer.wait(from_up);
            writer.wait(from_down);
        }
    }

    /// Ranks that have points on this level but had none on the level below get them from those
    /// that had: two layers from below, one from above.
    fn spread(&self, writer: &mut ProgramWriter, level: u32) {
        let padded = self.cycles.widths(level, self.position).map(|width| width + 2);
        let layers = [padded[1] * padded[2], padded[0] * padded[2], padded[0] * padded[1]];
        for (axis, layer) in layers.into_iter().enumerate() {
            if self.cycles.sides[axis] <= 1 << (level - 1) {
                continue;
            }
            let distance = self.cycles.distance(level, axis);
            let (up, down) = self.cycles.neighbours(level, self.position, axis);
            let (upwards, downwards) = (SPREAD_UP + axis as u32, SPREAD_DOWN + axis as u32);
            let place = (self.position[axis] + 1) % (2 * distance);
            if place == 0 {
                writer.send(up, 2 * 8 * layer, upwards);
                writer.send(down, 8 * layer, downwards);
            } else if place == distance {
                let from_up = writer.start_receive(up, downwards);
                let from_down = writer.start_receive(down, upwards);
                writer.wait(from_up);
                writer.wait(from_down);
            }
        }
    }
}

/// Everything in a cycle counts the same for a point of the level where its result is. All ranks
/// together have 8^k points on level k.
fn operations_of_a_point(levels: u32) -> f64 {
    let points = |level: u32| 8f64.powi(level as i32);
    let restricted: f64 = (1..levels).map(points).sum();
    let on_the_way_up: f64 = (2..=levels).map(|level| 3.0 * points(level)).sum();
    let all = restricted + points(1) + on_the_way_up + points(levels);
    OPERATIONS_OF_A_CYCLE * points(levels) / all
}
