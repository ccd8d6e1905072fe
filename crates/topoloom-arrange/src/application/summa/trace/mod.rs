//! What every processor does, iteration by iteration.
//!
//! It posts all receives, sends what it holds, passes on what it receives as soon as that arrives,
//! waits for everything, and computes. It waits first for messages with fewer hops, because these
//! arrive first. A message waits only for messages with fewer hops, or of an earlier iteration, so
//! there is no deadlock.

mod run;
mod surroundings;

use topoloom_core::Trace;
use topoloom_core::trace::{ProgramWriter, most_events};

use super::{Flow, Summa};
use crate::application::ApplicationError;
use crate::arrangement::Arrangement;
use run::{Run, runs};
use surroundings::{Partner, Surroundings};

/// One rectangle, by its column and its position in the column.
#[derive(Debug, Clone, Copy)]
struct Place {
    column: usize,
    rectangle: usize,
}

impl Summa {
    /// What every processor does in all iterations. With `seconds_per_iteration`, one for each
    /// processor, it computes for that long after each.
    pub fn trace(
        &self,
        arrangement: &Arrangement,
        seconds_per_iteration: Option<&[f64]>,
    ) -> Result<Trace, ApplicationError> {
        let iterations = self.num_iterations(arrangement);
        let surroundings = Surroundings::new(self, arrangement);
        let events = self.most_events(arrangement, surroundings.num_overlaps(), iterations);
        if events > most_events() {
            return Err(ApplicationError::TooManyEvents(events));
        }
        let mut programs = vec![Vec::new(); arrangement.num_processors()];
        for (column, content) in arrangement.columns().iter().enumerate() {
            let runs: Vec<Run> = runs(arrangement, column, iterations).collect();
            for (rectangle, content) in content.rectangles.iter().enumerate() {
                let processor = content.processor as usize;
                let seconds = seconds_per_iteration.and_then(|seconds| seconds.get(processor));
                let nanoseconds = seconds.map_or(0, |seconds| (seconds * 1e9).round() as u64);
                let writer = Writer {
                    summa: self,
                    arrangement,
                    place: Place { column, rectangle },
                    across: surroundings.across(column, rectangle),
                    vertical_tag: surroundings.num_overlaps() as u32,
                    nanoseconds,
                };
                programs[processor] = writer.program(&runs);
            }
        }
        Ok(Trace::new(programs, Vec::new()).expect("partners are processors, repetitions closed"))
    }

    /// An upper bound of the events of all processors, with repetitions counted once. It stops
    /// counting beyond the limit.
    pub(super) fn most_events(
        &self,
        arrangement: &Arrangement,
        overlaps: usize,
        iterations: u32,
    ) -> u64 {
        let columns = arrangement.columns();
        let rectangles = |column: usize| columns[column].rectangles.len() as u64;
        let all = arrangement.num_processors() as u64;
        let mut events = 0;
        for own in 0..columns.len() {
            for run in runs(arrangement, own, iterations) {
                let horizontal = match self.flow {
                    Flow::Ring => 3 * overlaps as u64,
                    // Two columns have fewer overlaps than rectangles.
                    Flow::OneToAll if run.column == own => {
                        all + columns.len() as u64 * rectangles(own)
                    }
                    Flow::OneToAll => rectangles(own) + rectangles(run.column),
                };
                let vertical = match self.flow {
                    Flow::Ring => 3 * rectangles(own),
                    Flow::OneToAll => 2 * rectangles(own),
                };
                // In addition a wait for all, a computation, a repetition and its end.
                events += horizontal + vertical + 4 * rectangles(own);
                if events > most_events() {
                    return events;
                }
            }
        }
        events
    }
}

/// Writes the program of one processor.
struct Writer<'a> {
    summa: &'a Summa,
    arrangement: &'a Arrangement,
    place: Place,
    /// The processors with which it exchanges parts of the pivot column, by their column.
    across: Vec<Vec<Partner>>,
    vertical_tag: u32,
    nanoseconds: u64,
}

impl Writer<'_> {
    fn program(&self, runs: &[Run]) -> Vec<topoloom_core::Event> {
        let mut writer = ProgramWriter::default();
        for run in runs {
            match run.times {
                1 => self.iteration(run, &mut writer),
                times => writer.repeat(times, |writer| self.iteration(run, writer)),
            }
        }
        let mut program = writer.finish();
        program.shrink_to_fit();
        program
    }

    fn iteration(&self, run: &Run, writer: &mut ProgramWriter) {
        match self.summa.flow {
            Flow::Ring => self.ring(run, writer),
            Flow::OneToAll => self.one_to_all(run, writer),
        }
        if self.arrangement.num_processors() > 1 {
            writer.wait_all();
        }
        writer.compute(self.nanoseconds);
    }

    fn ring(&self, run: &Run, writer: &mut ProgramWriter) {
        let Place { column, rectangle } = self.place;
        let columns = self.arrangement.columns();
        let own = &columns[column];
        let ring = &own.rectangles;
        let left = &self.across[(column + columns.len() - 1) % columns.len()];
        let right = &self.across[(column + 1) % columns.len()];
        let above = ring[(rectangle + ring.len() - 1) % ring.len()].processor;
        let below = ring[(rectangle + 1) % ring.len()].processor;
        // The hops that the pivots have made when they arrive here.
        let column_hops = (column + columns.len() - run.column) % columns.len();
        let row_hops = (rectangle + ring.len() - run.rectangle) % ring.len();

        let mut of_column = Vec::new();
        if column_hops > 0 {
            let receive = |from: &Partner| writer.start_receive(from.processor, from.tag);
            of_column = left.iter().map(receive).collect();
        }
        let of_row = (row_hops > 0).then(|| writer.start_receive(above, self.vertical_tag));

        let pass_column = |writer: &mut ProgramWriter| {
            if column_hops + 1 == columns.len() {
                return;
            }
            for (number, to) in right.iter().enumerate() {
                if let Some(&request) = of_column.get(number) {
                    writer.wait(request);
                }
                writer.start_send(to.processor, to.bytes, to.tag);
            }
        };
        let pass_row = |writer: &mut ProgramWriter| {
            if row_hops + 1 == ring.len() {
                return;
            }
            if let Some(request) = of_row {
                writer.wait(request);
            }
            writer.start_send(below, self.summa.bytes_of_blocks(own.width), self.vertical_tag);
        };
        if column_hops <= row_hops {
            pass_column(writer);
            pass_row(writer);
        } else {
            pass_row(writer);
            pass_column(writer);
        }
    }

    fn one_to_all(&self, run: &Run, writer: &mut ProgramWriter) {
        let Place { column, rectangle } = self.place;
        let columns = self.arrangement.columns();
        let ring = &columns[column].rectangles;
        for from in &self.across[run.column] {
            writer.start_receive(from.processor, from.tag);
        }
        if run.rectangle != rectangle {
            writer.start_receive(ring[run.rectangle].processor, self.vertical_tag);
        }
        if run.column == column {
            let others = (1..columns.len()).map(|step| (column + step) % columns.len());
            for to in others.flat_map(|other| &self.across[other]) {
                writer.start_send(to.processor, to.bytes, to.tag);
            }
        }
        if run.rectangle == rectangle {
            let bytes = self.summa.bytes_of_blocks(columns[column].width);
            for step in 1..ring.len() {
                let to = ring[(rectangle + step) % ring.len()].processor;
                writer.start_send(to, bytes, self.vertical_tag);
            }
        }
    }
}
