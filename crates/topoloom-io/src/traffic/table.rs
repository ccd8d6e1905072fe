//! Edge lists and square matrices as text tables, with any separator between the columns.
//!
//! An edge list has the columns from, to, bytes and possibly messages, in this order or, under a
//! header line with their names, in any order. Ranks count from 0; there are as many as the highest
//! number says, or more if a comment `# ranks: N` says so. They may have names instead, all of them
//! ([`super::names`]). A matrix has one row per sender.
//!
//! A header of known names or a `# ranks:` comment makes a table an edge list. Otherwise n rows of
//! n columns are a matrix, and any other number of rows of 3 or 4 columns an edge list. 3 rows of 3
//! columns and 4 of 4 can be both, also under a header of other names: they are a matrix if no rank
//! sends to itself, that is, if the diagonal is 0, or if the first two columns cannot be pairs of
//! different ranks. With tabs or
//! blanks, 2 columns are an edge list too, of edges that weigh 1.
//!
//! A matrix may have labels: of its columns in a first line, and then possibly of its rows in a first
//! column. The labels of the columns become ranks in their order; those of the rows must be the same.
//! With labels of rows, a cell may be empty or `NaN`: nothing is sent there.
//!
//! Without a column of messages, a line is one message of that many bytes, or that many messages if
//! messages are what counts.

use std::io::{self, Write};

use topoloom_core::words::counted;
use topoloom_core::{Traffic, TrafficBuilder, Weight};

use super::columns::{KINDS, column_named, known_names, main_names};
use super::labels::{self, Labels, is_number};
use super::names::{Names, is_name, mixed};
use super::ranks::{MAX_RANKS, messages_and_bytes, ranks, warn_about_rank_weights};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, Decimal, Kind, shown};
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// What is between columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Byte(u8),
    /// Any number of blanks.
    Blanks,
}

/// The first line that is neither blank nor a comment.
pub(super) fn first_record(bytes: &[u8]) -> &[u8] {
    let first = Source::new("", bytes).lines().find(|(_, line)| is_record(line));
    first.map(|(_, line)| line).unwrap_or_default()
}

/// Whether the first line that is not a comment holds numbers or column names, or labels above
/// numbers.
pub(super) fn looks_like(bytes: &[u8], separator: Separator) -> bool {
    let source = Source::new("", bytes);
    let mut records = source.lines().filter(|(_, line)| is_record(line));
    let mut next = || records.next().map(|(_, line)| fields(line, separator).collect::<Vec<_>>());
    let Some(first) = next() else { return false };
    if first.len() < 2 {
        return false;
    }
    let are_numbers = |fields: &[&[u8]]| fields.iter().all(|field| is_number(field));
    if are_numbers(&first) || first.iter().all(|field| column_named(field).is_some()) {
        return true;
    }
    // Source code or markup is not a label.
    let is_label = |field: &&[u8]| !field.is_empty() && !b"{[<@%".contains(&field[0]);
    if !first[1..].iter().all(&is_label) {
        return false;
    }
    let is_over_numbers = next().is_some_and(|second| {
        let widths = first.len()..=first.len() + 1;
        let are_values = |fields: &[&[u8]]| {
            fields.iter().all(|field| is_number(field) || has_no_value(field))
                && fields.iter().any(|field| is_number(field))
        };
        widths.contains(&second.len()) && are_values(&second[1..])
    });
    first[0].is_empty() || (is_label(&first[0]) && is_over_numbers)
}

pub(super) fn read(
    source: &Source<'_>,
    weight: Weight,
    separator: Separator,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let table = Table { source, separator, weight };
    let announced = table.announced_ranks()?;
    let Some((first_line, first)) = table.records().next() else {
        return match announced {
            Some(ranks) => Ok(TrafficBuilder::new(ranks).build()),
            None => Err(source.error(Fault::Empty("the file has only comments".into()))),
        };
    };
    if announced.is_none()
        && let Some(labels) = table.labels()?
    {
        return table.read_matrix(Some(&labels), labels.count(), warnings);
    }
    let width = fields(first, separator).count();
    let has_index = is_index_header(fields(first, separator).next().unwrap_or_default());
    if has_index || !fields(first, separator).any(is_number) {
        let columns = table.named_columns(first_line, first)?;
        return table.read_edges(&columns, 1, announced, warnings);
    }
    if (3..=4).contains(&width) && fields(first, separator).take(2).all(is_name) {
        return table.read_edges(&Columns::in_order(width), 0, announced, warnings);
    }
    let height = table.records().count();
    if announced.is_none() && height == width && !table.is_small_edge_list(width, 0) {
        return table.read_matrix(None, width, warnings);
    }
    match width {
        3 | 4 => table.read_edges(&Columns::in_order(width), 0, announced, warnings),
        2 if table.may_have_two_columns() => {
            table.read_edges(&Columns::in_order(width), 0, announced, warnings)
        }
        _ if announced.is_some() => {
            let fault = Fault::expected("3 or 4 columns", width);
            Err(source.error_in_line(first_line, fault))
        }
        _ => Err(source.error(Fault::expected(
            "columns from, to, bytes[, messages] or a square matrix",
            format!("{height} x {width} numbers"),
        ))),
    }
}

