//! How much each rank sends to each other rank: the traffic matrix, alone or in two orders of its
//! ranks.

use std::fmt::Write;

use topoloom_core::Weight;
use topoloom_core::insight::Matrix;

use super::drawing::{Drawing, Letters, MARGIN, SMALL, place};
use super::{Frame, Unit};
use crate::numbers::{amount, grouped, plural};
use crate::svg::{end_of, escaped, fitted, width_of};
use crate::{Picture, colour};

/// The most cells along one side of a picture.
pub const MOST_CELLS: usize = 256;

/// The position of each rank in the order of the slots of a placement; ranks that share a slot keep
/// their order.
pub fn positions_by_slot(slots: &[u32]) -> Vec<u32> {
    let mut ranks: Vec<u32> = (0..slots.len() as u32).collect();
    ranks.sort_by_key(|&rank| slots[rank as usize]);
    let mut position_of = vec![0; slots.len()];
    for (position, &rank) in (0..).zip(&ranks) {
        position_of[rank as usize] = position;
    }
    position_of
}

/// The number of colours. All cells of one colour are one shape, which keeps files small.
const SHADES: usize = 48;

/// The texts around a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels<'a> {
    /// The name of the traffic, such as its file.
    pub name: &'a str,
    /// How many ranks there are.
    pub ranks: usize,
    /// The unit of the cells.
    pub weight: Weight,
    /// What rows and columns are: `rank`, or `place` if ranks are in another order.
    pub axis: &'a str,
}

/// Senders from top to bottom, receivers from left to right; colours on a logarithmic scale.
pub fn matrix(frame: Frame, matrix: &Matrix, labels: &Labels<'_>) -> Picture {
    let panels = [Panel { matrix, caption: "", axis: labels.axis }];
    draw(frame, &panels, labels)
}

/// One traffic in two orders of its ranks, such as before and after a placement, with one scale.
/// Each has its caption and the name of its axis, as in [`Labels`].
pub fn two_matrices(
    frame: Frame,
    (before, after): (&Matrix, &Matrix),
    captions: [&str; 2],
    axes: [&str; 2],
    labels: &Labels<'_>,
) -> Picture {
    let panels = [
        Panel { matrix: before, caption: captions[0], axis: axes[0] },
        Panel { matrix: after, caption: captions[1], axis: axes[1] },
    ];
    draw(frame, &panels, labels)
}

struct Panel<'a> {
    matrix: &'a Matrix,
    caption: &'a str,
    axis: &'a str,
}

/// The smallest and the largest value of all cells that are not empty.
type Range = (f64, f64);

