//! Lists of edges with their data as Python writes it: what `write_edgelist` of NetworkX gives.
//!
//! A line is `from to {'weight': 5}`. Which of the data is the bytes and which the messages is
//! known by the names that columns of tables have; other data does not count. Without data, an edge
//! weighs 1.

use topoloom_core::{Entry, Traffic, Weight};

use super::columns::{Column, column_named, known_names};
use super::format::{Format, FormatEntry};
use super::labels::is_number;
use super::names::is_name;
use super::table;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, Kind};
use crate::text::source::Source;
use crate::text::warnings::Warnings;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "networkx",
    summary: "edge list with data as write_edgelist of NetworkX gives it: 0 1 {'weight': 5}",
    example: "graph.edgelist",
    parameters: &[],
    build: Format {
        endings: &[],
        looks_like: |bytes| parts_of(table::first_record(bytes)).is_some(),
        read: Some(read),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

/// What the data of an edge says.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Data<'a> {
    bytes: Option<&'a [u8]>,
    messages: Option<&'a [u8]>,
    /// Whether there is anything else.
    has_more: bool,
}

/// The two ends of an edge, numbers or names, and what is between the braces.
fn parts_of(line: &[u8]) -> Option<([&[u8]; 2], &[u8])> {
    let line = line.trim_ascii();
    let brace = line.iter().position(|&byte| byte == b'{')?;
    let data = line[brace + 1..].strip_suffix(b"}")?;
    let mut words = line[..brace].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let ends = [words.next()?, words.next()?];
    let are_ranks = ends.iter().all(|end| is_number(end) || is_name(end));
    (are_ranks && words.next().is_none()).then_some((ends, data))
}

/// The list without braces, line by line, is a table with blanks.
fn read(
    source: &Source<'_>,
    weight: Weight,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let mut plain = Vec::with_capacity(source.bytes().len());
    let mut kind = None;
    let mut lines = 0;
    for (line_number, line) in source.lines() {
        plain.resize(plain.len() + line_number - 1 - lines, b'\n');
        lines = line_number;
        if table::is_record(line) {
            let error = |fault| source.error_in_line(line_number, fault);
            let expected = "two ends of an edge and its data in braces";
            let (ends, data) = parts_of(line).ok_or_else(|| error(Fault::wanted(expected)))?;
            let data = data_of(data).map_err(error)?;
            let first = *kind.get_or_insert(data);
            let columns = columns_of(data, first, weight).map_err(error)?;
            plain.extend_from_slice(&ends.join(&b' '));
            for value in columns {
                number::weight(value, Kind::Real).map_err(error)?;
                plain.push(b' ');
                plain.extend_from_slice(value);
            }
        } else {
            plain.extend_from_slice(line);
        }
        plain.push(b'\n');
    }
    let first = kind.unwrap_or_default();
    let columns = table::Columns::of_edges(first.bytes.is_some(), first.messages.is_some());
    let plain = Source::new(source.name(), &plain);
    table::read_edges(&plain, weight, table::Separator::Blanks, &columns, warnings)
}

/// The values of an edge. They have the same kinds as in the first line, so every line has the same
/// columns.
fn columns_of<'a>(
    data: Data<'a>,
    first: Data<'_>,
    weight: Weight,
) -> Result<impl Iterator<Item = &'a [u8]>, Fault> {
    let known = known_names();
    let missing = |name| Fault::Missing(format!("\"{name}\" is missing; known names: {known}"));
    let needs_bytes = first.messages.is_none() || weight == Weight::Bytes;
    if first.bytes.is_none() && first.has_more && needs_bytes {
        return Err(missing("bytes"));
    }
    for (name, here, there) in
        [("bytes", data.bytes, first.bytes), ("messages", data.messages, first.messages)]
    {
        match (here, there) {
            (None, Some(_)) => return Err(missing(name)),
            (Some(_), None) => {
                let fault = format!("\"{name}\" is here, and is missing in the first edge");
                return Err(Fault::Contradiction(fault));
            }
            _ => {}
        }
    }
    Ok(data.bytes.into_iter().chain(data.messages))
}

/// Reads pairs of a name and a value, as in `'weight': 5, 'label': 'a'`.
fn data_of(mut rest: &[u8]) -> Result<Data<'_>, Fault> {
    let mut data = Data::default();
    loop {
        rest = rest.trim_ascii();
        if rest.is_empty() {
            return Ok(data);
        }
        let (name, after) = until(rest, b':').ok_or_else(|| Fault::wanted("a name and a value"))?;
        let (value, after) = until(after, b',').unwrap_or((after, b""));
        rest = after;
        let (name, value) = (unquoted(name.trim_ascii()), bare(value.trim_ascii()));
        let place = match column_named(name) {
            Some(Column::Bytes) => &mut data.bytes,
            Some(Column::Messages) => &mut data.messages,
            _ => {
                data.has_more = true;
                continue;
            }
        };
        if place.replace(value).is_some() {
            return Err(Fault::Repeated("the same value appears twice".into()));
        }
    }
}

/// What is before the next `separator` outside quotes and brackets, and what is after it.
fn until(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let (mut quote, mut depth) = (None, 0usize);
    for (at, &byte) in text.iter().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if depth == 0 && byte == separator => return Some((&text[..at], &text[at + 1..])),
            None => match byte {
                b'\'' | b'"' => quote = Some(byte),
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            },
        }
    }
    None
}

fn unquoted(text: &[u8]) -> &[u8] {
    let within = |quote: &[u8]| text.strip_prefix(quote)?.strip_suffix(quote);
    within(b"'").or_else(|| within(b"\"")).unwrap_or(text)
}

/// The number in `np.float64(5.0)`, as NumPy writes it; anything else as it is.
fn bare(text: &[u8]) -> &[u8] {
    let inner = || {
        let call = text.strip_prefix(b"np.")?.strip_suffix(b")")?;
        let open = call.iter().position(|&byte| byte == b'(')?;
        Some(call[open + 1..].trim_ascii())
    };
    inner().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_may_be_of_any_kind() {
        let data = |text: &'static str| data_of(text.as_bytes());
        let weight = |value: &'static str| Some(value.as_bytes());
        assert_eq!(data(" ").unwrap(), Data::default());
        assert_eq!(data("'weight': 5").unwrap().bytes, weight("5"));
        assert_eq!(data("\"size\":2.5 , 'count': 3,").unwrap().messages, weight("3"));
        let odd = data("'a': 'x, y: {', 7: [1, (2, 3)], 'weight': np.float64(1e3)").unwrap();
        assert_eq!((odd.bytes, odd.has_more), (weight("1e3"), true));
        assert!(data("'weight'").is_err() && data("'weight': 1, 'bytes': 2").is_err());
    }
}
