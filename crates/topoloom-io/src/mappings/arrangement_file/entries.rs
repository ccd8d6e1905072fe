//! Arrangements as traffic and as traces: what their application sends.

use topoloom_core::{Entry, Trace, Traffic, Weight};

use super::content::is_arrangement;
use super::file::{parse, parse_arrangement};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::input::Input;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traces::format::{TraceEntry, TraceFormat};
use crate::traffic::format::{Format, FormatEntry};

pub(crate) static FORMAT_ENTRY: FormatEntry = Entry {
    name: "arrangement",
    summary: "the traffic of an arrangement of `topoloom arrange`, by its application",
    example: "arranged.json",
    parameters: &[],
    build: Format {
        endings: &["json"],
        looks_like: is_arrangement,
        read: Some(read_totals),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

pub(crate) static TRACE_ENTRY: TraceEntry = TraceEntry {
    name: "arrangement",
    summary: "the events of the processors of an arrangement of `topoloom arrange`, in order",
    example: "arranged.json",
    parameters: &[],
    build: TraceFormat {
        endings: &["json"],
        looks_like: is_arrangement,
        has_events: is_arrangement,
        read: read_events,
        write: None,
    },
};

fn read_totals(source: &Source<'_>, _: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let file = parse(source)?;
    let traffic = file.application.traffic(&file.arrangement);
    traffic.map_err(|error| source.error(Fault::refused(error)))
}

fn read_events(input: &Input, bytes: &[u8], _: &mut Warnings) -> Result<Trace, ReadError> {
    let file = parse_arrangement(input.name(), bytes)?;
    let trace = file.application.trace(&file.arrangement, file.seconds_per_iteration.as_deref());
    trace.map_err(|error| Source::new(input.name(), bytes).error(Fault::refused(error)))
}
