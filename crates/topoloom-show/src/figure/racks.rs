//! Racks and hosts as a grid, with the groups of a training job as colours, before and after.

use super::Frame;
use super::drawing::{Drawing, Letters, MARGIN, SMALL};
use crate::Picture;
use crate::colour::{self, SERIES};
use crate::svg::{escaped, fitted};

/// Hosts that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rack {
    /// What it is called.
    pub name: String,
    /// What is around it, such as a pod: racks of another one begin a new line.
    pub part: String,
    /// The names of its hosts.
    pub hosts: Vec<String>,
}

/// One placement.
#[derive(Debug, Clone, PartialEq)]
pub struct RackPanel {
    /// What it is called.
    pub name: String,
    /// What it does to the groups.
    pub caption: String,
    /// The groups of each host, rack by rack; none for a host that is not used.
    pub groups: Vec<Vec<u32>>,
}

/// Placements on the same racks.
#[derive(Debug, Clone, PartialEq)]
pub struct Racks {
    /// What the picture is about.
    pub title: String,
    /// Where the groups come from.
    pub about: String,
    /// The kind of groups, such as `ep`.
    pub kind: String,
    /// How many groups there are.
    pub num_groups: u32,
    /// The machine.
    pub racks: Vec<Rack>,
    /// The placements, one below the other.
    pub panels: Vec<RackPanel>,
}

/// The room between racks, and between hosts of a rack.
const BETWEEN_RACKS: f64 = 8.0;
const BETWEEN_HOSTS: f64 = 1.5;
const RACK_TITLE: f64 = 15.0;

/// The size of a host: smaller if there are many.
fn cell(hosts: usize) -> f64 {
    match hosts {
        0..=160 => 22.0,
        161..=640 => 13.0,
        641..=2600 => 8.0,
        _ => 5.0,
    }
}

/// Groups as colours on a grid of racks and hosts.
pub fn racks(frame: Frame, input: &Racks) -> Picture {
    let hosts: usize = input.racks.iter().map(|rack| rack.hosts.len()).sum();
    let explanation = format!(
        "{}. Each square is a host, each frame a rack; the colour says to which {} group its ranks \
         belong. Hosts without ranks are empty.",
        input.about, input.kind
    );
    if hosts == 0 || input.panels.is_empty() {
        return Drawing::nothing(frame, &input.title, "There are no hosts to draw.");
    }
    let (mut drawing, mut y) = Drawing::new(frame, &input.title, &explanation);
    for panel in &input.panels {
        y += 22.0;
        drawing.text((MARGIN, y), Letters::INK.bold(true), &escaped(&panel.name));
        y += 16.0;
        let room = drawing.width - 2.0 * MARGIN;
        drawing.text((MARGIN, y), Letters::SOFT, &escaped(&fitted(&panel.caption, SMALL, room)));
        y = draw_panel(&mut drawing, input, panel, cell(hosts), y + 10.0);
    }
    let description = input.panels.iter().map(|panel| format!("{}: {}", panel.name, panel.caption));
    drawing.done(y + MARGIN, description.collect::<Vec<_>>().join("; "))
}

