//! What the numbers of a figure count, and how they are written along an axis.

use topoloom_core::Weight;

use crate::numbers;
use crate::svg::width_of;

/// What the numbers of a figure count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes, in powers of a thousand.
    Bytes,
    /// Messages.
    Messages,
    /// Seconds.
    Seconds,
    /// Joules.
    Joules,
    /// Parts of a whole, written as percentages.
    Percent,
    /// Numbers that have no unit.
    Plain,
}

impl From<Weight> for Unit {
    fn from(weight: Weight) -> Unit {
        match weight {
            Weight::Bytes => Unit::Bytes,
            Weight::Messages => Unit::Messages,
        }
    }
}

const BYTES: [(f64, &str); 7] = [
    (1e18, "EB"),
    (1e15, "PB"),
    (1e12, "TB"),
    (1e9, "GB"),
    (1e6, "MB"),
    (1e3, "kB"),
    (1.0, "bytes"),
];
const COUNTS: [(f64, &str); 4] = [(1e12, "10¹²"), (1e9, "billions"), (1e6, "millions"), (1.0, "")];
const SECONDS: [(f64, &str); 6] =
    [(18_000.0, "h"), (600.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];

const JOULES: [(f64, &str); 6] =
    [(1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ")];
const PERCENT: [(f64, &str); 1] = [(0.01, "%")];

impl Unit {
    /// A number with its unit, such as `1.2 GB`.
    pub fn written(self, value: f64) -> String {
        match self {
            Unit::Bytes => numbers::bytes(value),
            Unit::Messages => {
                let rounded = (value * 10.0).round() / 10.0;
                format!(
                    "{} message{}",
                    numbers::grouped(rounded),
                    if rounded == 1.0 { "" } else { "s" }
                )
            }
            Unit::Seconds => numbers::duration(value),
            Unit::Joules => numbers::energy(value),
            Unit::Percent => numbers::percent(value),
            Unit::Plain => numbers::precise(value),
        }
    }

    /// One unit for all numbers of an axis that ends at `most`.
    pub(super) fn up_to(self, most: f64) -> Scale {
        let (units, count): (&[(f64, &'static str)], &str) = match self {
            Unit::Bytes => (&BYTES, ""),
            Unit::Messages => (&COUNTS, "messages"),
            Unit::Seconds => (&SECONDS, ""),
            Unit::Joules => (&JOULES, ""),
            Unit::Percent => (&PERCENT, ""),
            Unit::Plain => (&COUNTS, ""),
        };
        let fitting = units.iter().find(|unit| most >= unit.0).unwrap_or(&units[units.len() - 1]);
        let factor = match fitting.1 {
            "h" => 3600.0,
            "min" => 60.0,
            _ => fitting.0,
        };
        let name = match (fitting.1, count) {
            ("", count) => count.to_string(),
            (unit, "") => unit.to_string(),
            (unit, count) => format!("{unit} of {count}"),
        };
        Scale { factor, name }
    }

    /// A number along a logarithmic axis, with its own unit, such as `10 ms`.
    pub(super) fn tick(self, value: f64) -> String {
        match self {
            Unit::Bytes | Unit::Seconds | Unit::Joules => {
                let units: &[(f64, &str)] = match self {
                    Unit::Bytes => &BYTES,
                    Unit::Joules => &JOULES,
                    _ => &SECONDS[2..],
                };
                // A power of ten may be a little less than its exact value.
                let fits = |unit: &&(f64, &str)| value * (1.0 + 1e-9) >= unit.0;
                let (factor, name) = *units.iter().find(fits).unwrap_or(&units[units.len() - 1]);
                let name = if name == "bytes" { "B" } else { name };
                format!("{} {name}", short(value / factor))
            }
            Unit::Percent => format!("{} %", short(value * 100.0)),
            Unit::Messages | Unit::Plain => short(value),
        }
    }
}

/// A unit in which all numbers of an axis are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    factor: f64,
    /// Such as `GB`; empty if numbers have no unit.
    pub name: String,
}

impl Scale {
    /// Three significant digits, without the unit.
    pub fn number(&self, value: f64) -> String {
        short(value / self.factor)
    }

    /// The title of an axis, with the unit in parentheses.
    pub fn title(&self, what: &str) -> String {
        match self.name.as_str() {
            "" => what.to_string(),
            name if name == what => what.to_string(),
            name => format!("{what} ({name})"),
        }
    }

    /// The same with this font size within this width: `load (millions)`, or `load`, if necessary.
    pub fn title_within(&self, what: &str, size: f64, width: f64) -> String {
        let brief = format!("{what} ({})", self.name.split(' ').next().unwrap_or_default());
        let titles = [self.title(what), brief];
        let fits = |title: &String| width_of(title, size) <= width;
        titles.into_iter().find(fits).unwrap_or_else(|| what.to_string())
    }

    /// The size of one unit.
    pub fn factor(&self) -> f64 {
        self.factor
    }
}

/// Three significant digits without trailing zeros.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_string();
    }
    if !(5e-4..999_999.5).contains(&size) {
        let text = format!("{value:.2e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", without_zeros(digits));
    }
    if size >= 99.95 {
        return numbers::grouped(value.round());
    }
    let decimals = (2 - size.log10().floor() as i32).clamp(0, 5) as usize;
    without_zeros(&format!("{value:.decimals$}")).to_string()
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (1.204, "1.2"),
            (12.345, "12.3"),
            (123.45, "123"),
            (12_345.6, "12,346"),
            (0.012_34, "0.0123"),
            (2e6, "2e6"),
            (1.234e-7, "1.23e-7"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn an_axis_has_one_unit() {
        let scale = Unit::Bytes.up_to(2.5e9);
        assert_eq!(
            (scale.number(2.5e9), scale.number(4e6)),
            ("2.5".to_string(), "0.004".to_string())
        );
        assert_eq!(scale.title("load"), "load (GB)");
        assert_eq!(Unit::Messages.up_to(3e6).title("load"), "load (millions of messages)");
        // Letters of size 10 are some 6 wide: 15 fit 100, 27 do not.
        assert_eq!(Unit::Messages.up_to(3e6).title_within("load", 10.0, 100.0), "load (millions)");
        assert_eq!(Unit::Messages.up_to(3e6).title_within("load", 10.0, 50.0), "load");
        assert_eq!(Unit::Messages.up_to(3.0).title("messages"), "messages");
        assert_eq!(Unit::Seconds.up_to(0.02).title("time"), "time (ms)");
        // Ten minutes and more are minutes.
        assert_eq!(Unit::Seconds.up_to(1200.0).number(1200.0), "20");
        assert_eq!(Unit::Seconds.up_to(0.0).name, "ns");
        assert_eq!(Unit::Joules.up_to(0.05).title("energy"), "energy (mJ)");
        assert_eq!(Unit::Percent.up_to(0.7).number(0.145), "14.5");
    }

    #[test]
    fn a_tick_of_a_logarithmic_axis_has_its_own_unit() {
        assert_eq!(Unit::Seconds.tick(0.01), "10 ms");
        assert_eq!(Unit::Seconds.tick(1e-3), "1 ms");
        assert_eq!(Unit::Seconds.tick(1000.0), "1,000 s");
        assert_eq!(Unit::Bytes.tick(1e5), "100 kB");
        assert_eq!(Unit::Plain.tick(100.0), "100");
        assert_eq!(Unit::Joules.tick(0.02), "20 mJ");
        assert_eq!(Unit::Percent.tick(0.125), "12.5 %");
    }
}
