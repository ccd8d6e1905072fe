//! Arrangements as files: which processor holds which part, and what that costs.

mod content;
mod document;
mod entries;
mod file;

pub use content::{ArrangementFile, is_arrangement};
pub(crate) use entries::{FORMAT_ENTRY, TRACE_ENTRY};
pub use file::{arrangement_content, parse_arrangement, read_arrangement, write_arrangement};
