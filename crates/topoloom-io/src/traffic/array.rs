//! One NumPy array, as `numpy.save` writes it.
//!
//! Described in `numpy.lib.format`: a magic word, a version, the length of a header, the header as
//! a dictionary in Python's notation, and the numbers one after another.

use crate::text::fault::Fault;
use crate::text::number::{Decimal, shown};

/// How a file with an array begins.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// What an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Real,
    /// Text as bytes; the name of a sparse format is stored this way.
    Bytes,
}

/// An array: what its elements are, and where.
#[derive(Debug)]
pub(super) struct Array<'a> {
    kind: Kind,
    /// Bytes of an element.
    size: usize,
    is_big_endian: bool,
    /// Whether the first index counts fastest.
    pub is_fortran: bool,
    pub shape: Vec<u64>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    /// The array in `bytes`.
    pub fn parse(bytes: &'a [u8]) -> Result<Array<'a>, Fault> {
        let cut_off = || Fault::CutShort("the header of the array is cut off".into());
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| Fault::expected("an array of NumPy", "no header"))?;
        let [major, _, rest @ ..] = rest else { return Err(cut_off()) };
        let (length, rest) = match major {
            1 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(cut_off)?;
                (usize::from(u16::from_le_bytes(*length)), rest)
            }
            2 | 3 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(cut_off)?;
                (u32::from_le_bytes(*length) as usize, rest)
            }
            other => {
                return Err(Fault::Unsupported(format!(
                    "version {other} of NumPy's format is not known; known: 1 to 3"
                )));
            }
        };
        let (header, data) = rest.split_at_checked(length).ok_or_else(cut_off)?;
        let header = Header::parse(header)?;
        let (kind, size, is_big_endian) = element(header.descr)?;
        let elements = header.shape.iter().try_fold(1_u64, |all, &side| all.checked_mul(side));
        let expected = elements.and_then(|elements| elements.checked_mul(size as u64));
        if expected != Some(data.len() as u64) {
            let sides: Vec<String> = header.shape.iter().map(ToString::to_string).collect();
            return Err(Fault::expected(
                format!(
                    "{} bytes of numbers for the shape ({})",
                    expected.map_or("more than 2^64".to_string(), |bytes| bytes.to_string()),
                    sides.join(", ")
                ),
                data.len(),
            ));
        }
        let Header { is_fortran, shape, .. } = header;
        Ok(Array { kind, size, is_big_endian, is_fortran, shape, data })
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.data.len() / self.size.max(1)
    }

    /// The element at a place in memory.
    fn number(&self, place: usize) -> f64 {
        let bytes = &self.data[place * self.size..][..self.size];
        let mut whole = [0; 8];
        for (at, &byte) in bytes.iter().enumerate() {
            whole[if self.is_big_endian { self.size - 1 - at } else { at }] = byte;
        }
        let unsigned = u64::from_le_bytes(whole);
        match (self.kind, self.size) {
            (Kind::Real, 4) => f32::from_bits(unsigned as u32).into(),
            (Kind::Real, _) => f64::from_bits(unsigned),
            (Kind::Signed, size) => {
                let unused = 64 - 8 * size as u32;
                (((unsigned << unused) as i64) >> unused) as f64
            }
            (Kind::Bool, _) => f64::from(unsigned != 0),
            (Kind::Unsigned | Kind::Bytes, _) => unsigned as f64,
        }
    }

    /// The element at a place in memory as a weight: finite and not negative.
    pub fn weight(&self, place: usize) -> Result<f64, Fault> {
        let number = self.number(place);
        let wrong = |expected: &str| Err(Fault::expected(expected, Decimal(number)));
        match number {
            _ if !number.is_finite() => wrong("a finite number"),
            _ if number < 0.0 => wrong("a number that is not negative"),
            // Minus zero is zero.
            _ => Ok(number.abs()),
        }
    }

    /// The elements as whole numbers below `bound`; `what` names them in errors.
    pub fn indices(&self, what: &str, bound: u64) -> Result<Vec<u64>, Fault> {
        if !matches!(self.kind, Kind::Signed | Kind::Unsigned) {
            return Err(Fault::expected(format!("whole numbers in \"{what}\""), "others"));
        }
        let index = |place: usize| {
            let number = self.number(place);
            let fits = number >= 0.0 && number < bound as f64;
            fits.then_some(number as u64).ok_or_else(|| {
                Fault::expected(
                    format!("numbers from 0 to {} in \"{what}\"", bound.saturating_sub(1)),
                    Decimal(number),
                )
            })
        };
        (0..self.len()).map(index).collect()
    }

    /// The text of the array, if it is a single text of bytes.
    pub fn text(&self) -> Option<&'a [u8]> {
        let end = self.data.iter().position(|&byte| byte == 0).unwrap_or(self.data.len());
        (self.kind == Kind::Bytes && self.shape.is_empty()).then(|| &self.data[..end])
    }
}

/// NumPy's name of an element type, such as `<f8`: its kind, its size, and whether it is
/// big-endian.
fn element(descr: &[u8]) -> Result<(Kind, usize, bool), Fault> {
    let unknown = || {
        Fault::Unsupported(format!(
            "elements of the type {} are not supported; supported: bool, whole numbers of 1, 2, 4 \
             and 8 bytes, real numbers of 4 and 8 bytes",
            shown(descr)
        ))
    };
    let [order @ (b'<' | b'>' | b'|' | b'='), kind, size @ ..] = descr else {
        return Err(unknown());
    };
    let size = str::from_utf8(size).ok().and_then(|size| size.parse().ok()).ok_or_else(unknown)?;
    let kind = match (kind, size) {
        (b'b', 1) => Kind::Bool,
        (b'i', 1 | 2 | 4 | 8) => Kind::Signed,
        (b'u', 1 | 2 | 4 | 8) => Kind::Unsigned,
        (b'f', 4 | 8) => Kind::Real,
        (b'S', 1..=64) => Kind::Bytes,
        _ => return Err(unknown()),
    };
    Ok((kind, size, *order == b'>'))
}

