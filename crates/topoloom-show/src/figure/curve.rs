//! The path of the ranks through a box: a curve from the node of the first to that of the last.
//!
//! As in figure 3.3 of Besmer, "Process-to-Node Mapping Strategies for the HAEC Box" (Basel, 2016),
//! curves run through red, orange, yellow, olive, green and blue.

use std::fmt::Write;

use super::projection::{Seen, View, add_casing, add_line};
use crate::layout::boxes;
use crate::numbers::plural;
use crate::svg::{escaped, width_of};
use crate::{Picture, colour};

/// Red, orange, yellow, olive, green, blue.
const WAY: [(u8, u8, u8); 6] =
    [(208, 28, 36), (244, 128, 24), (238, 196, 12), (124, 128, 20), (26, 146, 72), (28, 76, 196)];

/// The number of colours along the path.
const SHADES: usize = 60;

/// The number of slices from the back to the front.
const SLICES: usize = 64;

/// About this many arrows show the direction.
const ARROWS: usize = 14;

/// The colour at a position of the path, from 0 to 1.
fn colour_at(part: f64) -> String {
    colour::between(&WAY, part)
}

/// The curve through the nodes of a box of these lengths, first dimension fastest, in the order of
/// ranks; nodes that the box does not have are left out. Steps of more than one hop, as the machine
/// counts its `distance`, are dashed.
pub fn curve(
    lengths: &[u32],
    node_of_rank: &[u32],
    name: &str,
    distance: impl Fn(u32, u32) -> u32,
) -> Picture {
    let lengths: Vec<u32> = lengths.iter().map(|&length| length.max(1)).collect();
    let places = boxes::places(&lengths);
    let nodes: Vec<u32> =
        node_of_rank.iter().copied().filter(|&node| (node as usize) < places.len()).collect();
    let turns = lengths.iter().filter(|&&length| length > 1).count() >= 3;
    let wide = if turns { 0.95 } else { 0.8 };
    let (frame, margin) = (620.0, 30.0);
    let view = View::new(&places, turns, 0.5, [frame, frame * wide], 100.0);
    let steps = nodes.len().saturating_sub(1);
    let mut way =
        Way { view: &view, slices: vec![Slice::default(); SLICES], steps, body: String::new() };
    let mut far = 0;
    for (step, ends) in nodes.windows(2).enumerate().filter(|(_, ends)| ends[0] != ends[1]) {
        let is_far = distance(ends[0], ends[1]) > 1;
        far += usize::from(is_far);
        way.add(step, [places[ends[0] as usize], places[ends[1] as usize]], is_far);
    }
    let width = frame + 2.0 * margin;
    let left = margin + (frame - view.width) / 2.0;
    let mut body = String::new();
    let _ = writeln!(body, "<g transform=\"translate({left:.1} {:.1})\">", margin / 2.0);
    way.dots(&places);
    way.draw();
    body.push_str(&way.body);
    for (rank, node) in [(0, nodes.first()), (nodes.len().saturating_sub(1), nodes.last())] {
        if let Some(&node) = node {
            end_mark(&mut body, &view, places[node as usize], rank, nodes.len());
        }
    }
    body.push_str("</g>\n");
    let y = margin / 2.0 + view.height + 14.0;
    legend(&mut body, [margin, y], nodes.len(), far > 0);
    let longer = match far {
        0 => "every step is one hop at most".to_string(),
        1 => "1 step is longer than one hop".to_string(),
        far => format!("{} are longer than one hop", plural(far, "step")),
    };
    let shape = lengths.iter().map(u32::to_string).collect::<Vec<_>>().join(" x ");
    Picture {
        width,
        height: (y + 44.0).ceil(),
        title: format!("The path of the ranks through the machine under {name}"),
        description: format!(
            "A curve through a box of {shape} nodes, from rank 0 to rank {}: of {}, {longer}.",
            nodes.len().saturating_sub(1),
            plural(steps, "step")
        ),
        body,
    }
}

/// The elements at one depth.
#[derive(Default, Clone)]
struct Slice {
    /// The casings that separate lines from what is behind them.
    casings: String,
    /// Lines of each shade: those of one hop, and longer ones separately.
    lines: Vec<(usize, bool, String)>,
    arrows: String,
    dots: String,
}

/// The curve while it is drawn.
struct Way<'a> {
    view: &'a View,
    slices: Vec<Slice>,
    steps: usize,
    body: String,
}

