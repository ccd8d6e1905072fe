//! The traffic files that can be read and written.

use std::path::Path;

use topoloom_core::words::counted;
use topoloom_core::{Registry, Traffic, Weight};

use super::format::{Format, FormatEntry, RunReader, Writer};
use super::{
    csv, goal, graphml, matrix_market, metis, monitoring, networkx, npy, npz, profiles, qaplib,
    recording, scotch, text_table, training, tsv, unknown,
};
use crate::mappings::arrangement_file;
use crate::text::atomic_write::atomic_write;
use crate::text::error::{ReadError, WriteError};
use crate::text::fault::Fault;
use crate::text::input::Input;
use crate::text::packing::inner_name;
use crate::text::source::Source;
use crate::text::target::STANDARD_OUTPUT;
use crate::text::warnings::Warnings;

/// Every known traffic file format.
pub static FORMATS: Registry<Format> = Registry {
    kind: "format",
    entries: &[
        &matrix_market::ENTRY,
        // Its beginning is unmistakable, and the rest looks like a table with labels.
        &monitoring::ENTRY,
        &networkx::ENTRY,
        &csv::ENTRY,
        &tsv::ENTRY,
        &metis::ENTRY,
        &recording::FORMAT_ENTRY,
        &arrangement_file::FORMAT_ENTRY,
        &npy::ENTRY,
        &npz::ENTRY,
        &graphml::ENTRY,
        &scotch::ENTRY,
        &training::kineto::ENTRY,
        &training::execution_trace::ENTRY,
        &training::chakra::ENTRY,
        &training::chakra::JSON_ENTRY,
        &goal::ENTRY,
        &qaplib::ENTRY,
        &text_table::ENTRY,
    ],
    common: &[],
};

/// The name of the files of a run in errors.
const RUN: &str = "traffic with one file per rank";

/// Reads the traffic that an input holds, with warnings about what the format does not contain.
pub fn traffic_of(input: &Input, weight: Weight) -> Result<(Traffic, Warnings), ReadError> {
    let (path, name) = (input.path(), input.name());
    let mut warnings = Warnings::new();
    let traffic = if input.is_folder() {
        let of_folder = |format: &RunReader| (format.has_any)(path);
        let mut readers = FORMATS.entries.iter().filter_map(|entry| entry.build.read_run);
        let reader = readers.find(of_folder).ok_or_else(|| {
            let endings = known_endings(|format| format.read_run.is_some());
            let expected = Fault::expected(
                format!("files that end in {endings} or a trace in the folder"),
                "neither",
            );
            Source::new(name, &[]).error(expected)
        })?;
        (reader.read)(path, &mut warnings)?
    } else if let Some(reader) = by_ending(inner_name(name)).and_then(|entry| entry.build.read_run)
    {
        (reader.read)(input.path_among_others(RUN)?, &mut warnings)?
    } else {
        let bytes = input.bytes()?;
        let entry = recognise(&Source::new(name, &bytes));
        if entry.is_some_and(|entry| entry.build.read.is_none()) {
            // If this passes, the input is a file with the wrong name.
            input.path_among_others(RUN)?;
        }
        parse(name, &bytes, weight, &mut warnings)?
    };
    Ok((traffic, warnings))
}

/// Reads the content `bytes` of a traffic file called `name`.
pub fn parse_traffic(name: &str, bytes: &[u8], weight: Weight) -> Result<Traffic, ReadError> {
    parse(name, bytes, weight, &mut Warnings::new())
}

fn parse(
    name: &str,
    bytes: &[u8],
    weight: Weight,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let source = Source::new(name, bytes);
    if source.bytes().iter().all(u8::is_ascii_whitespace) {
        return Err(source.error(Fault::Empty("the file is empty".into())));
    }
    if let Some(fault) = profiles::refusal(source.bytes()) {
        return Err(source.error(fault));
    }
    let read = recognise(&source).and_then(|entry| entry.build.read).ok_or_else(|| {
        let endings = known_endings(|format| format.read.is_some() || format.read_run.is_some());
        source.error(unknown::fault(&source, weight, &endings))
    })?;
    let traffic = read(&source, weight, warnings)?;
    if !(traffic.total(Weight::Bytes) + traffic.total(Weight::Messages)).is_finite() {
        return Err(source
            .error(Fault::TooLarge("the values add up to more than a number can hold".into())));
    }
    Ok(traffic)
}

/// Writes the traffic file at `path` in the format of its extension, whole or not at all. Returns
/// warnings about what the format could not hold.
pub fn write_traffic(
    path: &Path,
    traffic: &Traffic,
    weight: Weight,
) -> Result<Warnings, WriteError> {
    let write = writer_for(path)?;
    let mut warnings = atomic_write(path, |writer| write(traffic, weight, writer))?;
    if !traffic.collectives().is_empty() && !keeps_collectives(path) {
        warnings.push(format!(
            "{} left out: the file holds only messages between pairs",
            counted(traffic.collectives().len(), "collective operation")
        ));
    }
    Ok(warnings)
}

