//! What a traffic file format is.

use std::io::{self, Write};
use std::path::Path;

use topoloom_core::{Entry, Traffic, Weight};

use crate::text::error::ReadError;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Makes traffic from a file.
pub type Reader = fn(&Source<'_>, Weight, &mut Warnings) -> Result<Traffic, ReadError>;

/// Writes traffic as a file.
pub type Writer = fn(&Traffic, Weight, &mut dyn Write) -> io::Result<Warnings>;

/// Makes traffic from the files of a run, one per rank.
#[derive(Debug, Clone, Copy)]
pub struct RunReader {
    /// Whether a folder has such files.
    pub has_any: fn(&Path) -> bool,
    /// Reads the run in a folder, or the run of one of its files.
    pub read: fn(&Path, &mut Warnings) -> Result<Traffic, ReadError>,
}

/// One traffic file format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The extensions of such files, without the dot.
    pub endings: &'static [&'static str],
    /// Whether a file that starts with these bytes can be one.
    pub looks_like: fn(&[u8]) -> bool,
    /// Reads a file. If the format has one number per pair, `Weight` says what it means.
    pub read: Option<Reader>,
    /// Reads what is in several files.
    pub read_run: Option<RunReader>,
    /// Writes a file. If the format has one number per pair, `Weight` says what it means.
    pub write: Option<Writer>,
    /// Whether collective operations are kept. If not, only messages between pairs are.
    pub keeps_collectives: bool,
}

/// An entry of the list of traffic file formats.
pub type FormatEntry = Entry<Format>;
