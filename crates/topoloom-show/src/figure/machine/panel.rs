//! One machine under one placement, from the back to the front.

use std::fmt::Write;

use topoloom_core::Weight;

use crate::colour::{self, SHADES};
use crate::figure::Unit;
use crate::figure::projection::{Seen, View, add_casing, add_line};
use crate::layout::{DrawnLoads, DrawnMachine};
use crate::svg::escaped;

/// Up to this many elements have their own tooltip.
const EDGES_WITH_TEXT: usize = 2_000;

/// Up to this many edges have casings that separate them from what is behind them; with more, only
/// background would be left.
const EDGES_WITH_CASING: usize = 1_500;

/// From this distance of neighbours on, there is room for their numbers.
const ROOM_FOR_NUMBERS: f64 = 32.0;

/// The number of slices from the back to the front.
const SLICES: usize = 48;

/// One machine under one placement.
pub struct Panel<'a> {
    drawn: &'a DrawnMachine,
    view: &'a View,
    number: usize,
    /// The load of the last colour.
    most: f64,
    weight: Weight,
    /// The usual width of a line.
    thick: f64,
    /// The size of dots and of squares.
    dot: f64,
    square: f64,
    /// Whether casings separate lines from what is behind them.
    cased: bool,
}

/// The lines and dots of one depth.
#[derive(Default, Clone)]
struct Slice {
    /// The casings that separate lines from what is behind them.
    casings: String,
    /// Lines of edges that carry nothing.
    unused: String,
    /// Lines of each colour.
    shades: Vec<String>,
    /// Dots of nodes, from little traffic to much.
    dots: [String; 5],
    /// Squares of switches.
    squares: String,
}

impl<'a> Panel<'a> {
    pub fn new(drawn: &'a DrawnMachine, view: &'a View, number: usize, weight: Weight) -> Self {
        let see = |point: u32| view.see(drawn.points[point as usize]);
        let ink_of = |loads: Option<&DrawnLoads>| -> f64 {
            let is_used =
                |edge: usize| loads.is_none_or(|of| of.forward[edge].max(of.backward[edge]) > 0.0);
            let straight = |&(edge, _): &(usize, _)| !drawn.around[edge] && is_used(edge);
            let lines = drawn.edges.iter().enumerate().filter(straight);
            lines.map(|(_, &[a, b])| see(a).apart(see(b))).sum()
        };
        // Lines have the same width in all panels.
        let fullest = drawn.loads.iter().map(|loads| ink_of(Some(loads))).fold(0.0, f64::max);
        let ink = if drawn.loads.is_empty() { ink_of(None) } else { fullest };
        let thinnest = if drawn.turns { (0.045 * view.unit).clamp(0.3, 1.2) } else { 0.25 };
        let area_each = |points: usize| (view.area() / points.max(1) as f64).sqrt();
        let widest_dot = if drawn.turns { 0.3 } else { 0.45 } * view.unit;
        Panel {
            drawn,
            view,
            number,
            most: drawn.most(),
            weight,
            // The width leaves most of the paper free. Lines behind other lines are mostly hidden
            // anyway.
            thick: (0.35 * view.area() / ink.max(1.0)).clamp(thinnest, 2.2),
            dot: (0.2 * area_each(drawn.holding)).min(widest_dot).clamp(1.2, 8.0),
            square: (0.12 * area_each(drawn.points.len() - drawn.holding)).clamp(2.0, 8.0),
            cased: drawn.turns && drawn.edges.len() <= EDGES_WITH_CASING,
        }
    }

