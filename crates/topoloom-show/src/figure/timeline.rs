//! How busy links are while a program runs.

use super::axis::Axis;
use super::drawing::{Drawing, Letters, MARGIN, TEXT, place};
use super::legend::{self, Sample};
use super::plot::{self, Numbers};
use super::room::Area;
use super::{Frame, Unit};
use crate::Picture;
use crate::numbers::percent;
use crate::svg::{escaped, wrapped};

/// One run of a program under a placement.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Such as the strategy of its placement.
    pub name: String,
    /// When it ends.
    pub seconds: f64,
    /// The length of a bin of time; the last may be shorter.
    pub bin_seconds: f64,
    /// Mean and highest utilisation of all links in each bin, from 0 to 1.
    pub bins: Vec<(f64, f64)>,
}

/// The most bins that are drawn. More are combined: the mean of the means and the highest of the
/// highest.
const MOST_BINS: usize = 240;
const TITLE: &str = "How busy links are over time";

/// One panel per run, below each other, with one time axis: a run that ends earlier is shorter.
pub fn timeline(frame: Frame, runs: &[Run]) -> Picture {
    let drawn: Vec<Drawn<'_>> = runs.iter().filter_map(Drawn::of).collect();
    if drawn.is_empty() {
        return Drawing::nothing(frame, TITLE, "No run that takes time.");
    }
    let last = drawn.iter().map(|run| run.seconds).fold(0.0, f64::max);
    let explanation =
        "Share of the time that links carry something: all of them on average, and the busiest";
    let (mut drawing, top) = Drawing::new(frame, TITLE, explanation);
    let entries = [
        (
            Sample::Field("class=\"fill-6\" fill-opacity=\"0.45\"".to_string()),
            "mean of all links".to_string(),
        ),
        (Sample::Line(busiest_look(6)), "busiest link".to_string()),
    ];
    let mut y = legend::draw(&mut drawing, top, &entries) + 4.0;
    let height = if frame.is_narrow() { 90.0 } else { 110.0 };
    let scale = Unit::Seconds.up_to(last);
    let (left, right) = (62.0, drawing.width - MARGIN - 10.0);
    let x = Axis::linear((0.0, last), (left, right));
    for (number, run) in drawn.iter().enumerate() {
        let head = format!("{}: {}", run.name, run.summary());
        for line in wrapped(&head, TEXT, drawing.width - 2.0 * MARGIN) {
            drawing.text((MARGIN, y + 14.0), Letters::INK, &escaped(&line));
            y += 18.0;
        }
        let area = Area { left, top: y + 10.0, right, bottom: y + 10.0 + height };
        let vertical = Axis::linear((0.0, 1.0), (area.bottom, area.top));
        plot::left(&mut drawing, area, &vertical, &Numbers::Percent, "");
        let is_last = number + 1 == drawn.len();
        let title = if is_last { scale.title("time") } else { String::new() };
        plot::below(&mut drawing, area, &x, &Numbers::In(scale.clone()), &title);
        run.draw(&mut drawing, area, &x, &vertical, number % 8);
        y = area.bottom + if is_last { 42.0 } else { 28.0 };
    }
    let sentences: Vec<String> =
        drawn.iter().map(|run| format!("{}: {}.", run.name, run.summary())).collect();
    drawing.done(y, sentences.join(" "))
}

fn busiest_look(series: usize) -> String {
    format!("class=\"line-{series}\" fill=\"none\" stroke-width=\"1.6\" stroke-dasharray=\"4 2\"")
}

/// A run that can be drawn completely.
struct Drawn<'a> {
    name: &'a str,
    seconds: f64,
    /// Start, end, mean, highest.
    bins: Vec<(f64, f64, f64, f64)>,
    mean: f64,
}

impl Drawn<'_> {
    fn of(run: &Run) -> Option<Drawn<'_>> {
        let usable = |value: f64| value.is_finite() && value > 0.0;
        if !usable(run.seconds) || !usable(run.bin_seconds) || run.bins.is_empty() {
            return None;
        }
        let clean = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
        let together = run.bins.len().div_ceil(MOST_BINS);
        let mut bins = Vec::new();
        let (mut weighted, mut covered) = (0.0, 0.0);
        for (number, chunk) in run.bins.chunks(together).enumerate() {
            let start = (number * together) as f64 * run.bin_seconds;
            let end = (start + chunk.len() as f64 * run.bin_seconds).min(run.seconds);
            if end <= start {
                break;
            }
            let mean = chunk.iter().map(|bin| clean(bin.0)).sum::<f64>() / chunk.len() as f64;
            let most = chunk.iter().map(|bin| clean(bin.1)).fold(0.0, f64::max);
            weighted += mean * (end - start);
            covered += end - start;
            bins.push((start, end, mean, most));
        }
        let mean = if covered > 0.0 { weighted / run.seconds } else { 0.0 };
        Some(Drawn { name: &run.name, seconds: run.seconds, bins, mean })
    }

    fn summary(&self) -> String {
        let most = self.bins.iter().map(|bin| bin.3).fold(0.0, f64::max);
        format!(
            "{}, links busy {} on average, {} at most",
            Unit::Seconds.written(self.seconds),
            percent(self.mean),
            percent(most)
        )
    }

    fn draw(&self, drawing: &mut Drawing, area: Area, x: &Axis, y: &Axis, series: usize) {
        let mut mean = format!("M{} {}", place(area.left), place(area.bottom));
        let mut most = String::new();
        for &(_, end, middle, highest) in &self.bins {
            mean.push_str(&format!("V{}H{}", place(y.at(middle)), place(x.at(end))));
            let step = if most.is_empty() {
                format!("M{} {}", place(area.left), place(y.at(highest)))
            } else {
                format!("V{}", place(y.at(highest)))
            };
            most.push_str(&format!("{step}H{}", place(x.at(end))));
        }
        let last = self.bins.last().map_or(area.left, |bin| x.at(bin.1));
        let filled = format!("{mean}V{}H{}z", place(area.bottom), place(area.left));
        drawing.path(&filled, &format!("class=\"fill-{series}\" fill-opacity=\"0.45\""), "");
        drawing.path(&most, &busiest_look(series), "");
        let end = x.at(self.seconds).max(last);
        drawing.line(
            (end, area.top - 4.0),
            (end, area.bottom),
            "class=\"axis\" stroke-width=\"2\"",
        );
        for &(start, end, middle, highest) in &self.bins {
            let tooltip = format!(
                "{}, {} to {}: {} on average, busiest link {}",
                self.name,
                Unit::Seconds.written(start),
                Unit::Seconds.written(end),
                percent(middle),
                percent(highest)
            );
            let width = x.at(end) - x.at(start);
            let look = "fill=\"none\" pointer-events=\"all\"";
            drawing.rectangle((x.at(start), area.top), (width, area.height()), look, &tooltip);
        }
    }
}
