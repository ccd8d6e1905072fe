//! Arrangements as pictures: rectangles to scale, coloured by cluster.

mod paint;

use std::fmt::Write;

use topoloom::arrange::{Arrangement, Rectangle};

use crate::output::numbers::{grouped, plural};
use crate::output::svg::{escaped, fitted, width_of};
use paint::Paint;

/// The owners of the rectangles.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// The names of the clusters.
    pub clusters: &'a [String],
    /// The cluster of each processor.
    pub cluster_of: &'a [u32],
    /// The host of each processor.
    pub hosts: &'a [String],
}

/// One arrangement of a picture.
#[derive(Debug, Clone)]
pub struct Panel<'a> {
    /// The text above it.
    pub title: String,
    /// What is drawn.
    pub arrangement: &'a Arrangement,
    /// The text below it, such as its costs.
    pub lines: Vec<String>,
}

/// Around everything, and between panels.
const MARGIN: f64 = 28.0;
const GAP: f64 = 40.0;
/// The number of panels in a row.
const PANELS_IN_A_ROW: usize = 3;
/// Font sizes of titles, of text, and of the smallest numbers and names in rectangles.
const TITLE: f64 = 17.0;
const TEXT: f64 = 13.0;
const SMALLEST: f64 = 8.0;
const SMALLEST_NAME: f64 = 10.0;
const LINE: f64 = 19.0;
const LEGEND_LINE: f64 = 22.0;
/// The height of a title and the line below it.
const HEAD: f64 = 52.0;

/// The panels side by side, with a legend of clusters below.
pub fn svg(machine: &Machine<'_>, panels: &[Panel<'_>]) -> String {
    let picture = Picture::new(machine, panels);
    let (width, height) = (picture.width, picture.height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-labelledby=\"arrangement-title arrangement-description\" font-family=\"sans-serif\" font-size=\"{TEXT}\" fill=\"#222\">\n"
    );
    text.push_str(&picture.description());
    text.push_str(&paint::definitions(machine.clusters.len()));
    let _ = writeln!(text, "<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"white\"/>");
    for (number, panel) in panels.iter().enumerate() {
        picture.panel(number, panel, &mut text);
    }
    picture.legend(&mut text);
    text.push_str("</svg>\n");
    text
}

/// The picture and its layout.
struct Picture<'a> {
    machine: &'a Machine<'a>,
    panels: &'a [Panel<'a>],
    /// The longer side of an arrangement.
    side: f64,
    /// Whether rectangles show names of clusters, or numbers.
    named: bool,
    /// The number of processors of each cluster.
    sizes: Vec<usize>,
    /// Where each row of panels begins, and where the last one ends.
    tops: Vec<f64>,
    width: f64,
    height: f64,
}

