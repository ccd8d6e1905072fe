//! A machine, and its link loads under each placement.

mod network;
mod panel;
pub(super) mod scale;

use std::fmt::Write;

use topoloom_core::Weight;

use super::Unit;
use super::projection::View;
use crate::Picture;
use crate::layout::{DrawnLoads, DrawnMachine, Layers};
use crate::svg::{escaped, fitted, wrapped};
use network::{Network, Paper};
use panel::Panel;
use scale::{Scale, draw_scale};

/// The texts of a figure of a machine.
#[derive(Debug, Clone, Copy)]
pub struct MachineOptions<'a> {
    /// The name of the machine.
    pub title: &'a str,
    /// The names of the placements, one for each of the drawn loads.
    pub placements: &'a [&'a str],
    /// The unit of the loads.
    pub weight: Weight,
}

/// How the panels of a figure are laid out.
enum Style<'a> {
    /// Points in space, or in a plane.
    Points(View),
    /// Rows of switches and hosts.
    Rows(&'a Layers, Paper),
}

impl Style<'_> {
    fn size(&self) -> [f64; 2] {
        match self {
            Style::Points(view) => [view.width, view.height],
            Style::Rows(_, paper) => [paper.width, paper.height],
        }
    }
}

/// A machine under each of its placements, side by side with one scale of colours, or without
/// placements. Machines in rows are wide, so their panels are below each other.
pub fn machine(drawn: &DrawnMachine, options: MachineOptions) -> Picture {
    let panels = drawn.loads.len().max(1);
    let (columns, widest) = match (panels, &drawn.layers) {
        (1..=3, Some(_)) => (1, 1120.0),
        (_, Some(_)) => (2, 760.0),
        (1, None) => (1, 760.0),
        (2 | 4, None) => (2, 500.0),
        (_, None) => (3, 400.0),
    };
    let style = match &drawn.layers {
        Some(layers) => Style::Rows(layers, Paper::new(drawn, layers, widest)),
        None => {
            let wide = if drawn.turns { 0.95 } else { 0.75 };
            let margin = if drawn.bends.iter().any(|&bend| bend != 0.0) { 0.9 } else { 0.6 };
            let frame = [widest, widest * wide];
            Style::Points(View::new(&drawn.points, drawn.turns, margin, frame, 70.0))
        }
    };
    let [view_width, view_height] = style.size();
    // Small machines have names and legends that are wider than themselves.
    let panel_width = match style {
        Style::Points(_) => widest,
        Style::Rows(..) => view_width.max(560.0).min(widest),
    };
    // Several small ones fit beside each other.
    let columns = match style {
        Style::Rows(..) if panels > 1 && panel_width <= 600.0 => 2,
        _ => columns,
    };
    let (gap, heading) = (24.0, if drawn.loads.is_empty() { 0.0 } else { 44.0 });
    let width = columns as f64 * (panel_width + gap) + gap;
    let mut body = String::new();
    let mut notes = drawn.notes.clone();
    for panel in 0..panels {
        let left = gap + (panel % columns) as f64 * (panel_width + gap);
        let top = gap / 2.0 + (panel / columns) as f64 * (heading + view_height + gap);
        if let Some(loads) = drawn.loads.get(panel) {
            let name = options.placements.get(panel).copied().unwrap_or("placement");
            let (text, middle) = (fitted(name, 15.0, panel_width), left + panel_width / 2.0);
            let most = fitted(&busiest_in_words(drawn, loads, options.weight), 13.0, panel_width);
            let _ = write!(
                body,
                "<text class=\"ink\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"15\" \
                 font-weight=\"bold\">{text}</text>\n<text class=\"soft\" x=\"{middle:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{most}</text>\n",
                top + 16.0,
                top + 34.0,
            );
        }
        let (x, y) = (left + (panel_width - view_width) / 2.0, top + heading);
        let _ = writeln!(body, "<g transform=\"translate({x:.1} {y:.1})\">");
        match &style {
            Style::Points(view) => Panel::new(drawn, view, panel, options.weight).draw(&mut body),
            Style::Rows(layers, paper) => {
                let network = Network::new(drawn, layers, paper, panel, options.weight);
                network.draw(&mut body);
                if panel == 0 {
                    notes.extend(network.notes());
                }
            }
        }
        body.push_str("</g>\n");
    }
    let rows = panels.div_ceil(columns) as f64;
    let mut y = gap / 2.0 + rows * (heading + view_height + gap);
    if !drawn.loads.is_empty() {
        draw_scale(&mut body, &scale_of(drawn, options.weight), [gap, y], width - 2.0 * gap);
        y += 46.0;
    }
    for line in notes.iter().flat_map(|note| wrapped(note, 12.0, width - 2.0 * gap)) {
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

/// What the busiest link carries, and which one it is.
fn busiest_in_words(drawn: &DrawnMachine, loads: &DrawnLoads, weight: Weight) -> String {
    let most = Unit::from(weight).written(loads.most);
    match &loads.busiest {
        Some((_, name)) if drawn.layers.is_some() => {
            format!("{}: {most}, {name}", busiest(drawn))
        }
        _ => format!("{}: {most}", busiest(drawn)),
    }
}

fn scale_of(drawn: &DrawnMachine, weight: Weight) -> Scale {
    let what = match drawn.boundaries {
        true => "crosses the boundary of a group (busier direction)",
        false => "load of a link (busier direction)",
    };
    // Points in space have no line that is outlined.
    let marks_busiest =
        drawn.layers.is_some() && drawn.loads.iter().any(|loads| loads.busiest.is_some());
    Scale { most: drawn.most(), weight, what, unused: "carries nothing", marks_busiest }
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
        let most = Unit::from(options.weight).written(loads.most);
        let _ = write!(text, " Under {name}, the {} carries {most}.", busiest(drawn));
    }
    text
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
        // In order, neighbours in a ring of 8 are neighbours in a torus: each link carries the one
        // byte per pair.
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
}
