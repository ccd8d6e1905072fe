//! What a trace format is.

use std::io::{self, Write};

use topoloom_core::{Entry, Trace};

use crate::text::error::ReadError;
use crate::text::input::Input;
use crate::text::warnings::Warnings;

/// Makes a trace from an input with this content; there may be more files beside it.
pub type TraceReader = fn(&Input, &[u8], &mut Warnings) -> Result<Trace, ReadError>;

/// Writes a trace as a file.
pub type TraceWriter = fn(&Trace, &mut dyn Write) -> io::Result<()>;

/// One trace format.
#[derive(Debug, Clone, Copy)]
pub struct TraceFormat {
    /// The extensions of such files, without the dot.
    pub endings: &'static [&'static str],
    /// Whether a file that starts with these bytes is one.
    pub looks_like: fn(&[u8]) -> bool,
    /// Whether a file that starts with these bytes has events; some files have only totals.
    pub has_events: fn(&[u8]) -> bool,
    /// Reads a file.
    pub read: TraceReader,
    /// Writes a file.
    pub write: Option<TraceWriter>,
}

/// An entry of the list of trace formats.
pub type TraceEntry = Entry<TraceFormat>;