/// Reads a list of edges whose columns are known.
pub(super) fn read_edges(
    source: &Source<'_>,
    weight: Weight,
    separator: Separator,
    columns: &Columns,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let table = Table { source, separator, weight };
    table.read_edges(columns, 0, table.announced_ranks()?, warnings)
}

pub(super) fn write(
    traffic: &Traffic,
    writer: &mut dyn Write,
    separator: u8,
) -> io::Result<Warnings> {
    let separator = char::from(separator);
    writeln!(writer, "# ranks: {}", traffic.num_ranks())?;
    writeln!(writer, "{}", main_names().join(&separator.to_string()))?;
    for flow in traffic.flows() {
        let (bytes, messages) = (Decimal(flow.bytes), Decimal(flow.messages));
        writeln!(
            writer,
            "{}{separator}{}{separator}{bytes}{separator}{messages}",
            flow.from.0, flow.to.0
        )?;
    }
    Ok(warn_about_rank_weights(traffic, "an edge list"))
}

/// The positions of the columns of an edge list.
pub(super) struct Columns {
    count: usize,
    from: usize,
    to: usize,
    bytes: Option<usize>,
    messages: Option<usize>,
}

impl Columns {
    fn in_order(count: usize) -> Columns {
        Columns::of_edges(count > 2, count > 3)
    }

    /// From, to, and those of bytes and messages that there are.
    pub(super) fn of_edges(bytes: bool, messages: bool) -> Columns {
        let count = 2 + usize::from(bytes) + usize::from(messages);
        let bytes = bytes.then_some(2);
        Columns { count, from: 0, to: 1, bytes, messages: messages.then_some(count - 1) }
    }
}

struct Table<'a> {
    source: &'a Source<'a>,
    separator: Separator,
    weight: Weight,
}