/// The dictionary before the numbers.
struct Header<'a> {
    descr: &'a [u8],
    is_fortran: bool,
    shape: Vec<u64>,
}

impl<'a> Header<'a> {
    fn parse(text: &'a [u8]) -> Result<Header<'a>, Fault> {
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        let mut words = Words(text);
        words.expect(b'{')?;
        while !words.take(b'}') {
            let key = words.string()?;
            words.expect(b':')?;
            match key {
                b"descr" if words.starts_with(b'[') => {
                    return Err(Fault::expected("an array of numbers", "one of records"));
                }
                b"descr" => descr = Some(words.string()?),
                b"fortran_order" => is_fortran = Some(words.truth()?),
                b"shape" => shape = Some(words.tuple()?),
                other => {
                    return Err(Fault::Unsupported(format!(
                        "unknown entry {} in the header",
                        shown(other)
                    )));
                }
            }
            words.take(b',');
        }
        let missing =
            |key: &str| Fault::Missing(format!("entry \"{key}\" of the header is missing"));
        Ok(Header {
            descr: descr.ok_or_else(|| missing("descr"))?,
            is_fortran: is_fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

/// The rest of a text in Python's notation.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn starts_with(&mut self, byte: u8) -> bool {
        self.0 = self.0.trim_ascii_start();
        self.0.first() == Some(&byte)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.starts_with(byte);
        self.0 = &self.0[usize::from(found)..];
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        match self.take(byte) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("\"{}\"", char::from(byte)))),
        }
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let found = self.0.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        Fault::expected(format!("{expected} in the header of the array"), shown(found))
    }

    fn string(&mut self) -> Result<&'a [u8], Fault> {
        let quote = if self.take(b'"') { b'"' } else { b'\'' };
        if quote == b'\'' {
            self.expect(quote)?;
        }
        let end = self.0.iter().position(|&byte| byte == quote);
        let end = end.ok_or_else(|| self.unexpected("the end of a text"))?;
        let string = &self.0[..end];
        self.0 = &self.0[end + 1..];
        Ok(string)
    }

    fn truth(&mut self) -> Result<bool, Fault> {
        self.0 = self.0.trim_ascii_start();
        for (word, truth) in [(&b"True"[..], true), (b"False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest;
                return Ok(truth);
            }
        }
        Err(self.unexpected("True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, Fault> {
        self.expect(b'(')?;
        let mut numbers = Vec::new();
        while !self.take(b')') {
            self.0 = self.0.trim_ascii_start();
            let (number, digits) = crate::text::number::leading_digits(self.0);
            if digits == 0 {
                return Err(self.unexpected("a number"));
            }
            self.0 = &self.0[digits..];
            numbers.push(number);
            // Python 2 marks long numbers.
            self.take(b'L');
            self.take(b',');
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 1 with this header and these numbers.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
    }

    fn refusal(header: &str, data: &[u8]) -> String {
        Array::parse(&file(header, data)).unwrap_err().to_string()
    }

    #[test]
    fn every_kind_of_number_is_read_in_either_order_of_bytes() {
        for (descr, bytes, expected) in [
            ("<i2", &[0xfe, 0xff][..], -2.0),
            (">i2", &[0xff, 0xfe], -2.0),
            ("<u2", &[0xfe, 0xff], 65534.0),
            ("|i1", &[0xff], -1.0),
            ("|u1", &[0xff], 255.0),
            ("|b1", &[1], 1.0),
            (">u4", &[0, 0, 1, 0], 256.0),
            ("<f4", &1.5_f32.to_le_bytes(), 1.5),
            (">f8", &0.1_f64.to_be_bytes(), 0.1),
            ("<i8", &(-3_i64).to_le_bytes(), -3.0),
        ] {
            let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,), }}");
            let bytes = file(&header, bytes);
            let array = Array::parse(&bytes).unwrap();
            assert_eq!((array.len(), array.number(0)), (1, expected), "{descr}");
        }
    }

    #[test]
    fn wrong_headers_are_refused_with_what_was_expected() {
        let shape = "'fortran_order': False, 'shape': (2, 2)";
        let header = |descr: &str| format!("{{'descr': {descr}, {shape}}}");
        assert!(refusal(&header("'<c16'"), &[]).contains("the type \"<c16\" are not supported"));
        assert!(refusal(&header("'|O'"), &[]).contains("the type \"|O\" are not supported"));
        assert!(refusal(&header("[('a', '<f8')]"), &[]).contains("found one of records"));
        assert_eq!(
            refusal(&header("'<f8'"), &[0; 31]),
            "expected 32 bytes of numbers for the shape (2, 2), found 31"
        );
        let huge = "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999)}";
        assert!(refusal(huge, &[]).contains("expected more than 2^64 bytes"));
        assert_eq!(
            refusal("{'descr': '<f8', 'shape': (1,)}", &[]),
            "entry \"fortran_order\" of the header is missing"
        );
        assert!(refusal("{'descr': '<f8'", &[]).contains("expected \"'\" in the header"));
        assert!(refusal("", &[]).contains("expected \"{\" in the header"));
        let version = Array::parse(b"\x93NUMPY\x09\0\0\0").unwrap_err().to_string();
        assert!(version.contains("version 9"), "{version}");
        let cut_off = Array::parse(b"\x93NUMPY\x01\0\xff\xff");
        assert!(matches!(cut_off, Err(Fault::CutShort(_))));
    }
}
