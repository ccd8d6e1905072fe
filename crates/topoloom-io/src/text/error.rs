//! The errors of files, with messages for users.

use std::io;
use std::path::Path;

use thiserror::Error;

/// Why a file cannot be used: `traffic.csv:17: expected 3 columns, found 2`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}{}: {message}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ReadError {
    /// The file as the user named it.
    pub file: String,
    /// The line, from 1, if one applies.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl ReadError {
    pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> ReadError {
        let message = format!("cannot read: {}", system_message(error));
        ReadError { file: path.display().to_string(), line: None, message }
    }
}

/// Why a file was not written; nothing of it is left behind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}: {message}")]
pub struct WriteError {
    /// The file as the user named it.
    pub file: String,
    /// What is wrong.
    pub message: String,
}

impl WriteError {
    pub(crate) fn new(path: &Path, message: impl Into<String>) -> WriteError {
        WriteError { file: path.display().to_string(), message: message.into() }
    }

    pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> WriteError {
        WriteError::new(path, format!("cannot write: {}", system_message(error)))
    }
}

/// The system's own message, without the number that Rust appends to it.
fn system_message(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}
