//! Short forms of what does not fit on a screen.

use crate::output::numbers::grouped;

/// How many rows are not shown.
pub fn and_more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("  and {} more (all with --json)\n", grouped(more as f64)),
    }
}

/// A text, cut if it is too long.
pub fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_string();
    }
    let end: String = text.chars().skip(length + 3 - most).collect();
    format!("...{end}")
}
