//! The loads of links between nodes under each strategy: total, average, minimum and maximum.

use topoloom_core::Score;

use super::axis::Axis;
use super::drawing::{Drawing, Letters, MARGIN, SMALL, TEXT};
use super::legend::{self, Sample};
use super::plot::{self, Numbers};
use super::room::Area;
use super::unit::Scale;
use super::{Frame, Unit};
use crate::Picture;
use crate::svg::{escaped, fitted, width_of};

/// Strategies on machines.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The unit of what links carry.
    pub unit: Unit,
    /// One below the other, with the same limits of axes.
    pub machines: Vec<MachineBars>,
}

/// Strategies on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineBars {
    /// Such as its topology.
    pub name: String,
    /// No placement has a smaller total.
    pub bound: Option<f64>,
    /// One bar each.
    pub rows: Vec<BarRow>,
}

/// The loads of undirected links between nodes under one strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    /// The strategy.
    pub name: String,
    /// All links together.
    pub total: f64,
    /// The average link. This and the next two are `None` if the machine has no links.
    pub average: Option<f64>,
    /// The least busy link.
    pub minimum: Option<f64>,
    /// The busiest link.
    pub maximum: Option<f64>,
    /// Drawn in another colour with a bold name.
    pub highlighted: bool,
    /// The published values for total, average, minimum and maximum: outlined bars below ours.
    pub published: [Option<f64>; 4],
}

impl BarRow {
    /// The value of a panel, if it can be drawn.
    fn value(&self, panel: usize) -> Option<f64> {
        drawn([Some(self.total), self.average, self.minimum, self.maximum][panel])
    }

    /// The same for the published value.
    fn published(&self, panel: usize) -> Option<f64> {
        drawn(self.published[panel])
    }

    /// The values of a score, with both directions of a link added, as the thesis counts.
    pub fn of(name: &str, score: &Score, highlighted: bool) -> BarRow {
        let physical = score.thesis.inter_node_physical.as_ref();
        BarRow {
            name: name.to_string(),
            total: physical.map_or(score.hop_bytes, |physical| physical.total),
            average: physical.map(|physical| physical.average),
            minimum: physical.map(|physical| physical.minimum),
            maximum: physical.map(|physical| physical.maximum),
            highlighted,
            published: [None; 4],
        }
    }
}

fn drawn(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value >= 0.0)
}

const PANELS: [&str; 4] = ["total", "average", "minimum", "maximum"];
const TITLE: &str = "What links between nodes carry";
/// The title for machines of which only the distances are known.
const WITHOUT_LINKS: &str = "What placements cost";
/// The height of a row with one bar, and of a row with two bars, if there is a published value.
const ROW: f64 = 21.0;
const BAR: f64 = 14.0;
const ROW_OF_TWO: f64 = 33.0;
const BAR_OF_TWO: f64 = 13.0;
const OURS: &str = "class=\"fill-0\"";
const PUBLISHED: &str = "class=\"paper line-0\" stroke-width=\"1.6\"";
const GAP: f64 = 14.0;
/// The height below a panel, for its numbers.
const FOOT: f64 = 26.0;

/// Bars from left to right, one row per strategy; panels side by side, or below each other.
pub fn bars(frame: Frame, input: &Bars) -> Picture {
    titled_bars(frame, None, input)
}

/// The same under a title that is given.
pub fn titled_bars(frame: Frame, title: Option<&str>, input: &Bars) -> Picture {
    let rows = || input.machines.iter().flat_map(|machine| &machine.rows);
    let panels: Vec<Panel> =
        (0..PANELS.len()).filter_map(|panel| Panel::of(panel, input)).collect();
    if panels.is_empty() {
        return Drawing::nothing(frame, title.unwrap_or(TITLE), "No strategy has numbers to draw.");
    }
    let has_links = panels.len() > 1;
    let (usual, explanation) = match has_links {
        true => (
            TITLE,
            "Both directions of a pair of nodes take one route together; average, minimum and \
             maximum of links used",
        ),
        false => (WITHOUT_LINKS, "All that is sent times the distance it travels"),
    };
    let (mut drawing, mut y) = Drawing::new(frame, title.unwrap_or(usual), explanation);
    let widest = rows().map(|row| width_of(&row.name, TEXT)).fold(0.0, f64::max);
    // Bold names are a little wider.
    let most = if frame.is_narrow() { 0.42 } else { 0.3 };
    let names = (1.12 * widest + 10.0).min(drawing.width * most);
    let left = MARGIN + names;
    let has_published =
        rows().any(|row| (0..PANELS.len()).any(|panel| row.published(panel).is_some()));
    let row_height = if has_published { ROW_OF_TWO } else { ROW };
    if has_published {
        let entries = [(OURS, "ours"), (PUBLISHED, "published")]
            .map(|(look, name)| (Sample::Field(look.to_string()), name.to_string()));
        y = legend::draw(&mut drawing, y, &entries) + 4.0;
    }
    for machine in input.machines.iter().filter(|machine| !machine.rows.is_empty()) {
        let name = fitted(&machine.name, TEXT * 1.15, drawing.width - 2.0 * MARGIN);
        drawing.text((MARGIN, y + 16.0), Letters::INK.bold(true), &name);
        y += 24.0;
        if let Some(bound) = bound_of(machine) {
            let text = format!("dashed: lower bound of the total, {}", input.unit.written(bound));
            drawing.text((MARGIN, y + 9.0), Letters::SOFT, &escaped(&text));
            y += 18.0;
        }
        let height = machine.rows.len() as f64 * row_height;
        if frame.is_narrow() {
            for panel in &panels {
                let area = Area {
                    left,
                    top: y + 20.0,
                    right: drawing.width - MARGIN,
                    bottom: y + 20.0 + height,
                };
                write_names(&mut drawing, machine, area, names);
                panel.draw(&mut drawing, machine, area, input.unit);
                y = area.bottom + FOOT + 8.0;
            }
        } else {
            let count = panels.len() as f64;
            let width = (drawing.width - MARGIN - left - (count - 1.0) * GAP) / count;
            for (number, panel) in panels.iter().enumerate() {
                let start = left + number as f64 * (width + GAP);
                let area = Area {
                    left: start,
                    top: y + 20.0,
                    right: start + width,
                    bottom: y + 20.0 + height,
                };
                if number == 0 {
                    write_names(&mut drawing, machine, area, names);
                }
                panel.draw(&mut drawing, machine, area, input.unit);
            }
            y += 20.0 + height + FOOT + 8.0;
        }
        y += 6.0;
    }
    let description = description(input);
    drawing.done(y, description)
}

