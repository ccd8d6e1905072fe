//! Tables with commas, or with semicolons; see [`super::table`] for what they hold.

use std::io::{self, Write};

use topoloom_core::{Entry, Traffic, Weight};

use super::format::{Format, FormatEntry};
use super::table::{self, Separator};
use crate::text::error::ReadError;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

const COMMA: u8 = b',';
const SEMICOLON: u8 = b';';

/// The separator of the columns of the first line.
fn separator(bytes: &[u8]) -> Separator {
    let line = table::first_record(bytes);
    let count = |separator: u8| line.iter().filter(|&&byte| byte == separator).count();
    let has_semicolons = count(SEMICOLON) > count(COMMA);
    Separator::Byte(if has_semicolons { SEMICOLON } else { COMMA })
}

pub(super) static ENTRY: FormatEntry = Entry {
    name: "csv",
    summary: "comma-separated edge list (from,to,bytes[,messages]) or square matrix",
    example: "traffic.csv",
    parameters: &[],
    build: Format {
        endings: &["csv"],
        looks_like,
        read: Some(read),
        read_run: None,
        write: Some(write),
        keeps_collectives: false,
    },
};

fn looks_like(bytes: &[u8]) -> bool {
    table::looks_like(bytes, separator(bytes))
}

fn read(
    source: &Source<'_>,
    weight: Weight,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    table::read(source, weight, separator(source.bytes()), warnings)
}

fn write(traffic: &Traffic, _: Weight, writer: &mut dyn Write) -> io::Result<Warnings> {
    table::write(traffic, writer, COMMA)
}
