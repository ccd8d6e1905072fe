//! Numbers as people read them.

use topoloom_core::Weight;
pub use topoloom_core::words::noun;

/// A number with separators between thousands, and with decimals only if it has some. Very large
/// and very small numbers show only their leading digits, so tables stay narrow.
pub fn grouped(value: f64) -> String {
    if value.abs() >= 1e15 {
        return format!("{value:.6e}");
    }
    // One decimal would show only zeros.
    if value != 0.0 && value.abs() < 0.05 {
        return format!("{value:.3e}");
    }
    let negative = value < 0.0;
    let text = if value.fract() == 0.0 {
        format!("{:.0}", value.abs())
    } else {
        format!("{:.1}", value.abs())
    };
    let (whole, decimals) = text.split_once('.').map_or((text.as_str(), ""), |(a, b)| (a, b));
    let mut grouped = String::new();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if negative { "-" } else { "" };
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{decimals}")
}

/// Like [`grouped`], but small numbers that are not whole have four significant digits.
pub fn precise(value: f64) -> String {
    match value.abs() {
        v if v.fract() == 0.0 || v >= 1000.0 => grouped(value),
        v if v >= 1e-3 => {
            let before = v.log10().floor() as i32 + 1;
            format!("{value:.*}", (4 - before).max(0) as usize)
        }
        _ => format!("{value:.3e}"),
    }
}

/// A count with its noun: `1 node`, `2 nodes`.
pub fn plural(count: usize, what: &str) -> String {
    plural_amount(count as f64, what)
}

/// The same for a sum that need not be whole: `1 message`, `1,024 messages`.
pub fn plural_amount(amount: f64, what: &str) -> String {
    format!("{} {}", grouped(amount), noun(amount, what))
}

/// A share as a percentage with one decimal.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A share as a percentage that is not rounded to 0: a small one keeps its first significant digit.
pub fn fine_percent(share: f64) -> String {
    let value = share * 100.0;
    match value.abs() {
        0.0 => "0 %".to_string(),
        v if v >= 0.05 => percent(share),
        v if v >= 1e-9 => format!("{value:.*} %", -v.log10().floor() as usize),
        _ => format!("{value:.0e} %"),
    }
}

/// An energy in the unit that suits it; `-` if it is not finite.
pub fn energy(joules: f64) -> String {
    match joules {
        v if !v.is_finite() => "-".to_string(),
        0.0 => "0 J".to_string(),
        v if v < 0.9995e-6 => format!("{:.3} nJ", v * 1e9),
        v if v < 0.9995e-3 => format!("{:.1} µJ", v * 1e6),
        v if v < 0.9995 => format!("{:.1} mJ", v * 1e3),
        v if v < 9.995 => format!("{v:.2} J"),
        v => format!("{} J", grouped((v * 10.0).round() / 10.0)),
    }
}

/// A number of bytes in the unit that suits it.
pub fn bytes(bytes: f64) -> String {
    match bytes {
        v if v < 999.5 => format!("{v:.0} B"),
        v if v < 999.5e3 => format!("{:.1} kB", v / 1e3),
        v if v < 999.5e6 => format!("{:.1} MB", v / 1e6),
        v if v < 999.5e9 => format!("{:.1} GB", v / 1e9),
        v if v < 999.5e12 => format!("{:.1} TB", v / 1e12),
        v if v < 999.5e15 => format!("{:.1} PB", v / 1e15),
        v if v < 999.5e18 => format!("{:.1} EB", v / 1e18),
        v => format!("{v:.3e} B"),
    }
}

/// An amount of what counts, without the word for messages.
pub fn amount(weight: Weight, value: f64) -> String {
    match weight {
        Weight::Bytes => bytes(value),
        Weight::Messages => grouped(value.round()),
    }
}

/// A number with one decimal, and separators between thousands.
fn tenths(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    let point = if rounded.fract() == 0.0 && rounded < 1e15 { ".0" } else { "" };
    format!("{}{point}", grouped(rounded))
}

/// A time in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        0.0 => "0 s".to_string(),
        v if v < 9.995e-9 => format!("{:.2} ns", v * 1e9),
        v if v < 999.5e-9 => format!("{:.0} ns", v * 1e9),
        v if v < 9.995e-6 => format!("{:.2} µs", v * 1e6),
        v if v < 999.5e-6 => format!("{:.0} µs", v * 1e6),
        v if v < 99.95e-3 => format!("{:.1} ms", v * 1e3),
        v if v < 9.995 => format!("{v:.2} s"),
        v => format!("{} s", tenths(v)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped_and_decimals_kept() {
        assert_eq!(grouped(0.0), "0");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(9_052_876.0), "9,052,876");
        assert_eq!(grouped(1234.56), "1,234.6");
        assert_eq!(grouped(-1000.0), "-1,000");
        assert_eq!(grouped(1.2345678e15), "1.234568e15");
        assert_eq!(grouped(1.92e-9), "1.920e-9");
    }

    #[test]
    fn small_numbers_keep_the_digits_that_count() {
        assert_eq!(precise(0.104_417), "0.1044");
        assert_eq!(precise(12.3456), "12.35");
        assert_eq!(precise(1234.5), "1,234.5");
        assert_eq!(precise(7.0), "7");
        assert_eq!(precise(0.000_012_345), "1.234e-5");
    }

    #[test]
    fn a_small_percentage_keeps_its_first_digit() {
        assert_eq!(fine_percent(0.0), "0 %");
        assert_eq!(fine_percent(0.352), "35.2 %");
        assert_eq!(fine_percent(0.0004), "0.04 %");
        assert_eq!(fine_percent(5e-7), "0.00005 %");
        assert_eq!(fine_percent(2e-16), "2e-14 %");
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        assert_eq!(duration(0.0000123), "12 µs");
        assert_eq!(duration(0.0123), "12.3 ms");
        assert_eq!(duration(1.234), "1.23 s");
        assert_eq!(duration(61.04), "61.0 s");
        assert_eq!(duration(10_000.26), "10,000.3 s");
        assert_eq!(duration(100e-9), "100 ns");
        assert_eq!(duration(1.234e-9), "1.23 ns");
        assert_eq!(energy(3.294), "3.29 J");
        assert_eq!(energy(f64::INFINITY), "-");
        assert_eq!(energy(0.000_082), "82.0 µJ");
    }
}
