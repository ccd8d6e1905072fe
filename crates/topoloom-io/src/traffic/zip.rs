//! The members of a zip archive, stored or deflated, as Python packs several arrays into one file.
//!
//! The list at the end of the archive says where they are. Sizes in it are not trusted: the
//! unpacked content is limited like any other input.

use std::borrow::Cow;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::text::fault::Fault;
use crate::text::input_limit;

/// The beginning of a zip archive that has members.
pub(super) const START: &[u8] = b"PK\x03\x04";

/// The end of the list of members, and how long it is without its comment.
const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
/// The longest comment that may follow it.
const LONGEST_COMMENT: usize = u16::MAX as usize;
/// An entry of the list, and how long it is without its name.
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LENGTH: usize = 46;
/// How long the header before a member is without its name.
const HEADER_LENGTH: usize = 30;

/// One file of an archive.
pub(super) struct Member {
    pub name: String,
    is_encrypted: bool,
    method: u16,
    checksum: u32,
    packed_size: u32,
    size: u32,
    /// Where its header is.
    at: u32,
}

/// The files of the archive `bytes`.
pub(super) fn members(bytes: &[u8]) -> Result<Vec<Member>, Fault> {
    let cut_off = || {
        let message = "the zip archive is damaged or cut off: its list of members is missing";
        Fault::CutShort(message.into())
    };
    let first = bytes.len().saturating_sub(END_LENGTH + LONGEST_COMMENT);
    let found = bytes[first..].windows(END.len()).rposition(|window| window == END);
    let end = found.and_then(|place| bytes[first + place..].get(..END_LENGTH));
    let end = end.ok_or_else(cut_off)?;
    let mut at = long(end, 16)? as usize;
    // Larger archives have these numbers elsewhere.
    if long(end, 16)? == u32::MAX || short(end, 10)? == u16::MAX {
        return Err(Fault::Unsupported(
            "zip archives of 4 GiB or 65535 members and more are not read".into(),
        ));
    }
    let mut members = Vec::new();
    for _ in 0..short(end, 10)? {
        let entry = bytes.get(at..).filter(|entry| entry.starts_with(ENTRY));
        let entry = entry.ok_or_else(cut_off)?;
        let name_length = usize::from(short(entry, 28)?);
        let name = entry.get(ENTRY_LENGTH..).and_then(|rest| rest.get(..name_length));
        members.push(Member {
            name: String::from_utf8_lossy(name.ok_or_else(cut_off)?).into_owned(),
            is_encrypted: short(entry, 8)? & 1 == 1,
            method: short(entry, 10)?,
            checksum: long(entry, 16)?,
            packed_size: long(entry, 20)?,
            size: long(entry, 24)?,
            at: long(entry, 42)?,
        });
        let after_name = usize::from(short(entry, 30)?) + usize::from(short(entry, 32)?);
        at += ENTRY_LENGTH + name_length + after_name;
    }
    Ok(members)
}

impl Member {
    /// The content of the member, if it has at most `limit` bytes.
    pub fn content<'a>(&self, archive: &'a [u8], limit: u64) -> Result<Cow<'a, [u8]>, Fault> {
        let name = &self.name;
        let damaged = || {
            Fault::Damaged(format!("member \"{name}\" of the zip archive is damaged or cut off"))
        };
        if self.is_encrypted {
            return Err(Fault::Unsupported(format!(
                "member \"{name}\" of the zip archive is encrypted"
            )));
        }
        let header = archive.get(self.at as usize..).filter(|header| header.starts_with(START));
        let header = header.ok_or_else(damaged)?;
        let names = usize::from(short(header, 26)?) + usize::from(short(header, 28)?);
        let packed = header.get(HEADER_LENGTH + names..);
        let packed = packed.and_then(|rest| rest.get(..self.packed_size as usize));
        let packed = packed.ok_or_else(damaged)?;
        let content = match self.method {
            0 => Cow::Borrowed(packed),
            8 => {
                let unpacked = input_limit::read_up_to(DeflateDecoder::new(packed), 0, limit);
                let refusal = |error| {
                    let fault = Fault::inside(&error).cloned();
                    let fault = fault.unwrap_or_else(|| Fault::Damaged(error.to_string()));
                    fault.within(format!("member \"{name}\" of the zip archive cannot be unpacked"))
                };
                Cow::Owned(unpacked.map_err(refusal)?)
            }
            other => {
                return Err(Fault::Unsupported(format!(
                    "member \"{name}\" of the zip archive is packed by method {other}; known: 0 \
                     (stored), 8 (deflated)"
                )));
            }
        };
        let mut checksum = Crc::new();
        checksum.update(&content);
        if content.len() != self.size as usize || checksum.sum() != self.checksum {
            return Err(damaged());
        }
        Ok(content)
    }
}

fn short(bytes: &[u8], at: usize) -> Result<u16, Fault> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.map(|bytes| u16::from_le_bytes(*bytes)).ok_or_else(too_short)
}

fn long(bytes: &[u8], at: usize) -> Result<u32, Fault> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(too_short)
}

fn too_short() -> Fault {
    Fault::CutShort("the zip archive is cut off".into())
}
