//! What Open MPI's component `pml_monitoring` writes: one file NAME.RANK.prof per rank.
//!
//! `docs/formats.md` says what its lines mean.

use std::path::Path;

use topoloom_core::words::counted;
use topoloom_core::{Entry, Traffic, TrafficBuilder};

use super::format::{Format, FormatEntry, RunReader};
use super::ranks::ranks;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{count, shown};
use crate::text::rank_files;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// The headings, in their order.
const SECTIONS: [&[u8]; 3] = [b"# POINT TO POINT", b"# OSC", b"# COLLECTIVES"];

pub(super) static ENTRY: FormatEntry = Entry {
    name: "openmpi-monitoring",
    summary: "output of Open MPI's pml_monitoring: give the folder or one of the files \
              NAME.RANK.prof",
    example: "run.0.prof",
    parameters: &[],
    build: Format {
        endings: &["prof"],
        looks_like: |bytes| bytes.starts_with(SECTIONS[0]),
        read: None,
        read_run: Some(RunReader { has_any, read }),
        write: None,
        keeps_collectives: false,
    },
};

fn has_any(folder: &Path) -> bool {
    rank_files::has_any(folder, name_of)
}

fn read(path: &Path, warnings: &mut Warnings) -> Result<Traffic, ReadError> {
    let files = rank_files::contents(&rank_files::find(path, name_of, 0)?)?;
    parse(&rank_files::sources(&files), warnings)
}

/// NAME and RANK of NAME.RANK.prof.
fn name_of(file: &str) -> Option<(&str, u64)> {
    let (run, rank) = file.strip_suffix(".prof")?.rsplit_once('.')?;
    Some((run, count(rank.as_bytes()).ok()?))
}

/// What is added up over all files in addition to the traffic.
#[derive(Default)]
struct LeftOut {
    messages: u64,
    bytes: u64,
    /// Whether the program called collectives.
    collectives: bool,
}

