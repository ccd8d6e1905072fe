//! Walks over the bytes of one file of an archive.

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use topoloom_core::words::counted;

/// The byte order of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// A position in a file. It never reads beyond the end.
#[derive(Debug, Clone)]
pub struct Bytes<'a> {
    name: &'a str,
    bytes: &'a [u8],
    position: usize,
    /// The end of the readable part.
    end: usize,
    order: Order,
}

/// The length byte of a number that stands for "none": all bits set.
const UNDEFINED: u8 = 0xff;

impl<'a> Bytes<'a> {
    /// The content of the file that the user calls `name`.
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Bytes { name, bytes, position: 0, end: bytes.len(), order: Order::Little }
    }

    pub fn position(&self) -> usize {
        self.position
    }

    pub fn remaining(&self) -> usize {
        self.end - self.position
    }

    /// An error at a place.
    pub fn error_at(&self, position: usize, fault: impl Into<Fault>) -> ReadError {
        let fault = fault.into().within(format!("byte {position}"));
        ReadError::new(self.name.to_string(), fault)
    }

    /// An error here.
    pub fn error(&self, fault: impl Into<Fault>) -> ReadError {
        self.error_at(self.position, fault)
    }

    #[inline]
    fn take(&mut self, length: usize) -> Result<&'a [u8], ReadError> {
        if length > self.remaining() {
            return Err(self.too_short(length));
        }
        let taken = &self.bytes[self.position..self.position + length];
        self.position += length;
        Ok(taken)
    }

    #[cold]
    fn too_short(&self, length: usize) -> ReadError {
        let what = if self.end < self.bytes.len() { "the record" } else { "the file" };
        let left = self.remaining();
        let expected = counted(length, "more byte");
        self.error(Fault::CutShort(format!(
            "expected {expected}, found {left} before the end of {what}"
        )))
    }

    /// Splits off the next bytes. The bytes after them cannot be reached through the result.
    pub fn part(&mut self, length: u64) -> Result<Bytes<'a>, ReadError> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let mut part = self.clone();
        self.take(length)?;
        part.end = self.position;
        Ok(part)
    }

    /// Goes to a place further on, or to the end.
    pub fn go_to(&mut self, position: usize) {
        self.position = position.clamp(self.position, self.end);
    }

    #[inline]
    pub fn byte(&mut self) -> Result<u8, ReadError> {
        Ok(self.take(1)?[0])
    }

    /// Takes the head of a chunk up to its byte order, which applies from here on.
    pub fn order(&mut self) -> Result<(), ReadError> {
        let start = self.position;
        self.order = match (self.byte()?, self.byte()?) {
            (3, 0x42) => Order::Little,
            (3, 0x23) => Order::Big,
            (3, other) => {
                return Err(self.error_at(
                    start + 1,
                    Fault::expected("the order of bytes (0x42 or 0x23)", format!("{other:#04x}")),
                ));
            }
            (other, _) => {
                return Err(
                    self.error_at(start, Fault::expected("the beginning of a chunk (3)", other))
                );
            }
        };
        Ok(())
    }

    /// A number of 8 bytes.
    #[inline]
    pub fn full_64(&mut self) -> Result<u64, ReadError> {
        let taken = self.take(8)?;
        Ok(self.whole(taken))
    }

    #[inline]
    fn whole(&self, bytes: &[u8]) -> u64 {
        let add = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        match self.order {
            Order::Little => bytes.iter().rev().fold(0, add),
            Order::Big => bytes.iter().fold(0, add),
        }
    }

    #[inline]
    fn compressed(&mut self, most: u8) -> Result<Option<u64>, ReadError> {
        match self.byte()? {
            UNDEFINED => Ok(None),
            length if length <= most => {
                let taken = self.take(usize::from(length))?;
                Ok(Some(self.whole(taken)))
            }
            length => Err(self.error_at(
                self.position - 1,
                Fault::expected(format!("a number of up to {most} bytes"), counted(length, "byte")),
            )),
        }
    }

    /// A number preceded by its length.
    #[inline]
    pub fn number_64(&mut self) -> Result<u64, ReadError> {
        Ok(self.compressed(8)?.unwrap_or(u64::MAX))
    }

    /// A number of up to 4 bytes, preceded by its length.
    #[inline]
    pub fn number_32(&mut self) -> Result<u32, ReadError> {
        Ok(self.compressed(4)?.unwrap_or(u64::MAX) as u32)
    }

    /// Text up to its terminating 0.
    pub fn text(&mut self) -> Result<&'a [u8], ReadError> {
        let rest = &self.bytes[self.position..self.end];
        let length = rest.iter().position(|&byte| byte == 0);
        let length = length.ok_or_else(|| self.error(Fault::wanted("text that ends with a 0")))?;
        self.position += length + 1;
        Ok(&rest[..length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_length_before_them_in_either_order() {
        let little = [3, 0x42, 2, 1, 2, 0, 0xff];
        let mut bytes = Bytes::new("a", &little);
        bytes.order().unwrap();
        assert_eq!(bytes.number_64(), Ok(0x0201));
        assert_eq!(bytes.number_32(), Ok(0));
        assert_eq!(bytes.number_32(), Ok(u32::MAX));
        let big = [3, 0x23, 2, 1, 2, 0xff];
        let mut bytes = Bytes::new("a", &big);
        bytes.order().unwrap();
        assert_eq!(bytes.number_64(), Ok(0x0102));
        assert_eq!(bytes.number_64(), Ok(u64::MAX));
        let error = bytes.byte().unwrap_err().to_string();
        assert_eq!(error, "a: byte 6: expected 1 more byte, found 0 before the end of the file");
    }

    #[test]
    fn a_length_that_no_number_has_is_refused() {
        let error = Bytes::new("a", &[9; 20]).number_64().unwrap_err().to_string();
        assert_eq!(error, "a: byte 0: expected a number of up to 8 bytes, found 9 bytes");
        let error = Bytes::new("a", &[8; 20]).number_32().unwrap_err().to_string();
        assert_eq!(error, "a: byte 0: expected a number of up to 4 bytes, found 8 bytes");
    }
}
