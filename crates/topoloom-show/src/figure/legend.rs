//! The meaning of lines and colours, in rows as wide as the picture.

use super::drawing::{Drawing, Letters, MARGIN, SMALL};
use crate::svg::{fitted, width_of};

/// The sample before an entry: a line, a field or a dot.
#[derive(Debug, Clone)]
pub(super) enum Sample {
    /// Attributes of a line.
    Line(String),
    /// Attributes of a field.
    Field(String),
    /// Attributes of a dot.
    Dot(String),
}

const SAMPLE: f64 = 26.0;
const BETWEEN: f64 = 22.0;
const ROW: f64 = 20.0;

/// Writes the entries from `top` down; returns where they end.
pub(super) fn draw(drawing: &mut Drawing, top: f64, entries: &[(Sample, String)]) -> f64 {
    let room = drawing.width - MARGIN;
    let (mut x, mut y) = (MARGIN, top + 14.0);
    for (sample, text) in entries {
        let needed = SAMPLE + 7.0 + width_of(text, SMALL);
        if x > MARGIN && x + needed > room {
            (x, y) = (MARGIN, y + ROW);
        }
        let middle = y - 4.5;
        match sample {
            Sample::Line(look) => drawing.line((x, middle), (x + SAMPLE, middle), look),
            Sample::Field(look) => {
                drawing.rectangle((x, middle - 6.5), (SAMPLE, 13.0), look, "");
            }
            Sample::Dot(look) => drawing.circle((x + SAMPLE / 2.0, middle), 5.0, look, ""),
        }
        let at = x + SAMPLE + 7.0;
        drawing.text((at, y), Letters::INK.small(), &fitted(text, SMALL, room - at));
        x += needed + BETWEEN;
    }
    y + 8.0
}
