//! The lines and numbers around a plot.

use super::axis::Axis;
use super::drawing::{Drawing, Letters, SMALL};
use super::room::Area;
use super::unit::{Scale, Unit, short};
use crate::svg::{escaped, width_of};

/// The labels beside the ticks of an axis.
#[derive(Debug, Clone)]
pub(super) enum Numbers {
    /// All in one unit.
    In(Scale),
    /// Each in its own unit.
    Of(Unit),
    /// Parts of a whole, as percentages.
    Percent,
}

impl Numbers {
    fn of(&self, value: f64) -> String {
        match self {
            Numbers::In(scale) => tick_number(value / scale.factor()),
            Numbers::Of(unit) => unit.tick(value),
            Numbers::Percent => format!("{} %", short(value * 100.0)),
        }
    }
}

/// Ticks are round except for the last bits; five digits distinguish them.
fn tick_number(value: f64) -> String {
    if value.abs() < 1e6 && value != 0.0 && value.abs() > 1e-4 {
        let text = format!("{value:.5}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        match text.parse::<f64>() {
            Ok(number) if number.fract() == 0.0 => crate::numbers::grouped(number),
            _ => text.to_string(),
        }
    } else {
        short(value)
    }
}

/// Ticks that leave room between their labels on a horizontal axis.
fn spaced_ticks(axis: &Axis, numbers: &Numbers, about: usize) -> Vec<f64> {
    let has_room = |ticks: &[f64]| {
        let ends = |&tick: &f64| {
            let half = width_of(&numbers.of(tick), SMALL) / 2.0;
            (axis.at(tick) - half, axis.at(tick) + half)
        };
        ticks.windows(2).all(|two| ends(&two[0]).1 + 8.0 <= ends(&two[1]).0)
    };
    let choices = (1..=about).rev().map(|about| axis.ticks(about));
    choices.into_iter().find(|ticks| has_room(ticks)).unwrap_or_default()
}

/// A horizontal axis below an area, with grid lines. Labels and title take 40 pixels, 22 without
/// title.
pub(super) fn below(
    drawing: &mut Drawing,
    area: Area,
    axis: &Axis,
    numbers: &Numbers,
    title: &str,
) {
    let about = ((area.width() / 40.0) as usize).clamp(2, 8);
    for tick in spaced_ticks(axis, numbers, about) {
        let x = axis.at(tick);
        drawing.line((x, area.top), (x, area.bottom), "class=\"rule\"");
        let label = numbers.of(tick);
        // A label at the end of the axis must not leave the picture.
        let half = width_of(&label, SMALL) / 2.0;
        let at = x.clamp(half + 2.0, (drawing.width - half - 2.0).max(half + 2.0));
        drawing.text((at, area.bottom + 16.0), Letters::SOFT.centred(), &escaped(&label));
    }
    drawing.line((area.left, area.bottom), (area.right, area.bottom), "class=\"axis\"");
    if !title.is_empty() {
        let middle = (area.left + area.right) / 2.0;
        let letters = Letters::INK.small().centred();
        drawing.text((middle, area.bottom + 34.0), letters, &escaped(title));
    }
}

/// A vertical axis to the left of an area, with grid lines, and its title above.
pub(super) fn left(drawing: &mut Drawing, area: Area, axis: &Axis, numbers: &Numbers, title: &str) {
    let about = ((area.height() / 24.0) as usize).clamp(2, 8);
    for tick in axis.ticks(about) {
        let y = axis.at(tick);
        drawing.line((area.left, y), (area.right, y), "class=\"rule\"");
        let label = escaped(&numbers.of(tick));
        drawing.text((area.left - 7.0, y + 4.3), Letters::SOFT.ending(), &label);
    }
    if !title.is_empty() {
        let at = (super::drawing::MARGIN, area.top - 9.0);
        drawing.text(at, Letters::INK.small(), &escaped(title));
    }
}

/// The width of the widest label that [`left`] would write.
pub(super) fn room_left(axis: &Axis, height: f64, numbers: &Numbers) -> f64 {
    let about = ((height / 24.0) as usize).clamp(2, 8);
    let widths = axis.ticks(about).into_iter().map(|tick| width_of(&numbers.of(tick), SMALL));
    widths.fold(0.0, f64::max) + super::drawing::MARGIN + 9.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_ticks_are_written_without_their_last_bits() {
        assert_eq!(tick_number(0.2 * 3.0), "0.6");
        assert_eq!(tick_number(12_000.0), "12,000");
        assert_eq!(tick_number(0.0), "0");
        assert_eq!(tick_number(2e9), "2e9");
        assert_eq!(Numbers::Percent.of(0.2 * 3.0), "60 %");
    }
}
