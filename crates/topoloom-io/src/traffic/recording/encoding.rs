//! Numbers, values and text, read and written.

use crate::text::fault::Fault;
use topoloom_core::words::counted;

/// Whole values below this are stored as numbers.
const WHOLE_END: u64 = 1 << 62;

/// The number that says that the 8 bytes of a real number follow. Whole values are even numbers.
const REAL: u64 = 1;

/// The payload of a section, or a part of it. It never reads beyond the end; errors name the
/// section.
#[derive(Debug, Clone)]
pub struct Payload<'a> {
    section: &'static str,
    rest: &'a [u8],
}

impl<'a> Payload<'a> {
    pub fn new(section: &'static str, bytes: &'a [u8]) -> Self {
        Payload { section, rest: bytes }
    }

    /// An error in this section.
    pub fn error(&self, fault: Fault) -> Fault {
        fault.within(self.section)
    }

    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Checks that nothing follows.
    pub fn end(self) -> Result<(), Fault> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(self.error(Fault::expected("its end", counted(left, "more byte")))),
        }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(|| {
            let left = self.rest.len();
            self.error(Fault::expected(counted(length, "more byte"), left))
        })?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    pub fn number(&mut self) -> Result<u64, Fault> {
        match *self.rest {
            [byte @ 0..0x80, ref rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(byte))
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Result<u64, Fault> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let Some((&byte, rest)) = self.rest.split_first() else {
                return Err(self.error(Fault::CutShort("ends where a number was expected".into())));
            };
            self.rest = rest;
            let digits = u64::from(byte & 0x7f);
            if digits << shift >> shift != digits {
                break;
            }
            number |= digits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.error(Fault::TooLarge("a number has more than 64 bits".into())))
    }

    /// A number of up to 32 bits.
    #[inline]
    pub fn small(&mut self, what: &str) -> Result<u32, Fault> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| {
            self.error(Fault::TooLarge(format!("{what} {number} has more than 32 bits")))
        })
    }

    /// How many things follow that take at least this many bytes each.
    pub fn count(&mut self, least_bytes: usize, what: &str) -> Result<usize, Fault> {
        let count = self.number()?;
        let left = self.rest.len();
        match usize::try_from(count).ok().filter(|&count| count <= left / least_bytes) {
            Some(count) => Ok(count),
            None => {
                Err(self
                    .error(Fault::expected(format!("{count} {what}"), counted(left, "more byte"))))
            }
        }
    }

    /// A separate part.
    pub fn part(&mut self, length: usize) -> Result<Payload<'a>, Fault> {
        Ok(Payload { section: self.section, rest: self.take(length)? })
    }

    /// A difference of two numbers.
    pub fn signed(&mut self) -> Result<i64, Fault> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A real number of at least 0.
    #[inline]
    pub fn value(&mut self) -> Result<f64, Fault> {
        match self.number()? {
            number if number % 2 == 0 && number < 2 * WHOLE_END => Ok((number / 2) as f64),
            number => self.real(number),
        }
    }

    /// A value that is a whole number of up to 64 bits.
    pub fn whole_value(&mut self, what: &str) -> Result<u64, Fault> {
        let number = self.number()?;
        if number.is_multiple_of(2) && number < 2 * WHOLE_END {
            return Ok(number / 2);
        }
        // The highest numbers are rounded to 2^64, which becomes the highest one again.
        let value = self.real(number)?;
        match value.fract() == 0.0 && value <= u64::MAX as f64 {
            true => Ok(value as u64),
            false => {
                Err(self.error(Fault::expected(format!("whole {what} of up to 64 bits"), value)))
            }
        }
    }

    fn real(&mut self, mark: u64) -> Result<f64, Fault> {
        if mark != REAL {
            return Err(
                self.error(Fault::expected("an even number below 2^63 or 1 for a value", mark))
            );
        }
        let bytes: [u8; 8] = self.take(8)?.try_into().expect("8 were taken");
        let value = f64::from_le_bytes(bytes);
        match value.is_finite() && value >= 0.0 {
            // Minus zero is zero.
            true => Ok(value.abs()),
            false => Err(self.error(Fault::expected("a finite value that is not negative", value))),
        }
    }

    /// Bytes, preceded by their number.
    pub fn bytes(&mut self) -> Result<&'a [u8], Fault> {
        let length = self.count(1, "bytes of text")?;
        self.take(length)
    }

    /// A number for each rank, written as runs of ranks with the same one.
    pub fn runs(&mut self, ranks: u32, what: &str) -> Result<Vec<u32>, Fault> {
        let ranks = ranks as usize;
        let mut of_rank = Vec::new();
        while of_rank.len() < ranks {
            let number = self.small(what)?;
            let run = self.number()?;
            let left = ranks - of_rank.len();
            match usize::try_from(run) {
                Ok(run) if (1..=left).contains(&run) => of_rank.resize(of_rank.len() + run, number),
                _ => {
                    return Err(
                        self.error(Fault::expected(format!("1 to {left} ranks in a row"), run))
                    );
                }
            }
        }
        Ok(of_rank)
    }

    pub fn text(&mut self) -> Result<String, Fault> {
        let bytes = self.bytes()?;
        match str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_string()),
            Err(_) => Err(self.error(Fault::Malformed("text that is not UTF-8".into()))),
        }
    }
}

