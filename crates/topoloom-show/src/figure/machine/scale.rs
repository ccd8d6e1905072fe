//! The scale of colours with its values.

use std::fmt::Write;

use topoloom_core::Weight;

use crate::colour::{self, SHADES};
use crate::figure::Unit;
use crate::svg::{escaped, fitted, width_of};

/// What the colours of lines mean.
pub struct Scale {
    /// The load of the last colour.
    pub most: f64,
    /// The unit of loads.
    pub weight: Weight,
    /// What has these colours.
    pub what: &'static str,
    /// What a grey line means.
    pub unused: &'static str,
    /// Whether the busiest link is outlined.
    pub marks_busiest: bool,
}

/// Draws a scale, 36 high.
pub fn draw_scale(body: &mut String, scale: &Scale, [x, y]: [f64; 2], width: f64) {
    let bar = (width * 0.45).min(360.0);
    let cell = bar / SHADES as f64;
    for shade in 0..SHADES {
        let _ = write!(
            body,
            "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"10\" fill=\"{}\"/>",
            x + shade as f64 * cell,
            cell + 0.6,
            colour::scale((shade as f64 + 0.5) / SHADES as f64)
        );
    }
    body.push('\n');
    // Half of a small whole number would be rounded to something else.
    let has_middle = scale.most >= 100.0 || (scale.most / 2.0).fract().abs() < 1e-6;
    let ticks = [(0.0, "start"), (0.5, "middle"), (1.0, "end")];
    for (part, anchor) in ticks.into_iter().filter(|&(part, _)| part != 0.5 || has_middle) {
        let _ = writeln!(
            body,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"{anchor}\">{}</text>",
            x + part * bar,
            y + 24.0,
            escaped(&if part == 0.0 {
                "0".to_string()
            } else {
                Unit::from(scale.weight).written(part * scale.most)
            })
        );
    }
    let _ = writeln!(
        body,
        "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\">{}</text>",
        x + bar + 16.0,
        y + 9.0,
        fitted(scale.what, 12.0, width - bar - 16.0)
    );
    let _ = writeln!(
        body,
        "<path class=\"rule\" stroke-width=\"1.5\" d=\"M{:.1} {:.1}h24\"/><text class=\"soft\" x=\"{:.1}\" \
         y=\"{:.1}\" font-size=\"12\">{}</text>",
        x + bar + 16.0,
        y + 20.0,
        x + bar + 46.0,
        y + 24.0,
        escaped(scale.unused)
    );
    if scale.marks_busiest {
        let at = x + bar + 46.0 + width_of(scale.unused, 12.0) + 20.0;
        let _ = writeln!(
            body,
            "<path class=\"line-1\" stroke-width=\"5\" d=\"M{at:.1} {0:.1}h24\"/><path stroke=\"{1}\" \
             stroke-width=\"2\" d=\"M{at:.1} {0:.1}h24\"/><text class=\"soft\" x=\"{2:.1}\" y=\"{3:.1}\" \
             font-size=\"12\">busiest link</text>",
            y + 20.0,
            colour::scale(1.0),
            at + 30.0,
            y + 24.0
        );
    }
}
