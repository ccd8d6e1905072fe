//! Numbers with units as SimGrid writes them: `1.5Gf`, `125MBps`, `10Gbps`, `50us`, `0-9,12`.

use crate::text::fault::Fault;
use crate::text::number::shown;

const POWERS_OF_TEN: [(&str, f64); 9] = [
    ("Y", 1e24),
    ("Z", 1e21),
    ("E", 1e18),
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("", 1.0),
];

const WORDS: [(&str, f64); 9] = [
    ("yotta", 1e24),
    ("zetta", 1e21),
    ("exa", 1e18),
    ("peta", 1e15),
    ("tera", 1e12),
    ("giga", 1e9),
    ("mega", 1e6),
    ("kilo", 1e3),
    ("", 1.0),
];

const TIMES: [(&str, f64); 9] = [
    ("w", 604_800.0),
    ("d", 86_400.0),
    ("h", 3600.0),
    ("m", 60.0),
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("ns", 1e-9),
    ("ps", 1e-12),
];

/// Flops per second, above 0.
pub fn speed(text: &str) -> Result<f64, Fault> {
    let expected = "a speed such as 1Gf";
    let (number, unit) = split(text, expected)?;
    let factor = prefixed(unit, "f", &POWERS_OF_TEN).or_else(|| prefixed(unit, "flops", &WORDS));
    positive(text, number, factor.or_else(|| bare(unit)), expected)
}

/// Bytes per second, above 0.
pub fn bandwidth(text: &str) -> Result<f64, Fault> {
    let expected = "a bandwidth such as 125MBps or 10Gbps";
    let (number, unit) = split(text, expected)?;
    let of = |quantity: &str, bytes: f64| {
        let binary = unit.strip_suffix(quantity).and_then(|prefix| match prefix {
            "Ki" => Some(1024.0),
            "Mi" => Some(1024.0 * 1024.0),
            "Gi" => Some(1024.0 * 1024.0 * 1024.0),
            "Ti" => Some(1024.0f64.powi(4)),
            "Pi" => Some(1024.0f64.powi(5)),
            "Ei" => Some(1024.0f64.powi(6)),
            _ => None,
        });
        binary.or_else(|| prefixed(unit, quantity, &POWERS_OF_TEN)).map(|factor| factor * bytes)
    };
    let factor = of("Bps", 1.0).or_else(|| of("bps", 0.125)).or_else(|| bare(unit));
    positive(text, number, factor, expected)
}

/// Seconds, at least 0.
pub fn seconds(text: &str) -> Result<f64, Fault> {
    let expected = "a time such as 50us";
    let (number, unit) = split(text, expected)?;
    let factor = TIMES.iter().find(|known| known.0 == unit).map(|known| known.1);
    let seconds = factor.or_else(|| bare(unit)).map(|factor| number * factor);
    seconds
        .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
        .ok_or_else(|| Fault::expected(expected, shown(text.as_bytes())))
}

/// A number without a unit counts in flops, bytes or seconds.
fn bare(unit: &str) -> Option<f64> {
    unit.is_empty().then_some(1.0)
}

fn prefixed(unit: &str, quantity: &str, prefixes: &[(&str, f64)]) -> Option<f64> {
    let prefix = unit.strip_suffix(quantity)?;
    prefixes.iter().find(|known| known.0 == prefix).map(|known| known.1)
}

fn positive(text: &str, number: f64, factor: Option<f64>, expected: &str) -> Result<f64, Fault> {
    let value = factor.map(|factor| number * factor);
    value
        .filter(|value| value.is_finite() && *value > 0.0)
        .ok_or_else(|| Fault::expected(expected, shown(text.as_bytes())))
}

/// The number at the beginning, and what follows it.
fn split<'a>(text: &'a str, expected: &str) -> Result<(f64, &'a str), Fault> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(&byte) = bytes.get(end) {
        let exponent = matches!(byte, b'e' | b'E')
            && bytes.get(end + 1).is_some_and(|next| {
                next.is_ascii_digit()
                    || (matches!(next, b'+' | b'-')
                        && bytes.get(end + 2).is_some_and(u8::is_ascii_digit))
            });
        let sign =
            matches!(byte, b'+' | b'-') && (end == 0 || matches!(bytes[end - 1], b'e' | b'E'));
        if !(byte.is_ascii_digit() || byte == b'.' || exponent || sign) {
            break;
        }
        end += 1;
    }
    match text[..end].parse::<f64>() {
        Ok(number) => Ok((number, text[end..].trim_start())),
        Err(_) => Err(Fault::expected(expected, shown(bytes))),
    }
}

/// The numbers of a list such as `0-9,12,14-15`, at most `most`.
pub fn radical(text: &str, most: usize) -> Result<Vec<u32>, Fault> {
    let wrong = || Fault::expected("numbers such as 0-9,12", shown(text.as_bytes()));
    let mut numbers = Vec::new();
    for item in text.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let first: u32 = first.trim().parse().map_err(|_| wrong())?;
        let last: u32 = last.trim().parse().map_err(|_| wrong())?;
        if last < first {
            return Err(wrong());
        }
        if (last - first) as usize >= most - numbers.len() {
            return Err(Fault::TooLarge(format!(
                "{} stands for too many hosts; at most {} are possible in all clusters",
                shown(text.as_bytes()),
                crate::platforms::limits::MOST_NODES
            )));
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_simgrid() {
        assert_eq!(speed("1.5Gf"), Ok(1.5e9));
        assert_eq!(speed("286.087kf"), Ok(286_087.0));
        assert_eq!(speed("2 megaflops"), Ok(2e6));
        assert_eq!(speed("5.2297E9"), Ok(5.2297e9));
        assert_eq!(bandwidth("125MBps"), Ok(125e6));
        assert_eq!(bandwidth("10Gbps"), Ok(1.25e9));
        assert_eq!(bandwidth("1KiBps"), Ok(1024.0));
        assert_eq!(bandwidth("1e3"), Ok(1000.0));
        assert_eq!(bandwidth("1EBps"), Ok(1e18));
        assert_eq!(seconds("50us"), Ok(50.0 * 1e-6));
        assert_eq!(seconds("2m"), Ok(120.0));
        assert_eq!(seconds("0"), Ok(0.0));
        assert_eq!(
            bandwidth("fast").unwrap_err().to_string(),
            "expected a bandwidth such as 125MBps or 10Gbps, found \"fast\""
        );
        assert!(bandwidth("0Bps").is_err() && speed("1Gx").is_err() && seconds("-1s").is_err());
    }

    #[test]
    fn radicals_are_lists_of_ranges() {
        assert_eq!(radical("0-2,5,7-8", 10), Ok(vec![0, 1, 2, 5, 7, 8]));
        assert!(matches!(radical("0-9", 9), Err(Fault::TooLarge(_))));
        assert!(radical("3-1", 9).is_err() && radical("a", 9).is_err());
        assert!(radical("0-4294967295", 9).is_err());
    }
}