impl Way<'_> {
    /// How thick the curve is.
    fn thick(&self) -> f64 {
        (0.17 * self.view.unit).clamp(0.9, 5.0)
    }

    fn slice(&mut self, depth: f64) -> &mut Slice {
        let last = self.slices.len() - 1;
        &mut self.slices[((depth * SLICES as f64) as usize).min(last)]
    }

    fn add(&mut self, step: usize, [from, to]: [[f32; 3]; 2], is_far: bool) {
        let line = if is_far {
            vec![self.view.see(from), self.view.see(to)]
        } else {
            self.view.line(from, to)
        };
        let part = step as f64 / self.steps.saturating_sub(1).max(1) as f64;
        let shade = (part * (SHADES - 1) as f64).round() as usize;
        let thick = self.thick();
        let depth = line[0].towards(line[line.len() - 1], 0.5).depth;
        let arrow =
            step % self.steps.div_ceil(ARROWS).max(2) == self.steps.div_ceil(ARROWS).max(2) / 2;
        let slice = self.slice(depth);
        add_casing(
            &mut slice.casings,
            &line,
            if is_far { thick } else { 1.9 * thick },
            1.3 * thick,
        );
        let mut path = String::new();
        add_line(&mut path, &line);
        match slice.lines.iter_mut().find(|(of, far, _)| *of == shade && *far == is_far) {
            Some((_, _, paths)) => paths.push_str(&path),
            None => slice.lines.push((shade, is_far, path)),
        }
        if arrow {
            let middle = line.len() / 2;
            head(&mut slice.arrows, line[middle - 1], line[middle], (2.2 * thick).max(4.0));
        }
    }

    fn dots(&mut self, places: &[[f32; 3]]) {
        for &place in places {
            let seen = self.view.see(place);
            let _ = write!(self.slice(seen.depth).dots, "M{:.1} {:.1}h.01", seen.x, seen.y);
        }
    }

    fn draw(&mut self) {
        let thick = self.thick();
        for slice in &self.slices {
            if !slice.casings.is_empty() {
                let _ = writeln!(self.body, "<path class=\"paper\" d=\"{}\"/>", slice.casings);
            }
            if !slice.dots.is_empty() {
                let _ = writeln!(
                    self.body,
                    "<path class=\"axis\" stroke-linecap=\"round\" stroke-width=\"{:.2}\" stroke-opacity=\".6\" \
                     d=\"{}\"/>",
                    1.6 * thick,
                    slice.dots
                );
            }
            for (shade, is_far, path) in &slice.lines {
                let style = match is_far {
                    true => format!(
                        "stroke-width=\"{:.2}\" stroke-dasharray=\"{:.1} {:.1}\"",
                        0.6 * thick,
                        2.0 * thick,
                        1.4 * thick
                    ),
                    false => format!("stroke-width=\"{thick:.2}\" stroke-linecap=\"round\""),
                };
                let colour = colour_at(*shade as f64 / (SHADES - 1) as f64);
                let _ = writeln!(
                    self.body,
                    "<path fill=\"none\" stroke=\"{colour}\" stroke-linejoin=\"round\" {style} d=\"{path}\"/>"
                );
            }
            if !slice.arrows.is_empty() {
                let _ = writeln!(self.body, "<path class=\"ink\" d=\"{}\"/>", slice.arrows);
            }
        }
    }
}

/// The head of an arrow in the middle of a line.
fn head(out: &mut String, a: Seen, b: Seen, size: f64) {
    let apart = a.apart(b).max(1e-9);
    let (along, aside) =
        ([(b.x - a.x) / apart, (b.y - a.y) / apart], [-(b.y - a.y) / apart, (b.x - a.x) / apart]);
    let middle = a.towards(b, 0.5);
    let corner = |forward: f64, side: f64| {
        format!(
            "{:.1} {:.1}",
            middle.x + size * (forward * along[0] + side * aside[0]),
            middle.y + size * (forward * along[1] + side * aside[1])
        )
    };
    let _ = write!(out, "M{}L{}L{}z", corner(0.6, 0.0), corner(-0.5, 0.5), corner(-0.5, -0.5));
}

/// The first or the last rank: a ring and its number.
fn end_mark(body: &mut String, view: &View, place: [f32; 3], rank: usize, ranks: usize) {
    let seen = view.see(place);
    let radius = (0.26 * view.unit).clamp(4.0, 9.0);
    let colour = colour_at(if rank == 0 { 0.0 } else { 1.0 });
    let below = seen.y > view.height / 2.0 && ranks > 1;
    let y = if below { seen.y + radius + 13.0 } else { seen.y - radius - 4.0 };
    let text = rank.to_string();
    let wide = width_of(&text, 12.0) + 4.0;
    let _ = write!(
        body,
        "<rect class=\"paper\" fill-opacity=\".8\" x=\"{:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"13\" rx=\"3\"/>",
        seen.x - wide / 2.0,
        y - 11.0
    );
    let _ = writeln!(
        body,
        "<circle cx=\"{0:.1}\" cy=\"{1:.1}\" r=\"{radius:.1}\" fill=\"{colour}\"/><circle class=\"paper\" \
         cx=\"{0:.1}\" cy=\"{1:.1}\" r=\"{2:.1}\"/><text class=\"ink\" x=\"{0:.1}\" y=\"{y:.1}\" \
         text-anchor=\"middle\" font-size=\"12\" font-weight=\"bold\">{text}</text>",
        seen.x,
        seen.y,
        0.5 * radius
    );
}

