//! The records of a file, chunk by chunk.

use super::bytes::Bytes;
use crate::error::ReadError;

/// One record.
pub struct Record<'a> {
    pub kind: u8,
    /// Of event files: when it happened, in ticks.
    pub time: u64,
    /// Where it begins in the file.
    pub position: usize,
    /// What it says, without its kind and its length.
    pub content: Bytes<'a>,
}

/// Which file it is: kinds mean different things.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum File {
    Definitions,
    Events,
}

// What is in any file beside its own records.
const END_OF_CHUNK: u8 = 0;
const END_OF_BUFFER: u8 = 1;
const END_OF_FILE: u8 = 2;

// What is in event files before an event.
const TIME: u8 = 5;
const ATTRIBUTES: u8 = 6;

/// Events of one number have no length but that of the number. An undefined number, which is the
/// byte 255 alone, would else pass for the length of a long record.
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
            return Err(bytes.error("the file ends without its end mark"));
        }
        let position = bytes.position();
        match bytes.byte()? {
            END_OF_FILE => return Ok(()),
            END_OF_CHUNK | END_OF_BUFFER => {
                bytes.go_to((position / chunk_size + 1).saturating_mul(chunk_size));
                if bytes.remaining() == 0 {
                    return Err(bytes.error("the file ends without its end mark"));
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
                visit(Record { kind, time, position, content })?;
            }
        }
    }
}

/// The order of bytes and the numbers of the first and the last event.
fn chunk_head(bytes: &mut Bytes<'_>) -> Result<(), ReadError> {
    bytes.order()?;
    bytes.full_64()?;
    bytes.full_64()?;
    Ok(())
}

/// The number of a record that has nothing else, with its length.
fn number_alone<'a>(bytes: &mut Bytes<'a>) -> Result<Bytes<'a>, ReadError> {
    let length = match bytes.clone().byte()? {
        0xff => 0,
        length => u64::from(length),
    };
    bytes.part(1 + length)
}

/// Long records have 255 as their length, and the true one behind it.
fn with_length<'a>(bytes: &mut Bytes<'a>) -> Result<Bytes<'a>, ReadError> {
    let length = match bytes.byte()? {
        0xff => bytes.full_64()?,
        length => u64::from(length),
    };
    bytes.part(length)
}
