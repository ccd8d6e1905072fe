//! The least gain for which ranks are moved.

use std::fmt;
use std::str::FromStr;

use anyhow::Context;

/// The least gain for which ranks are moved, as a share of the cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worth(f64);

impl Worth {
    /// Any gain is worth it.
    pub const ANY: Worth = Worth(0.0);

    pub fn share(self) -> f64 {
        self.0
    }
}

impl Default for Worth {
    fn default() -> Self {
        Worth(0.01)
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded to what was typed: 0.29 is 28.999999999999996 %.
        write!(f, "{} %", (self.0 * 1e14).round() / 1e12)
    }
}

impl FromStr for Worth {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let number = text.strip_suffix('%').map(str::trim_end);
        let value = number.unwrap_or(text).parse::<f64>().ok();
        let share = if number.is_some() { value.map(|value| value / 100.0) } else { value };
        let wrong = "expected a share from 0 to 1, such as 1%, 0.5% or 0.01";
        share.filter(|share| (0.0..=1.0).contains(share)).map(Worth).context(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_with_and_without_percent() {
        for (text, share, shown) in [
            ("1%", 0.01, "1 %"),
            ("0.5 %", 0.005, "0.5 %"),
            ("0.29", 0.29, "29 %"),
            ("0", 0.0, "0 %"),
        ] {
            let worth: Worth = text.parse().unwrap();
            assert_eq!((worth.share(), worth.to_string().as_str()), (share, shown));
        }
        for wrong in ["", "%", "-1%", "101%", "2", "nan", "inf", "1 percent"] {
            assert!(wrong.parse::<Worth>().is_err(), "{wrong}");
        }
        assert_eq!(Worth::default(), "1%".parse().unwrap());
    }
}
