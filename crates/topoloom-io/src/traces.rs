//! The traces that can be read and written.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use topoloom_core::{Entry, Registry, Trace};

use crate::error::{ReadError, WriteError};
use crate::source::Source;
use crate::{atomic_write, otf2, recording, trace_file};

/// Makes a trace from the file at a path with this content; there may be more files beside it.
pub type TraceReader = fn(&Path, &[u8]) -> Result<Trace, ReadError>;

/// Writes a trace as a file.
pub type TraceWriter = fn(&Trace, &mut dyn Write) -> io::Result<()>;

/// One trace format.
#[derive(Debug, Clone, Copy)]
pub struct TraceFormat {
    /// How names of such files end, without the point.
    pub endings: &'static [&'static str],
    /// Whether a file that starts with these bytes is one.
    pub looks_like: fn(&[u8]) -> bool,
    /// Whether a file that starts with these bytes has events, where some have only totals.
    pub has_events: fn(&[u8]) -> bool,
    /// Reads a file.
    pub read: TraceReader,
    /// Writes a file.
    pub write: Option<TraceWriter>,
}

/// An entry of [`TRACE_FORMATS`].
pub type TraceEntry = Entry<TraceFormat>;

/// Every known trace format.
pub static TRACE_FORMATS: Registry<TraceFormat> = Registry {
    kind: "trace format",
    entries: &[&trace_file::ENTRY, &otf2::ENTRY, &recording::TRACE_ENTRY],
    common: &[],
};

/// Reads the trace at `path`, in whatever format its content or its ending shows. A folder is
/// looked through for the one archive in it.
pub fn read_trace(path: &Path) -> Result<Trace, ReadError> {
    let path = &anchor_in(path)?;
    let bytes = fs::read(path).map_err(|error| ReadError::cannot_read(path, &error))?;
    let source_name = path.display().to_string();
    let source = Source::new(&source_name, &bytes);
    if source.bytes().iter().all(u8::is_ascii_whitespace) {
        return Err(source.error("the file is empty"));
    }
    let fits = |entry: &&&TraceEntry| (entry.build.looks_like)(source.bytes());
    let by_content = TRACE_FORMATS.entries.iter().find(fits).copied();
    match by_content.or_else(|| by_ending(path)) {
        Some(entry) => (entry.build.read)(path, source.bytes()),
        None => {
            let endings = known_endings(|_| true);
            Err(source.error(format!("not a known trace format; known endings: {endings}")))
        }
    }
}

/// Whether what is at `path` has events, as its beginning shows, or its ending.
pub fn is_trace(path: &Path) -> bool {
    let Ok(anchor) = anchor_in(path) else { return false };
    let beginning = beginning_of(&anchor);
    let fits = |entry: &&&TraceEntry| (entry.build.looks_like)(&beginning);
    let by_content = TRACE_FORMATS.entries.iter().find(fits).copied();
    let entry = by_content.or_else(|| by_ending(&anchor));
    entry.is_some_and(|entry| (entry.build.has_events)(&beginning))
}

/// Whether the file at `path` is a recording, with or without events.
pub fn is_recording_file(path: &Path) -> bool {
    recording::is_recording(&beginning_of(path))
}

/// As much of a file as shows what it is; nothing of one that cannot be read.
fn beginning_of(path: &Path) -> Vec<u8> {
    const ENOUGH: u64 = 64;
    let mut beginning = Vec::new();
    let read = fs::File::open(path).map(|file| file.take(ENOUGH).read_to_end(&mut beginning));
    match read {
        Ok(Ok(_)) => beginning,
        _ => Vec::new(),
    }
}

/// Whether the ending of `path` is one of a trace that can be written.
pub fn is_trace_name(path: &Path) -> bool {
    by_ending(path).is_some_and(|entry| entry.build.write.is_some())
}

/// Reads the content `bytes` of a Topoloom trace called `name`.
pub fn parse_trace_file(name: &str, bytes: &[u8]) -> Result<Trace, ReadError> {
    trace_file::read(&Source::new(name, bytes))
}

/// Writes the trace file at `path` in the format that its ending names, whole or not at all.
pub fn write_trace(path: &Path, trace: &Trace) -> Result<(), WriteError> {
    let write = by_ending(path).and_then(|entry| entry.build.write);
    let write = write.ok_or_else(|| {
        let endings = known_endings(|format| format.write.is_some());
        WriteError::new(path, format!("unknown ending for a trace; known: {endings}"))
    })?;
    atomic_write(path, |writer| write(trace, writer))
}

/// The file that stands for what is at `path`: itself, or the one archive of a folder.
fn anchor_in(path: &Path) -> Result<PathBuf, ReadError> {
    const ENDING: &str = "otf2";
    if !path.is_dir() {
        return Ok(path.to_path_buf());
    }
    let cannot_read = |error| ReadError::cannot_read(path, &error);
    let mut anchors = Vec::new();
    for file in fs::read_dir(path).map_err(cannot_read)? {
        let file = file.map_err(cannot_read)?.path();
        if file.extension().is_some_and(|ending| ending == ENDING) {
            anchors.push(file);
        }
    }
    match <[PathBuf; 1]>::try_from(anchors) {
        Ok([anchor]) => Ok(anchor),
        Err(anchors) => {
            let name = path.display().to_string();
            let found = anchors.len();
            Err(Source::new(&name, &[])
                .error(format!("expected one file that ends in .{ENDING}, found {found}")))
        }
    }
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
