//! What a format for machines of other programs is.

use std::fmt::Debug;
use std::io;

use topoloom_core::{Entry, Machine};

use super::error::ExportError;

/// A machine that is ready to be written.
pub trait Export: Debug {
    /// What is written, in a few words.
    fn summary(&self) -> String;

    /// What the format cannot express.
    fn warnings(&self) -> Vec<String>;

    /// Writes the file.
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()>;
}

/// Prepares a machine, with the routing that it has.
pub type ExportBuilder = fn(&Machine) -> Result<Box<dyn Export + '_>, ExportError>;

/// An entry of the list of formats.
pub type ExportEntry = Entry<ExportBuilder>;
