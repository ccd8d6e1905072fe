//! Execution traces of Chakra, which ASTRA-sim simulates: one file NAME.RANK.et per rank.

mod json;
mod node;
mod protobuf;
mod ranks;
mod wire;

use std::path::Path;

use topoloom_core::{Entry, Traffic, Weight};

use crate::text::error::ReadError;
use crate::text::input::read_whole;
use crate::text::number::count;
use crate::text::packing::inner_name;
use crate::text::rank_files;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traffic::format::{Format, FormatEntry, RunReader};
use ranks::RankFile;

pub(crate) static ENTRY: FormatEntry = Entry {
    name: "chakra",
    summary: "execution traces of Chakra, for ASTRA-sim: give the folder or one of the files \
              NAME.RANK.et",
    example: "run.0.et",
    parameters: &[],
    build: Format {
        endings: &["et"],
        looks_like: protobuf::looks_like,
        // What a rank does says little without the number of ranks and the others' files.
        read: None,
        read_run: Some(RunReader {
            has_any: |folder| rank_files::has_any(folder, name_of),
            read: read_run,
        }),
        write: None,
        keeps_collectives: false,
    },
};

pub(crate) static JSON_ENTRY: FormatEntry = Entry {
    name: "chakra-json",
    summary: "an execution trace of Chakra as JSON (\"workload_graph\")",
    example: "run.0.json",
    parameters: &[],
    build: Format {
        endings: &["json"],
        looks_like: json::looks_like,
        read: Some(read_json),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

/// NAME and RANK of NAME.RANK.et.
fn name_of(file: &str) -> Option<(&str, u64)> {
    let (run, rank) = file.strip_suffix(".et")?.rsplit_once('.')?;
    Some((run, count(rank.as_bytes()).ok()?))
}

/// The rank in the name of a single file, else 0.
fn rank_in_name(name: &str) -> u32 {
    let stem = inner_name(name).rsplit_once('.').map_or("", |(stem, _)| stem);
    stem.rsplit_once('.').and_then(|(_, rank)| rank.parse().ok()).unwrap_or(0)
}

fn read_run(path: &Path, warnings: &mut Warnings) -> Result<Traffic, ReadError> {
    let mut files = Vec::new();
    for (rank, file) in (0..).zip(rank_files::find(path, name_of, 0)?) {
        let (name, bytes) = (file.display().to_string(), read_whole(&file)?);
        let nodes = protobuf::read(&Source::new(&name, &bytes))?;
        files.push(RankFile { file: name, rank, nodes });
    }
    ranks::traffic(&path.display().to_string(), files, None, warnings)
}

fn read_json(
    source: &Source<'_>,
    _: Weight,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let (nodes, stated) = json::read(source)?;
    let file = source.name().to_string();
    let files = vec![RankFile { file, rank: rank_in_name(source.name()), nodes }];
    ranks::traffic(source.name(), files, stated, warnings)
}

/// Reads files of Chakra, one per rank from rank 0 on.
pub fn parse_chakra(files: &[Source<'_>]) -> Result<(Traffic, Warnings), ReadError> {
    let mut warnings = Warnings::new();
    let mut ranks = Vec::new();
    for (rank, source) in (0..).zip(files) {
        ranks.push(RankFile {
            file: source.name().to_string(),
            rank,
            nodes: protobuf::read(source)?,
        });
    }
    let name = files.first().map_or("", Source::name);
    ranks::traffic(name, ranks, None, &mut warnings).map(|traffic| (traffic, warnings))
}
