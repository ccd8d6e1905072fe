//! How long ranks wait for messages, or are in MPI.

use super::axis::Axis;
use super::drawing::{Drawing, Letters, MARGIN, TEXT, place};
use super::plot::{self, Numbers};
use super::room::Area;
use super::{Frame, Unit};
use crate::Picture;
use crate::numbers::plural;
use crate::svg::{escaped, wrapped};

/// The ranks of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// Such as the strategy of the placement.
    pub name: String,
    /// The time of each rank.
    pub seconds: Vec<f64>,
}

/// The most bars that are drawn if there is room: one per rank. If there are more ranks, several
/// share a bar.
const MOST_BARS: usize = 500;

/// The words for what ranks do.
struct Words {
    title: &'static str,
    nothing: &'static str,
    explanation: &'static str,
    axis: &'static str,
    /// What ranks do during this time.
    they: &'static str,
}

const WAITING: Words = Words {
    title: "How long ranks wait",
    nothing: "No rank waits for any message.",
    explanation: "Time that each rank spends waiting for messages",
    axis: "waiting",
    they: "wait",
};

const IN_MPI: Words = Words {
    title: "The time that ranks spend in MPI",
    nothing: "No rank spends any time in MPI.",
    explanation: "Time that each rank spends in MPI calls",
    axis: "in MPI",
    they: "are in MPI for",
};

/// How long ranks wait: one panel per run, below each other, with the same axes; ranks from left to
/// right.
pub fn waiting(frame: Frame, runs: &[Waiting]) -> Picture {
    of_ranks(frame, runs, &WAITING)
}

/// The same for the time in MPI.
pub fn in_mpi(frame: Frame, runs: &[Waiting]) -> Picture {
    of_ranks(frame, runs, &IN_MPI)
}

fn of_ranks(frame: Frame, runs: &[Waiting], words: &Words) -> Picture {
    let drawn: Vec<Drawn<'_>> = runs.iter().filter_map(Drawn::of).collect();
    let ranks = drawn.iter().map(|run| run.seconds.len()).max().unwrap_or(0);
    let most = drawn.iter().map(|run| run.most).fold(0.0, f64::max);
    if ranks == 0 {
        return Drawing::nothing(frame, words.title, "No ranks.");
    }
    if most <= 0.0 {
        return Drawing::nothing(frame, words.title, words.nothing);
    }
    let (left, right) = (62.0, frame.usable_width() - MARGIN - 10.0);
    let bars = (((right - left) / 1.5) as usize).min(MOST_BARS);
    let together = if ranks <= bars { 1 } else { ranks.div_ceil(((right - left) / 4.0) as usize) };
    let each = match together {
        1 => "a bar for each rank".to_string(),
        _ => format!(
            "light: from the least to the most of {together} consecutive ranks; dark: their mean"
        ),
    };
    let explanation = format!("{}: {each}; the dashed line is the mean of all", words.explanation);
    let (mut drawing, mut y) = Drawing::new(frame, words.title, &explanation);
    let height = if frame.is_narrow() { 100.0 } else { 120.0 };
    let scale = Unit::Seconds.up_to(most);
    let x = Axis::linear((0.0, ranks as f64), (left, right));
    for (number, run) in drawn.iter().enumerate() {
        let head = format!("{}: {}", run.name, run.summary(words.they));
        for line in wrapped(&head, TEXT, drawing.width - 2.0 * MARGIN) {
            drawing.text((MARGIN, y + 14.0), Letters::INK, &escaped(&line));
            y += 18.0;
        }
        let area = Area { left, top: y + 26.0, right, bottom: y + 26.0 + height };
        let vertical = Axis::linear((0.0, 1.04 * most), (area.bottom, area.top));
        plot::left(
            &mut drawing,
            area,
            &vertical,
            &Numbers::In(scale.clone()),
            &scale.title(words.axis),
        );
        let is_last = number + 1 == drawn.len();
        run.draw(&mut drawing, &x, &vertical, together, number % 8);
        let numbers = Numbers::In(Unit::Plain.up_to(1.0));
        plot::below(&mut drawing, area, &x, &numbers, if is_last { "rank" } else { "" });
        let mean = vertical.at(run.mean);
        let path = format!("M{} {}H{}", place(left), place(mean), place(right));
        let look = "class=\"axis\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"";
        drawing.pointed_line(&path, look, &format!("mean: {}", Unit::Seconds.written(run.mean)));
        y = area.bottom + if is_last { 42.0 } else { 28.0 };
    }
    let sentences: Vec<String> =
        drawn.iter().map(|run| format!("{}: {}.", run.name, run.summary(words.they))).collect();
    drawing.done(y, sentences.join(" "))
}

/// A run that can be drawn completely.
struct Drawn<'a> {
    name: &'a str,
    seconds: Vec<f64>,
    mean: f64,
    most: f64,
}

impl Drawn<'_> {
    fn of(run: &Waiting) -> Option<Drawn<'_>> {
        let clean = |&value: &f64| if value.is_finite() && value > 0.0 { value } else { 0.0 };
        let seconds: Vec<f64> = run.seconds.iter().map(clean).collect();
        let mean = mean(&seconds);
        let most = seconds.iter().copied().fold(0.0, f64::max);
        (!seconds.is_empty()).then_some(Drawn { name: &run.name, seconds, mean, most })
    }

    fn summary(&self, they: &str) -> String {
        format!(
            "{} {they} {} on average, {} at most",
            plural(self.seconds.len(), "rank"),
            Unit::Seconds.written(self.mean),
            Unit::Seconds.written(self.most)
        )
    }

    fn draw(&self, drawing: &mut Drawing, x: &Axis, y: &Axis, together: usize, series: usize) {
        let bottom = y.at(0.0);
        for (number, chunk) in self.seconds.chunks(together).enumerate() {
            let first = number * together;
            let (start, end) = (x.at(first as f64), x.at((first + chunk.len()) as f64));
            // A gap between bars if they are wide.
            let width = (end - start) * if end - start > 3.0 { 0.8 } else { 1.0 };
            let least = chunk.iter().copied().fold(f64::MAX, f64::min);
            let most = chunk.iter().copied().fold(0.0, f64::max);
            let written = |seconds| Unit::Seconds.written(seconds);
            if together == 1 {
                let tooltip = format!("{}, rank {first}: {}", self.name, written(most));
                let look = format!("class=\"fill-{series}\"");
                drawing.rectangle(
                    (start, y.at(most)),
                    (width, bottom - y.at(most)),
                    &look,
                    &tooltip,
                );
                continue;
            }
            let tooltip = format!(
                "{}, ranks {first} to {}: {} on average, {} to {}",
                self.name,
                first + chunk.len() - 1,
                written(mean(chunk)),
                written(least),
                written(most)
            );
            let band = format!("class=\"fill-{series}\" fill-opacity=\"0.35\"");
            let extent = (end - start, (y.at(least) - y.at(most)).max(1.0));
            drawing.rectangle((start, y.at(most)), extent, &band, &tooltip);
            let middle = (start, y.at(mean(chunk)) - 1.0);
            let line = format!("class=\"fill-{series}\" pointer-events=\"none\"");
            drawing.rectangle(middle, (end - start, 2.0), &line, "");
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().map(|value| value / values.len().max(1) as f64).sum()
}
