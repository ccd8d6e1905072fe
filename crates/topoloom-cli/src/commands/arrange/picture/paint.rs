//! Colours and patterns that tell clusters apart.
//!
//! Eight colours that everyone can tell apart, with any kind of colour vision (Okabe and Ito 2008,
//! with grey for black). Each is used plain and with seven patterns, for 64 clusters. Beyond that
//! they repeat.

use std::fmt::Write;

const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];

/// Whether letters and patterns on a colour are dark.
const LIGHT: [bool; 8] = [false, true, false, true, true, false, true, true];

/// Lines in a square of 8: stripes up, down, across and along, dots, grids straight and oblique.
const PATTERNS: [&str; 7] = [
    "M-2 2L2-2M0 8L8 0M6 10L10 6",
    "M0 4H8",
    "M4 0V8",
    "M4 4h.01",
    "M-2 6L2 10M0 0L8 8M6-2L10 2",
    "M0 4H8M4 0V8",
    "M0 0L8 8M0 8L8 0",
];

/// The colour and pattern of a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    colour: usize,
    /// 0 is plain.
    pattern: usize,
}

impl Paint {
    pub fn of(cluster: usize) -> Paint {
        let kinds = COLOURS.len() * (PATTERNS.len() + 1);
        let cluster = cluster % kinds;
        Paint { colour: cluster % COLOURS.len(), pattern: cluster / COLOURS.len() }
    }

    /// The attribute's value: a colour, or a pattern of [`definitions`].
    pub fn fill(self) -> String {
        match self.pattern {
            0 => COLOURS[self.colour].to_string(),
            pattern => format!("url(#cluster-{}-{pattern})", self.colour),
        }
    }

    /// Attributes of letters on it: the pattern is covered around them.
    pub fn text(self) -> String {
        let fill = if LIGHT[self.colour] { "#000" } else { "#fff" };
        match self.pattern {
            0 => format!("fill=\"{fill}\""),
            _ => format!(
                "fill=\"{fill}\" stroke=\"{}\" stroke-width=\"3\" paint-order=\"stroke\"",
                COLOURS[self.colour]
            ),
        }
    }
}

/// The patterns that this many clusters need.
pub fn definitions(clusters: usize) -> String {
    let mut text = String::new();
    for cluster in COLOURS.len()..clusters.min(COLOURS.len() * (PATTERNS.len() + 1)) {
        let Paint { colour, pattern } = Paint::of(cluster);
        let (base, lines) = (COLOURS[colour], PATTERNS[pattern - 1]);
        let stroke = if LIGHT[colour] { "#000" } else { "#fff" };
        let width = if lines.contains(".01") { 3.5 } else { 1.6 };
        let _ = writeln!(
            text,
            "<pattern id=\"cluster-{colour}-{pattern}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><rect width=\"8\" height=\"8\" fill=\"{base}\"/><path d=\"{lines}\" stroke=\"{stroke}\" stroke-opacity=\"0.45\" stroke-width=\"{width}\" stroke-linecap=\"round\"/></pattern>"
        );
    }
    if text.is_empty() { text } else { format!("<defs>\n{text}</defs>\n") }
}