fn legend(body: &mut String, [x, y]: [f64; 2], ranks: usize, has_far: bool) {
    let (bar, cells) = (240.0, 48);
    let cell = bar / f64::from(cells);
    for at in 0..cells {
        let _ = write!(
            body,
            "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"8\" fill=\"{}\"/>",
            x + f64::from(at) * cell,
            cell + 0.6,
            colour_at((f64::from(at) + 0.5) / f64::from(cells))
        );
    }
    let last = format!("rank {}", ranks.saturating_sub(1));
    for (at, anchor, text) in [(0.0, "start", "rank 0"), (bar, "end", last.as_str())] {
        let _ = writeln!(
            body,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"{anchor}\">{}</text>",
            x + at,
            y + 22.0,
            escaped(text)
        );
    }
    if has_far {
        let _ = writeln!(
            body,
            "<path class=\"axis\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\" d=\"M{:.1} {:.1}h34\"/><text \
             class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\">more than one hop</text>",
            x + bar + 24.0,
            y + 4.0,
            x + bar + 64.0,
            y + 8.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve through a box without rings.
    fn mesh_curve(lengths: &[u32], node_of_rank: &[u32], name: &str) -> Picture {
        curve(lengths, node_of_rank, name, |a, b| {
            let (mut rest, mut hops) = ([a, b], 0);
            for length in lengths.iter().map(|&length| length.max(1)) {
                hops += (rest[0] % length).abs_diff(rest[1] % length);
                rest = rest.map(|rest| rest / length);
            }
            hops
        })
    }

    fn check(picture: &Picture) {
        let text = picture.standalone();
        assert!(roxmltree::Document::parse(&text).is_ok());
        assert!(!text.contains("NaN") && !text.contains("inf"), "{}", picture.title);
    }

    #[test]
    fn steps_longer_than_a_hop_are_counted_and_dashed() {
        // Along both rows of 3 x 2: from the end of the first to the start of the second there are
        // 3 hops.
        let picture = mesh_curve(&[3, 2], &[0, 1, 2, 3, 4, 5], "in-order");
        check(&picture);
        let expected = "A curve through a box of 3 x 2 nodes, from rank 0 to rank 5: of 5 steps, 1 step is longer than one \
                        hop.";
        assert_eq!(picture.description, expected);
        // One step, and its sample in the legend.
        assert_eq!(picture.body.matches("stroke-dasharray").count(), 2);
        let there_and_back = mesh_curve(&[3, 2], &[0, 1, 2, 5, 4, 3], "scan");
        assert!(there_and_back.description.ends_with("every step is one hop at most."));
        assert!(!there_and_back.body.contains("stroke-dasharray"));
        // On a machine where all nodes are neighbours, no step is long.
        let wired = curve(&[3, 2], &[0, 1, 2, 3, 4, 5], "in-order", |_, _| 1);
        assert!(wired.description.ends_with("every step is one hop at most."));
    }

    #[test]
    fn the_way_begins_red_and_ends_blue() {
        assert_eq!((colour_at(0.0).as_str(), colour_at(1.0).as_str()), ("#d01c24", "#1c4cc4"));
        // The third of the six colours.
        assert_eq!(colour_at(0.4), "#eec40c");
        let picture = mesh_curve(&[2, 2, 2], &[0, 1, 3, 2, 6, 7, 5, 4], "gray");
        check(&picture);
        let first = picture.body.matches("stroke=\"#d01c24\"").count();
        let last = picture.body.matches("stroke=\"#1c4cc4\"").count();
        assert_eq!((first, last), (1, 1));
    }

    #[test]
    fn any_box_and_any_ranks_give_a_picture() {
        check(&mesh_curve(&[], &[], "nothing"));
        check(&mesh_curve(&[1], &[0], "one"));
        check(&mesh_curve(&[0, 4], &[0, 0, 3, 9], "shared"));
        check(&mesh_curve(&[2; 7], &(0..128).collect::<Vec<u32>>(), "in-order"));
        let large: Vec<u32> = (0..4096).rev().collect();
        let picture = mesh_curve(&[16, 16, 16], &large, "backwards");
        check(&picture);
        assert_eq!(picture, mesh_curve(&[16, 16, 16], &large, "backwards"));
        assert!(picture.body.len() < 1_000_000);
    }
}
