//! Matrix Market: entry (i, j) is what rank i-1 sends to rank j-1.
//!
//! Described by Boisvert, Pozo and Remington, The Matrix Market Exchange Formats, NISTIR 5935.

mod header;

use std::io::{self, Write};

use topoloom_core::words::counted;
use topoloom_core::{Entry, Traffic, TrafficBuilder, Weight};

use self::header::{Field, Header, Layout};
use super::format::{Format, FormatEntry};
use super::ranks::{messages_and_bytes, warn_about_rank_weights};
use crate::text::cursor::Cursor;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, Decimal, Kind};
use crate::text::source::Source;
use crate::text::warnings::Warnings;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "matrix-market",
    summary: "Matrix Market: coordinate or array, general or symmetric, integer, real or pattern",
    example: "traffic.mtx",
    parameters: &[],
    build: Format {
        endings: &["mtx"],
        looks_like: header::starts_with_banner,
        read: Some(read),
        read_run: None,
        write: Some(write),
        keeps_collectives: false,
    },
};

fn read(source: &Source<'_>, weight: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let mut cursor = Cursor::new(source.bytes());
    let header = header::read(source, &mut cursor)?;
    match header.layout {
        Layout::Coordinate { entries } => {
            let mut reader = CoordinateReader { source, cursor, header, weight };
            reader.read(entries)
        }
        Layout::Array => read_array(source, cursor, &header, weight),
    }
}

struct CoordinateReader<'a> {
    source: &'a Source<'a>,
    cursor: Cursor<'a>,
    header: Header,
    weight: Weight,
}

impl CoordinateReader<'_> {
    fn read(&mut self, promised: u64) -> Result<Traffic, ReadError> {
        // The header may promise any number, but an entry takes at least 4 bytes, such as "1 1\n".
        let possible = self.cursor.remaining() / 4 + 1;
        let copies = if self.header.symmetric { 2 } else { 1 };
        let room = usize::try_from(promised).map_or(possible, |promised| promised.min(possible));
        let mut builder = TrafficBuilder::with_capacity(self.header.ranks, room * copies);
        let mut found = 0;
        while self.cursor.find_word(b'%') {
            let start = self.cursor.clone();
            let Some((from, to, value)) = self.entry() else {
                return Err(self.explain(&start));
            };
            if found == promised {
                let fault = Fault::Contradiction(format!(
                    "more entries than the {promised} of the size line"
                ));
                return Err(self.source.error_at(start.position(), fault));
            }
            found += 1;
            let (messages, bytes) = messages_and_bytes(value, self.weight);
            builder.add(from, to, messages, bytes);
            if self.header.symmetric && from != to {
                builder.add(to, from, messages, bytes);
            }
        }
        if found < promised {
            let fault = Fault::expected(counted(promised, "entry"), found);
            return Err(self.source.error_in_line(self.header.size_line, fault));
        }
        Ok(builder.build())
    }

    /// Takes a line: sender, receiver and value, if it is entirely valid.
    #[inline]
    fn entry(&mut self) -> Option<(u32, u32, f64)> {
        let ranks = self.header.ranks;
        let rank = |index: u64| u32::try_from(index.wrapping_sub(1)).ok().filter(|&r| r < ranks);
        let from = rank(self.cursor.count()?)?;
        let to = rank(self.cursor.count()?)?;
        let value = match self.header.field {
            Field::Pattern => 1.0,
            Field::Integer => self.cursor.weight(Kind::Whole)?,
            Field::Real => self.cursor.weight(Kind::Real)?,
        };
        (!self.cursor.find_word_in_line()).then_some((from, to, value))
    }

    /// What is wrong with the line at `start`, which `entry` rejected.
    #[cold]
    fn explain(&self, start: &Cursor<'_>) -> ReadError {
        let error = |fault| self.source.error_at(start.position(), fault);
        let (kind, columns) = match self.header.field {
            Field::Pattern => (None, 2),
            Field::Integer => (Some(Kind::Whole), 3),
            Field::Real => (Some(Kind::Real), 3),
        };
        let words = start.clone().words();
        if words.len() != columns {
            return error(Fault::expected(counted(columns, "number"), words.len()));
        }
        for index in &words[..2] {
            match number::count(index) {
                Ok(index) if index == 0 || index > u64::from(self.header.ranks) => {
                    let last = self.header.ranks;
                    return error(Fault::OutOfRange(format!(
                        "index {index} is not among 1 to {last}"
                    )));
                }
                Ok(_) => {}
                Err(fault) => return error(fault),
            }
        }
        let fault = kind.and_then(|kind| number::weight(words[2], kind).err());
        error(fault.unwrap_or_else(|| Fault::wanted("an entry")))
    }
}

/// Column by column; for a symmetric matrix only from the diagonal down.
fn read_array(
    source: &Source<'_>,
    mut cursor: Cursor<'_>,
    header: &Header,
    weight: Weight,
) -> Result<Traffic, ReadError> {
    let kind = if header.field == Field::Real { Kind::Real } else { Kind::Whole };
    let ranks = u64::from(header.ranks);
    let promised = if header.symmetric { ranks * (ranks + 1) / 2 } else { ranks * ranks };
    let mut builder = TrafficBuilder::new(header.ranks);
    let (mut row, mut column) = (0, 0);
    let mut found = 0;
    while cursor.find_word(b'%') {
        let offset = cursor.position();
        let word = cursor.word().unwrap_or_default();
        if found == promised {
            let fault =
                Fault::Contradiction(format!("more values than the {promised} of the size line"));
            return Err(source.error_at(offset, fault));
        }
        found += 1;
        let value = number::weight(word, kind).map_err(|fault| source.error_at(offset, fault))?;
        let (messages, bytes) = messages_and_bytes(value, weight);
        builder.add(row, column, messages, bytes);
        if header.symmetric && row != column {
            builder.add(column, row, messages, bytes);
        }
        row += 1;
        if row == header.ranks {
            column += 1;
            row = if header.symmetric { column } else { 0 };
        }
    }
    if found < promised {
        let fault = Fault::expected(counted(promised, "value"), found);
        return Err(source.error_in_line(header.size_line, fault));
    }
    Ok(builder.build())
}

fn write(traffic: &Traffic, weight: Weight, writer: &mut dyn Write) -> io::Result<Warnings> {
    let values = || traffic.flows().map(|flow| flow.weight(weight)).filter(|&value| value > 0.0);
    let field = if values().all(|value| value.fract() == 0.0) { "integer" } else { "real" };
    let ranks = traffic.num_ranks();
    writeln!(writer, "%%MatrixMarket matrix coordinate {field} general")?;
    writeln!(writer, "% {weight}; row = sending rank + 1, column = receiving rank + 1")?;
    writeln!(writer, "{ranks} {ranks} {}", values().count())?;
    for flow in traffic.flows().filter(|flow| flow.weight(weight) > 0.0) {
        let value = Decimal(flow.weight(weight));
        writeln!(writer, "{} {} {value}", flow.from.0 + 1, flow.to.0 + 1)?;
    }
    Ok(warn_about_rank_weights(traffic, "Matrix Market"))
}
