//! Tables with tabs; see [`super::table`] for what they hold.

use std::io::{self, Write};

use topoloom_core::{Entry, Traffic, Weight};

use super::format::{Format, FormatEntry};
use super::table::{self, Separator};
use crate::text::error::ReadError;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

const SEPARATOR: u8 = b'\t';

pub(super) static ENTRY: FormatEntry = Entry {
    name: "tsv",
    summary: "tab-separated edge list (from, to, bytes[, messages]) or square matrix",
    example: "traffic.tsv",
    parameters: &[],
    build: Format {
        endings: &["tsv"],
        looks_like,
        read: Some(read),
        read_run: None,
        write: Some(write),
        keeps_collectives: false,
    },
};

fn looks_like(bytes: &[u8]) -> bool {
    table::looks_like(bytes, Separator::Byte(SEPARATOR))
}

fn read(
    source: &Source<'_>,
    weight: Weight,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    table::read(source, weight, Separator::Byte(SEPARATOR), warnings)
}

fn write(traffic: &Traffic, _: Weight, writer: &mut dyn Write) -> io::Result<Warnings> {
    table::write(traffic, writer, SEPARATOR)
}
