//! Units of bandwidth as people write them: `MB/s`, `GiB/s`, `Gbit/s`.

/// What is expected, for errors.
pub const EXPECTED: &str = "a unit such as B/s, kB/s, MB/s, GB/s, MiB/s or Gbit/s";

const PREFIXES: [(&str, f64); 10] = [
    ("", 1.0),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("K", 1e3),
];

const QUANTITIES: [(&str, f64); 2] = [("B/s", 1.0), ("bit/s", 0.125)];

/// Bytes per second in one unit; `None` if there is no such unit.
pub fn parse(text: &str) -> Option<f64> {
    QUANTITIES.iter().find_map(|&(quantity, bytes)| {
        let prefix = text.trim().strip_suffix(quantity)?;
        PREFIXES.iter().find(|known| known.0 == prefix).map(|known| known.1 * bytes)
    })
}

/// The unit of this many bytes per second, if it has a name.
pub fn name(bytes_per_second: f64) -> Option<String> {
    QUANTITIES.iter().find_map(|&(quantity, bytes)| {
        let prefix = PREFIXES.iter().find(|known| known.1 * bytes == bytes_per_second)?;
        Some(format!("{}{quantity}", prefix.0))
    })
}

/// A number and its unit, such as `10 Gbit/s`, in bytes per second.
pub fn parse_quantity(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|letter: char| letter.is_ascii_alphabetic() && letter != 'e')?;
    let number: f64 = text[..end].trim().parse().ok()?;
    Some(number * parse(&text[end..])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_understood_and_named() {
        assert_eq!(parse("MB/s"), Some(1e6));
        assert_eq!(parse("GiB/s"), Some(1_073_741_824.0));
        assert_eq!(parse("Gbit/s"), Some(125e6));
        assert_eq!(parse("B/s"), Some(1.0));
        assert_eq!(parse("MB"), None);
        assert_eq!(parse("QB/s"), None);
        for text in ["B/s", "kB/s", "MB/s", "GB/s", "MiB/s", "Gbit/s"] {
            assert_eq!(name(parse(text).unwrap()).as_deref(), Some(text));
        }
        assert_eq!(name(3.0), None);
    }

    #[test]
    fn a_number_may_bring_its_unit() {
        assert_eq!(parse_quantity("10 Gbit/s"), Some(1.25e9));
        assert_eq!(parse_quantity("1.5e1MB/s"), Some(15e6));
        assert_eq!(parse_quantity("10"), None);
        assert_eq!(parse_quantity("ten MB/s"), None);
    }
}
