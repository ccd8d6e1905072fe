//! The banner and the size line.

use crate::text::cursor::Cursor;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, shown};
use crate::text::source::Source;
use crate::traffic::ranks::ranks;
use topoloom_core::words::counted;

const BANNER: &[u8] = b"%%MatrixMarket";

/// What the entries carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Integer,
    Real,
    Pattern,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Coordinate { entries: u64 },
    Array,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub layout: Layout,
    pub field: Field,
    pub symmetric: bool,
    pub ranks: u32,
    /// The number of the line with the sizes.
    pub size_line: usize,
}

pub(super) fn starts_with_banner(bytes: &[u8]) -> bool {
    bytes.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

/// Reads up to the end of the size line.
pub(super) fn read(source: &Source<'_>, cursor: &mut Cursor<'_>) -> Result<Header, ReadError> {
    let banner = cursor.words();
    let (array, field, symmetric) =
        understand_banner(&banner).map_err(|fault| source.error_in_line(1, fault))?;
    if !cursor.find_word(b'%') {
        return Err(source.error(Fault::Missing("the size line is missing".into())));
    }
    let offset = cursor.position();
    let size_line = source.line_at(offset);
    let error = |fault| source.error_in_line(size_line, fault);

    let sizes = cursor.words();
    let expected = if array { "rows and columns" } else { "rows, columns and entries" };
    if sizes.len() != if array { 2 } else { 3 } {
        return Err(error(Fault::expected(expected, counted(sizes.len(), "number"))));
    }
    let sizes: Result<Vec<u64>, Fault> = sizes.into_iter().map(number::count).collect();
    let sizes = sizes.map_err(error)?;
    let [rows, columns, ..] = sizes[..] else { return Err(error(Fault::wanted(expected))) };
    if rows != columns {
        let fault = Fault::expected(
            "a square matrix",
            format!(
                "{rows} and {columns}",
                rows = counted(rows, "row"),
                columns = counted(columns, "column")
            ),
        );
        return Err(error(fault));
    }
    let layout = match sizes.get(2) {
        Some(&entries) => Layout::Coordinate { entries },
        None => Layout::Array,
    };
    Ok(Header { layout, field, symmetric, ranks: ranks(rows).map_err(error)?, size_line })
}

/// Whether it is an array, what its field is and whether it is symmetric.
fn understand_banner(words: &[&[u8]]) -> Result<(bool, Field, bool), Fault> {
    let words: Vec<Vec<u8>> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let [banner, object, layout, field, symmetry] = &words[..] else {
        return Err(expected_banner());
    };
    if !banner.eq_ignore_ascii_case(BANNER) {
        return Err(expected_banner());
    }
    let unknown = |kind: &str, word: &[u8], known: &str| {
        Err(Fault::Unsupported(format!(
            "{kind} {} is not supported; supported: {known}",
            shown(word)
        )))
    };
    if object != b"matrix" {
        return unknown("object", object, "matrix");
    }
    let array = match &layout[..] {
        b"coordinate" => false,
        b"array" => true,
        _ => return unknown("layout", layout, "coordinate, array"),
    };
    let field = match &field[..] {
        b"integer" => Field::Integer,
        b"real" => Field::Real,
        b"pattern" if array => {
            return Err(Fault::Unsupported("an array has values, it cannot be a pattern".into()));
        }
        b"pattern" => Field::Pattern,
        _ => return unknown("field", field, "integer, real, pattern"),
    };
    match &symmetry[..] {
        b"general" => Ok((array, field, false)),
        b"symmetric" => Ok((array, field, true)),
        _ => unknown("symmetry", symmetry, "general, symmetric"),
    }
}

fn expected_banner() -> Fault {
    Fault::wanted("a first line such as \"%%MatrixMarket matrix coordinate integer general\"")
}
