//! The frame of the file: its head, and sections, each with a name, a length and a checksum.

use std::collections::HashMap;
use std::io::{self, Write};

use super::crc32::{Crc32, crc32};
use crate::text::fault::Fault;
use topoloom_core::words::counted;

/// What a recording begins with.
const MAGIC: &[u8; 16] = b"topoloom record\n";

/// The version that is written, and the newest that is read.
const VERSION: u16 = 1;

/// The flag of files with events.
const HAS_EVENTS: u16 = 1;

/// Magic, version and flags.
const HEAD: usize = MAGIC.len() + 4;

const FIRST: &str = "rank";
const LAST: &str = "end ";

/// Whether a file with this beginning is a recording.
pub fn is_recording(beginning: &[u8]) -> bool {
    beginning.starts_with(MAGIC)
}

/// Whether a file with this beginning of 20 bytes or more is a recording with events.
pub fn recording_has_events(beginning: &[u8]) -> bool {
    head(beginning).is_ok_and(|has_events| has_events)
}

/// Whether there are events.
fn head(bytes: &[u8]) -> Result<bool, Fault> {
    if !is_recording(bytes) {
        return Err(Fault::WrongInput(
            "not a recording: it does not begin with \"topoloom record\"".into(),
        ));
    }
    let Some(fields) = bytes.get(MAGIC.len()..HEAD) else {
        return Err(Fault::CutShort(format!("cut short: it ends within its first {HEAD} bytes")));
    };
    let field = |place: usize| u16::from_le_bytes([fields[place], fields[place + 1]]);
    let (version, flags) = (field(0), field(2));
    if version > VERSION {
        return Err(Fault::Unsupported(format!(
            "written by a later version: version {version}, known up to {VERSION}"
        )));
    }
    if version == 0 {
        return Err(Fault::expected(format!("version {VERSION}"), "0"));
    }
    if flags & !HAS_EVENTS != 0 {
        return Err(Fault::unknown(format!("flags {flags:#x}"), format!("{HAS_EVENTS:#x}")));
    }
    Ok(flags == HAS_EVENTS)
}

/// The sections of a file, with correct checksums.
pub struct Sections<'a> {
    pub has_events: bool,
    payloads: HashMap<&'a [u8], &'a [u8]>,
}

impl<'a> Sections<'a> {
    pub fn split(bytes: &'a [u8]) -> Result<Sections<'a>, Fault> {
        let has_events = head(bytes)?;
        let mut sections = Sections { has_events, payloads: HashMap::new() };
        let mut rest = &bytes[HEAD..];
        loop {
            let at = bytes.len() - rest.len();
            let (name, payload, behind) = section(rest, at)?;
            rest = behind;
            let shown = name.trim_ascii_end().escape_ascii();
            if sections.payloads.is_empty() && name != FIRST.as_bytes() {
                return Err(Fault::expected(format!("the section {FIRST} first"), shown));
            }
            if sections.payloads.insert(name, payload).is_some() {
                return Err(Fault::Repeated(format!("{shown}: the section appears twice")));
            }
            if name == LAST.as_bytes() {
                break;
            }
        }
        let last = sections.payload(LAST).map_or(0, <[u8]>::len);
        if last > 0 {
            return Err(Fault::expected("an empty section", counted(last, "byte")).within("end"));
        }
        match rest.len() {
            0 => Ok(sections),
            more => Err(Fault::expected("nothing after the section end", counted(more, "byte"))),
        }
    }

    /// The content of the section with this name.
    pub fn payload(&self, name: &str) -> Option<&'a [u8]> {
        self.payloads.get(name.as_bytes()).copied()
    }
}

/// The name and the payload of a section, and the bytes after it.
type Split<'a> = (&'a [u8], &'a [u8], &'a [u8]);

/// Splits off the section at the beginning of `bytes`, which start at this place in the file.
fn section(bytes: &[u8], at: usize) -> Result<Split<'_>, Fault> {
    if bytes.is_empty() {
        return Err(Fault::CutShort("cut short: the section end is missing".into()));
    }
    let cut = || Fault::CutShort(format!("cut short: it ends within the section at byte {at}"));
    let (name, rest) = bytes.split_at_checked(4).ok_or_else(cut)?;
    if !name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b' ') {
        let found = name.escape_ascii();
        return Err(Fault::expected("the name of a section", found).within(format!("byte {at}")));
    }
    let shown = name.trim_ascii_end().escape_ascii();
    let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    let length = u64::from_le_bytes(*length);
    let left = rest.len();
    let whole = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let (payload, rest) = whole.ok_or_else(|| {
        Fault::CutShort(format!(
            "{shown}: cut short: expected {length}, found {left}",
            length = counted(length, "byte")
        ))
    })?;
    let (written, rest) = rest.split_first_chunk().ok_or_else(|| {
        Fault::CutShort(format!("{shown}: cut short: expected 4 bytes of checksum"))
    })?;
    let written = u32::from_le_bytes(*written);
    let computed = crc32(&[name, payload]);
    if computed != written {
        return Err(Fault::Damaged(format!(
            "{shown}: damaged: its checksum is {computed:08x}, but {written:08x} was written"
        )));
    }
    Ok((name, payload, rest))
}

pub fn write_head(has_events: bool, writer: &mut dyn Write) -> io::Result<()> {
    writer.write_all(MAGIC)?;
    writer.write_all(&VERSION.to_le_bytes())?;
    writer.write_all(&(if has_events { HAS_EVENTS } else { 0 }).to_le_bytes())
}

pub fn write_section(name: &str, payload: &[u8], writer: &mut dyn Write) -> io::Result<()> {
    let mut section = StreamedSection::begin(name, payload.len() as u64, writer)?;
    section.write(payload)?;
    section.end()
}

/// A section whose payload comes piece by piece, and whose length is known in advance.
pub struct StreamedSection<'a> {
    writer: &'a mut dyn Write,
    sum: Crc32,
    /// Bytes that are still to come.
    left: u64,
}

impl<'a> StreamedSection<'a> {
    pub fn begin(name: &str, length: u64, writer: &'a mut dyn Write) -> io::Result<Self> {
        writer.write_all(name.as_bytes())?;
        writer.write_all(&length.to_le_bytes())?;
        let mut sum = Crc32::default();
        sum.add(name.as_bytes());
        Ok(StreamedSection { writer, sum, left: length })
    }

    pub fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.left = self.left.checked_sub(piece.len() as u64).ok_or_else(changed)?;
        self.sum.add(piece);
        self.writer.write_all(piece)
    }

    pub fn end(self) -> io::Result<()> {
        if self.left > 0 {
            return Err(changed());
        }
        self.writer.write_all(&self.sum.value().to_le_bytes())
    }
}

/// The error for events whose length has changed since they were measured.
pub fn changed() -> io::Error {
    io::Error::other("the events changed while they were read: a job still writes them")
}

pub fn write_end(writer: &mut dyn Write) -> io::Result<()> {
    write_section(LAST, &[], writer)
}