/// A payload that grows.
#[derive(Debug, Default)]
pub struct PayloadWriter {
    bytes: Vec<u8>,
}

impl PayloadWriter {
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes written since the last `clear`.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins again.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    pub fn number(&mut self, number: impl Into<u64>) {
        let mut rest = number.into();
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// How many things follow.
    pub fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub fn signed(&mut self, difference: i64) {
        self.number((difference << 1 ^ difference >> 63) as u64);
    }

    pub fn value(&mut self, value: f64) {
        match value.fract() == 0.0 && value < WHOLE_END as f64 {
            true => self.number(2 * value as u64),
            false => self.real(value),
        }
    }

    pub fn whole_value(&mut self, value: u64) {
        match value < WHOLE_END {
            true => self.number(2 * value),
            false => self.real(value as f64),
        }
    }

    fn real(&mut self, value: f64) {
        self.number(REAL);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn text(&mut self, text: &str) {
        self.part(text.as_bytes());
    }

    /// A number for each rank, as runs of ranks with the same one.
    pub fn runs(&mut self, of_rank: &[u32]) {
        for run in of_rank.chunk_by(|a, b| a == b) {
            self.number(run[0]);
            self.count(run.len());
        }
    }

    /// Bytes, preceded by their number.
    pub fn part(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut PayloadWriter)) -> Vec<u8> {
        let mut payload = PayloadWriter::default();
        write(&mut payload);
        payload.into_bytes()
    }

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        for (number, bytes) in [
            (0, &[0][..]),
            (127, &[0x7f]),
            (128, &[0x80, 1]),
            (300, &[0xac, 2]),
            (u64::MAX, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        ] {
            assert_eq!(written(|payload| payload.number(number)), bytes);
            assert_eq!(Payload::new("test", bytes).number(), Ok(number));
        }
        let mut too_long = [0xff; 10];
        too_long[9] = 2;
        for bytes in [too_long, [0x80; 10], [0xff; 10]] {
            let error = Payload::new("test", &bytes).number().unwrap_err().to_string();
            assert_eq!(error, "test: a number has more than 64 bits");
        }
        let error = Payload::new("test", &[0x80]).number().unwrap_err().to_string();
        assert_eq!(error, "test: ends where a number was expected");
    }

    #[test]
    fn differences_go_both_ways() {
        for (difference, bytes) in [(0, &[0][..]), (-1, &[1]), (1, &[2]), (-65, &[0x81, 1])] {
            assert_eq!(written(|payload| payload.signed(difference)), bytes);
        }
        for difference in [i64::MIN, i64::MAX, -1000, 12345] {
            let bytes = written(|payload| payload.signed(difference));
            assert_eq!(Payload::new("test", &bytes).signed(), Ok(difference));
        }
    }

    #[test]
    fn values_are_numbers_where_they_are_whole() {
        assert_eq!(written(|payload| payload.value(5.0)), [10]);
        assert_eq!(written(|payload| payload.value(0.5)), [1, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]);
        let end = WHOLE_END as f64;
        let below = f64::from_bits(end.to_bits() - 1);
        for value in [0.0, 1.0, 0.1, 1e300, end, below, f64::MAX, f64::MIN_POSITIVE] {
            let bytes = written(|payload| payload.value(value));
            assert_eq!(Payload::new("test", &bytes).value(), Ok(value));
        }
        for value in [0, 1, (1 << 62) - 1, 1 << 62, 1 << 63, u64::MAX] {
            let bytes = written(|payload| payload.whole_value(value));
            assert_eq!(Payload::new("test", &bytes).whole_value("bytes"), Ok(value));
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let error = |bytes: &[u8]| Payload::new("test", bytes).value().unwrap_err().to_string();
        let real = |value: f64| error(&written(|payload| payload.real(value)));
        assert_eq!(real(-1.0), "test: expected a finite value that is not negative, found -1");
        assert_eq!(real(f64::NAN), "test: expected a finite value that is not negative, found NaN");
        assert_eq!(
            real(f64::INFINITY),
            "test: expected a finite value that is not negative, found inf"
        );
        let message = "test: expected an even number below 2^63 or 1 for a value, found";
        assert_eq!(error(&[3]), format!("{message} 3"));
        let number = written(|payload| payload.number(1u64 << 63));
        assert_eq!(error(&number), format!("{message} 9223372036854775808"));
        assert_eq!(error(&[1, 0]), "test: expected 8 more bytes, found 1");
        let half = written(|payload| payload.real(0.5));
        let error = Payload::new("test", &half).whole_value("bytes").unwrap_err().to_string();
        assert_eq!(error, "test: expected whole bytes of up to 64 bits, found 0.5");
    }
}
