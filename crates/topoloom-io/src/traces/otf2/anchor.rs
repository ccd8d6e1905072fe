//! The anchor file, through which an archive is opened.

use super::bytes::Bytes;
use crate::text::error::ReadError;
use crate::text::fault::Fault;

/// The values that are needed to read the other files.
pub struct Anchor {
    pub event_chunk: u64,
    pub definition_chunk: u64,
}

const MAGIC: &[u8] = b"OTF2";

/// A chunk begins with 18 bytes.
const SMALLEST_CHUNK: u64 = 32;

/// Whether a file that starts with these bytes is an anchor.
pub fn looks_like(start: &[u8]) -> bool {
    start.get(2..).is_some_and(|rest| rest.starts_with(MAGIC))
}

pub fn read(mut bytes: Bytes<'_>) -> Result<Anchor, ReadError> {
    bytes.order()?;
    let start = bytes.position();
    if bytes.text()? != MAGIC {
        return Err(bytes.error_at(start, Fault::wanted("\"OTF2\"")));
    }
    // The version of this file, which later versions only extend, then the version of the archive.
    let (_file_format, trace_format) = (bytes.byte()?, bytes.byte()?);
    if trace_format > MOST_FORMAT {
        return Err(bytes.error_at(
            bytes.position() - 1,
            Fault::Unsupported(format!(
                "format {trace_format} is newer than this program, which reads up to 3"
            )),
        ));
    }
    let _library_version = (bytes.byte()?, bytes.byte()?, bytes.byte()?);
    let event_chunk = chunk_size(&mut bytes)?;
    let definition_chunk = chunk_size(&mut bytes)?;
    match bytes.byte()? {
        1 => {}
        2 => {
            return Err(bytes.error_at(
                bytes.position() - 1,
                Fault::Unsupported("SIONlib archives are not supported".into()),
            ));
        }
        other => {
            return Err(bytes.error_at(
                bytes.position() - 1,
                Fault::expected("files of the file system (1)", other),
            ));
        }
    }
    match bytes.byte()? {
        1 => Ok(Anchor { event_chunk, definition_chunk }),
        _ => Err(bytes.error_at(
            bytes.position() - 1,
            Fault::Unsupported("compressed archives are not supported".into()),
        )),
    }
}

/// The newest format of archives that is read.
const MOST_FORMAT: u8 = 3;

fn chunk_size(bytes: &mut Bytes<'_>) -> Result<u64, ReadError> {
    let start = bytes.position();
    match bytes.full_64()? {
        size if size < SMALLEST_CHUNK => {
            let fault = Fault::expected(format!("chunks of at least {SMALLEST_CHUNK} bytes"), size);
            Err(bytes.error_at(start, fault))
        }
        size => Ok(size),
    }
}