impl<'a> Picture<'a> {
    fn new(machine: &'a Machine<'a>, panels: &'a [Panel<'a>]) -> Self {
        let processors =
            panels.iter().map(|panel| panel.arrangement.num_processors()).max().unwrap_or(0);
        // Large enough for a number in each rectangle, within the limits of a screen.
        let side = (22.0 * (processors as f64).sqrt()).clamp(400.0, 760.0).round();
        let mut sizes = vec![0; machine.clusters.len()];
        for &cluster in machine.cluster_of {
            if let Some(size) = sizes.get_mut(cluster as usize) {
                *size += 1;
            }
        }
        let across = panels.len().clamp(1, PANELS_IN_A_ROW) as f64;
        let width = 2.0 * MARGIN + across * side + (across - 1.0) * GAP;
        let mut picture = Picture {
            machine,
            panels,
            side,
            named: false,
            sizes,
            tops: vec![MARGIN],
            width,
            height: 0.0,
        };
        for row in panels.chunks(PANELS_IN_A_ROW) {
            let heights = row.iter().map(|panel| picture.panel_height(panel));
            let bottom = picture.tops.last().copied().unwrap_or(MARGIN);
            picture.tops.push(bottom + heights.fold(0.0, f64::max) + 12.0);
        }
        picture.named = picture.names_fit();
        let (_, lines) = picture.legend_shape();
        let bottom = picture.tops.last().copied().unwrap_or(MARGIN);
        picture.height = (bottom + 30.0 + lines as f64 * LEGEND_LINE + MARGIN).round();
        picture
    }

    fn scale(&self, arrangement: &Arrangement) -> f64 {
        self.side / f64::from(arrangement.height().max(arrangement.width()))
    }

    fn panel_height(&self, panel: &Panel<'_>) -> f64 {
        let drawn = f64::from(panel.arrangement.height()) * self.scale(panel.arrangement);
        HEAD + drawn + 8.0 + panel.lines.len() as f64 * LINE
    }

    /// Whether names fit every rectangle: a mixture of names and numbers is hard to read.
    fn names_fit(&self) -> bool {
        self.panels.iter().all(|panel| {
            let scale = self.scale(panel.arrangement);
            panel.arrangement.columns().iter().all(|column| {
                let width = f64::from(column.width) * scale;
                column.rectangles.iter().all(|rectangle| {
                    let extent = (width, f64::from(rectangle.height) * scale);
                    let (_, name) = self.cluster(rectangle.processor);
                    letters(name, extent).is_some_and(|size| size >= SMALLEST_NAME)
                })
            })
        })
    }

    /// Number and name of the cluster of a processor.
    fn cluster(&self, processor: u32) -> (usize, &str) {
        let cluster =
            self.machine.cluster_of.get(processor as usize).copied().unwrap_or(0) as usize;
        (cluster, self.machine.clusters.get(cluster).map_or("", String::as_str))
    }

    /// The description for screen readers.
    fn description(&self) -> String {
        let titles: Vec<String> = self.panels.iter().map(|panel| escaped(&panel.title)).collect();
        let mut text = format!(
            "<title id=\"arrangement-title\">{}</title>\n<desc id=\"arrangement-description\">{} \
             of {}; each processor has a rectangle of the size of its part, in columns, coloured \
             by cluster.",
            titles.join("; "),
            plural(self.machine.cluster_of.len(), "processor"),
            plural(self.machine.clusters.len(), "cluster"),
        );
        for panel in self.panels {
            let lines: Vec<String> = panel.lines.iter().map(|line| escaped(line)).collect();
            let separator = if lines.is_empty() { "" } else { ": " };
            let _ = write!(text, " {}{separator}{}.", escaped(&panel.title), lines.join("; "));
        }
        text + "</desc>\n"
    }

    fn panel(&self, number: usize, panel: &Panel<'_>, text: &mut String) {
        let left = MARGIN + (number % PANELS_IN_A_ROW) as f64 * (self.side + GAP);
        let top = self.tops[number / PANELS_IN_A_ROW];
        let arrangement = panel.arrangement;
        let _ = writeln!(
            text,
            "<text x=\"{left:.1}\" y=\"{:.1}\" font-size=\"{TITLE}\" font-weight=\"bold\">{}</text>",
            top + 15.0,
            fitted(&panel.title, TITLE, self.side)
        );
        let (height, width) = (arrangement.height(), arrangement.width());
        let columns = arrangement.columns().len();
        let facts = format!(
            "{} x {} blocks, {} of rectangles",
            grouped(f64::from(height)),
            grouped(f64::from(width)),
            plural(columns, "column")
        );
        let _ = writeln!(
            text,
            "<text x=\"{left:.1}\" y=\"{:.1}\" fill=\"#555\">{}</text>",
            top + 36.0,
            fitted(&facts, TEXT, self.side)
        );
        self.rectangles(arrangement, left, top + HEAD, text);
        let mut y = top + HEAD + f64::from(height) * self.scale(arrangement) + 4.0;
        for line in &panel.lines {
            y += LINE;
            let _ = writeln!(
                text,
                "<text x=\"{left:.1}\" y=\"{y:.1}\">{}</text>",
                fitted(line, TEXT, self.side)
            );
        }
    }

    fn rectangles(&self, arrangement: &Arrangement, left: f64, top: f64, text: &mut String) {
        let scale = self.scale(arrangement);
        let smallest = self.side / (arrangement.num_processors() as f64).sqrt();
        // Borders must not cover what they divide.
        let border = (smallest / 30.0).clamp(0.5, 1.5);
        let _ = writeln!(text, "<g stroke=\"white\" stroke-width=\"{border:.1}\">");
        let mut labels = String::new();
        let mut x = left;
        for column in arrangement.columns() {
            let width = f64::from(column.width) * scale;
            let mut y = top;
            for rectangle in &column.rectangles {
                let height = f64::from(rectangle.height) * scale;
                let (cluster, _) = self.cluster(rectangle.processor);
                let _ = writeln!(
                    text,
                    "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{}\"><title>{}</title></rect>",
                    Paint::of(cluster).fill(),
                    self.tooltip(rectangle, column.width)
                );
                self.label(rectangle.processor, (x, y), (width, height), &mut labels);
                y += height;
            }
            x += width;
        }
        // Drawn above all rectangles, but ignored by the pointer: the tooltips belong to the
        // rectangles.
        let _ = writeln!(
            text,
            "</g>\n<g text-anchor=\"middle\" pointer-events=\"none\">\n{labels}</g>"
        );
    }

    fn tooltip(&self, rectangle: &Rectangle, width: u32) -> String {
        let (_, name) = self.cluster(rectangle.processor);
        let host = self.machine.hosts.get(rectangle.processor as usize).map_or("", String::as_str);
        format!("{} ({}): {} x {width} blocks", escaped(host), escaped(name), rectangle.height)
    }

    /// The cluster's name or number, in a rectangle that has room for it.
    fn label(&self, processor: u32, at: (f64, f64), extent: (f64, f64), labels: &mut String) {
        let (cluster, name) = self.cluster(processor);
        let number = (cluster + 1).to_string();
        let label = if self.named { name } else { &number };
        let Some(size) = letters(label, extent) else { return };
        let (x, y) = (at.0 + extent.0 / 2.0, at.1 + extent.1 / 2.0 + 0.36 * size);
        let _ = writeln!(
            labels,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.0}\" {}>{}</text>",
            Paint::of(cluster).text(),
            escaped(label)
        );
    }

    fn legend_entry(&self, cluster: usize) -> String {
        let size = self.sizes[cluster];
        let name = &self.machine.clusters[cluster];
        format!("{}  {name}, {}", cluster + 1, plural(size, "processor"))
    }

    /// The width of a column of the legend, and how many lines it has.
    fn legend_shape(&self) -> (f64, usize) {
        let clusters = self.machine.clusters.len();
        let entries = (0..clusters).map(|cluster| width_of(&self.legend_entry(cluster), TEXT));
        let room = self.width - 2.0 * MARGIN;
        let column = (entries.fold(0.0, f64::max) + 44.0).min(room);
        let columns = ((room / column) as usize).clamp(1, clusters.max(1));
        (column, clusters.div_ceil(columns))
    }

    /// From top to bottom, then from left to right.
    fn legend(&self, text: &mut String) {
        let (column, lines) = self.legend_shape();
        let top = self.tops.last().copied().unwrap_or(MARGIN) + 22.0;
        for cluster in 0..self.machine.clusters.len() {
            let x = MARGIN + (cluster / lines) as f64 * column;
            let y = top + (cluster % lines) as f64 * LEGEND_LINE;
            let _ = writeln!(
                text,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"24\" height=\"16\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                Paint::of(cluster).fill(),
                x + 32.0,
                y + 12.5,
                fitted(&self.legend_entry(cluster), TEXT, column - 36.0)
            );
        }
    }
}

/// The font size with which a text fits a rectangle, if it is readable at that size.
fn letters(text: &str, (width, height): (f64, f64)) -> Option<f64> {
    let by_width = (width - 4.0) / width_of(text, 1.0).max(0.6);
    let size = by_width.min(height - 3.0).min(TEXT).floor();
    (size >= SMALLEST).then_some(size)
}

#[cfg(test)]
mod tests;
