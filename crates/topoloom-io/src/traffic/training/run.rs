//! Traces of several ranks in a folder, one file each, whatever their names are.

use std::path::{Path, PathBuf};

use topoloom_core::Traffic;

use super::join::traffic_of;
use super::rank_trace::RankTrace;
use crate::text::error::ReadError;
use crate::text::input::{Input, read_whole};
use crate::text::rank_files::in_folder;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Whether a file with this beginning is one of the traces.
type LooksLike = fn(&[u8]) -> bool;

/// What a trace says.
type ReadRank = fn(&Source<'_>) -> Result<RankTrace, ReadError>;

fn is_trace(file: &Path, looks_like: LooksLike) -> bool {
    // Traces are often compressed. Errors are reported when a file is read.
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let may_be = name.ends_with(".json") || name.contains(".json.");
    may_be && Input::open(file).is_ok_and(|input| looks_like(input.beginning()))
}

/// Whether a folder has such traces.
pub(super) fn has_any(folder: &Path, looks_like: LooksLike) -> bool {
    in_folder(folder).unwrap_or_default().iter().any(|file| is_trace(file, looks_like))
}

/// Reads the traces in a folder, or one file, one after another.
pub(super) fn read(
    path: &Path,
    looks_like: LooksLike,
    read_rank: ReadRank,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let files: Vec<PathBuf> = match path.is_dir() {
        true => in_folder(path)?.into_iter().filter(|file| is_trace(file, looks_like)).collect(),
        false => vec![path.to_path_buf()],
    };
    let mut traces = Vec::new();
    for file in files {
        let bytes = read_whole(&file)?;
        traces.push(read_rank(&Source::new(&file.display().to_string(), &bytes))?);
    }
    traffic_of(&path.display().to_string(), &traces, warnings)
}
