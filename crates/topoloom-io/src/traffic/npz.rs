//! NumPy archives: one square matrix (`numpy.savez`), or a sparse one (`scipy.sparse.save_npz`).
//!
//! A sparse matrix is five arrays: `format`, `shape`, `data`, and `indices` with `indptr` (rows or
//! columns one after another: csr, csc) or `row` with `col` (coo). Entries for the same place add
//! up, as in SciPy.

use topoloom_core::words::counted;
use topoloom_core::{Entry, Traffic, TrafficBuilder, Weight};

use super::array::Array;
use super::format::{Format, FormatEntry};
use super::npy;
use super::ranks::{messages_and_bytes, ranks};
use super::zip::{self, Member};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::input_limit;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "npz",
    summary: "archive of NumPy with one square matrix, dense or sparse (scipy.sparse.save_npz)",
    example: "traffic.npz",
    parameters: &[],
    build: Format {
        endings: &["npz"],
        looks_like: |bytes| bytes.starts_with(zip::START),
        read: Some(read),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

fn read(source: &Source<'_>, weight: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let limit = input_limit::limit().map_err(|fault| source.error(fault))?;
    read_archive(source.bytes(), weight, limit).map_err(|fault| source.error(fault))
}

fn read_archive(bytes: &[u8], weight: Weight, limit: u64) -> Result<Traffic, Fault> {
    let mut archive = Archive { bytes, members: zip::members(bytes)?, limit };
    if let Some(other) = archive.members.iter().find(|member| !member.name.ends_with(ENDING)) {
        return Err(Fault::expected(
            format!("an archive of NumPy arrays, whose names end in {ENDING}"),
            shown(other.name.as_bytes()),
        ));
    }
    if archive.members.iter().any(|member| array_name(member) == FORMAT) {
        return sparse(&mut archive, weight);
    }
    match &archive.members[..] {
        [] => Err(Fault::Empty("the archive is empty".into())),
        [only] => {
            let content = only.content(bytes, limit)?;
            npy::matrix(&Array::parse(&content)?, weight)
        }
        several => {
            let names: Vec<&str> = several.iter().map(array_name).take(MOST_LISTED).collect();
            let more = if several.len() > MOST_LISTED { " and others" } else { "" };
            Err(Fault::expected(
                "one array or a sparse matrix of SciPy",
                format!("{}: {}{more}", counted(several.len(), "array"), names.join(", ")),
            ))
        }
    }
}

const ENDING: &str = ".npy";
/// The array that only sparse matrices have.
const FORMAT: &str = "format";
/// The most arrays that an error lists.
const MOST_LISTED: usize = 10;

fn array_name(member: &Member) -> &str {
    member.name.strip_suffix(ENDING).unwrap_or(&member.name)
}

struct Archive<'a> {
    bytes: &'a [u8],
    members: Vec<Member>,
    /// How many bytes may still be unpacked.
    limit: u64,
}

impl Archive<'_> {
    /// Gives the array of this name to `read`.
    fn with<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Array<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let member = self.members.iter().find(|member| array_name(member) == name);
        let member = member.ok_or_else(|| {
            Fault::Missing(format!("array \"{name}\" of the sparse matrix is missing"))
        })?;
        let content = member.content(self.bytes, self.limit)?;
        self.limit = self.limit.saturating_sub(content.len() as u64);
        let in_array = |fault: Fault| fault.within(format!("array \"{name}\""));
        read(&Array::parse(&content).map_err(in_array)?)
    }

    fn indices(&mut self, name: &str, bound: u64) -> Result<Vec<u64>, Fault> {
        self.with(name, |array| array.indices(name, bound))
    }

    fn weights(&mut self) -> Result<Vec<f64>, Fault> {
        self.with("data", |array| {
            let in_data = |fault: Fault| fault.within("array \"data\"");
            (0..array.len()).map(|place| array.weight(place).map_err(in_data)).collect()
        })
    }
}

