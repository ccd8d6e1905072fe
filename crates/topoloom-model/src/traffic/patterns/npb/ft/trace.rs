//! FT: Fourier transforms along the axes, with a transpose wherever an axis is not local.

use super::super::pace::Pace;
use super::super::traces::Calls;
use super::super::traces::trace_of;
use super::run::{BYTES_OF_A_POINT, Run, slices};
use crate::spec::{Spec, SpecError};
use crate::trace::{ProgramWriter, Trace};
use crate::traffic::{Collective, Group, Operation};

/// Operations per point as the benchmark counts them: the initial values, an evolution with its
/// checksum, and, times the logarithm of the number of points, the first transform and the others.
const INITIAL_VALUES: f64 = 14.8157;
const EVOLUTION: f64 = 5.23518;
const FIRST_TRANSFORM: f64 = 7.19641;
const OTHER_TRANSFORM: f64 = 7.21113;

pub(super) fn trace(spec: &Spec) -> Result<Trace, SpecError> {
    let run = Run::read(spec)?;
    let ranks = run.case.ranks;
    let mut calls = Calls::default();
    let world = Group::first(ranks);
    let broadcast = calls.number(Operation::Broadcast, &world, 4);
    let barrier = calls.number(Operation::Barrier, &world, 0);
    let checksum = calls.number(Operation::Reduce, &world, 16);
    let transposes = Transposes::new(&run, &mut calls);
    trace_of(&run.case, calls, |rank, writer| {
        let program = Program::of(rank, &run, &transposes);
        (0..5).for_each(|_| writer.collective(broadcast));
        program.first_transform(writer);
        writer.collective(barrier);
        program.first_transform(writer);
        writer.repeat(run.iterations, |writer| {
            program.compute(writer, EVOLUTION);
            program.inverse(writer);
            writer.collective(checksum);
        });
    })
}

/// Which collectives change the axis that is local to ranks.
enum Transposes {
    /// One rank has everything.
    None,
    /// Ranks have whole planes; one transpose among all of them makes the third axis local.
    Together(u32),
    /// Each plane is shared by this many consecutive ranks. First the ranks with the same position
    /// in their planes transpose, then those of a plane. Numbers go up from these.
    InSlices { sharing: u32, across: u32, within: u32 },
}

impl Transposes {
    fn new(run: &Run, calls: &mut Calls) -> Self {
        let (ranks, planes) = (run.case.ranks, run.sides[2]);
        let points: u64 = run.sides.into_iter().map(u64::from).product();
        let bytes_of_a_rank = BYTES_OF_A_POINT * (points / u64::from(ranks));
        let add = |group: Group| {
            let bytes = bytes_of_a_rank / u64::from(group.size());
            calls.add(Collective { operation: Operation::AllToAll, group, calls: 1, bytes })
        };
        let numbers: Vec<u32> = slices(ranks, planes).into_iter().map(add).collect();
        match numbers[..] {
            [] => Transposes::None,
            [number] => Transposes::Together(number),
            [across, ..] => {
                let sharing = ranks / planes;
                Transposes::InSlices { sharing, across, within: numbers[sharing as usize] }
            }
        }
    }
}

/// What one rank does.
struct Program {
    /// The collectives after the transform along x and after the one along y.
    after_x: Option<u32>,
    after_y: Option<u32>,
    /// Natural logarithms of the points along each axis.
    logarithms: [f64; 3],
    /// The number of points of the rank.
    points: f64,
    pace: Pace,
}

impl Program {
    fn of(rank: u32, run: &Run, transposes: &Transposes) -> Self {
        let (after_x, after_y) = match *transposes {
            Transposes::None => (None, None),
            Transposes::Together(number) => (None, Some(number)),
            Transposes::InSlices { sharing, across, within } => {
                (Some(across + rank % sharing), Some(within + rank / sharing))
            }
        };
        let sides = run.sides.map(f64::from);
        Program {
            after_x,
            after_y,
            logarithms: sides.map(f64::ln),
            points: sides.into_iter().product::<f64>() / f64::from(run.case.ranks),
            pace: run.case.pace,
        }
    }

    /// The initial values and the transform along x, y and z.
    fn first_transform(&self, writer: &mut ProgramWriter) {
        let [x, y, z] = self.logarithms;
        self.compute(writer, INITIAL_VALUES + FIRST_TRANSFORM * x);
        transpose(writer, self.after_x);
        self.compute(writer, FIRST_TRANSFORM * y);
        transpose(writer, self.after_y);
        self.compute(writer, FIRST_TRANSFORM * z);
    }

    /// The same in reverse.
    fn inverse(&self, writer: &mut ProgramWriter) {
        let [x, y, z] = self.logarithms;
        self.compute(writer, OTHER_TRANSFORM * z);
        transpose(writer, self.after_y);
        self.compute(writer, OTHER_TRANSFORM * y);
        transpose(writer, self.after_x);
        self.compute(writer, OTHER_TRANSFORM * x);
    }

    fn compute(&self, writer: &mut ProgramWriter, operations_of_a_point: f64) {
        writer.compute(self.pace.nanoseconds(operations_of_a_point * self.points));
    }
}

fn transpose(writer: &mut ProgramWriter, number: Option<u32>) {
    if let Some(number) = number {
        writer.collective(number);
    }
}