/// The look of the line of the bound.
const BOUND: &str = "class=\"axis\" stroke-width=\"2\" stroke-dasharray=\"5 3\"";

fn bound_of(machine: &MachineBars) -> Option<f64> {
    machine.bound.filter(|bound| bound.is_finite() && *bound > 0.0)
}

fn write_names(drawing: &mut Drawing, machine: &MachineBars, area: Area, width: f64) {
    for (number, row) in machine.rows.iter().enumerate() {
        let row_height = area.height() / machine.rows.len() as f64;
        let y = area.top + (number as f64 + 0.5) * row_height + 4.5;
        let room = if row.highlighted { (width - 8.0) / 1.12 } else { width - 8.0 };
        let name = fitted(&row.name, TEXT, room);
        drawing.text((area.left - 7.0, y), Letters::INK.ending().bold(row.highlighted), &name);
    }
}

/// A column of bars, with the same limits for all machines.
struct Panel {
    number: usize,
    most: f64,
    scale: Scale,
    /// Room for the longest number after a bar.
    numbers: f64,
}

impl Panel {
    fn of(number: usize, input: &Bars) -> Option<Panel> {
        let rows = input.machines.iter().flat_map(|machine| &machine.rows);
        let values: Vec<f64> =
            rows.flat_map(|row| [row.value(number), row.published(number)]).flatten().collect();
        if values.is_empty() {
            return None;
        }
        let bounds = input.machines.iter().filter_map(bound_of).filter(|_| number == 0);
        let most = values.iter().copied().chain(bounds).fold(0.0, f64::max);
        let scale = input.unit.up_to(most);
        let widths = values.iter().map(|&value| width_of(&scale.number(value), SMALL));
        let numbers = widths.fold(0.0, f64::max) + 6.0;
        Some(Panel { number, most, scale, numbers })
    }

    fn draw(&self, drawing: &mut Drawing, machine: &MachineBars, area: Area, unit: Unit) {
        let axis = Axis::linear((0.0, self.most), (area.left, area.right - self.numbers));
        let title = self.scale.title_within(PANELS[self.number], SMALL, area.right - area.left);
        drawing.text((area.left, area.top - 6.0), Letters::INK.small(), &escaped(&title));
        plot::below(drawing, area, &axis, &Numbers::In(self.scale.clone()), "");
        drawing.line((area.left, area.top), (area.left, area.bottom), "class=\"axis\"");
        let row_height = area.height() / machine.rows.len() as f64;
        // Compared with the middle, because sums of lengths are not exact.
        let has_two = row_height > (ROW + ROW_OF_TWO) / 2.0;
        let bar = if has_two { BAR_OF_TWO } else { BAR };
        let mut draw = |y: f64, value: Option<f64>, look: &str, name: &str| {
            let Some(value) = value else { return };
            let tooltip = format!("{name}: {}", unit.written(value));
            let end = axis.at(value);
            drawing.rectangle((area.left, y), (end - area.left, bar), look, &tooltip);
            let at = (end + 4.0, y + bar - 2.8);
            drawing.text(at, Letters::INK.small(), &escaped(&self.scale.number(value)));
        };
        for (number, row) in machine.rows.iter().enumerate() {
            let bars = if has_two { 2.0 * bar } else { bar };
            let y = area.top + number as f64 * row_height + (row_height - bars) / 2.0;
            let look = if row.highlighted { "class=\"fill-1\"" } else { OURS };
            let name = format!("{}, {}", row.name, PANELS[self.number]);
            draw(y, row.value(self.number), look, &name);
            let published = format!("{name}, published");
            draw(y + bar, row.published(self.number), PUBLISHED, &published);
        }
        if let Some(bound) = bound_of(machine).filter(|_| self.number == 0) {
            let x = axis.at(bound);
            let path = format!("M{x:.1} {:.1}V{:.1}", area.top, area.bottom);
            drawing.pointed_line(&path, BOUND, &format!("lower bound: {}", unit.written(bound)));
        }
    }
}

fn description(input: &Bars) -> String {
    let mut sentences = Vec::new();
    for machine in &input.machines {
        let totals = || machine.rows.iter().filter_map(|row| Some((row.value(0)?, &row.name)));
        let best = totals().min_by(|a, b| a.0.total_cmp(&b.0));
        let worst = totals().max_by(|a, b| a.0.total_cmp(&b.0));
        if let (Some(best), Some(worst)) = (best, worst) {
            let written = |value| input.unit.written(value);
            let bound = match bound_of(machine) {
                Some(bound) => format!("; no placement can have less than {}", written(bound)),
                None => String::new(),
            };
            sentences.push(format!(
                "{}: the total is {} with {} and {} with {}{bound}.",
                machine.name,
                written(best.0),
                best.1,
                written(worst.0),
                worst.1
            ));
        }
    }
    sentences.join(" ")
}
