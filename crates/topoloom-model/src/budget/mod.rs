//! How much a reader, a generator or a model may use. Memory and work are checked before they are
//! spent, so an input that is too large is refused with a message and never ends in an abort.
//!
//! This is the only place in the model that looks at the environment and at the machine it runs on.
//!
//! ```
//! use topoloom_model::budget::Budget;
//!
//! let budget = Budget::memory_of(8 << 30);
//! assert!(budget.check("traffic of 64 ranks", 3_072).is_ok());
//! assert_eq!(
//!     budget.check("traffic of 10^9 ranks", 12 << 30).unwrap_err().to_string(),
//!     "traffic of 10^9 ranks would need about 12 GiB, and the limit is 8 GiB; \
//!      set TOPOLOOM_MEMORY=13GiB to raise it"
//! );
//! ```

use crate::words::counted;
use std::sync::OnceLock;

mod machine_memory;

/// The environment variable that sets the memory budget: `8GiB`, `500MB`, or bytes.
pub const MEMORY_VARIABLE: &str = "TOPOLOOM_MEMORY";
/// The environment variable that sets how many events one simulation may process.
pub const EVENTS_VARIABLE: &str = "TOPOLOOM_EVENTS";

/// The events that a simulation processes in about half an hour.
const DEFAULT_EVENTS: u64 = 1_000_000_000;
/// Used if nothing is known about the machine's memory.
const DEFAULT_MEMORY: u64 = 4 << 30;

/// A limit, what it counts, and the environment variable that raises it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    limit: u64,
    unit: Unit,
    variable: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    /// Things with a name in the plural: "events".
    Count(&'static str),
}

/// Something needs more than its budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} would need about {}, and the limit is {}; set {}={} to raise it",
    budget.show(*needed), budget.show(budget.limit), budget.variable, budget.enough_for(*needed)
)]
pub struct BudgetError {
    /// What was asked for.
    pub what: String,
    /// The bytes or events that are needed, at least.
    pub needed: u64,
    budget: Budget,
}

/// An environment variable that does not hold an amount.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: expected {expected}, found {found:?}")]
pub struct InvalidBudget {
    variable: &'static str,
    expected: &'static str,
    found: String,
}

impl Budget {
    /// A memory budget of this many bytes.
    #[must_use]
    pub const fn memory_of(bytes: u64) -> Self {
        Self { limit: bytes, unit: Unit::Bytes, variable: MEMORY_VARIABLE }
    }

    /// A budget of this many simulated events.
    #[must_use]
    pub const fn events_of(count: u64) -> Self {
        Self { limit: count, unit: Unit::Count("events"), variable: EVENTS_VARIABLE }
    }

    /// The most bytes or events.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether `needed` bytes (or events) fit; `what` begins the message if they do not.
    pub fn check(&self, what: &str, needed: u64) -> Result<(), BudgetError> {
        if needed <= self.limit {
            return Ok(());
        }
        Err(BudgetError { what: what.to_owned(), needed, budget: *self })
    }

    /// The same for `count` things of `bytes_each`. A product that does not fit in 64 bits is too
    /// large.
    pub fn check_items(&self, what: &str, count: u64, bytes_each: u64) -> Result<(), BudgetError> {
        self.check(what, count.saturating_mul(bytes_each))
    }

    fn show(&self, amount: u64) -> String {
        match self.unit {
            Unit::Bytes => show_bytes(amount),
            Unit::Count(name) => format!("{} {name}", show_count(amount)),
        }
    }

    /// A value of the variable with which `needed` fits.
    fn enough_for(&self, needed: u64) -> String {
        match self.unit {
            Unit::Bytes => {
                // A little more than the estimate, in the unit in which it is shown.
                let (unit, name) = unit_of(needed);
                format!("{}{name}", needed / unit + 1)
            }
            Unit::Count(_) => needed.to_string(),
        }
    }
}

/// The memory budget of this process: `TOPOLOOM_MEMORY`, otherwise half of the memory it can get
/// and at most what is free when this is first called. A value that cannot be read counts as not
/// set: a program reports it first, with [`check_environment`].
pub fn memory() -> Budget {
    static MEMORY: OnceLock<Budget> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let limit = from_environment(MEMORY_VARIABLE, MEMORY_EXPECTED, parse_bytes)
            .ok()
            .flatten()
            .or_else(machine_memory::share)
            .unwrap_or(DEFAULT_MEMORY);
        Budget::memory_of(limit)
    })
}

/// How many events a simulation may have in this process: `TOPOLOOM_EVENTS`, otherwise 10^9.
pub fn events() -> Budget {
    static EVENTS: OnceLock<Budget> = OnceLock::new();
    *EVENTS.get_or_init(|| {
        let limit = from_environment(EVENTS_VARIABLE, EVENTS_EXPECTED, parse_count)
            .ok()
            .flatten()
            .unwrap_or(DEFAULT_EVENTS);
        Budget::events_of(limit)
    })
}