    pub fn draw(&self, body: &mut String) {
        let empty = Slice { shades: vec![String::new(); SHADES + 1], ..Slice::default() };
        let mut slices = vec![empty; if self.drawn.turns { SLICES } else { 1 }];
        let slice_of =
            |depth: f64| ((depth * SLICES as f64) as usize).min(slices_last(self.drawn.turns));
        let with_text = self.drawn.edges.len() * self.drawn.loads.len().max(1) <= EDGES_WITH_TEXT;
        for edge in 0..self.drawn.edges.len() {
            let lines = self.lines(edge);
            let load = self.load(edge);
            for line in lines {
                let middle = line[line.len() / 2].towards(line[(line.len() - 1) / 2], 0.5);
                let shade = self.shade(load);
                // Edges that carry nothing lie behind everything, if anything is carried.
                let is_behind = shade.is_none() && !self.drawn.loads.is_empty();
                let slice = &mut slices[if is_behind { 0 } else { slice_of(middle.depth) }];
                let mut path = String::new();
                match self.arc(edge) {
                    Some(arc) => path.push_str(&arc),
                    None => add_line(&mut path, &line),
                }
                if self.cased && shade.is_some() {
                    let clear = 0.6 * self.dot + 0.5 * self.thick;
                    add_casing(&mut slice.casings, &line, 2.6 * self.thick, clear);
                }
                match shade {
                    None => slice.unused.push_str(&path),
                    Some(shade) if with_text => {
                        let text = escaped(&self.text(edge));
                        let _ = writeln!(
                            slice.shades[shade],
                            "<path d=\"{path}\"><title>{text}</title></path>"
                        );
                    }
                    Some(shade) => slice.shades[shade].push_str(&path),
                }
            }
        }
        self.add_points(&mut slices, slice_of);
        for slice in &slices {
            self.write(body, slice, with_text);
        }
        self.write_numbers(body);
    }

    /// The numbers of nodes beside them, in grids with arcs that have room for them.
    fn write_numbers(&self, body: &mut String) {
        let has_arcs = self.drawn.bends.iter().any(|&bend| bend != 0.0);
        if !has_arcs || self.view.unit < ROOM_FOR_NUMBERS {
            return;
        }
        for (number, &place) in self.drawn.points[..self.drawn.holding].iter().enumerate() {
            let seen = self.view.see(place);
            let width = 6.0 * (number.max(1).ilog10() + 1) as f64 + 2.0;
            let [x, y] = [seen.x + 0.5 * self.dot + 2.0, seen.y - 0.5 * self.dot - 2.0];
            let _ = writeln!(
                body,
                "<rect class=\"paper\" fill-opacity=\"0.7\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" \
                 height=\"9\"/><text class=\"soft\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"9\">{number}</text>",
                x - 1.0,
                y - 8.0
            );
        }
    }

    /// The parts of an edge that are drawn: a line, or a stub at each end.
    fn lines(&self, edge: usize) -> Vec<Vec<Seen>> {
        let [a, b] = self.drawn.edges[edge].map(|point| self.drawn.points[point as usize]);
        match self.drawn.around[edge] {
            true => vec![self.view.stub(a, b, 0.35), self.view.stub(b, a, 0.35)],
            false => vec![self.view.line(a, b)],
        }
    }

    /// The path of an edge that bends aside.
    fn arc(&self, edge: usize) -> Option<String> {
        let bend = self.drawn.bends.get(edge).copied().filter(|&bend| bend != 0.0)?;
        let [from, to] = self.drawn.edges[edge].map(|point| self.drawn.points[point as usize]);
        let is_row = (from[1] - to[1]).abs() < (from[0] - to[0]).abs();
        // A curve comes half as near as the point that it bends to.
        let aside = if is_row { [0.0, 2.0 * bend, 0.0] } else { [2.0 * bend, 0.0, 0.0] };
        let middle = [0, 1, 2].map(|axis| (from[axis] + to[axis]) / 2.0 + aside[axis]);
        let [a, c, b] = [from, middle, to].map(|point| self.view.see(point));
        Some(format!("M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", a.x, a.y, c.x, c.y, b.x, b.y))
    }

    /// The load of the busier direction.
    fn load(&self, edge: usize) -> f64 {
        self.drawn
            .loads
            .get(self.number)
            .map_or(0.0, |loads| f64::from(loads.forward[edge].max(loads.backward[edge])))
    }

    fn shade(&self, load: f64) -> Option<usize> {
        (load > 0.0 && self.most > 0.0)
            .then(|| ((load / self.most * SHADES as f64).round() as usize).min(SHADES))
    }