fn draw_panel(drawing: &mut Drawing, input: &Racks, panel: &RackPanel, size: f64, top: f64) -> f64 {
    let right = drawing.width - MARGIN;
    let (mut x, mut y, mut line) = (MARGIN, top, 0.0f64);
    // Parts begin new lines if that leaves no lines nearly empty.
    let mut parts: Vec<&str> = input.racks.iter().map(|rack| &rack.part[..]).collect();
    parts.dedup();
    let by_parts = parts.len() * 4 <= input.racks.len();
    let mut part = input.racks.first().map_or("", |rack| &rack.part);
    let mut first_host = 0;
    for rack in &input.racks {
        let columns = columns(rack.hosts.len());
        let rows = rack.hosts.len().div_ceil(columns);
        let step = size + BETWEEN_HOSTS;
        let width = (columns as f64 * step + 6.0).max(if size > 10.0 { 40.0 } else { 0.0 });
        let titled = size > 10.0;
        let height = rows as f64 * step + 6.0 + if titled { RACK_TITLE } else { 0.0 };
        let new_part = by_parts && rack.part != part;
        if x > MARGIN && (x + width > right || new_part) {
            x = MARGIN;
            y += line + if new_part { 2.0 * BETWEEN_RACKS } else { BETWEEN_RACKS };
            line = 0.0;
        }
        part = &rack.part;
        let tip = match rack.part.is_empty() {
            true => rack.name.clone(),
            false => format!("{} in {}", rack.name, rack.part),
        };
        drawing.rectangle(
            (x, y),
            (width, height),
            "class=\"paper line-6\" stroke-width=\"1\"",
            &tip,
        );
        let mut inner = y + 3.0;
        if titled {
            let name = fitted(&rack.name, 10.0, width - 6.0);
            let letters = Letters::SOFT.of_size(10.0);
            drawing.text((x + 4.0, y + 12.0), letters, &escaped(&name));
            inner += RACK_TITLE;
        }
        for (number, host) in rack.hosts.iter().enumerate() {
            let at = (
                x + 3.0 + (number % columns) as f64 * step,
                inner + (number / columns) as f64 * step,
            );
            draw_host(drawing, input, at, size, host, &panel.groups[first_host + number]);
        }
        first_host += rack.hosts.len();
        x += width + BETWEEN_RACKS;
        line = line.max(height);
    }
    y + line
}

/// Racks are a little wider than high.
fn columns(hosts: usize) -> usize {
    (((hosts as f64) * 1.5).sqrt().ceil() as usize).clamp(1, hosts.max(1))
}

/// The most stripes of a host that can be told apart.
const MOST_STRIPES: usize = 8;

fn draw_host(
    drawing: &mut Drawing,
    input: &Racks,
    (x, y): (f64, f64),
    size: f64,
    host: &str,
    groups: &[u32],
) {
    if groups.is_empty() {
        let look = "class=\"line-6\" fill=\"none\" stroke-width=\"0.7\" stroke-dasharray=\"2 2\"";
        drawing.rectangle((x, y), (size, size), look, &format!("{host}: no ranks"));
        return;
    }
    let shown = &groups[..groups.len().min(MOST_STRIPES)];
    let width = size / shown.len() as f64;
    let list: Vec<String> = shown.iter().map(u32::to_string).collect();
    let more = if groups.len() > shown.len() { ", ..." } else { "" };
    let tip = format!("{host}: {} group {}{more}", input.kind, list.join(", "));
    for (number, &group) in shown.iter().enumerate() {
        let look = format!("fill=\"{}\"", colour_of(group, input.num_groups));
        drawing.rectangle((x + number as f64 * width, y), (width, size), &look, &tip);
    }
}

/// The colour of a group: a scale if there are more groups than colours that can be told apart.
fn colour_of(group: u32, groups: u32) -> String {
    match groups as usize <= SERIES.len() {
        true => SERIES[group as usize % SERIES.len()].to_string(),
        false => colour::scale(f64::from(group) / f64::from(groups.max(2) - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_is_drawn_in_every_panel() {
        let rack = |name: &str, hosts: u32| Rack {
            name: name.to_string(),
            part: String::new(),
            hosts: (0..hosts).map(|host| format!("{name}-{host}")).collect(),
        };
        let panel = |name: &str| RackPanel {
            name: name.to_string(),
            caption: "1 of 2 groups in several racks".to_string(),
            groups: vec![vec![0], vec![0, 1], vec![1], vec![], vec![1]],
        };
        let input = Racks {
            title: "ep groups".to_string(),
            about: "a job".to_string(),
            kind: "ep".to_string(),
            num_groups: 2,
            racks: vec![rack("a", 3), rack("b", 2)],
            panels: vec![panel("before"), panel("after")],
        };
        let picture = racks(Frame::WIDE, &input);
        assert_eq!(picture.body.matches("<title>a-1: ep group 0, 1</title>").count(), 4);
        assert_eq!(picture.body.matches("<title>b-0: no ranks</title>").count(), 2);
        assert!(picture.height > 100.0 && picture.height.is_finite());
        let none = racks(Frame::NARROW, &Racks { racks: Vec::new(), ..input });
        assert!(none.description.contains("no hosts"));
    }
}
