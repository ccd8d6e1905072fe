//! The traces that can be read and written.

use std::path::{Path, PathBuf};

use topoloom_core::{Registry, Trace};

use super::format::{TraceEntry, TraceFormat};
use super::{dumpi, otf2, time_independent, trace_file};
use crate::mappings::arrangement_file;
use crate::text::atomic_write::atomic_write;
use crate::text::error::{ReadError, WriteError};
use crate::text::fault::Fault;
use crate::text::input::Input;
use crate::text::packing::inner_name;
use crate::text::rank_files;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traffic::recording;

/// Every known trace format.
pub static TRACE_FORMATS: Registry<TraceFormat> = Registry {
    kind: "trace format",
    entries: &[
        &trace_file::ENTRY,
        &otf2::ENTRY,
        &time_independent::ENTRY,
        &dumpi::ENTRY,
        &recording::TRACE_ENTRY,
        &arrangement_file::TRACE_ENTRY,
    ],
    common: &[],
};

/// Formats in which every rank writes a file: any of the files stands for all.
static BY_RANK: [&TraceEntry; 2] = [&time_independent::ENTRY, &dumpi::ENTRY];

/// Reads the trace at `path`, in the format that its content or its extension shows. A folder is
/// searched for the one archive or run in it.
pub fn read_trace(path: impl AsRef<Path>) -> Result<Trace, ReadError> {
    let path = path.as_ref();
    read_trace_with_warnings(path).map(|(trace, _)| trace)
}

/// Reads the trace at `path`, with warnings about what the format does not contain.
pub fn read_trace_with_warnings(path: impl AsRef<Path>) -> Result<(Trace, Warnings), ReadError> {
    let path = path.as_ref();
    trace_of(&Input::open(path)?)
}

/// Reads the trace that an input holds, with warnings about what the format does not contain.
pub fn trace_of(input: &Input) -> Result<(Trace, Warnings), ReadError> {
    if input.is_folder() {
        return trace_of(&Input::open(&anchor_in(input.path())?)?);
    }
    let bytes = input.bytes()?;
    let source = Source::new(input.name(), &bytes);
    if source.bytes().iter().all(u8::is_ascii_whitespace) {
        return Err(source.error(Fault::Empty("the file is empty".into())));
    }
    let mut warnings = Warnings::new();
    let fits = |entry: &&&TraceEntry| (entry.build.looks_like)(source.bytes());
    let by_content = TRACE_FORMATS.entries.iter().find(fits).copied();
    match by_content.or_else(|| by_ending(Path::new(inner_name(input.name())))) {
        Some(entry) => {
            let trace = (entry.build.read)(input, source.bytes(), &mut warnings)?;
            Ok((trace, warnings))
        }
        None => {
            let endings = known_endings(|_| true);
            Err(source.error(Fault::WrongInput(format!(
                "unknown trace format; known endings: {endings}"
            ))))
        }
    }
}

/// Whether an input has events, judging by its beginning or its extension.
pub fn is_trace(input: &Input) -> bool {
    if input.is_folder() {
        let anchor = anchor_in(input.path()).and_then(|anchor| Input::open(&anchor));
        return anchor.is_ok_and(|anchor| is_trace(&anchor));
    }
    let beginning = input.beginning();
    let fits = |entry: &&&TraceEntry| (entry.build.looks_like)(beginning);
    let by_content = TRACE_FORMATS.entries.iter().find(fits).copied();
    let entry = by_content.or_else(|| by_ending(Path::new(inner_name(input.name()))));
    entry.is_some_and(|entry| (entry.build.has_events)(beginning))
}

/// Whether `path` has the extension of a trace format that can be written.
pub fn is_trace_name(path: impl AsRef<Path>) -> bool {
    by_ending(path.as_ref()).is_some_and(|entry| entry.build.write.is_some())
}

/// Reads the content `bytes` of a Topoloom trace called `name`.
pub fn parse_trace_file(name: &str, bytes: &[u8]) -> Result<Trace, ReadError> {
    trace_file::read(&Source::new(name, bytes))
}

/// Writes the trace file at `path` in the format of its extension, whole or not at all.
pub fn write_trace(path: impl AsRef<Path>, trace: &Trace) -> Result<(), WriteError> {
    let path = path.as_ref();
    let write = by_ending(path).and_then(|entry| entry.build.write);
    let write = write.ok_or_else(|| {
        let endings = known_endings(|format| format.write.is_some());
        WriteError::new(path, Fault::unknown("ending for a trace", endings))
    })?;
    atomic_write(path, |writer| write(trace, writer))
}

/// The file that stands for a folder: the one archive in it, or the first file of a run with one
/// file per rank.
fn anchor_in(path: &Path) -> Result<PathBuf, ReadError> {
    const ENDING: &str = "otf2";
    let files = rank_files::in_folder(path)?;
    let is_archive = |file: &&PathBuf| file.extension().is_some_and(|ending| ending == ENDING);
    let name = path.display().to_string();
    let error = |fault: Fault| Source::new(&name, &[]).error(fault);
    match files.iter().filter(is_archive).collect::<Vec<_>>()[..] {
        [archive] => Ok(archive.clone()),
        [] => files.into_iter().find(|file| is_of_a_rank(file)).ok_or_else(|| {
            error(Fault::expected(
                format!("a file that ends in .{ENDING} or one file per rank"),
                "none",
            ))
        }),
        ref several => {
            Err(error(Fault::expected(format!("one file that ends in .{ENDING}"), several.len())))
        }
    }
}

/// Whether a file belongs to a run with one file per rank.
fn is_of_a_rank(file: &Path) -> bool {
    // Errors are reported when the file is read.
    let Ok(input) = Input::open(file) else { return false };
    BY_RANK.iter().any(|entry| (entry.build.looks_like)(input.beginning()))
}

fn by_ending(path: &Path) -> Option<&'static TraceEntry> {
    let ending = path.extension()?.to_str()?;
    let has_ending = |entry: &&&TraceEntry| {
        entry.build.endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
    };
    TRACE_FORMATS.entries.iter().find(has_ending).copied()
}

fn known_endings(usable: fn(&TraceFormat) -> bool) -> String {
    let formats = TRACE_FORMATS.entries.iter().map(|entry| &entry.build);
    let endings = formats.filter(|format| usable(format)).flat_map(|format| format.endings);
    endings.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
}