    fn text(&self, edge: usize) -> String {
        let [a, b] = self.drawn.edges[edge].map(|point| &self.drawn.names[point as usize]);
        let loads = &self.drawn.loads[self.number];
        let [forward, backward] = [loads.forward[edge], loads.backward[edge]]
            .map(|load| Unit::from(self.weight).written(f64::from(load)));
        match self.drawn.boundaries {
            true => format!("{a}: {forward} leave, {backward} come in"),
            false => format!("{a} - {b}: {forward} there, {backward} back"),
        }
    }

    fn add_points(&self, slices: &mut [Slice], slice_of: impl Fn(f64) -> usize) {
        let traffic = self.drawn.loads.get(self.number).map(|loads| &loads.traffic);
        let all = self.drawn.loads.iter().flat_map(|loads| &loads.traffic);
        let most = all.copied().fold(0.0, f32::max);
        let half = self.square * 0.5;
        for (point, &place) in self.drawn.points.iter().enumerate() {
            let seen = self.view.see(place);
            let slice = &mut slices[slice_of(seen.depth)];
            if point >= self.drawn.holding {
                let _ = write!(
                    slice.squares,
                    "M{:.1} {:.1}h{:.1}v{:.1}h-{:.1}z",
                    seen.x - half,
                    seen.y - half,
                    2.0 * half,
                    2.0 * half,
                    2.0 * half
                );
                continue;
            }
            let share = match traffic {
                Some(traffic) if most > 0.0 => (traffic[point] / most * 4.0).ceil() as usize,
                _ => 2,
            };
            let _ = write!(slice.dots[share.min(4)], "M{:.1} {:.1}h.01", seen.x, seen.y);
        }
    }

    fn write(&self, body: &mut String, slice: &Slice, with_text: bool) {
        let base = self.thick;
        if !slice.unused.is_empty() {
            // Without loads, there is nothing to see except the links.
            let (class, thin) = match self.drawn.loads.is_empty() {
                true => ("axis", (0.5 * base).min(0.8)),
                false => ("rule", (0.4 * base).min(0.7)),
            };
            let _ = writeln!(
                body,
                "<path class=\"{class}\" stroke-width=\"{thin:.2}\" d=\"{}\"/>",
                slice.unused
            );
        }
        if !slice.casings.is_empty() {
            let _ = writeln!(body, "<path class=\"paper\" d=\"{}\"/>", slice.casings);
        }
        for (shade, content) in slice.shades.iter().enumerate().filter(|(_, text)| !text.is_empty())
        {
            let share = shade as f64 / SHADES as f64;
            // In a dense picture, busy lines must be visible through the others.
            let (wider, solid) = match self.drawn.turns && !self.cased {
                true => (0.6 + 2.8 * share, 0.3 + 0.7 * share),
                false => (0.6 + 1.1 * share, 1.0),
            };
            let style = format!(
                "fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2}\" stroke-opacity=\"{solid:.2}\" \
                 stroke-linecap=\"round\"",
                colour::scale(share),
                base * wider
            );
            let _ = match with_text {
                true => writeln!(body, "<g {style}>{}</g>", content.trim_end()),
                false => writeln!(body, "<path {style} d=\"{content}\"/>"),
            };
        }
        if !slice.squares.is_empty() {
            let _ = writeln!(
                body,
                "<path class=\"paper\" d=\"{0}\"/><path class=\"axis\" stroke-width=\"{1:.2}\" d=\"{0}\"/>",
                slice.squares,
                (0.12 * self.square).clamp(0.4, 1.2)
            );
        }
        for (share, dots) in slice.dots.iter().enumerate().filter(|(_, dots)| !dots.is_empty()) {
            let share = share as f64 / 4.0;
            let _ = writeln!(
                body,
                "<path class=\"axis\" stroke-linecap=\"round\" stroke-width=\"{:.2}\" stroke-opacity=\"{:.2}\" \
                 d=\"{dots}\"/>",
                self.dot * (0.6 + 0.4 * share),
                0.45 + 0.55 * share
            );
        }
    }
}

fn slices_last(turns: bool) -> usize {
    if turns { SLICES - 1 } else { 0 }
}
