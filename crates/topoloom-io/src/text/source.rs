//! The bytes of a file together with the name that errors show.

use crate::text::error::ReadError;
use crate::text::fault::Fault;

/// A file's name and content.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    name: &'a str,
    bytes: &'a [u8],
}

impl<'a> Source<'a> {
    /// The content `bytes` of the file that the user calls `name`; a byte order mark is dropped.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Source { name, bytes: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) }
    }

    /// The file as the user named it.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The content.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The lines, numbered from 1 and without their ends. Text that ends with a line end has an
    /// empty line after it.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
        let lines = self.bytes.split(|&byte| byte == b'\n').enumerate();
        lines.map(|(index, line)| (index + 1, line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// An error of the whole file.
    pub fn error(&self, fault: impl Into<Fault>) -> ReadError {
        ReadError::new(self.name, fault)
    }

    /// An error in the line with this number.
    pub fn error_in_line(&self, line: usize, fault: impl Into<Fault>) -> ReadError {
        ReadError { line: Some(line), ..self.error(fault) }
    }

    /// An error in the line of the byte at `offset`. Counts lines only here, so fast readers need
    /// not count them.
    pub fn error_at(&self, offset: usize, fault: impl Into<Fault>) -> ReadError {
        self.error_in_line(self.line_at(offset), fault)
    }

    /// The number of the line with the byte at `offset`.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        let before = &self.bytes[..offset.min(self.bytes.len())];
        before.iter().filter(|&&byte| byte == b'\n').count() + 1
    }
}