fn sparse(archive: &mut Archive<'_>, weight: Weight) -> Result<Traffic, Fault> {
    let format = archive.with(FORMAT, |array| Ok(array.text().unwrap_or_default().to_vec()))?;
    let is_coordinates = match &format[..] {
        b"coo" => true,
        b"csr" | b"csc" => false,
        other => {
            let found = shown(other);
            return Err(Fault::Unsupported(format!(
                "sparse matrices of the format {found} are not supported; supported: csr, csc, coo"
            )));
        }
    };
    let shape = archive.indices("shape", u64::MAX)?;
    let ranks = match shape[..] {
        [rows, columns] if rows == columns => ranks(rows)?,
        _ => {
            let sides: Vec<String> = shape.iter().map(ToString::to_string).collect();
            return Err(Fault::expected("a square matrix", sides.join(" x ")));
        }
    };
    let bound = u64::from(ranks);
    let values = archive.weights()?;
    let (major, minor) = if is_coordinates {
        (archive.indices("row", bound)?, archive.indices("col", bound)?)
    } else {
        let starts = archive.indices("indptr", values.len() as u64 + 1)?;
        (spread(&starts, ranks, values.len())?, archive.indices("indices", bound)?)
    };
    if major.len() != values.len() || minor.len() != values.len() {
        return Err(Fault::expected(
            "as many indices as values",
            format!("{} and {} with {}", major.len(), minor.len(), counted(values.len(), "value")),
        ));
    }
    let by_column = format == b"csc";
    let mut builder = TrafficBuilder::with_capacity(ranks, values.len());
    for ((&major, &minor), &value) in major.iter().zip(&minor).zip(&values) {
        let (from, to) = if by_column { (minor, major) } else { (major, minor) };
        let (messages, bytes) = messages_and_bytes(value, weight);
        builder.add(from as u32, to as u32, messages, bytes);
    }
    Ok(builder.build())
}

/// The row of each entry, given that the rows begin at `starts`.
fn spread(starts: &[u64], ranks: u32, entries: usize) -> Result<Vec<u64>, Fault> {
    let rises = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    let is_whole = starts.first() == Some(&0) && starts.last() == Some(&(entries as u64));
    if starts.len() != ranks as usize + 1 || !rises || !is_whole {
        return Err(Fault::expected(
            format!(
                "{} in \"indptr\" that rise from 0 to {entries}",
                counted(u64::from(ranks) + 1, "number")
            ),
            "others",
        ));
    }
    let mut rows = Vec::with_capacity(entries);
    for (row, pair) in (0..).zip(starts.windows(2)) {
        rows.extend(std::iter::repeat_n(row, (pair[1] - pair[0]) as usize));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPARSE: &[u8] =
        include_bytes!("../../tests/data/files-people-have/traffic_csr_stored.npz");
    const DEFLATED: &[u8] =
        include_bytes!("../../tests/data/files-people-have/traffic_deflated.npz");

    fn refusal(bytes: &[u8], limit: u64) -> String {
        read_archive(bytes, Weight::Bytes, limit).unwrap_err().to_string()
    }

    #[test]
    fn an_encrypted_member_is_refused() {
        let mut bytes = SPARSE.to_vec();
        let entry = b"PK\x01\x02";
        let places = (0..bytes.len()).filter(|&at| SPARSE[at..].starts_with(entry));
        // Bit 0 of the flags of each member.
        places.for_each(|at| bytes[at + 8] |= 1);
        let error = refusal(&bytes, u64::MAX);
        assert!(error.ends_with("of the zip archive is encrypted"), "{error}");
    }

    #[test]
    fn a_member_that_unpacks_to_more_than_the_limit_is_refused() {
        // A matrix of 6 x 6 numbers has 288 bytes and a header.
        let error = refusal(DEFLATED, 100);
        assert!(error.contains("of the zip archive cannot be unpacked: "), "{error}");
        assert!(read_archive(DEFLATED, Weight::Bytes, 1000).is_ok());
    }

    #[test]
    fn rows_begin_at_0_rise_and_end_with_the_last_entry() {
        assert_eq!(spread(&[0, 2, 2, 3], 3, 3), Ok(vec![0, 0, 2]));
        let expected = "expected 4 numbers in \"indptr\" that rise from 0 to 3, found others";
        for wrong in
            [&[0, 2, 1, 3][..], &[1, 2, 2, 3], &[0, 2, 2, 2], &[0, 2, 3], &[0, 1, 2, 3, 3], &[]]
        {
            assert_eq!(spread(wrong, 3, 3).unwrap_err().to_string(), expected, "{wrong:?}");
        }
    }
}
