//! A machine, and what its links carry under each placement.

use std::fmt::Write;

use topoloom_core::Weight;

use super::projection::{Seen, View, add_casing, add_line};
use crate::layout::{DrawnLoads, DrawnMachine, amount};
use crate::svg::{escaped, fitted};
use crate::{Picture, colour};

/// So many elements have a text of their own that shows under the pointer.
const EDGES_WITH_TEXT: usize = 2_000;

/// Up to so many edges stand out from what is behind them; more would leave paper only.
const EDGES_WITH_CASING: usize = 1_500;

/// Steps of the colour scale.
const SHADES: usize = 32;

/// Steps from the back to the front.
const SLICES: usize = 48;

/// What a figure of a machine says beside what is drawn.
#[derive(Debug, Clone, Copy)]
pub struct MachineOptions<'a> {
    /// What machine it is.
    pub title: &'a str,
    /// The names of the placements, one each of the drawn loads.
    pub placements: &'a [&'a str],
    /// What the loads count.
    pub weight: Weight,
}

/// A machine under each of its placements, side by side in one scale of colours, or by itself.
pub fn machine(drawn: &DrawnMachine, options: MachineOptions) -> Picture {
    let panels = drawn.loads.len().max(1);
    let columns = match panels {
        1..=3 => panels,
        4 => 2,
        _ => 3,
    };
    let panel_width = [760.0, 500.0, 400.0][columns - 1];
    let wide = if drawn.turns { 0.95 } else { 0.75 };
    let frame = [panel_width, panel_width * wide];
    let view = View::new(&drawn.points, drawn.turns, 0.6, frame, 70.0);
    let (gap, heading) = (24.0, if drawn.loads.is_empty() { 0.0 } else { 44.0 });
    let width = columns as f64 * (panel_width + gap) + gap;
    let mut body = String::new();
    for panel in 0..panels {
        let left = gap + (panel % columns) as f64 * (panel_width + gap);
        let top = gap / 2.0 + (panel / columns) as f64 * (heading + view.height + gap);
        if let Some(loads) = drawn.loads.get(panel) {
            let name = options.placements.get(panel).copied().unwrap_or("placement");
            let (text, middle) = (fitted(name, 15.0, panel_width), left + panel_width / 2.0);
            let most = format!("{}: {}", busiest(drawn), amount(options.weight, loads.most));
            let _ = write!(
                body,
                "<text class=\"ink\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"15\" \
                 font-weight=\"bold\">{text}</text>\n<text class=\"soft\" x=\"{middle:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text>\n",
                top + 16.0,
                top + 34.0,
                escaped(&most)
            );
        }
        let (x, y) = (left + (panel_width - view.width) / 2.0, top + heading);
        let _ = writeln!(body, "<g transform=\"translate({x:.1} {y:.1})\">");
        Panel::new(drawn, &view, panel, options.weight).draw(&mut body);
        body.push_str("</g>\n");
    }
    let rows = panels.div_ceil(columns) as f64;
    let mut y = gap / 2.0 + rows * (heading + view.height + gap);
    if !drawn.loads.is_empty() {
        legend(&mut body, drawn, options.weight, [gap, y], width - 2.0 * gap);
        y += 46.0;
    }
    for line in drawn.notes.iter().flat_map(|note| lines_of(note, 12.0, width - 2.0 * gap)) {
        y += 16.0;
        let _ = writeln!(
            body,
            "<text class=\"soft\" x=\"{gap}\" y=\"{y:.1}\" font-size=\"12\">{}</text>",
            escaped(&line)
        );
    }
    Picture {
        width,
        height: (y + 14.0).ceil(),
        title: options.title.to_string(),
        description: description(drawn, options),
        body,
    }
}

fn busiest(drawn: &DrawnMachine) -> &'static str {
    if drawn.boundaries { "busiest boundary" } else { "busiest link" }
}

