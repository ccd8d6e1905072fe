//! Arrangement files, read and written.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::content::{ArrangementFile, FORMAT, VERSION};
use super::document::Document;
use crate::text::atomic_write::atomic_write;
use crate::text::error::{ReadError, WriteError};
use crate::text::input::read_whole;
use crate::text::json::{json_error, labelled};
use crate::text::source::Source;

/// Reads the arrangement at `path`.
pub fn read_arrangement(path: impl AsRef<Path>) -> Result<ArrangementFile, ReadError> {
    let path = path.as_ref();
    let bytes = read_whole(path)?;
    parse_arrangement(&path.display().to_string(), &bytes)
}

/// Reads the content `bytes` of an arrangement file called `name`.
pub fn parse_arrangement(name: &str, bytes: &[u8]) -> Result<ArrangementFile, ReadError> {
    parse(&Source::new(name, bytes))
}

pub(super) fn parse(source: &Source<'_>) -> Result<ArrangementFile, ReadError> {
    labelled(source, FORMAT, "arrangement", &[VERSION])?;
    let document: Document =
        serde_json::from_slice(source.bytes()).map_err(|error| json_error(source, &error))?;
    document.understood().map_err(|fault| source.error(fault))
}

/// Writes the arrangement file at `path`, whole or not at all.
pub fn write_arrangement(path: impl AsRef<Path>, file: &ArrangementFile) -> Result<(), WriteError> {
    let path = path.as_ref();
    atomic_write(path, arrangement_content(file))
}

/// What an arrangement file holds.
pub fn arrangement_content(
    file: &ArrangementFile,
) -> impl FnOnce(&mut dyn Write) -> io::Result<()> {
    move |writer| write(file, writer)
}

/// One field per line, and in lists one processor or column per line.
fn write(file: &ArrangementFile, writer: &mut dyn Write) -> io::Result<()> {
    let document = Document::of(file);
    write!(writer, "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION}")?;
    write_field(writer, "application", &document.application)?;
    write_field(writer, "platform", &document.platform)?;
    write_field(writer, "clusters", &document.clusters)?;
    write_list(writer, "processors", &document.processors)?;
    write_field(writer, "blocks", &document.blocks)?;
    write_list(writer, "columns", &document.columns)?;
    write_list(writer, "costs", &document.costs)?;
    if let Some(strategy) = &document.strategy {
        write_field(writer, "strategy", strategy)?;
    }
    if let Some(seed) = &document.seed {
        write_field(writer, "seed", seed)?;
    }
    writeln!(writer, "\n}}")
}

fn write_field(writer: &mut dyn Write, name: &str, value: &impl Serialize) -> io::Result<()> {
    write!(writer, ",\n  \"{name}\": ")?;
    serde_json::to_writer(writer, value).map_err(io::Error::from)
}

fn write_list<T: Serialize>(writer: &mut dyn Write, name: &str, values: &[T]) -> io::Result<()> {
    write!(writer, ",\n  \"{name}\": [")?;
    for (number, value) in values.iter().enumerate() {
        write!(writer, "{}\n    ", if number == 0 { "" } else { "," })?;
        serde_json::to_writer(&mut *writer, value).map_err(io::Error::from)?;
    }
    write!(writer, "{}]", if values.is_empty() { "" } else { "\n  " })
}
