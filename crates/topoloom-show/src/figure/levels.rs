//! How close partners are: the amounts that stay within a place, a node, a switch.

use super::drawing::{Drawing, Letters, MARGIN, SMALL, TEXT};
use super::legend::{self, Sample};
use super::{Frame, Unit};
use crate::numbers::percent;
use crate::svg::{escaped, fitted, width_of};
use crate::{Picture, colour};

/// One traffic under several placements.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// The unit of the amounts.
    pub unit: Unit,
    /// The names of the levels, from the innermost to the outermost, such as `one node`, `one
    /// switch`.
    pub levels: Vec<String>,
    /// One bar each.
    pub placements: Vec<Placement>,
}

/// One placement.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Such as the strategy that made it.
    pub name: String,
    /// The amount that goes no further than each level, without the amounts of inner levels.
    pub amounts: Vec<f64>,
}

const TITLE: &str = "How far messages go";

/// One bar per placement, with one part per level.
pub fn levels(frame: Frame, input: &Levels) -> Picture {
    let rows: Vec<Vec<f64>> =
        input.placements.iter().map(|placement| cleaned(placement, input.levels.len())).collect();
    let totals: Vec<f64> = rows.iter().map(|amounts| amounts.iter().sum()).collect();
    let most = totals.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 || !most.is_finite() {
        return Drawing::nothing(frame, TITLE, "No messages between ranks.");
    }
    let explanation = format!(
        "Shares of {} by the smallest part of the machine that holds sender and receiver; what \
         stays near, on the left, costs less",
        input.unit.written(most)
    );
    let (mut drawing, top) = Drawing::new(frame, TITLE, &explanation);
    let entries: Vec<(Sample, String)> = input
        .levels
        .iter()
        .enumerate()
        .map(|(level, name)| (Sample::Field(look(level, input.levels.len())), name.clone()))
        .collect();
    let mut y = legend::draw(&mut drawing, top, &entries) + 12.0;
    let names = input.placements.iter().map(|placement| width_of(&placement.name, TEXT));
    let (bar_left, name_above) = match frame.is_narrow() {
        true => (MARGIN, true),
        false => (MARGIN + names.fold(0.0, f64::max).min(170.0) + 12.0, false),
    };
    let room = drawing.width - MARGIN - bar_left;
    let height = 28.0;
    for ((placement, amounts), total) in input.placements.iter().zip(&rows).zip(&totals) {
        if name_above {
            let name = fitted(&placement.name, TEXT, room);
            drawing.text((MARGIN, y + 12.0), Letters::INK, &name);
            y += 18.0;
        } else {
            let name = fitted(&placement.name, TEXT, bar_left - MARGIN - 10.0);
            drawing.text((bar_left - 10.0, y + 18.5), Letters::INK.ending(), &name);
        }
        let mut x = bar_left;
        for (level, &amount) in amounts.iter().enumerate().filter(|(_, amount)| **amount > 0.0) {
            let width = amount / most * room;
            let share = percent(amount / total);
            let tooltip = format!(
                "{}, within {}: {share}, {}",
                placement.name,
                input.levels[level],
                input.unit.written(amount)
            );
            drawing.rectangle((x, y), (width, height), &look(level, input.levels.len()), &tooltip);
            let label = [share, format!("{:.0} %", 100.0 * amount / total)]
                .into_iter()
                .find(|label| width_of(label, SMALL) + 4.0 <= width);
            if let Some(label) = label {
                let on = text_on(level, input.levels.len());
                drawing.raw(&format!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{SMALL}\" text-anchor=\"middle\" \
                     fill=\"{on}\" pointer-events=\"none\">{}</text>",
                    x + width / 2.0,
                    y + 18.8,
                    escaped(&label)
                ));
            }
            x += width;
        }
        y += height + 10.0;
    }
    let description = description(input, &rows, &totals);
    drawing.done(y + 6.0, description)
}

/// As many amounts as levels; only numbers that can be drawn.
fn cleaned(placement: &Placement, levels: usize) -> Vec<f64> {
    let amount = |level: usize| placement.amounts.get(level).copied().unwrap_or(0.0);
    (0..levels).map(amount).map(|v| if v.is_finite() && v > 0.0 { v } else { 0.0 }).collect()
}

/// Neither the lightest nor the darkest colours: pages may be light or dark.
fn position(level: usize, levels: usize) -> f64 {
    0.05 + 0.8 * level as f64 / levels.saturating_sub(1).max(1) as f64
}

fn look(level: usize, levels: usize) -> String {
    format!("fill=\"{}\"", colour::scale(position(level, levels)))
}

fn text_on(level: usize, levels: usize) -> &'static str {
    if position(level, levels) < 0.5 { "#000" } else { "#fff" }
}

fn description(input: &Levels, rows: &[Vec<f64>], totals: &[f64]) -> String {
    let mut sentences = Vec::new();
    for ((placement, amounts), &total) in input.placements.iter().zip(rows).zip(totals) {
        let parts: Vec<String> = amounts
            .iter()
            .zip(&input.levels)
            .filter(|(amount, _)| **amount > 0.0)
            .map(|(amount, level)| format!("{} within {level}", percent(amount / total)))
            .collect();
        let parts = if parts.is_empty() { "nothing".to_string() } else { parts.join(", ") };
        sentences.push(format!("{}: {parts}.", placement.name));
    }
    sentences.join(" ")
}
