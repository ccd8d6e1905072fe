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

/// Makes traffic from files of which every rank of a run has written one.
#[derive(Debug, Clone, Copy)]
pub struct RunReader {
    /// Whether a folder has such files.
    pub has_any: fn(&Path) -> bool,
    /// Reads the run of a folder, or that of one of its files.
    pub read: fn(&Path, &mut Warnings) -> Result<Traffic, ReadError>,
}

/// One traffic file format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// How names of such files end, without the point.
    pub endings: &'static [&'static str],
    /// Whether a file that starts with these bytes can be one.
    pub looks_like: fn(&[u8]) -> bool,
    /// Reads a file. Where the format has one number a pair, it is what `Weight` says.
    pub read: Option<Reader>,
    /// Reads what is in several files.
    pub read_run: Option<RunReader>,
    /// Writes a file. Where the format has one number a pair, it is what `Weight` says.
    pub write: Option<Writer>,
    /// Whether collective operations are kept as such. Where not, only messages between pairs are.
    pub keeps_collectives: bool,
}

/// An entry of the list of traffic file formats.
pub type FormatEntry = Entry<Format>;
