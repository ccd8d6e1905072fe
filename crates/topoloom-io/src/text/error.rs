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

    pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> ReadError {
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
