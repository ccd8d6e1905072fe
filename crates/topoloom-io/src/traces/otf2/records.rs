//! The records of a file, chunk by chunk.

use super::bytes::Bytes;
use crate::text::error::ReadError;
use crate::text::fault::Fault;

/// One record.
pub struct Record<'a> {
    pub kind: u8,
    /// In event files: when it happened, in ticks.
    pub time: u64,
    /// What it says, without its kind and its length.
    pub content: Bytes<'a>,
}

/// Which file it is: kinds mean different things.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum File {
    Definitions,
    Events,
}

// Records that any file may have in addition to its own.
const END_OF_CHUNK: u8 = 0;
const END_OF_BUFFER: u8 = 1;
const END_OF_FILE: u8 = 2;

// Records that come before an event in event files.
const TIME: u8 = 5;
const ATTRIBUTES: u8 = 6;

/// Events of one number have no length except that of the number. Otherwise an undefined number,
/// which is the single byte 255, would be treated as the length of a long record.
const OF_ONE_NUMBER: &[u8] = &[12, 13, 16, 17, 20, 21, 24, 28, 29, 30, 35, 36, 55, 56, 67];

/// Calls `visit` with every record of a file that is written in chunks of this size.
pub fn for_each<'a>(
    mut bytes: Bytes<'a>,
    file: File,
    chunk_size: u64,
    mut visit: impl FnMut(Record<'a>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let chunk_size = usize::try_from(chunk_size).unwrap_or(usize::MAX);
    let mut time = 0;
    chunk_head(&mut bytes)?;
    loop {
        if bytes.remaining() == 0 {
            return Err(bytes.error(Fault::CutShort("the file ends without its end mark".into())));
        }
        let position = bytes.position();
        match bytes.byte()? {
            END_OF_FILE => return Ok(()),
            END_OF_CHUNK | END_OF_BUFFER => {
                bytes.go_to((position / chunk_size + 1).saturating_mul(chunk_size));
                if bytes.remaining() == 0 {
                    return Err(
                        bytes.error(Fault::CutShort("the file ends without its end mark".into()))
                    );
                }
                chunk_head(&mut bytes)?;
            }
            TIME if file == File::Events => time = bytes.full_64()?,
            kind => {
                let content = match file == File::Events && OF_ONE_NUMBER.contains(&kind) {
                    true => number_alone(&mut bytes)?,
                    false => with_length(&mut bytes)?,
                };
                if file == File::Events && kind == ATTRIBUTES {
                    continue;
                }
                visit(Record { kind, time, content })?;
            }
        }
    }
}

/// The byte order and the numbers of the first and the last event.
fn chunk_head(bytes: &mut Bytes<'_>) -> Result<(), ReadError> {
    bytes.order()?;
    bytes.full_64()?;
    bytes.full_64()?;
    Ok(())
}

/// The number of a record that contains nothing else, with its length.
fn number_alone<'a>(bytes: &mut Bytes<'a>) -> Result<Bytes<'a>, ReadError> {
    let length = match bytes.clone().byte()? {
        0xff => 0,
        length => u64::from(length),
    };
    bytes.part(1 + length)
}

/// Long records have 255 as their length, followed by the real one.
fn with_length<'a>(bytes: &mut Bytes<'a>) -> Result<Bytes<'a>, ReadError> {
    let length = match bytes.byte()? {
        0xff => bytes.full_64()?,
        length => u64::from(length),
    };
    bytes.part(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (kind, time, bytes of content) of each record of an event file of chunks of 40 bytes.
    fn records(bytes: &[u8]) -> Result<Vec<(u8, u64, usize)>, String> {
        let mut found = Vec::new();
        let visit = |record: Record<'_>| {
            found.push((record.kind, record.time, record.content.remaining()));
            Ok(())
        };
        let result = for_each(Bytes::new("a", bytes), File::Events, 40, visit);
        result.map(|()| found).map_err(|error| error.to_string())
    }

    /// A chunk: its byte order, its records, and 0 up to its end.
    fn chunk(order: u8, records: &[u8]) -> Vec<u8> {
        let mut chunk = vec![0; 40];
        chunk[..2].copy_from_slice(&[3, order]);
        chunk[18..18 + records.len()].copy_from_slice(records);
        chunk
    }

    #[test]
    fn records_go_on_in_the_next_chunk_whatever_its_order_of_bytes() {
        let first = chunk(0x42, &[5, 7, 0, 0, 0, 0, 0, 0, 0, 12, 1, 9]);
        // An attribute list, which is skipped; then an empty record.
        let second = chunk(0x23, &[5, 0, 0, 0, 0, 0, 0, 0, 8, 6, 2, 1, 1, 25, 0, 2]);
        let found = records(&[first, second].concat());
        assert_eq!(found, Ok(vec![(12, 7, 2), (25, 8, 0)]));
    }

    #[test]
    fn long_records_have_their_length_in_eight_bytes_and_undefined_numbers_none() {
        let mut long = vec![31, 0xff, 0, 1, 0, 0, 0, 0, 0, 0];
        long.extend([1; 256]);
        let content = [&long[..], &[13, 0xff, 2]].concat();
        let bytes = [&[3, 0x42][..], &[0; 16], &content].concat();
        assert_eq!(records(&bytes), Ok(vec![(31, 0, 256), (13, 0, 1)]));
    }

    #[test]
    fn an_end_without_a_mark_is_an_error() {
        let end = "the file ends without its end mark";
        assert_eq!(records(&chunk(0x42, &[])), Err(format!("a: byte 40: {end}")));
        let bytes = [&[3, 0x42][..], &[0; 16], &[25, 0]].concat();
        assert_eq!(records(&bytes), Err(format!("a: byte 20: {end}")));
        let twice = [chunk(0x42, &[25, 0]), vec![7; 40]].concat();
        let expected = "a: byte 40: expected the beginning of a chunk (3), found 7";
        assert_eq!(records(&twice), Err(expected.to_string()));
    }
}
