//! Numbers as text, in both directions.

use crate::text::fault::Fault;
use std::fmt;

/// Which numbers are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Digits only.
    Whole,
    /// Numbers with a point or an exponent too.
    Real,
}

const POWERS_OF_TEN: [u64; 16] = {
    let mut powers = [1; 16];
    let mut exponent = 1;
    while exponent < 16 {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// The number that the first digits of `bytes` form, and how many there are: at most 19, which
/// always fit.
#[inline]
pub(crate) fn leading_digits(bytes: &[u8]) -> (u64, usize) {
    let mut number = 0;
    let mut length = 0;
    for &byte in bytes.iter().take(19) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number * 10 + u64::from(digit);
        length += 1;
    }
    (number, length)
}

/// The short plain decimal (such as `12` or `0.125`) that `bytes` start with, and its length;
/// length 0 if there is none. The text after it is not checked.
#[inline]
pub(crate) fn leading_decimal(bytes: &[u8], kind: Kind) -> (f64, usize) {
    let (whole, digits) = leading_digits(bytes);
    if kind == Kind::Whole || bytes.get(digits) != Some(&b'.') {
        return (whole as f64, digits);
    }
    let (fraction, fraction_digits) = leading_digits(&bytes[digits + 1..]);
    // Up to 15 digits and up to 10^22 are exact in an f64, so one division rounds once.
    if digits == 0 || digits + fraction_digits > 15 {
        return (0.0, 0);
    }
    let scale = POWERS_OF_TEN[fraction_digits];
    ((whole * scale + fraction) as f64 / scale as f64, digits + 1 + fraction_digits)
}

/// `token` as a weight: finite and not negative. The error says what was expected.
pub(crate) fn weight(token: &[u8], kind: Kind) -> Result<f64, Fault> {
    let (number, length) = leading_decimal(token, kind);
    if length > 0 && length == token.len() {
        return Ok(number);
    }
    let wrong = |expected: &str| Err(Fault::expected(expected, shown(token)));
    let number = str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
    match number {
        None => wrong("a number"),
        Some(number) if number < 0.0 => wrong("a number that is not negative"),
        Some(number) if !number.is_finite() => wrong("a finite number"),
        // Whole numbers beyond 64 bits are handled here.
        Some(_) if kind == Kind::Whole && !token.iter().all(u8::is_ascii_digit) => {
            wrong("a whole number")
        }
        // Minus zero is zero.
        Some(number) => Ok(number.abs()),
    }
}

/// `token` as a whole number. The error says what was expected.
pub(crate) fn count(token: &[u8]) -> Result<u64, Fault> {
    let (number, length) = leading_digits(token);
    if length > 0 && length == token.len() {
        return Ok(number);
    }
    match token {
        [_, ..] if token.iter().all(u8::is_ascii_digit) => {
            Err(Fault::TooLarge(format!("the number {} is too large", shown(token))))
        }
        _ => Err(Fault::expected("a whole number", shown(token))),
    }
}

/// `token` in quotes for an error: shortened if long, and without control characters.
pub(crate) fn shown(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    if token.is_empty() {
        return "nothing".to_string();
    }
    let text = String::from_utf8_lossy(&token[..token.len().min(LONGEST)]);
    let rest = if token.len() > LONGEST { "..." } else { "" };
    format!("\"{}{rest}\"", text.escape_debug().to_string().replace("\\\"", "\""))
}

/// Prints whole numbers without a point and others with as many digits as it takes to read the
/// same number back.
pub(crate) struct Decimal(pub f64);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && (0.0..EXACT).contains(&self.0) {
            // Same text as below, several times faster.
            write!(f, "{}", self.0 as u64)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_read_as_the_standard_library_reads_them() {
        for text in ["0", "7", "0.1", "0.3", "12.", "123456789.012345", "9007199254740993", "5e-3"]
        {
            let expected: f64 = text.parse().unwrap();
            assert_eq!(weight(text.as_bytes(), Kind::Real), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_weight_is_named() {
        let message = |text: &str, kind| weight(text.as_bytes(), kind).unwrap_err().to_string();
        assert_eq!(message("x", Kind::Real), "expected a number, found \"x\"");
        assert_eq!(message("", Kind::Real), "expected a number, found nothing");
        assert_eq!(message("1e999", Kind::Real), "expected a finite number, found \"1e999\"");
        assert_eq!(message("1.5", Kind::Whole), "expected a whole number, found \"1.5\"");
        assert_eq!(
            message("-1", Kind::Whole),
            "expected a number that is not negative, found \"-1\""
        );
    }

    #[test]
    fn numbers_print_without_a_needless_point() {
        assert_eq!(Decimal(5.0).to_string(), "5");
        assert_eq!(Decimal(0.25).to_string(), "0.25");
        assert_eq!(Decimal(1e20).to_string(), "100000000000000000000");
    }
}
