//! The formats in which machines are written for other programs.

use topoloom_core::{Registry, Spec, SpecError};

use super::format::{ExportBuilder, ExportEntry};
use super::simgrid;

/// Every known format.
pub static EXPORT_FORMATS: Registry<ExportBuilder> =
    Registry { kind: "machine format", entries: &[&simgrid::ENTRY], common: &[] };

/// The format of this name.
pub fn find(name: &str) -> Result<&'static ExportEntry, SpecError> {
    EXPORT_FORMATS.find(&Spec { name: name.to_string(), shape: None, options: Vec::new() })
}