fn description(drawn: &DrawnMachine, options: MachineOptions) -> String {
    let what = if drawn.boundaries { "boundaries of groups" } else { "links" };
    let mut text = format!(
        "{} with {} points and {} {what} drawn.",
        options.title,
        drawn.points.len(),
        drawn.edges.len()
    );
    for (loads, name) in drawn.loads.iter().zip(options.placements) {
        let most = amount(options.weight, loads.most);
        let _ = write!(text, " Under {name}, the {} carries {most}.", busiest(drawn));
    }
    text
}

/// Breaks a text into lines of a width.
fn lines_of(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        let longer = format!("{line} {word}");
        if line.is_empty() {
            line.push_str(word);
        } else if crate::svg::width_of(&longer, size) * 0.92 <= width {
            *line = longer;
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}

/// One machine under one placement.
struct Panel<'a> {
    drawn: &'a DrawnMachine,
    view: &'a View,
    number: usize,
    /// The load of the last colour.
    most: f64,
    weight: Weight,
    /// How thick a usual line is.
    thick: f64,
    /// The size of dots and of squares.
    dot: f64,
    square: f64,
    /// Whether lines stand out from what is behind them.
    cased: bool,
}

/// The lines and dots of one depth.
#[derive(Default, Clone)]
struct Slice {
    /// What keeps lines apart from what is behind them.
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
    fn new(drawn: &'a DrawnMachine, view: &'a View, number: usize, weight: Weight) -> Self {
        let see = |point: u32| view.see(drawn.points[point as usize]);
        let ink_of = |loads: Option<&DrawnLoads>| -> f64 {
            let is_used =
                |edge: usize| loads.is_none_or(|of| of.forward[edge].max(of.backward[edge]) > 0.0);
            let straight = |&(edge, _): &(usize, _)| !drawn.around[edge] && is_used(edge);
            let lines = drawn.edges.iter().enumerate().filter(straight);
            lines.map(|(_, &[a, b])| see(a).apart(see(b))).sum()
        };
        // Lines are as thick in all panels.
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
            // As much ink as leaves most of the paper free; of what is behind other lines in space, little
            // is seen anyway.
            thick: (0.35 * view.area() / ink.max(1.0)).clamp(thinnest, 2.2),
            dot: (0.2 * area_each(drawn.holding)).min(widest_dot).clamp(1.2, 8.0),
            square: (0.12 * area_each(drawn.points.len() - drawn.holding)).clamp(2.0, 8.0),
            cased: drawn.turns && drawn.edges.len() <= EDGES_WITH_CASING,
        }
    }

    fn draw(&self, body: &mut String) {
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
                // What carries nothing lies behind everything, where anything is carried.
                let is_behind = shade.is_none() && !self.drawn.loads.is_empty();
                let slice = &mut slices[if is_behind { 0 } else { slice_of(middle.depth) }];
                let mut path = String::new();
                add_line(&mut path, &line);
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
    }

    /// What is drawn of an edge: a line, or a stub at each end.
    fn lines(&self, edge: usize) -> Vec<Vec<Seen>> {
        let [a, b] = self.drawn.edges[edge].map(|point| self.drawn.points[point as usize]);
        match self.drawn.around[edge] {
            true => vec![self.view.stub(a, b, 0.35), self.view.stub(b, a, 0.35)],
            false => vec![self.view.line(a, b)],
        }
    }

    /// What the busier direction carries.
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
            .map(|load| amount(self.weight, f64::from(load)));
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
            // Without loads, the links are all there is to see.
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
            // In a thicket, what carries much has to be seen through the rest.
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

