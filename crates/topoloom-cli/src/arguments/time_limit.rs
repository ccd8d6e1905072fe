//! Times as people write them.

use std::time::Duration;

use anyhow::anyhow;

/// Reads `10s`, `500ms`, `2m`, `1h` or a plain number of seconds.
pub fn parse_time_limit(text: &str) -> anyhow::Result<Duration> {
    let wrong = || anyhow!("expected a time such as 10s, 500ms, 2m or 1h, found \"{text}\"");
    let number_ends = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(number_ends);
    let seconds_per_unit = match unit {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds_per_unit).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_seconds_are_the_default() {
        assert_eq!(parse_time_limit("500ms").unwrap(), Duration::from_millis(500));
        assert_eq!(parse_time_limit("1.5").unwrap(), Duration::from_millis(1500));
        assert_eq!(parse_time_limit("2m").unwrap(), Duration::from_secs(120));
        for wrong in ["", "s", "-1s", "10 parsecs", "nan", "infs", "1e300h"] {
            assert!(parse_time_limit(wrong).is_err(), "{wrong}");
        }
    }
}