/// Reads the files of Open MPI's monitoring, one per rank from rank 0 on.
pub fn parse_monitoring(files: &[Source<'_>]) -> Result<(Traffic, Warnings), ReadError> {
    let mut warnings = Warnings::new();
    parse(files, &mut warnings).map(|traffic| (traffic, warnings))
}

fn parse(files: &[Source<'_>], warnings: &mut Warnings) -> Result<Traffic, ReadError> {
    let nothing = Source::new("", &[]);
    let first = files.first().unwrap_or(&nothing);
    let num_ranks = ranks(files.len() as u64).map_err(|fault| first.error(fault))?;
    let mut builder = TrafficBuilder::new(num_ranks);
    let mut left_out = LeftOut::default();
    for (rank, file) in files.iter().enumerate() {
        let mut reader =
            Reader { rank: rank as u32, num_ranks, builder: &mut builder, left_out: &mut left_out };
        reader.file(file)?;
    }
    warnings.push(
        "messages of persistent requests (MPI_Start) are not in Open MPI's monitoring".into(),
    );
    if left_out.messages > 0 {
        warnings.push(format!(
            "{} of the library itself, such as those of collectives, left out: {}",
            counted(left_out.messages, "message"),
            counted(left_out.bytes, "byte")
        ));
    } else if left_out.collectives {
        warnings.push(
            "messages of the library itself are not marked, because pml_monitoring_enable was 1: \
             the messages of its collectives count as messages of the program"
                .into(),
        );
    }
    Ok(builder.build())
}

/// Reads the file of one rank.
struct Reader<'a> {
    rank: u32,
    num_ranks: u32,
    builder: &'a mut TrafficBuilder,
    left_out: &'a mut LeftOut,
}

impl Reader<'_> {
    fn file(&mut self, source: &Source<'_>) -> Result<(), ReadError> {
        let mut sections = SECTIONS.iter();
        for (number, line) in source.lines() {
            if line.is_empty() {
                continue;
            }
            if line.first() == Some(&b'#') {
                match sections.next() {
                    Some(&section) if section == line => continue,
                    Some(section) => {
                        let section = String::from_utf8_lossy(section);
                        let fault = Fault::expected(format!("\"{section}\""), shown(line));
                        return Err(source.error_in_line(number, fault));
                    }
                    None => {
                        let fault = Fault::expected("no further section", shown(line));
                        return Err(source.error_in_line(number, fault));
                    }
                }
            }
            if sections.len() == SECTIONS.len() {
                let fault = Fault::expected("\"# POINT TO POINT\"", shown(line));
                return Err(source.error_in_line(number, fault));
            }
            self.line(line).map_err(|fault| source.error_in_line(number, fault))?;
        }
        match sections.next() {
            None => Ok(()),
            Some(section) => {
                let section = String::from_utf8_lossy(section);
                Err(source.error(Fault::CutShort(format!(
                    "the file ends before its section \"{section}\""
                ))))
            }
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Fault> {
        let columns: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
        match columns[0] {
            b"E" | b"I" | b"S" | b"R" | b"C" => self.pair(&columns),
            b"O2A" | b"A2O" | b"A2A" => {
                let [_, _, bytes, messages] = columns[..] else {
                    return Err(Fault::expected("4 columns", columns.len()));
                };
                let (_, messages) = (amount(bytes, b" bytes")?, amount(messages, b" msgs sent")?);
                self.left_out.collectives |= messages > 0;
                Ok(())
            }
            b"D" => self.communicator(&columns),
            other => Err(Fault::expected(
                "a line of kind E, I, S, R, C, D, O2A, A2O or A2A",
                shown(other),
            )),
        }
    }

    /// What one rank has sent to another, or received from it.
    fn pair(&mut self, columns: &[&[u8]]) -> Result<(), Fault> {
        // Some have a histogram of sizes at the end.
        let (&[kind, from, to, bytes, messages] | &[kind, from, to, bytes, messages, _]) = columns
        else {
            return Err(Fault::expected("5 or 6 columns", columns.len()));
        };
        let from = count(from)?;
        if from != u64::from(self.rank) {
            return Err(Fault::expected(
                format!("rank {}, the rank of this file", self.rank),
                from,
            ));
        }
        let partner = match count(to)? {
            to if to < u64::from(self.num_ranks) => to as u32,
            to => {
                let last = self.num_ranks - 1;
                return Err(Fault::OutOfRange(format!(
                    "there is no file of rank {to}, only of 0 to {last}"
                )));
            }
        };
        let bytes = amount(bytes, b" bytes")?;
        let messages = amount(messages, b" msgs sent")?;
        match kind {
            // The rank itself counts what it got from others, because they may not know of it.
            b"R" => self.builder.add(partner, self.rank, messages as f64, bytes as f64),
            b"E" | b"S" => self.builder.add(self.rank, partner, messages as f64, bytes as f64),
            b"I" => {
                self.left_out.messages = self.left_out.messages.saturating_add(messages);
                self.left_out.bytes = self.left_out.bytes.saturating_add(bytes);
            }
            _ => self.left_out.collectives |= messages > 0,
        }
        Ok(())
    }

    /// The members of a communicator; the one of all ranks gives the number of ranks.
    fn communicator(&mut self, columns: &[&[u8]]) -> Result<(), Fault> {
        let &[_, name, members] = columns else {
            return Err(Fault::expected("3 columns", columns.len()));
        };
        let members = members.strip_prefix(b"procs: ");
        let members = members
            .ok_or_else(|| Fault::wanted("\"procs: \" and the members of the communicator"))?;
        if name == b"MPI_COMM_WORLD" {
            let members = members.split(|&byte| byte == b',').count();
            if members != self.num_ranks as usize {
                let files = self.num_ranks;
                return Err(Fault::Contradiction(format!(
                    "there are {}, but files of {files}",
                    counted(members, "rank")
                )));
            }
        }
        Ok(())
    }
}

/// The number before a unit.
fn amount(column: &[u8], unit: &[u8]) -> Result<u64, Fault> {
    let number = column.strip_suffix(unit).ok_or_else(|| {
        Fault::expected(format!("a number of{}", String::from_utf8_lossy(unit)), shown(column))
    })?;
    count(number)
}
