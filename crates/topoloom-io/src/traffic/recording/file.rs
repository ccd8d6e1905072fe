//! Recordings as files: in their own right, as traffic, and as traces.

use std::io::{self, Write};
use std::path::Path;

use topoloom_core::{Entry, Trace, Traffic, Weight};

use super::content::Recording;
use super::events::Programs;
use super::sections::{is_recording, recording_has_events};
use super::{check, read, write};
use crate::text::atomic_write::atomic_write;
use crate::text::error::{ReadError, WriteError};
use crate::text::fault::Fault;
use crate::text::input::{Input, read_whole};
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traces::format::{TraceEntry, TraceFormat};
use crate::traffic::format::{Format, FormatEntry};

/// Reads the recording at `path`.
pub fn read_recording(path: impl AsRef<Path>) -> Result<Recording, ReadError> {
    let path = path.as_ref();
    let bytes = read_whole(path)?;
    parse_recording(&path.display().to_string(), &bytes)
}

/// Reads the recording at `path` except for its events, which may be many times larger than the
/// rest.
pub fn read_recording_without_events(path: impl AsRef<Path>) -> Result<Recording, ReadError> {
    let path = path.as_ref();
    let bytes = read_whole(path)?;
    parse_recording_without_events(&path.display().to_string(), &bytes)
}

/// The same for the content `bytes` of a recording called `name`.
pub fn parse_recording_without_events(name: &str, bytes: &[u8]) -> Result<Recording, ReadError> {
    read::read(bytes, read::Wanted::AllButEvents)
        .map_err(|fault| Source::new(name, bytes).error(fault))
}

/// Reads the content `bytes` of a recording called `name`.
pub fn parse_recording(name: &str, bytes: &[u8]) -> Result<Recording, ReadError> {
    read::read(bytes, read::Wanted::All).map_err(|fault| Source::new(name, bytes).error(fault))
}

/// Writes a recording at `path`, whole or not at all.
pub fn write_recording(path: impl AsRef<Path>, recording: &Recording) -> Result<(), WriteError> {
    let path = path.as_ref();
    let mut trace = recording.trace.as_ref();
    write_with_programs(path, recording, trace.as_mut().map(|trace| trace as &mut dyn Programs))
}

/// The same with these events instead of those of the recording.
pub(crate) fn write_with_programs(
    path: &Path,
    recording: &Recording,
    programs: Option<&mut dyn Programs>,
) -> Result<(), WriteError> {
    check::check(recording, programs.as_deref()).map_err(|fault| WriteError::new(path, fault))?;
    atomic_write(path, |writer| write::write_unchecked(recording, programs, writer))
}

pub(crate) static FORMAT_ENTRY: FormatEntry = Entry {
    name: "recording",
    summary: "recording of `topoloom record`: pairs, collectives and rank weights of a run",
    example: "run.rec",
    parameters: &[],
    build: Format {
        endings: &["rec"],
        looks_like: is_recording,
        read: Some(read_totals),
        read_run: None,
        write: Some(write_totals),
        keeps_collectives: true,
    },
};

pub(crate) static TRACE_ENTRY: TraceEntry = TraceEntry {
    name: "recording",
    summary: "recording of `topoloom record` with its events",
    example: "run.rec",
    parameters: &[],
    build: TraceFormat {
        endings: &["rec"],
        looks_like: is_recording,
        has_events: recording_has_events,
        read: read_events,
        write: Some(write_events),
    },
};

fn read_totals(
    source: &Source<'_>,
    _: Weight,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let recording =
        read::read(source.bytes(), read::Wanted::Traffic).map_err(|fault| source.error(fault))?;
    warnings.extend(recording.warnings());
    Ok(recording.traffic())
}

fn write_totals(traffic: &Traffic, _: Weight, writer: &mut dyn Write) -> io::Result<Warnings> {
    write::write(&Recording::of_traffic(traffic), None, writer)?;
    Ok(Warnings::new())
}

fn read_events(input: &Input, bytes: &[u8], warnings: &mut Warnings) -> Result<Trace, ReadError> {
    let name = input.name();
    let recording = parse_recording(name, bytes)?;
    warnings.extend(recording.warnings());
    recording.trace.ok_or_else(|| {
        let without = "recorded without a trace: it has totals, not events";
        Source::new(name, bytes).error(Fault::WrongInput(without.into()))
    })
}

fn write_events(mut trace: &Trace, writer: &mut dyn Write) -> io::Result<()> {
    write::write(&Recording::of_traffic(&trace.traffic()), Some(&mut trace), writer)
}