const MEMORY_EXPECTED: &str = "an amount of memory such as 8GiB";
const EVENTS_EXPECTED: &str = "a number of events such as 1000000";

/// Whether the variables that set budgets can be read. To be called at the start of a program.
pub fn check_environment() -> Result<(), InvalidBudget> {
    from_environment(MEMORY_VARIABLE, MEMORY_EXPECTED, parse_bytes)?;
    from_environment(EVENTS_VARIABLE, EVENTS_EXPECTED, parse_count)?;
    Ok(())
}

fn from_environment(
    variable: &'static str,
    expected: &'static str,
    parse: fn(&str) -> Option<u64>,
) -> Result<Option<u64>, InvalidBudget> {
    let Some(value) = std::env::var_os(variable) else {
        return Ok(None);
    };
    let found = value.to_string_lossy();
    match parse(found.trim()) {
        Some(amount) => Ok(Some(amount)),
        None => Err(InvalidBudget { variable, expected, found: found.into_owned() }),
    }
}

/// Binary units, largest first, as messages use them.
const UNITS: [(u64, &str); 5] =
    [(1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];

/// The largest unit of which `bytes` is at least one, or bytes.
fn unit_of(bytes: u64) -> (u64, &'static str) {
    let fitting = UNITS.into_iter().find(|&(unit, _)| bytes >= unit);
    fitting.unwrap_or((1, ""))
}

/// `12 GiB`, `1.5 MiB`, `17 bytes`.
#[must_use]
pub fn show_bytes(bytes: u64) -> String {
    let (unit, name) = unit_of(bytes);
    if unit == 1 {
        return counted(bytes, "byte");
    }
    // In tenths, because a whole number of units is too coarse just above one.
    let tenths = (u128::from(bytes) * 10 / u128::from(unit)) as u64;
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        tenth => format!("{}.{tenth} {name}", tenths / 10),
    }
}

/// Numbers whose every digit matters in full, others as powers of ten: `1.2e18`.
fn show_count(count: u64) -> String {
    match count {
        u64::MAX => "more than 1.8e19".to_owned(),
        0..=999_999_999 => count.to_string(),
        _ => format!("{:.1e}", count as f64),
    }
}

/// `8GiB`, `500 MB`, `1.5g` or bytes; `k`, `m`, `g`, `t` alone are binary, as in most tools.
fn parse_bytes(text: &str) -> Option<u64> {
    let end_of_number =
        text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end_of_number);
    let unit = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "p" | "pib" => 1024.0 * 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "pb" => 1e15,
        _ => return None,
    };
    let bytes = number.parse::<f64>().ok()? * unit;
    // A cast of a number that is too large saturates.
    (bytes >= 1.0).then_some(bytes as u64)
}

fn parse_count(text: &str) -> Option<u64> {
    let count = match text.parse::<u64>() {
        Ok(count) => count,
        Err(_) => text.parse::<f64>().ok().filter(|count| count.is_finite())? as u64,
    };
    (count >= 1).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("8GiB", 8 << 30),
            ("8g", 8 << 30),
            ("500 MB", 500_000_000),
            ("1.5KiB", 1536),
            ("4096", 4096),
        ] {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
        for text in ["", "GiB", "8 apples", "-1", "0", "1.2.3", "nan"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
        assert_eq!(parse_bytes("99999999999PiB"), Some(u64::MAX));
        assert_eq!(parse_count("1e12"), Some(1_000_000_000_000));
        assert_eq!(parse_count("inf"), None);
    }

    #[test]
    fn what_is_suggested_is_enough() {
        for needed in [1, 1000, 1 << 20, (1 << 30) + 17, 3 << 50] {
            let suggested = Budget::memory_of(1).enough_for(needed);
            assert!(parse_bytes(&suggested).unwrap() >= needed, "{suggested}");
        }
    }

    #[test]
    fn a_count_beyond_64_bits_is_refused_and_not_wrapped() {
        let budget = Budget::memory_of(u64::MAX - 1);
        assert!(budget.check_items("x", 1 << 40, 1 << 40).is_err());
        let message = Budget::events_of(10).check("the trace", u64::MAX).unwrap_err();
        assert_eq!(
            message.to_string(),
            "the trace would need about more than 1.8e19 events, and the limit is 10 events; \
             set TOPOLOOM_EVENTS=18446744073709551615 to raise it"
        );
    }

    #[test]
    fn this_process_has_a_budget() {
        assert!(memory().limit() > 0 && events().limit() > 0);
    }
}