impl<'a> Table<'a> {
    /// The lines that are neither blank nor comments, with their numbers.
    fn records(&self) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
        self.source.lines().filter(|(_, line)| is_record(line))
    }

    /// Whether edges may have no weight: such lists are separated by blanks or tabs.
    fn may_have_two_columns(&self) -> bool {
        matches!(self.separator, Separator::Blanks | Separator::Byte(b'\t'))
    }

    /// The labels of the columns, if this is a matrix with labels.
    fn labels(&self) -> Result<Option<Labels<'a>>, ReadError> {
        let mut records = self.records();
        let Some((line_number, header)) = records.next() else { return Ok(None) };
        let fields_of = |line: &'a [u8]| fields(line, self.separator).collect::<Vec<_>>();
        let second = records.next().map(|(_, line)| fields_of(line)).unwrap_or_default();
        let rows = self
            .records()
            .skip(1)
            .map(|(_, line)| fields(line, self.separator).next().unwrap_or_default());
        let header = fields_of(header);
        let found = labels::find(&header, &second, rows, self.may_have_two_columns());
        let labels = found.map_err(|fault| self.source.error_in_line(line_number, fault))?;
        // Names above edges are those of columns, known or not.
        let is_matrix =
            |labels: &Labels<'_>| labels.are_of_rows || !self.is_small_edge_list(header.len(), 1);
        Ok(labels.filter(is_matrix))
    }

    /// Whether a table of as many rows as columns, 3 or 4, is an edge list after all. Above the
    /// rows are this many lines of `names`.
    fn is_small_edge_list(&self, width: usize, names: usize) -> bool {
        let fits = (3..=4).contains(&width) || (width == 2 && self.may_have_two_columns());
        if !fits {
            return false;
        }
        let rows = self.records().skip(names);
        let rows: Vec<Vec<&[u8]>> =
            rows.map(|(_, line)| fields(line, self.separator).collect()).collect();
        if rows.len() != width {
            return false;
        }
        let is_zero = |field: &[u8]| number::weight(field, Kind::Real) == Ok(0.0);
        let empty_diagonal = (0..width).all(|at| rows[at].get(at).is_some_and(|f| is_zero(f)));
        let pairs: Vec<(u32, u32)> = rows
            .iter()
            .filter_map(|row| Some((rank(row.first()?).ok()?, rank(row.get(1)?).ok()?)))
            .filter(|(from, to)| from != to)
            .collect();
        let distinct = (1..pairs.len()).all(|at| !pairs[..at].contains(&pairs[at]));
        !empty_diagonal && pairs.len() == width && distinct
    }

    /// The largest number in a comment `# ranks: N`.
    fn announced_ranks(&self) -> Result<Option<u32>, ReadError> {
        let mut most = None;
        for (line_number, line) in self.source.lines() {
            let Some(count) = announcement(line) else { continue };
            let announced = number::count(count)
                .and_then(ranks)
                .map_err(|fault| self.source.error_in_line(line_number, fault))?;
            most = most.max(Some(announced));
        }
        Ok(most)
    }

    fn named_columns(&self, line_number: usize, header: &[u8]) -> Result<Columns, ReadError> {
        let error = |fault| Err(self.source.error_in_line(line_number, fault));
        let mut place = [None; KINDS];
        let mut count = 0;
        for field in fields(header, self.separator) {
            if count == 0 && is_index_header(field) {
                count += 1;
                continue;
            }
            let Some(column) = column_named(field) else {
                return error(Fault::unknown(format!("column {}", shown(field)), known_names()));
            };
            if place[column as usize].replace(count).is_some() {
                return error(Fault::Repeated(format!("column {} appears twice", shown(field))));
            }
            count += 1;
        }
        match place {
            [None, ..] => error(Fault::Missing("column \"from\" is missing".into())),
            [_, None, ..] => error(Fault::Missing("column \"to\" is missing".into())),
            // Without bytes, the file only says something about messages.
            [_, _, None, messages] if messages.is_none() || self.weight == Weight::Bytes => {
                error(Fault::Missing("column \"bytes\" is missing".into()))
            }
            [Some(from), Some(to), bytes, messages] => {
                Ok(Columns { count, from, to, bytes, messages })
            }
        }
    }

    fn read_edges(
        &self,
        columns: &Columns,
        header_lines: usize,
        announced: Option<u32>,
        warnings: &mut Warnings,
    ) -> Result<Traffic, ReadError> {
        let names = self.names(columns, header_lines)?;
        let mut flows = Vec::new();
        let mut num_ranks = announced.unwrap_or(0);
        for (line_number, line) in self.records().skip(header_lines) {
            let flow = self
                .edge(columns, names.as_ref(), line)
                .map_err(|fault| self.source.error_in_line(line_number, fault))?;
            num_ranks = num_ranks.max(flow.0 + 1).max(flow.1 + 1);
            flows.push(flow);
        }
        if num_ranks == 0 {
            return Err(self.source.error(Fault::Empty("the edge list has no lines".into())));
        }
        ranks(num_ranks.into()).map_err(|fault| self.source.error(fault))?;
        let mut builder = TrafficBuilder::with_capacity(num_ranks, flows.len());
        for (from, to, messages, bytes) in flows {
            builder.add(from, to, messages, bytes);
        }
        warnings.extend(names.and_then(|names| names.note()));
        Ok(builder.build())
    }

    /// The names of the ranks, if the first line has names instead of numbers.
    fn names(
        &self,
        columns: &Columns,
        header_lines: usize,
    ) -> Result<Option<Names<'a>>, ReadError> {
        let pair = |line: &'a [u8]| {
            let mut fields = fields(line, self.separator);
            let first = fields.nth(columns.from.min(columns.to))?;
            let second = fields.nth(columns.from.abs_diff(columns.to) - 1)?;
            Some([first, second])
        };
        let mut lines = self.records().skip(header_lines);
        let first = lines.next().and_then(|(_, line)| pair(line));
        if !first.is_some_and(|pair| pair.into_iter().all(is_name)) {
            return Ok(None);
        }
        let mut names = Names::default();
        for (line_number, line) in self.records().skip(header_lines) {
            let error = |fault| self.source.error_in_line(line_number, fault);
            // Lines of another width are refused when they are read.
            for name in pair(line).into_iter().flatten() {
                names.add(name).map_err(error)?;
            }
        }
        names.number();
        Ok(Some(names))
    }

    /// Sender, receiver, messages and bytes of a line.
    fn edge(
        &self,
        columns: &Columns,
        names: Option<&Names<'_>>,
        line: &[u8],
    ) -> Result<(u32, u32, f64, f64), Fault> {
        // One more than there are kinds, because a first column may only number the lines.
        let mut values: [&[u8]; KINDS + 1] = [b""; KINDS + 1];
        let mut found = 0;
        for field in fields(line, self.separator) {
            if let Some(value) = values.get_mut(found) {
                *value = field;
            }
            found += 1;
        }
        if found != columns.count {
            return Err(wrong_width(columns.count, found));
        }
        let rank_of = |column: usize| match names {
            Some(names) => names.rank(values[column]),
            None => rank(values[column]),
        };
        let (from, to) = (rank_of(columns.from)?, rank_of(columns.to)?);
        let value = |column: usize| number::weight(values[column], Kind::Real);
        let (messages, bytes) = match (columns.messages, columns.bytes) {
            (Some(messages), Some(bytes)) => (value(messages)?, value(bytes)?),
            (Some(only), None) | (None, Some(only)) => {
                messages_and_bytes(value(only)?, self.weight)
            }
            (None, None) => messages_and_bytes(1.0, self.weight),
        };
        Ok((from, to, messages, bytes))
    }

    /// One row per sender; with labels, a line of labels before the rows.
    fn read_matrix(
        &self,
        labels: Option<&Labels<'_>>,
        side: usize,
        warnings: &mut Warnings,
    ) -> Result<Traffic, ReadError> {
        let num_ranks = ranks(side as u64).map_err(|fault| self.source.error(fault))?;
        let has_index = labels.is_some_and(|labels| labels.are_of_rows);
        let width = side + usize::from(has_index);
        let mut builder = TrafficBuilder::new(num_ranks);
        let mut without_value = 0;
        let rows = self.records().skip(usize::from(labels.is_some()));
        for (place, (line_number, line)) in (0..num_ranks).zip(rows) {
            let error = |fault| self.source.error_in_line(line_number, fault);
            let found = fields(line, self.separator).count();
            if found != width {
                return Err(error(wrong_width(width, found)));
            }
            let mut fields = fields(line, self.separator);
            let from = match labels.filter(|_| has_index) {
                Some(labels) => labels.rank(fields.next().unwrap_or_default()).map_err(error)?,
                None => place,
            };
            for (to, field) in (0..num_ranks).zip(fields) {
                // Where a table of pandas has no value, nothing was sent.
                if has_index && has_no_value(field) {
                    without_value += 1;
                    continue;
                }
                let value = number::weight(field, Kind::Real).map_err(error)?;
                let (messages, bytes) = messages_and_bytes(value, self.weight);
                builder.add(from, to, messages, bytes);
            }
        }
        if without_value > 0 {
            let cells = counted(without_value, "cell");
            warnings.push(format!("{cells} without a value: nothing is sent there"));
        }
        Ok(builder.build())
    }
}

