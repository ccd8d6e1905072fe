//! Switches, hosts and their names.

use std::fmt::Write;

use super::paper::{HostNames, Paper, host_size, runs};
use super::rows::{NAME, Row, SwitchNames};
use crate::layout::{DrawnMachine, Layers};
use crate::svg::{end_of, escaped, width_of};

/// Draws the switches of all rows.
pub fn draw_switches(body: &mut String, drawn: &DrawnMachine, layers: &Layers, paper: &Paper) {
    let rows: Vec<Row> =
        (0..=layers.top()).map(|level| Row::of(drawn, layers, paper.unit, level)).collect();
    let mut path = String::new();
    let mut texts = String::new();
    for point in drawn.holding..drawn.points.len() {
        let level = layers.level_of.get(point).copied().unwrap_or(0);
        let Some(row) = rows.get(usize::from(level)) else { continue };
        let [x, y] = paper.see(drawn.points[point]);
        let [across, up] = row.half;
        let _ = write!(
            path,
            "M{:.1} {:.1}h{:.1}v{:.1}h-{:.1}z",
            x - across,
            y - up,
            2.0 * across,
            2.0 * up,
            2.0 * across
        );
        let label = layers.labels.get(point).map_or("", |label| &label[..]);
        match row.names {
            SwitchNames::Inside => {
                let _ = writeln!(
                    texts,
                    "<text class=\"ink\" x=\"{x:.1}\" y=\"{:.1}\" font-size=\"{NAME}\" \
                     text-anchor=\"middle\">{}</text>",
                    y + 3.6,
                    escaped(&end_of(label, NAME, 2.0 * across - 4.0))
                );
            }
            SwitchNames::Above => {
                upwards(&mut texts, [x + 3.6, y - up - 4.0], "start", label);
            }
            SwitchNames::None => {}
        }
    }
    let _ = writeln!(
        body,
        "<path class=\"paper\" d=\"{path}\"/><path class=\"axis\" stroke-width=\"0.9\" d=\"{path}\"/>"
    );
    body.push_str(&texts);
}

/// Writes the names of hosts or blocks where they fit.
pub fn draw_host_names(body: &mut String, drawn: &DrawnMachine, layers: &Layers, paper: &Paper) {
    let half = if layers.in_cells { 0.5 * paper.unit } else { 0.5 * host_size(paper.unit) };
    let is_upwards =
        matches!(paper.host_names, HostNames::EachUpwards | HostNames::Runs { upwards: true, .. });
    let mut write = |[x, y]: [f64; 2], label: &str| match is_upwards {
        true => upwards(body, [x + 3.6, y + half + 4.0], "end", label),
        false => {
            let _ = writeln!(
                body,
                "<text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" font-size=\"{NAME}\" \
                 text-anchor=\"middle\">{}</text>",
                y + half + NAME + 2.0,
                escaped(label)
            );
        }
    };
    match paper.host_names {
        HostNames::None => {}
        HostNames::Each | HostNames::EachUpwards => {
            for point in 0..drawn.holding {
                let label = layers.labels.get(point).map_or("", |label| &label[..]);
                write(paper.see(drawn.points[point]), label);
            }
        }
        HostNames::Runs { .. } => {
            for run in runs(drawn, layers, paper.host_names) {
                let [left, right] = [run.left, run.right].map(|x| paper.see([x, 0.0, 0.0])[0]);
                let [_, lowest] = paper.see([0.0, run.lowest, 0.0]);
                // Names that do not fit are left out.
                let room = (right - left) + 1.2 * paper.unit;
                if is_upwards || width_of(&run.label, NAME) <= room {
                    write([(left + right) / 2.0, lowest], &run.label);
                }
            }
        }
    }
}

/// Writes a text that reads upwards.
fn upwards(body: &mut String, [x, y]: [f64; 2], anchor: &str, text: &str) {
    let _ = writeln!(
        body,
        "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" class=\"soft\" font-size=\"{NAME}\" \
         text-anchor=\"{anchor}\">{}</text>",
        escaped(text)
    );
}

/// Writes what the levels are called, at the left.
pub fn draw_level_names(body: &mut String, drawn: &DrawnMachine, layers: &Layers, paper: &Paper) {
    for (level, lines) in paper.level_names.iter().enumerate() {
        let Some(point) = layers.highest(&drawn.points, level) else { continue };
        let [_, y] = paper.see(drawn.points[point]);
        let mut line_y = y + 4.0 - 7.0 * (lines.len() as f64 - 1.0);
        for line in lines {
            let _ = writeln!(
                body,
                "<text class=\"soft\" x=\"0\" y=\"{line_y:.1}\" font-size=\"12\">{}</text>",
                escaped(line)
            );
            line_y += 14.0;
        }
    }
}
