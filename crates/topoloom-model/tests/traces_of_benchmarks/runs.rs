//! Runs to try.

use topoloom_model::{Trace, parse_pattern, parse_trace};

pub const NAMES: [&str; 8] = ["lu", "bt", "sp", "cg", "mg", "ft", "is", "ep"];

pub fn trace(text: &str) -> Trace {
    let trace = parse_trace(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    trace.unwrap_or_else(|| panic!("{text} has no trace"))
}

/// `name` with `class` on every legal number of ranks up to `most`.
pub fn legal(name: &str, class: &str, most: u32) -> Vec<String> {
    let texts = (1..=most).map(|ranks| format!("{name}:class={class},ranks={ranks}"));
    texts.filter(|text| parse_pattern(text).is_ok()).collect()
}
