//! Walks over text with blanks between its words, without copying and without counting lines.

use crate::text::number::{self, Kind};

/// A place in a text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, position: 0 }
    }

    /// How many bytes come before the cursor.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many bytes come after the cursor.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    #[inline]
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while self.position < self.bytes.len() && is_blank(self.bytes[self.position]) {
            self.position += 1;
        }
    }

    /// Goes to the next word in this line or a later one, past blank lines and lines that start
    /// with `comment`; false at the end of the text.
    #[inline]
    pub fn find_word(&mut self, comment: u8) -> bool {
        loop {
            self.skip_blanks();
            match self.bytes.get(self.position) {
                None => return false,
                Some(b'\n') => self.position += 1,
                Some(&byte) if byte == comment => self.skip_line(),
                Some(_) => return true,
            }
        }
    }

    /// Goes to the next word of this line; false when there is none.
    #[inline]
    pub fn find_word_in_line(&mut self) -> bool {
        self.skip_blanks();
        !matches!(self.bytes.get(self.position), None | Some(b'\n'))
    }

    /// Whether the next word of this line starts with `byte`.
    #[inline]
    pub fn at_byte(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.bytes.get(self.position) == Some(&byte)
    }

    /// Goes to the end of this line.
    pub fn skip_to_line_end(&mut self) {
        let end = self.rest().iter().position(|&byte| byte == b'\n');
        self.position += end.unwrap_or(self.remaining());
    }

    /// Goes past the line end that comes next; false at the end of the text.
    #[inline]
    pub fn skip_line_end(&mut self) -> bool {
        let found = self.bytes.get(self.position) == Some(&b'\n');
        self.position += usize::from(found);
        found
    }

    /// Goes to the start of the next line.
    pub fn skip_line(&mut self) {
        let end = self.rest().iter().position(|&byte| byte == b'\n');
        self.position = end.map_or(self.bytes.len(), |length| self.position + length + 1);
    }

    /// Takes the word at the cursor, if it is one byte.
    #[inline]
    pub fn letter(&mut self) -> Option<u8> {
        let letter = *self.bytes.get(self.position)?;
        self.word_ends_after(1).then(|| {
            self.position += 1;
            letter
        })
    }

    /// Takes the next word of this line.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        if !self.find_word_in_line() {
            return None;
        }
        let rest = self.rest();
        let end = rest.iter().position(|&byte| byte == b'\n' || is_blank(byte));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.position += word.len();
        Some(word)
    }

    /// Takes the rest of this line, word by word.
    pub fn words(&mut self) -> Vec<&'a [u8]> {
        std::iter::from_fn(|| self.word()).collect()
    }

    #[inline]
    fn word_ends_after(&self, length: usize) -> bool {
        match self.bytes.get(self.position + length) {
            None => true,
            Some(&byte) => byte == b'\n' || is_blank(byte),
        }
    }

    /// Takes the next word of this line, if it is a whole number of at most 19 digits.
    #[inline]
    pub fn count(&mut self) -> Option<u64> {
        self.skip_blanks();
        let (number, length) = number::leading_digits(self.rest());
        if length == 0 || !self.word_ends_after(length) {
            return None;
        }
        self.position += length;
        Some(number)
    }

    /// Takes the next word of this line, if it is a weight: finite and not negative.
    #[inline]
    pub fn weight(&mut self, kind: Kind) -> Option<f64> {
        self.skip_blanks();
        let (number, length) = number::leading_decimal(self.rest(), kind);
        if length > 0 && self.word_ends_after(length) {
            self.position += length;
            return Some(number);
        }
        self.word().and_then(|word| number::weight(word, kind).ok())
    }
}