/// The scale of colours with its values.
fn legend(body: &mut String, drawn: &DrawnMachine, weight: Weight, [x, y]: [f64; 2], width: f64) {
    let what = match drawn.boundaries {
        true => "crosses the boundary of a group (busier direction)",
        false => "load of a link (busier direction)",
    };
    let bar = (width * 0.45).min(360.0);
    let cell = bar / SHADES as f64;
    for shade in 0..SHADES {
        let _ = write!(
            body,
            "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"10\" fill=\"{}\"/>",
            x + shade as f64 * cell,
            cell + 0.6,
            colour::scale((shade as f64 + 0.5) / SHADES as f64)
        );
    }
    body.push('\n');
    // Half of a few whole units would be rounded to something else.
    let has_middle = drawn.most() >= 100.0 || (drawn.most() / 2.0).fract().abs() < 1e-6;
    let ticks = [(0.0, "start"), (0.5, "middle"), (1.0, "end")];
    for (part, anchor) in ticks.into_iter().filter(|&(part, _)| part != 0.5 || has_middle) {
        let _ = writeln!(
            body,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"{anchor}\">{}</text>",
            x + part * bar,
            y + 24.0,
            escaped(&if part == 0.0 {
                "0".to_string()
            } else {
                amount(weight, part * drawn.most())
            })
        );
    }
    let _ = writeln!(
        body,
        "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\">{}</text>",
        x + bar + 16.0,
        y + 9.0,
        fitted(what, 12.0, (width - bar - 16.0) * 1.15)
    );
    let _ = writeln!(
        body,
        "<path class=\"rule\" stroke-width=\"1.5\" d=\"M{:.1} {:.1}h24\"/><text class=\"soft\" x=\"{:.1}\" \
         y=\"{:.1}\" font-size=\"12\">carries nothing</text>",
        x + bar + 16.0,
        y + 20.0,
        x + bar + 46.0,
        y + 24.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use topoloom_core::{Machine, Problem, Run, parse_pattern, parse_strategy};

    fn drawn(spec: &str, placements: &[&str]) -> DrawnMachine {
        let machine = Machine::parse(spec).unwrap();
        let traffic = parse_pattern(&format!("ring:{}", machine.num_nodes())).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let mapping = |name: &&str| {
            parse_strategy(name).unwrap().map(&problem, None, &mut Run::new(3)).unwrap()
        };
        let mappings: Vec<_> = placements.iter().map(mapping).collect();
        DrawnMachine::under(&problem, &mappings.iter().collect::<Vec<_>>())
    }

    fn checked(spec: &str, placements: &[&str]) -> Picture {
        let drawn = drawn(spec, placements);
        let options = MachineOptions { title: spec, placements, weight: Weight::Bytes };
        let picture = machine(&drawn, options);
        let text = picture.standalone();
        assert!(roxmltree::Document::parse(&text).is_ok(), "{spec}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{spec}");
        assert_eq!(picture, machine(&drawn, options));
        picture
    }

    #[test]
    fn each_placement_has_a_panel_with_its_busiest_link() {
        // In order, neighbours of a ring of 8 are neighbours in a torus: the one byte a pair sends.
        let picture = checked("torus:8", &["in-order", "random"]);
        assert!(
            picture.body.contains(">in-order</text>") && picture.body.contains(">random</text>")
        );
        assert!(picture.body.contains(">busiest link: 1 B</text>"));
        assert!(picture.description.contains("Under in-order, the busiest link carries 1 B."));
        assert_eq!(picture.body.matches("<g transform").count(), 2);
        assert!(picture.body.contains("node 0 (0) - node 1 (1): 1 B there"));
    }

    #[test]
    fn every_kind_of_machine_has_a_picture() {
        for spec in [
            "mesh:1",
            "mesh:8x8",
            "torus:4x4x4",
            "hypercube:6",
            "haec:4x4x4",
            "fat-tree:k=4",
            "dragonfly:groups=9,routers=4,nodes=2",
            "tree:4:8,distances=1:10",
        ] {
            let picture = checked(spec, &[]);
            assert!(!picture.body.contains("busiest"), "{spec}");
            checked(spec, &["in-order", "random", "in-order", "random"]);
        }
    }

    #[test]
    fn pictures_of_large_machines_stay_small() {
        let picture = checked("torus:16x16x16", &["random"]);
        assert!(!picture.body.contains("<title>"));
        assert!(picture.body.len() < 1_000_000);
    }

    #[test]
    fn long_notes_are_broken_into_lines() {
        assert_eq!(lines_of("aa bb cc", 10.0, 40.0), ["aa bb", "cc"]);
        assert_eq!(lines_of("", 10.0, 40.0), [""]);
    }
}
