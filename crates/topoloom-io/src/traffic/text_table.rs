//! Tables with blanks: lists of edges and matrices; see [`super::table`] for what they hold.
//!
//! Many kinds of text are numbers separated by blanks, so other formats are tried first.

use topoloom_core::{Entry, Traffic, Weight};

use super::format::{Format, FormatEntry};
use super::table::{self, Separator};
use crate::text::error::ReadError;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "blanks",
    summary: "edge list (from to [bytes [messages]]) or square matrix with blanks between columns",
    example: "traffic.edges",
    parameters: &[],
    build: Format {
        endings: &["edges", "edgelist", "el"],
        looks_like: |bytes| table::looks_like(bytes, Separator::Blanks),
        read: Some(read),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

fn read(
    source: &Source<'_>,
    weight: Weight,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    table::read(source, weight, Separator::Blanks, warnings)
}
