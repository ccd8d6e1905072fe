//! A machine in rows: switches above their hosts.

mod glyphs;
mod paper;
mod rows;
mod strokes;

use std::fmt::Write;

use topoloom_core::Weight;

pub use paper::Paper;

use crate::colour::{self, SHADES};
use crate::figure::Unit;
use crate::figure::room::{Area, Room};
use crate::layout::{DrawnMachine, Layers};
use crate::svg::escaped;
use paper::host_size;
use strokes::{Stroke, Strokes};

/// Up to this many lines have their own tooltip.
const STROKES_WITH_TEXT: usize = 2_000;

/// The numbers of parallel cables are written at up to this many lines.
const MOST_NUMBERS: usize = 48;

/// A machine in rows under one placement, or without one.
pub struct Network<'a> {
    drawn: &'a DrawnMachine,
    layers: &'a Layers,
    paper: &'a Paper,
    /// The number of the placement.
    number: usize,
    weight: Weight,
    /// The load of the last colour.
    most: f64,
    strokes: Strokes,
    /// The usual width of a line.
    thick: f64,
}

impl<'a> Network<'a> {
    pub fn new(
        drawn: &'a DrawnMachine,
        layers: &'a Layers,
        paper: &'a Paper,
        number: usize,
        weight: Weight,
    ) -> Network<'a> {
        let strokes = strokes::strokes(drawn, layers, paper);
        let ink: f64 = strokes.all.iter().filter(|stroke| !stroke.is_bar).map(Stroke::length).sum();
        let area = (paper.width - paper.left) * paper.height;
        let thick = (0.16 * area / ink.max(1.0)).clamp(0.45, 2.2);
        Network { drawn, layers, paper, number, weight, most: drawn.most(), strokes, thick }
    }

    /// What the reader should know, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let is_bare = self.drawn.loads.is_empty();
        if self.strokes.has_bars {
            let busiest = if is_bare { "" } else { "; a line shows the busiest of its links" };
            notes.push(format!(
                "Lines that meet at a bar stand for links from each end on one side of it to each on the \
                 other{busiest}."
            ));
        }
        if self.layers.in_cells {
            let what = match self.layers.names.first().map_or("hosts", |name| &name[..]) {
                "hosts" => "host",
                "nodes" => "node",
                other => other,
            };
            let colour = match (is_bare, self.drawn.boundaries) {
                (true, _) => "",
                (false, true) => ", coloured by what crosses its boundary",
                (false, false) => ", coloured by what its own link carries",
            };
            notes.push(format!("A cell is a {what}{colour}; a line leads to a block of them."));
        }
        if let Some(&most) = self.drawn.links.iter().max().filter(|&&most| most > 1) {
            let is_same = self.drawn.links.iter().all(|&links| links == most || links == 1);
            let up_to = if is_same { "" } else { "up to " };
            let busiest = if is_bare { "" } else { ", and shows the busiest of them" };
            notes.push(format!("A line may stand for {up_to}{most} parallel cables{busiest}."));
        }
        notes
    }

    pub fn draw(&self, body: &mut String) {
        self.draw_ground(body);
        self.draw_strokes(body);
        self.draw_numbers(body);
        self.draw_busiest(body);
        self.draw_hosts(body);
        glyphs::draw_switches(body, self.drawn, self.layers, self.paper);
        self.mark_busiest_host(body);
        glyphs::draw_host_names(body, self.drawn, self.layers, self.paper);
        glyphs::draw_level_names(body, self.drawn, self.layers, self.paper);
    }

    /// A thin line along each row of switches: it shows which row the names at the left belong to.
    fn draw_ground(&self, body: &mut String) {
        let mut path = String::new();
        for level in 1..=self.layers.top() {
            let Some(point) = self.layers.level_of.iter().position(|&at| at == level) else {
                continue;
            };
            let [_, y] = self.paper.see(self.drawn.points[point]);
            let _ = write!(path, "M{:.1} {y:.1}H{:.1}", self.paper.left - 6.0, self.paper.width);
        }
        let _ = writeln!(
            body,
            "<path class=\"rule\" stroke-width=\"0.8\" stroke-dasharray=\"2 4\" d=\"{path}\"/>"
        );
    }

    /// The load of the busier direction of an edge.
    fn load(&self, edge: u32) -> f64 {
        let edge = edge as usize;
        self.drawn
            .loads
            .get(self.number)
            .map_or(0.0, |loads| f64::from(loads.forward[edge].max(loads.backward[edge])))
    }

    fn load_of(&self, edges: &[u32]) -> f64 {
        edges.iter().map(|&edge| self.load(edge)).fold(0.0, f64::max)
    }

    fn shade(&self, load: f64) -> Option<usize> {
        (load > 0.0 && self.most > 0.0)
            .then(|| ((load / self.most * SHADES as f64).round() as usize).min(SHADES))
    }

    fn draw_strokes(&self, body: &mut String) {
        let count = self.strokes.all.len();
        let with_text = !self.drawn.loads.is_empty()
            && count * self.drawn.loads.len().max(1) <= STROKES_WITH_TEXT;
        // Lines that carry little must not hide the others.
        let is_dense = count > 400;
        let mut unused = [String::new(), String::new()];
        let mut shades = vec![[String::new(), String::new()]; SHADES + 1];
        for stroke in &self.strokes.all {
            let path = path_of(stroke);
            let bar = usize::from(stroke.is_bar);
            match self.shade(self.load_of(&stroke.edges)) {
                None => unused[bar].push_str(&path),
                Some(shade) if with_text => {
                    let text = escaped(&self.text(stroke));
                    let _ = writeln!(
                        shades[shade][bar],
                        "<path d=\"{path}\"><title>{text}</title></path>"
                    );
                }
                Some(shade) => shades[shade][bar].push_str(&path),
            }
        }
        let (class, thin) = match self.drawn.loads.is_empty() {
            true => ("axis", (0.6 * self.thick).min(0.9)),
            false => ("rule", (0.7 * self.thick).min(1.0)),
        };
        for (paths, width) in unused.iter().zip([thin, thin + 1.4]) {
            if !paths.is_empty() {
                let _ = writeln!(
                    body,
                    "<path class=\"{class}\" stroke-width=\"{width:.2}\" d=\"{paths}\"/>"
                );
            }
        }
        for (shade, of_shade) in shades.iter().enumerate() {
            let share = shade as f64 / SHADES as f64;
            let solid = if is_dense { 0.4 + 0.6 * share } else { 0.75 + 0.25 * share };
            let line = self.thick * (0.6 + 1.2 * share);
            for (paths, width) in of_shade.iter().zip([line, line + 1.6]) {
                if paths.is_empty() {
                    continue;
                }
                let style = format!(
                    "fill=\"none\" stroke=\"{}\" stroke-width=\"{width:.2}\" stroke-opacity=\"{solid:.2}\" \
                     stroke-linecap=\"round\"",
                    colour::scale(share)
                );
                let _ = match with_text {
                    true => writeln!(body, "<g {style}>{}</g>", paths.trim_end()),
                    false => writeln!(body, "<path {style} d=\"{paths}\"/>"),
                };
            }
        }
    }

    fn text(&self, stroke: &Stroke) -> String {
        let unit = Unit::from(self.weight);
        if let [edge] = stroke.edges[..] {
            let [a, b] = self.drawn.edges[edge as usize].map(|end| self.name(end));
            let loads = &self.drawn.loads[self.number];
            let [there, back] = [&loads.forward, &loads.backward]
                .map(|loads| unit.written(f64::from(loads[edge as usize])));
            let cables = match self.drawn.links[edge as usize] {
                1 => String::new(),
                several => format!(" ({several} cables, the busiest)"),
            };
            return match self.drawn.boundaries {
                true => format!("{a}: {there} leave, {back} come in"),
                false => format!("{a} - {b}: {there} there, {back} back{cables}"),
            };
        }
        let busiest = unit.written(self.load_of(&stroke.edges));
        format!("{} links; the busiest carries {busiest}", stroke.edges.len())
    }

    fn name(&self, point: u32) -> &str {
        self.drawn.names.get(point as usize).map_or("", |name| &name[..])
    }

    /// How many cables a line stands for, where lines are few.
    fn draw_numbers(&self, body: &mut String) {
        let several = |stroke: &&Stroke| matches!(stroke.edges[..], [edge] if self.drawn.links[edge as usize] > 1);
        let all: Vec<&Stroke> = self.strokes.all.iter().filter(several).collect();
        if all.len() > MOST_NUMBERS {
            return;
        }
        let within =
            Area { left: 0.0, top: 0.0, right: self.paper.width, bottom: self.paper.height };
        let mut room = Room::new(within);
        for stroke in all {
            let number = self.drawn.links[stroke.edges[0] as usize];
            let (Some(a), Some(b)) = (stroke.corners.first(), stroke.corners.last()) else {
                continue;
            };
            let (low, high) = if a[1] > b[1] { (a, b) } else { (b, a) };
            let half = 2.5 + 3.2 * (number.ilog10() + 2) as f64;
            // First where lines do not cross yet.
            let areas = [0.24, 0.34, 0.16, 0.44, 0.8, 0.7].map(|part| {
                let [x, y] = [0, 1].map(|axis| low[axis] + part * (high[axis] - low[axis]));
                Area { left: x - half, right: x + half, top: y - 6.0, bottom: y + 6.0 }
            });
            let Some(area) = room.place(areas) else { continue };
            let _ = writeln!(
                body,
                "<rect class=\"paper\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" rx=\"3\" \
                 fill-opacity=\"0.85\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"9\" \
                 text-anchor=\"middle\">{number}x</text>",
                area.left,
                area.top,
                area.width(),
                area.left + half,
                area.top + 9.3
            );
        }
    }

    /// The edge of the busiest link, if there is one.
    fn busiest(&self) -> Option<u32> {
        let loads = self.drawn.loads.get(self.number)?;
        loads.busiest.as_ref().map(|&(edge, _)| edge)
    }

    /// The busiest link once more, outlined, so it stands out wherever it is.
    fn draw_busiest(&self, body: &mut String) {
        let Some(edge) = self.busiest() else { return };
        let leads_to_a_cell = self.layers.in_cells
            && (self.drawn.edges[edge as usize][0] as usize) < self.drawn.holding;
        let is_own = |stroke: &&Stroke| match leads_to_a_cell {
            true => !stroke.is_bar && stroke.edges.contains(&edge),
            false => stroke.edges == [edge],
        };
        let own = self.strokes.all.iter().find(is_own);
        let [a, b] = self.drawn.edges[edge as usize]
            .map(|point| self.paper.see(self.drawn.points[point as usize]));
        let path = own
            .map_or_else(|| format!("M{:.1} {:.1}L{:.1} {:.1}", a[0], a[1], b[0], b[1]), path_of);
        let width = (1.8 * self.thick).max(1.6);
        let shade = self.shade(self.load(edge)).unwrap_or(SHADES);
        let _ = writeln!(
            body,
            "<path class=\"line-1\" fill=\"none\" stroke-width=\"{:.2}\" stroke-linecap=\"round\" d=\"{path}\"/>\
             <path fill=\"none\" stroke=\"{}\" stroke-width=\"{width:.2}\" stroke-linecap=\"round\" d=\"{path}\"/>",
            width + 3.2,
            colour::scale(shade as f64 / SHADES as f64)
        );
    }

    /// Hosts: as squares, or as cells with the colour of their own links.
    fn draw_hosts(&self, body: &mut String) {
        let is_bare = self.drawn.loads.is_empty();
        let unit = self.paper.unit;
        let size = match self.layers.in_cells {
            true => (unit - (0.14 * unit).clamp(0.25, 2.0)).max(0.8),
            false => host_size(unit),
        };
        let mut of_host = vec![0f64; self.drawn.holding];
        if self.layers.in_cells {
            for (edge, ends) in (0u32..).zip(&self.drawn.edges) {
                for &end in ends {
                    if let Some(load) = of_host.get_mut(end as usize) {
                        *load = load.max(self.load(edge));
                    }
                }
            }
        }
        let mut idle = String::new();
        let mut shades = vec![String::new(); SHADES + 1];
        for (point, &load) in of_host.iter().enumerate() {
            let [x, y] = self.paper.see(self.drawn.points[point]);
            let path = match self.shade(load) {
                Some(shade) => &mut shades[shade],
                None => &mut idle,
            };
            let [left, top] = [x - size / 2.0, y - size / 2.0];
            let _ = write!(path, "M{left:.1} {top:.1}h{size:.1}v{size:.1}h-{size:.1}z");
        }
        let is_plain = is_bare || !self.layers.in_cells;
        if !idle.is_empty() {
            // Lines end below a host, not in it.
            let _ = writeln!(body, "<path class=\"paper\" d=\"{idle}\"/>");
            let look = match is_plain {
                true => "class=\"soft\" fill-opacity=\"0.75\"",
                false => "class=\"rule\" stroke-width=\"0.5\"",
            };
            let _ = writeln!(body, "<path {look} d=\"{idle}\"/>");
        }
        for (shade, path) in shades.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let fill = colour::scale(shade as f64 / SHADES as f64);
            let _ = writeln!(body, "<path fill=\"{fill}\" d=\"{path}\"/>");
        }
    }

    /// A frame around the host whose own link is the busiest.
    fn mark_busiest_host(&self, body: &mut String) {
        let Some(edge) = self.busiest().filter(|_| self.layers.in_cells) else { return };
        let [host, _] = self.drawn.edges[edge as usize];
        if host as usize >= self.drawn.holding {
            return;
        }
        let [x, y] = self.paper.see(self.drawn.points[host as usize]);
        let half = 0.5 * self.paper.unit + 1.0;
        let _ = writeln!(
            body,
            "<rect class=\"line-1\" fill=\"none\" stroke-width=\"2\" x=\"{:.1}\" y=\"{:.1}\" width=\"{2:.1}\" \
             height=\"{2:.1}\"/>",
            x - half,
            y - half,
            2.0 * half,
        );
    }
}

fn path_of(stroke: &Stroke) -> String {
    let mut path = String::new();
    match stroke.corners[..] {
        [a, between, b] if stroke.is_bent => {
            let _ = write!(
                path,
                "M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}",
                a[0], a[1], between[0], between[1], b[0], b[1]
            );
        }
        ref corners => {
            for (number, [x, y]) in corners.iter().enumerate() {
                let _ = write!(path, "{}{x:.1} {y:.1}", if number == 0 { 'M' } else { 'L' });
            }
        }
    }
    path
}

#[cfg(test)]
mod tests;
