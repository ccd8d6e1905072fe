//! DUMPI traces as text, as `dumpi2ascii` prints them: one file per rank.
//!
//! An MPI call is a line with the time when it begins, one line per argument, and one line with the
//! time when it ends. `docs/formats.md` says which calls and arguments are read.

mod call;
mod communicators;
mod datatypes;
mod program;

use topoloom_core::Trace;

use crate::text::error::ReadError;
use crate::text::input::Input;
use crate::text::number::count;
use crate::text::rank_files;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traces::format::{TraceEntry, TraceFormat};

pub(crate) static ENTRY: TraceEntry = TraceEntry {
    name: "dumpi-text",
    summary: "DUMPI trace from dumpi2ascii: give the folder or one of the files NAME-RANK.ENDING",
    example: "dumpi-0000.dumpi",
    parameters: &[],
    build: TraceFormat {
        endings: &["dumpi"],
        looks_like: call::looks_like,
        has_events: |_| true,
        read,
        write: None,
    },
};

fn read(input: &Input, _: &[u8], warnings: &mut Warnings) -> Result<Trace, ReadError> {
    let path = input.path_among_others("a DUMPI trace")?;
    let files = rank_files::contents(&rank_files::find(path, name_of, 0)?)?;
    let files = rank_files::sources(&files);
    parse(input.name(), &files, warnings)
}

/// The run and the rank of NAME-RANK.ENDING, where ENDING may be several endings or none. Only the
/// binary files themselves and the file that lists them are excluded.
fn name_of(file: &str) -> Option<(&str, u64)> {
    let (run, rest) = file.rsplit_once('-')?;
    let (rank, ending) = rest.split_once('.').unwrap_or((rest, ""));
    let is_text = !matches!(ending, "bin" | "meta");
    count(rank.as_bytes()).ok().filter(|_| is_text).map(|rank| (run, rank))
}

/// Reads what `dumpi2ascii` prints for a run, one file per rank from rank 0 on. Errors that concern
/// all files name `name`.
pub fn parse_dumpi(name: &str, files: &[Source<'_>]) -> Result<(Trace, Warnings), ReadError> {
    let mut warnings = Warnings::new();
    parse(name, files, &mut warnings).map(|trace| (trace, warnings))
}

fn parse(name: &str, files: &[Source<'_>], warnings: &mut Warnings) -> Result<Trace, ReadError> {
    let communicators = communicators::read(name, files)?;
    let mut programs = program::Programs::new(name, communicators);
    for (rank, file) in files.iter().enumerate() {
        programs.add(rank as u32, file)?;
    }
    programs.finish(warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_in_the_rank_and_any_ending_but_that_of_the_binary_files() {
        assert_eq!(name_of("dumpi-2013.09.26-0012.txt"), Some(("dumpi-2013.09.26", 12)));
        assert_eq!(name_of("a-0001.bin.txt"), Some(("a", 1)));
        assert_eq!(name_of("a-7"), Some(("a", 7)));
        assert_eq!(name_of("a-0001.bin"), None);
        assert_eq!(name_of("a.txt"), None);
    }
}
