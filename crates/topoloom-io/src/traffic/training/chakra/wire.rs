//! Protocol buffers as Chakra uses them: fields with a number and a value, and messages preceded by
//! their length. Every length is checked against the bytes that are left.

use crate::text::fault::Fault;

/// A part of a file, and where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wire<'a> {
    bytes: &'a [u8],
    /// The place of the first byte in the file.
    start: usize,
}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    /// A number of any length.
    Number(u64),
    /// A number of 4 or 8 bytes, as bits.
    Fixed(u64),
    /// A text, a list or a message.
    Part(Wire<'a>),
}

impl<'a> Wire<'a> {
    pub fn new(bytes: &'a [u8]) -> Wire<'a> {
        Wire { bytes, start: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// A fault where it begins. Bytes count from 0.
    pub fn fault(&self, fault: Fault) -> Fault {
        fault.within(format!("byte {}", self.start))
    }

    fn take(&mut self, length: usize) -> Result<Wire<'a>, Fault> {
        let Some((part, rest)) = self.bytes.split_at_checked(length) else {
            let left = self.bytes.len();
            let fault = format!("expected {length} more bytes, found {left}: the file is cut off");
            return Err(self.fault(Fault::CutShort(fault)));
        };
        let part = Wire { bytes: part, start: self.start };
        (self.bytes, self.start) = (rest, self.start + length);
        Ok(part)
    }

    /// Takes a number of any length: seven bits in each byte, the lowest first.
    pub fn number(&mut self) -> Result<u64, Fault> {
        const LONGEST: usize = 10;
        let begin = *self;
        let mut number = 0;
        for place in 0..LONGEST {
            let byte = self.take(1)?.bytes[0];
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit.
            if place + 1 == LONGEST && bits > 1 {
                break;
            }
            number |= bits << (7 * place);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(begin.fault(Fault::expected("a number of at most 64 bits", "a longer one")))
    }

    /// Takes a part that is preceded by its length.
    pub fn part(&mut self) -> Result<Wire<'a>, Fault> {
        let begin = *self;
        let length = self.number()?;
        let length = usize::try_from(length).ok().filter(|length| *length <= self.bytes.len());
        let Some(length) = length else {
            let left = self.bytes.len();
            let fault = format!("a part is longer than the {left} bytes after its length");
            return Err(begin.fault(Fault::CutShort(fault)));
        };
        self.take(length)
    }

    /// Takes the next field: its number and its value.
    pub fn field(&mut self) -> Result<Option<(u64, Value<'a>)>, Fault> {
        if self.is_empty() {
            return Ok(None);
        }
        let begin = *self;
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => Value::Fixed(self.take(8)?.fixed()),
            2 => Value::Part(self.part()?),
            5 => Value::Fixed(self.take(4)?.fixed()),
            kind => {
                let found = format!("kind {kind}");
                return Err(begin.fault(Fault::expected("a field of kind 0, 1, 2 or 5", found)));
            }
        };
        Ok(Some((tag >> 3, value)))
    }

    /// The bytes as a number, the lowest first.
    fn fixed(&self) -> u64 {
        self.bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    pub fn text(&self) -> Result<&'a str, Fault> {
        str::from_utf8(self.bytes)
            .map_err(|_| self.fault(Fault::expected("text in UTF-8", "other bytes")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_seven_bits_in_each_byte() {
        let number = |bytes: &[u8]| Wire::new(bytes).number().map_err(|fault| fault.to_string());
        assert_eq!(number(&[0x80, 0x80, 0x40]), Ok(1 << 20));
        let mut most = [0xff; 10];
        most[9] = 1;
        assert_eq!(number(&most), Ok(u64::MAX));
        let cut = "byte 1: expected 1 more bytes, found 0: the file is cut off";
        assert_eq!(number(&[0x80]), Err(cut.into()));
        let long = "byte 0: expected a number of at most 64 bits, found a longer one";
        assert_eq!(number(&[0xff; 11]), Err(long.into()));
    }

    #[test]
    fn lengths_are_checked() {
        let mut wire = Wire::new(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1]);
        let fault = wire.part().unwrap_err().to_string();
        assert_eq!(fault, "byte 0: a part is longer than the 1 bytes after its length");
        let fault = Wire::new(&[0x0b]).field().unwrap_err().to_string();
        assert_eq!(fault, "byte 0: expected a field of kind 0, 1, 2 or 5, found kind 3");
    }
}
