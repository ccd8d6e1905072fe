//! LU: two wavefronts per step, plane by plane, then an exchange of halos.

use super::super::traces::Calls;
use super::super::traces::{exchange, trace_of};
use super::run::{Place, Run};
use crate::spec::{Spec, SpecError};
use crate::trace::{ProgramWriter, Trace};
use crate::traffic::{Group, Operation};

/// Bytes of the broadcasts at the start.
const BROADCASTS: [u64; 10] = [4, 4, 4, 8, 8, 40, 4, 4, 4, 4];

/// Kinds of messages.
const LOWER: u32 = 0;
const UPPER: u32 = 1;
const HALO: u32 = 2;
const INTEGRAL: u32 = 3;

/// Which part of a step is computed where. The benchmark counts whole steps; these values are
/// rounded from what its loops do.
const PART_OF_A_SWEEP: f64 = 0.4;
const PART_OF_X_FLUXES: f64 = 0.06;
const PART_OF_OTHER_FLUXES: f64 = 0.14;

pub(super) fn trace(spec: &Spec) -> Result<Trace, SpecError> {
    let run = Run::read(spec)?;
    let mut calls = Calls::default();
    let world = Group::first(run.case.ranks);
    let numbers = Numbers {
        broadcasts: calls.broadcasts(&world, &BROADCASTS),
        barrier: calls.number(Operation::Barrier, &world, 0),
        norm: calls.number(Operation::Allreduce, &world, 40),
        scalar: calls.number(Operation::Allreduce, &world, 8),
    };
    trace_of(&run.case, calls, |rank, writer| {
        Program::of(rank, &run, &numbers).write(writer);
    })
}

/// The collectives, all of the whole world.
struct Numbers {
    broadcasts: Vec<u32>,
    barrier: u32,
    norm: u32,
    scalar: u32,
}

/// What one rank does.
struct Program<'a> {
    numbers: &'a Numbers,
    place: Place,
    /// Points in a direction of the whole cube.
    n: u64,
    iterations: u32,
    /// Nanoseconds for a plane of a sweep, for the fluxes along x and for the others.
    plane: u64,
    x_fluxes: u64,
    other_fluxes: u64,
}

impl<'a> Program<'a> {
    fn of(rank: u32, run: &Run, numbers: &'a Numbers) -> Self {
        let place = Place::of(rank, run);
        let own = (inner(&place, 0) * inner(&place, 1)) as f64;
        let planes = (run.n - 2) as f64;
        let operations = operations_of_a_step(run.n) * own / (planes * planes);
        let time = |part: f64| run.case.pace.nanoseconds(part * operations);
        Program {
            numbers,
            place,
            n: run.n,
            iterations: run.iterations,
            plane: time(PART_OF_A_SWEEP / planes),
            x_fluxes: time(PART_OF_X_FLUXES),
            other_fluxes: time(PART_OF_OTHER_FLUXES),
        }
    }

    fn write(&self, writer: &mut ProgramWriter) {
        let Numbers { broadcasts, barrier, norm, scalar } = self.numbers;
        broadcasts.iter().for_each(|&number| writer.collective(number));
        // The forcing term, then the warm-up.
        self.halo(writer);
        self.begin(writer, *norm, *barrier);
        self.sweeps(writer);
        self.halo(writer);
        writer.collective(*scalar);

        self.begin(writer, *norm, *barrier);
        writer.repeat(self.iterations - 1, |writer| {
            self.sweeps(writer);
            self.halo(writer);
        });
        // Norms are computed in the last step only.
        self.sweeps(writer);
        writer.collective(*norm);
        self.halo(writer);
        writer.collective(*norm);
        // The time, then the error.
        writer.collective(*scalar);
        writer.collective(*norm);
        self.integral(writer);
    }

    /// The residual before the first step.
    fn begin(&self, writer: &mut ProgramWriter, norm: u32, barrier: u32) {
        self.halo(writer);
        writer.collective(norm);
        writer.collective(barrier);
    }

    /// The wavefront of each plane comes from the north and the west and goes on to the south and
    /// the east. Then it goes the other way.
    fn sweeps(&self, writer: &mut ProgramWriter) {
        let Place { north, south, west, east, .. } = self.place;
        self.sweep(writer, [north, west], [south, east], LOWER);
        self.sweep(writer, [south, east], [north, west], UPPER);
    }

    /// The planes between the first and the last one. Partners are along the first axis, then along
    /// the second.
    fn sweep(
        &self,
        writer: &mut ProgramWriter,
        before: [Option<u32>; 2],
        behind: [Option<u32>; 2],
        tag: u32,
    ) {
        writer.repeat(self.n as u32 - 2, |writer| {
            before.into_iter().flatten().for_each(|from| writer.receive(from, tag));
            writer.compute(self.plane);
            // Five values per point of the edge: towards a neighbour along the first axis, the edge
            // is as long as the second axis.
            for (axis, to) in behind.into_iter().enumerate() {
                if let Some(to) = to {
                    writer.send(to, 40 * inner(&self.place, 1 - axis), tag);
                }
            }
        });
    }

    /// Two layers of five values to all neighbours, and the residual that is computed from them.
    fn halo(&self, writer: &mut ProgramWriter) {
        let Place { north, south, west, east, points: [nx, ny], .. } = self.place;
        let along_x = |to: Option<u32>| to.map(|to| (to, 80 * ny * self.n));
        let along_y = |to: Option<u32>| to.map(|to| (to, 80 * nx * self.n));
        exchange(writer, north, along_x(south), HALO);
        exchange(writer, south, along_x(north), HALO);
        writer.compute(self.x_fluxes);
        exchange(writer, west, along_y(east), HALO);
        exchange(writer, east, along_y(west), HALO);
        writer.compute(self.other_fluxes);
    }

    /// The surface integral: over the planes, then over the faces at both ends of the second axis
    /// and of the first. What comes from one side is passed on to the other.
    fn integral(&self, writer: &mut ProgramWriter) {
        let Place { north, south, west, east, points: [nx, ny], .. } = self.place;
        let scalar = self.numbers.scalar;
        pass_on(writer, east, west, 16 * nx);
        pass_on(writer, south, north, 16 * (ny + 2));
        writer.collective(scalar);
        for _ in 0..self.place.edges(1) {
            pass_on(writer, south, north, 8 * self.n);
        }
        writer.collective(scalar);
        for _ in 0..self.place.edges(0) {
            pass_on(writer, east, west, 8 * self.n);
        }
        writer.collective(scalar);
    }
}

/// Receives, and then passes on.
fn pass_on(writer: &mut ProgramWriter, from: Option<u32>, to: Option<u32>, bytes: u64) {
    if let Some(from) = from {
        writer.receive(from, INTEGRAL);
    }
    if let Some(to) = to {
        writer.send(to, bytes, INTEGRAL);
    }
}

/// Points along an axis that are not on the boundary.
fn inner(place: &Place, axis: usize) -> u64 {
    place.points[axis] - place.edges(axis)
}

/// Floating point operations that the benchmark counts for one step of all ranks.
fn operations_of_a_step(n: u64) -> f64 {
    let n = n as f64;
    1984.77 * n.powi(3) - 10923.3 * n.powi(2) + 27770.9 * n - 144_010.0
}