/// Whether a cell is empty or holds what stands for no number.
fn has_no_value(field: &[u8]) -> bool {
    field.is_empty() || field.eq_ignore_ascii_case(b"nan")
}

fn wrong_width(expected: usize, found: usize) -> Fault {
    Fault::expected(counted(expected, "column"), found)
}

fn rank(field: &[u8]) -> Result<u32, Fault> {
    let rank = number::count(field).or_else(|fault| {
        let fault = if is_name(field) { mixed("a whole number", field) } else { fault };
        whole(field).ok_or(fault)
    })?;
    match u32::try_from(rank) {
        Ok(rank) if u64::from(rank) < MAX_RANKS => Ok(rank),
        _ => Err(Fault::OutOfRange(format!(
            "rank {rank} is too high; at most {MAX_RANKS} ranks are supported"
        ))),
    }
}

/// The whole number that is written as a real one, such as `1.0` or `1e+00`.
fn whole(field: &[u8]) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = number::weight(field, Kind::Real).ok()?;
    (number.fract() == 0.0 && number < EXACT).then_some(number as u64)
}

pub(super) fn is_record(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    !line.is_empty() && line[0] != b'#'
}

/// The `N` of a comment `# ranks: N`.
fn announcement(line: &[u8]) -> Option<&[u8]> {
    const WORD: &[u8] = b"ranks:";
    let comment = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let (word, count) = comment.split_at_checked(WORD.len())?;
    word.eq_ignore_ascii_case(WORD).then(|| count.trim_ascii())
}

/// The columns of a line, without quotes and spaces around them.
fn fields(line: &[u8], separator: Separator) -> Fields<'_> {
    Fields { rest: Some(line), separator }
}

struct Fields<'a> {
    rest: Option<&'a [u8]>,
    separator: Separator,
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let (rest, end) = match self.separator {
            Separator::Byte(separator) => (rest, rest.iter().position(|&byte| byte == separator)),
            Separator::Blanks => {
                let rest = rest.trim_ascii_start();
                if rest.is_empty() {
                    return None;
                }
                (rest, rest.iter().position(u8::is_ascii_whitespace))
            }
        };
        let (field, after) = match end {
            Some(end) => (&rest[..end], Some(&rest[end + 1..])),
            None => (rest, None),
        };
        self.rest = after;
        let field = field.trim_ascii();
        let unquoted = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        Some(unquoted.map_or(field, <[u8]>::trim_ascii))
    }
}

/// Whether a first column of this name only numbers the lines, as pandas writes it.
fn is_index_header(name: &[u8]) -> bool {
    name.is_empty() || name == b"Unnamed: 0"
}
