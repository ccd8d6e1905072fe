//! The errors of files, with messages for users.

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::text::fault::Fault;

/// Why a file cannot be used: `traffic.csv:17: expected 3 columns, found 2`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}{}: {fault}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ReadError {
    /// The file as the user named it.
    pub file: String,
    /// The line, from 1, if one applies.
    pub line: Option<usize>,
    /// What is wrong.
    pub fault: Fault,
}

impl ReadError {
    /// An error of the whole file called `file`.
    pub(crate) fn new(file: impl Into<String>, fault: impl Into<Fault>) -> ReadError {
        ReadError { file: file.into(), line: None, fault: fault.into() }
    }

    /// The system could not read a file.
    pub fn cannot_read(path: &Path, error: &io::Error) -> ReadError {
        ReadError::new(path.display().to_string(), system_fault("read", error))
    }

    /// What kind of fault it is, whichever part of the file it is in.
    pub fn kind(&self) -> &Fault {
        self.fault.innermost()
    }

    /// What is wrong, without the file and the line.
    pub fn message(&self) -> String {
        self.fault.to_string()
    }
}

/// For files that other files name.
impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Fault {
        let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
        error.fault.within(format!("{}{line}", error.file))
    }
}

/// Why a file was not written; nothing of it is left behind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}: {fault}")]
pub struct WriteError {
    /// The file as the user named it.
    pub file: String,
    /// What is wrong.
    pub fault: Fault,
}

impl WriteError {
    pub(crate) fn new(path: &Path, fault: impl Into<Fault>) -> WriteError {
        WriteError { file: path.display().to_string(), fault: fault.into() }
    }

    pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> WriteError {
        WriteError::new(path, system_fault("write", error))
    }

    /// What kind of fault it is.
    pub fn kind(&self) -> &Fault {
        self.fault.innermost()
    }

    /// What is wrong, without the file.
    pub fn message(&self) -> String {
        self.fault.to_string()
    }
}

/// Our own fault if there is one inside `error`, else the system's message, without the number that
/// Rust appends to it.
fn system_fault(action: &'static str, error: &io::Error) -> Fault {
    if let Some(fault) = Fault::inside(error) {
        return fault.clone().within(format!("cannot {action}"));
    }
    let text = error.to_string();
    let message = match text.rfind(" (os error ") {
        Some(end) => text[..end].to_string(),
        None => text,
    };
    Fault::System { action, kind: error.kind(), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_survives_a_reader_whose_errors_are_those_of_the_system() {
        let fault = Fault::TooLarge("too long".into());
        let read = ReadError::cannot_read(Path::new("a"), &fault.clone().into());
        assert_eq!(read.to_string(), "a: cannot read: too long");
        assert_eq!(*read.kind(), fault);
        let missing = ReadError::cannot_read(Path::new("a"), &io::ErrorKind::NotFound.into());
        assert!(matches!(missing.kind(), Fault::System { kind: io::ErrorKind::NotFound, .. }));
    }

    #[test]
    fn an_error_of_a_file_that_another_file_names_keeps_its_text_and_its_kind() {
        let fault = Fault::Missing("the version is missing".into());
        let inner = ReadError { file: "b".into(), line: Some(7), fault: fault.clone() };
        let outer = ReadError::new("a", inner);
        assert_eq!(outer.to_string(), "a: b:7: the version is missing");
        assert_eq!(*outer.kind(), fault);
    }
}
