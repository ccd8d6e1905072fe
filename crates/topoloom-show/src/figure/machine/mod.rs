//! A machine, and its link loads under each placement.

mod panel;

use std::fmt::Write;

use topoloom_core::Weight;

use super::Unit;
use super::projection::View;
use crate::layout::DrawnMachine;
use crate::svg::{escaped, fitted, wrapped};
use crate::{Picture, colour};
use panel::{Panel, SHADES};

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

/// A machine under each of its placements, side by side with one scale of colours, or without
/// placements.
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
            let most =
                format!("{}: {}", busiest(drawn), Unit::from(options.weight).written(loads.most));
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
    for line in drawn.notes.iter().flat_map(|note| wrapped(note, 12.0, width - 2.0 * gap)) {
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
        let most = Unit::from(options.weight).written(loads.most);
        let _ = write!(text, " Under {name}, the {} carries {most}.", busiest(drawn));
    }
    text
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
    // Half of a small whole number would be rounded to something else.
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
                Unit::from(weight).written(part * drawn.most())
            })
        );
    }
    let _ = writeln!(
        body,
        "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\">{}</text>",
        x + bar + 16.0,
        y + 9.0,
        fitted(what, 12.0, width - bar - 16.0)
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