fn draw(frame: Frame, panels: &[Panel<'_>], labels: &Labels<'_>) -> Picture {
    let width = frame.usable_width();
    let ranges = panels.iter().filter_map(|panel| panel.matrix.range());
    let range = ranges
        .filter(|(least, most)| least.is_finite() && most.is_finite())
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .map(widened);
    let most_per_cell = panels.iter().map(|panel| panel.matrix.ranks_per_cell).max().unwrap_or(1);
    let bins = match most_per_cell {
        0 | 1 => String::new(),
        ranks => format!("; a cell is {ranks} x {ranks} ranks"),
    };
    let name = end_of(labels.name, 18.0, width - 2.0 * MARGIN);
    let explanation = format!(
        "{} from each sender to each receiver, {}{bins}",
        labels.weight,
        plural(labels.ranks, "rank")
    );
    let (mut drawing, mut top) = Drawing::new(frame, &name, &explanation);
    let left = MARGIN + 26.0 + width_of(&grouped(labels.ranks.max(1) as f64), 12.0);
    let beside = !frame.is_narrow() && panels.len() > 1;
    let legend_beside = !frame.is_narrow() && panels.len() == 1;
    let side = match (beside, legend_beside) {
        (true, _) => (width - 2.0 * left - 2.0 * MARGIN) / 2.0,
        (_, true) => width - left - 140.0,
        _ => width - left - MARGIN,
    };
    top += 24.0;
    let mut bottom = top;
    for (number, panel) in panels.iter().enumerate() {
        let shift = if beside { number as f64 * width / 2.0 } else { 0.0 };
        let head = if panel.caption.is_empty() { 0.0 } else { 22.0 };
        let corner = (left + shift, top + head);
        if head > 0.0 {
            let caption = fitted(panel.caption, 14.0, side);
            drawing.text((corner.0, top - 8.0), Letters::INK.bold(true), &caption);
        }
        one(&mut drawing, panel, labels, range, corner, side);
        bottom = corner.1 + side + 34.0;
        if !beside {
            top = bottom + 30.0;
        }
    }
    if let Some(range) = range {
        if legend_beside {
            legend_down(
                &mut drawing,
                (left + side + 24.0, bottom - side - 34.0),
                range,
                labels.weight,
            );
        } else {
            bottom = legend_across(&mut drawing, bottom, range, labels.weight);
        }
    }
    let description = description(panels, labels, range);
    let mut picture = drawing.done(bottom + MARGIN, description);
    picture.title = format!("Traffic from each sender to each receiver: {name}");
    picture
}

fn description(panels: &[Panel<'_>], labels: &Labels<'_>, range: Option<Range>) -> String {
    let Some((_, most)) = range else { return "No messages.".to_string() };
    let unit = Unit::from(labels.weight);
    let mut text = format!(
        "A square of cells, senders down, receivers to the right, of {}; the heaviest cell holds {}.",
        plural(labels.ranks, "rank"),
        unit.written(most)
    );
    for panel in panels {
        let cells = (0..panel.matrix.size)
            .flat_map(|row| (0..panel.matrix.size).map(move |column| (row, column)));
        let filled = cells.filter(|&(row, column)| panel.matrix.at(row, column) > 0.0).count();
        let name = if panel.caption.is_empty() { "" } else { panel.caption };
        let colon = if name.is_empty() { "" } else { ": " };
        let all = (panel.matrix.size * panel.matrix.size) as f64;
        let _ = write!(
            text,
            " {name}{colon}{} of {} cells hold something.",
            grouped(filled as f64),
            grouped(all)
        );
    }
    text
}

/// One matrix with its axes; `corner` is the upper left corner of its cells.
fn one(
    drawing: &mut Drawing,
    panel: &Panel<'_>,
    labels: &Labels<'_>,
    range: Option<Range>,
    corner: (f64, f64),
    side: f64,
) {
    let (left, top) = corner;
    match range {
        Some(range) => cells(drawing, panel.matrix, labels, range, corner, side),
        None => {
            let middle = (left + side / 2.0, top + side / 2.0);
            drawing.text(middle, Letters::INK.centred(), "no messages");
        }
    }
    drawing.rectangle(corner, (side, side), "class=\"axis\"", "");
    let cell = side / panel.matrix.size.max(1) as f64;
    let about = if side > 400.0 { 8.0 } else { 4.0 };
    for rank in ticks(labels.ranks, about) {
        let at = ((rank / panel.matrix.ranks_per_cell.max(1)) as f64 + 0.5) * cell;
        let (x, y) = (left + at, top + at);
        drawing.line((x, top), (x, top - 5.0), "class=\"axis\"");
        drawing.line((left, y), (left - 5.0, y), "class=\"axis\"");
        let label = grouped(rank as f64);
        drawing.text((x, top - 9.0), Letters::SOFT.centred(), &label);
        drawing.text((left - 8.0, y + 4.3), Letters::SOFT.ending(), &label);
    }
    let axis = escaped(panel.axis);
    let below = (left + side / 2.0, top + side + 20.0);
    drawing.text(below, Letters::INK.small().centred(), &format!("receiving {axis} →"));
    let beside =
        (left - 14.0 - width_of(&grouped(labels.ranks.max(1) as f64), SMALL), top + side / 2.0);
    drawing.upward_text(beside, Letters::INK.small().centred(), &format!("← sending {axis}"));
}

/// Values that differ little must not look very different.
fn widened((least, most): Range) -> Range {
    const AT_LEAST: f64 = 10.0;
    if least < most { (least.min(most / AT_LEAST), most) } else { (least, most) }
}

/// The position of a value between the smallest and the largest, on a logarithmic scale; 1 if all
/// are equal.
fn position(value: f64, (least, most): Range) -> f64 {
    if most > least { ((value / least).ln() / (most / least).ln()).clamp(0.0, 1.0) } else { 1.0 }
}

/// The cells that are not empty; neighbours of one colour in a row are one rectangle.
fn cells(
    drawing: &mut Drawing,
    matrix: &Matrix,
    labels: &Labels<'_>,
    range: Range,
    (left, top): (f64, f64),
    side: f64,
) {
    let shade = |row: usize, column: usize| {
        let value = matrix.at(row, column);
        (value > 0.0).then(|| (position(value, range) * (SHADES - 1) as f64).round() as usize)
    };
    let mut paths = vec![String::new(); SHADES];
    let mut ranges: Vec<Option<Range>> = vec![None; SHADES];
    for row in 0..matrix.size {
        let mut column = 0;
        while column < matrix.size {
            let first = column;
            let own = shade(row, first);
            while column < matrix.size && shade(row, column) == own {
                if let Some(own) = own {
                    let value = matrix.at(row, column);
                    let (least, most) = ranges[own].unwrap_or((value, value));
                    ranges[own] = Some((least.min(value), most.max(value)));
                }
                column += 1;
            }
            if let Some(own) = own {
                let width = column - first;
                let _ = write!(paths[own], "M{first} {row}h{width}v1h-{width}z");
            }
        }
    }
    let scale = side / matrix.size.max(1) as f64;
    drawing.raw(&format!(
        "<g transform=\"translate({} {}) scale({scale:.6})\" shape-rendering=\"crispEdges\">",
        place(left),
        place(top)
    ));
    for ((shade, path), held) in paths.iter().enumerate().zip(ranges) {
        let Some((least, most)) = held else { continue };
        let fill = colour::scale(shade as f64 / (SHADES - 1) as f64);
        let unit = Unit::from(labels.weight);
        let (least, most) = (unit.written(least), unit.written(most));
        let tooltip = if least == most { most } else { format!("{least} to {most}") };
        drawing.path(path, &format!("fill=\"{fill}\""), &tooltip);
    }
    drawing.raw("</g>");
}

/// The first rank, and about this many round numbers after it.
fn ticks(ranks: usize, about: f64) -> Vec<usize> {
    let wanted = (ranks as f64 / about).max(1.0);
    // Numbers of ranks are powers of two as often as multiples of ten.
    let step = if ranks.is_power_of_two() {
        (wanted as usize).next_power_of_two()
    } else {
        let ten = 10f64.powf(wanted.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * ten);
        steps.into_iter().find(|&step| step >= wanted).unwrap_or(10.0 * ten) as usize
    };
    (0..ranks).step_by(step.max(1)).collect()
}

/// Values beside the scale of colours: both ends, and powers of ten that are at least `apart` from
/// them.
fn marks(range: Range, apart: f64, weight: Weight) -> Vec<(f64, String)> {
    let (least, most) = range;
    let mut marks = vec![(0.0, amount(weight, least)), (1.0, amount(weight, most))];
    for power in least.log10().floor() as i32..=most.log10().ceil() as i32 {
        let value = 10f64.powi(power);
        let (at, text) = (position(value, range), amount(weight, value));
        let is_apart = |known: &(f64, String)| (known.0 - at).abs() >= apart && known.1 != text;
        if at > 0.0 && at < 1.0 && marks.iter().all(is_apart) {
            marks.push((at, text));
        }
    }
    marks
}

/// The colours from top to bottom, with their values.
fn legend_down(drawing: &mut Drawing, (x, top): (f64, f64), range: Range, weight: Weight) {
    let height = 240.0;
    drawing.text((x, top + 4.0), Letters::INK.small(), &format!("{weight} (log)"));
    let bottom = top + 20.0 + height;
    if range.1 <= range.0 {
        return single(drawing, (x, top + 20.0), range.1, weight);
    }
    let part = height / SHADES as f64;
    for shade in 0..SHADES {
        let y = bottom - (shade + 1) as f64 * part;
        drawing.rectangle((x, y), (18.0, part + 0.5), &look(shade), "");
    }
    for (at, text) in marks(range, 17.0 / height, weight) {
        let y = bottom - at * height;
        drawing.line((x + 18.0, y), (x + 22.0, y), "class=\"axis\"");
        drawing.text((x + 26.0, y + 4.3), Letters::SOFT, &text);
    }
    silent(drawing, (x, bottom + 16.0));
}

/// The colours from left to right below everything; returns where they end.
fn legend_across(drawing: &mut Drawing, top: f64, range: Range, weight: Weight) -> f64 {
    let width = (drawing.width - 2.0 * MARGIN).min(420.0);
    drawing.text((MARGIN, top + 14.0), Letters::INK.small(), &format!("{weight} (log)"));
    silent(drawing, (MARGIN + width - 80.0, top));
    let top = top + 26.0;
    if range.1 <= range.0 {
        single(drawing, (MARGIN, top), range.1, weight);
        return top + 24.0;
    }
    let part = width / SHADES as f64;
    for shade in 0..SHADES {
        let x = MARGIN + shade as f64 * part;
        drawing.rectangle((x, top), (part + 0.5, 14.0), &look(shade), "");
    }
    for (at, text) in marks(range, 80.0 / width, weight) {
        let x = MARGIN + at * width;
        drawing.line((x, top + 14.0), (x, top + 18.0), "class=\"axis\"");
        let letters = match at {
            at if at <= 0.0 => Letters::SOFT,
            at if at >= 1.0 => Letters::SOFT.ending(),
            _ => Letters::SOFT.centred(),
        };
        drawing.text((x, top + 31.0), letters, &text);
    }
    top + 34.0
}

fn look(shade: usize) -> String {
    format!("fill=\"{}\"", colour::scale(shade as f64 / (SHADES - 1) as f64))
}

/// Used if all cells have the same value.
fn single(drawing: &mut Drawing, (x, y): (f64, f64), value: f64, weight: Weight) {
    drawing.rectangle((x, y), (18.0, 18.0), &look(SHADES - 1), "");
    drawing.text((x + 26.0, y + 13.5), Letters::SOFT, &amount(weight, value));
}

fn silent(drawing: &mut Drawing, (x, y): (f64, f64)) {
    drawing.rectangle((x, y), (18.0, 18.0), "class=\"axis\"", "");
    drawing.text((x + 26.0, y + 13.5), Letters::SOFT, "nothing");
}
