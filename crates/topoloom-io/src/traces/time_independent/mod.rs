//! Time-independent traces, as SimGrid's `smpirun -trace-ti` writes them.
//!
//! A main file names one file for each rank; a line of such a file is an MPI call or some
//! computing. `docs/formats.md` says which lines are read.

mod action;
mod datatype;
mod program;

use std::fs;
use std::path::{Path, PathBuf};

use topoloom_core::Trace;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::input::Input;
use crate::text::number::count;
use crate::text::rank_files;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traces::format::{TraceEntry, TraceFormat};

pub(crate) static ENTRY: TraceEntry = TraceEntry {
    name: "simgrid-ti",
    summary: "SimGrid's time-independent trace: give its main file, or the folder of files per rank",
    example: "run.ti",
    parameters: &[],
    build: TraceFormat {
        endings: &["ti"],
        looks_like: |bytes| first_line(bytes).is_some(),
        has_events: |_| true,
        read,
        write: None,
    },
};

/// The name of such a trace in errors.
const KIND: &str = "a time-independent trace";

/// What a file begins with.
enum First {
    /// The name of another file.
    Name,
    /// The first line of a rank.
    Init,
}

/// What the first line says, if it belongs to a time-independent trace.
fn first_line(bytes: &[u8]) -> Option<First> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    let line = str::from_utf8(line).ok()?.trim();
    let mut words = line.split_ascii_whitespace();
    match (words.next()?, words.next()) {
        (name, None) if name.ends_with(".txt") => Some(First::Name),
        (rank, Some(word)) if word.eq_ignore_ascii_case("init") => {
            count(rank.as_bytes()).ok().map(|_| First::Init)
        }
        _ => None,
    }
}

fn read(input: &Input, bytes: &[u8], warnings: &mut Warnings) -> Result<Trace, ReadError> {
    let is_of_a_rank = || {
        let name = input.path().file_name().and_then(|name| name.to_str());
        name.and_then(name_of).is_some()
    };
    let files = match first_line(bytes) {
        Some(First::Name) => named(input.path_among_others(KIND)?, bytes)?,
        // Ranks count from 0, actors from 1.
        _ if is_of_a_rank() => rank_files::find(input.path_among_others(KIND)?, name_of, 1)?,
        // One file has the lines of all ranks.
        _ => return parse(input.name(), &[Source::new(input.name(), bytes)], warnings),
    };
    let files = rank_files::contents(&files)?;
    parse(input.name(), &rank_files::sources(&files), warnings)
}

/// The run and the number of NAME_rank-NUMBER.txt.
fn name_of(file: &str) -> Option<(&str, u64)> {
    let (run, number) = file.strip_suffix(".txt")?.rsplit_once("_rank-")?;
    Some((run, count(number.as_bytes()).ok()?))
}

/// The files that a main file names, relative to its folder or to the folder where SimGrid ran.
fn named(main: &Path, bytes: &[u8]) -> Result<Vec<PathBuf>, ReadError> {
    let shown = main.display().to_string();
    let source = Source::new(&shown, bytes);
    let folder = rank_files::folder_of(main);
    let mut files = Vec::new();
    for (number, line) in source.lines() {
        let line = str::from_utf8(line).map(str::trim).map_err(|_| {
            source.error_in_line(number, Fault::expected("the name of a file", "other bytes"))
        })?;
        if line.is_empty() {
            continue;
        }
        // If the trace was moved, the folder of the files has moved with the main file.
        let names: Vec<_> = Path::new(line).components().collect();
        let last_two: PathBuf = names[names.len().saturating_sub(2)..].iter().collect();
        let candidates = [folder.join(line), folder.join(last_two)];
        let found = candidates.into_iter().find(|file| fs::metadata(file).is_ok());
        let file = found.ok_or_else(|| {
            source.error_in_line(
                number,
                Fault::Missing(format!("there is no file \"{line}\" beside this one")),
            )
        })?;
        files.push(file);
    }
    Ok(files)
}

/// Reads the files of a time-independent trace, one per rank from rank 0 on, or one file with the
/// lines of all ranks. Errors that concern all files name `name`.
pub fn parse_time_independent(
    name: &str,
    files: &[Source<'_>],
) -> Result<(Trace, Warnings), ReadError> {
    let mut warnings = Warnings::new();
    parse(name, files, &mut warnings).map(|trace| (trace, warnings))
}

fn parse(name: &str, files: &[Source<'_>], warnings: &mut Warnings) -> Result<Trace, ReadError> {
    let mut programs = program::Programs::new(name, files)?;
    for (number, file) in files.iter().enumerate() {
        programs.add(number, file)?;
    }
    programs.finish(warnings)
}