/// Whether `path` has the extension of a traffic format that can be written; the error lists the
/// possible ones.
pub fn check_traffic_name(path: impl AsRef<Path>) -> Result<(), WriteError> {
    writer_for(path.as_ref()).map(|_| ())
}

fn writer_for(path: &Path) -> Result<Writer, WriteError> {
    // Standard output has no ending.
    let named = match path == Path::new(STANDARD_OUTPUT) {
        true => Some(&matrix_market::ENTRY),
        false => by_ending(&path.display().to_string()),
    };
    let format = named.map(|entry| &entry.build);
    format.and_then(|format| format.write).ok_or_else(|| {
        let endings = known_endings(|format| format.write.is_some());
        WriteError::new(path, Fault::unknown("ending for a traffic file", endings))
    })
}

/// Whether a traffic file with the extension of `path` keeps collective operations.
pub fn keeps_collectives(path: impl AsRef<Path>) -> bool {
    by_ending(&path.as_ref().display().to_string())
        .is_some_and(|entry| entry.build.keeps_collectives)
}

/// By content, then by extension; the extension also decides if the content fits several formats.
fn recognise(source: &Source<'_>) -> Option<&'static FormatEntry> {
    const ENOUGH: usize = 1 << 12;
    let start = &source.bytes()[..source.bytes().len().min(ENOUGH)];
    let is = |entry: &FormatEntry, other: &FormatEntry| entry.name == other.name;
    // Only the whole of an assignment problem shows what it is.
    let fits = |entry: &&&FormatEntry| match is(entry, &qaplib::ENTRY) {
        true => qaplib::is_instance(source.bytes()),
        false => (entry.build.looks_like)(start),
    };
    // Files of many kinds end in .dat or .json.
    let may_be_named = |entry: &&FormatEntry| {
        (!is(entry, &qaplib::ENTRY) || qaplib::begins_with_a_size(start))
            && (!is(entry, &arrangement_file::FORMAT_ENTRY) || (entry.build.looks_like)(start))
    };
    let named = by_ending(inner_name(source.name())).filter(may_be_named);
    // A damaged first line of a matrix can look like a comment of another format.
    let is_matrix = |entry: &&FormatEntry| entry.name == matrix_market::ENTRY.name;
    if start.starts_with(b"%") && named.as_ref().is_some_and(is_matrix) {
        return named;
    }
    // Any numbers separated by blanks can be a table, so the extension of another format takes
    // precedence, unless it is that of a table, or .dat. Two numbers that cannot begin a METIS graph can
    // begin a table.
    let is_table = |entry: &FormatEntry| {
        [&csv::ENTRY, &tsv::ENTRY, &qaplib::ENTRY].iter().any(|other| is(entry, other))
    };
    let may_be_blanks = named.is_none_or(is_table) && fits(&&&text_table::ENTRY);
    let wins = |entry: &&&FormatEntry| {
        if is(entry, &text_table::ENTRY) {
            may_be_blanks
        } else {
            fits(entry)
                && !(is(entry, &metis::ENTRY) && may_be_blanks && !metis::can_be_graph(start))
        }
    };
    let by_content = FORMATS.entries.iter().find(wins).copied();
    named.filter(|entry| fits(&entry)).or(by_content).or(named)
}

/// Whether a file is an assignment problem of QAPLIB, which has costs beside its traffic.
pub(crate) fn is_qaplib(source: &Source<'_>) -> bool {
    recognise(source).is_some_and(|entry| entry.name == qaplib::ENTRY.name)
}

/// Whether a file begins like a Matrix Market file.
pub(crate) fn looks_like_matrix_market(bytes: &[u8]) -> bool {
    (matrix_market::ENTRY.build.looks_like)(bytes)
}

fn by_ending(name: &str) -> Option<&'static FormatEntry> {
    let (_, ending) = name.rsplit_once('.')?;
    let has_ending = |entry: &&&FormatEntry| {
        entry.build.endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
    };
    FORMATS.entries.iter().find(has_ending).copied()
}

fn known_endings(usable: fn(&Format) -> bool) -> String {
    let formats = FORMATS.entries.iter().map(|entry| &entry.build);
    let endings = formats.filter(|format| usable(format)).flat_map(|format| format.endings);
    let mut known: Vec<String> = Vec::new();
    for ending in endings.map(|ending| format!(".{ending}")) {
        // Several formats are in JSON.
        if !known.contains(&ending) {
            known.push(ending);
        }
    }
    known.join(", ")
}
