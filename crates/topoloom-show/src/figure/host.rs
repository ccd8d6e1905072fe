//! What is inside one host: boxes in boxes, as wide as their content, with the ranks in them.

use std::fmt::Write;

use topoloom_core::Weight;

use super::Unit;
use super::machine::scale::{Scale, draw_scale};
use crate::Picture;
use crate::colour::{self, SHADES};
use crate::layout::{DrawnHost, HostAdapter};
use crate::numbers::plural;
use crate::svg::{escaped, fitted, width_of};

/// The texts of a figure of a host.
#[derive(Debug, Clone, Copy)]
pub struct HostOptions<'a> {
    /// The name of the machine.
    pub title: &'a str,
    /// The names of the placements, one for each of the drawn loads.
    pub placements: &'a [&'a str],
    /// The unit of the loads.
    pub weight: Weight,
}

/// The size of a place, the room inside a box around its content, and its title.
const PLACE: [f64; 2] = [58.0, 34.0];
const PADDING: f64 = 7.0;
const TITLE: f64 = 18.0;
const BETWEEN: f64 = 6.0;
/// The size of an adapter, and how far it is from the host.
const ADAPTER: [f64; 2] = [190.0, 46.0];
const TO_ADAPTER: f64 = 56.0;
const GAP: f64 = 24.0;

/// A box on paper.
#[derive(Debug, Clone, Copy, Default)]
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// Where the parts of a host are, and how large it is altogether.
struct Plan {
    areas: Vec<Area>,
}

impl Plan {
    fn of(host: &DrawnHost) -> Plan {
        let mut areas = vec![Area::default(); host.parts.len()];
        let mut columns = vec![1usize; host.parts.len()];
        // Inner parts come after what is around them.
        for (number, part) in host.parts.iter().enumerate().rev() {
            let inside: Vec<[f64; 2]> = part
                .parts
                .iter()
                .filter_map(|&inner| areas.get(inner as usize))
                .map(|area| [area.width, area.height])
                .collect();
            if inside.is_empty() {
                [areas[number].width, areas[number].height] = PLACE;
                continue;
            }
            let most = |axis: usize| inside.iter().map(|size| size[axis]).fold(0.0, f64::max);
            let cell = [most(0) + BETWEEN, most(1) + BETWEEN];
            columns[number] = best_columns(inside.len(), cell);
            let rows = inside.len().div_ceil(columns[number]);
            let title = width_of(&part.name, 11.0) + 12.0;
            let content = columns[number] as f64 * cell[0] - BETWEEN;
            areas[number].width = content.max(title.min(220.0)) + 2.0 * PADDING;
            areas[number].height = rows as f64 * cell[1] - BETWEEN + TITLE + 2.0 * PADDING;
        }
        for number in 0..host.parts.len() {
            let around = areas[number];
            let inner = &host.parts[number].parts;
            let size = |axis: usize| {
                let of = |&inner: &u32| areas.get(inner as usize);
                let sizes = inner.iter().filter_map(of).map(|area| [area.width, area.height][axis]);
                sizes.fold(0.0, f64::max) + BETWEEN
            };
            let cell = [size(0), size(1)];
            // A long title may need more room than what is below it.
            let content = columns[number].min(inner.len()) as f64 * cell[0] - BETWEEN;
            let aside = ((around.width - 2.0 * PADDING - content) / 2.0).max(0.0);
            for (at, &inner) in inner.iter().enumerate() {
                let (row, column) = (at / columns[number], at % columns[number]);
                let Some(area) = areas.get_mut(inner as usize) else { continue };
                area.left = around.left + PADDING + aside + column as f64 * cell[0];
                area.top = around.top + PADDING + TITLE + row as f64 * cell[1];
            }
        }
        Plan { areas }
    }

    fn size(&self) -> [f64; 2] {
        self.areas.first().map_or([0.0; 2], |whole| [whole.width, whole.height])
    }
}

/// As many columns as make a box about one and a half times as wide as high; full rows are better.
fn best_columns(count: usize, cell: [f64; 2]) -> usize {
    let cost = |columns: usize| {
        let rows = count.div_ceil(columns);
        let shape = (columns as f64 * cell[0] / (rows as f64 * cell[1]) / 1.5).ln().abs();
        let empty = (rows * columns - count) as f64 / count as f64;
        shape + 1.5 * empty
    };
    (1..=count).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
}

/// A host under each of its placements, or without placements.
pub fn host(host: &DrawnHost, options: HostOptions) -> Picture {
    let plan = Plan::of(host);
    let [own_width, own_height] = plan.size();
    let adapters = host.adapters.len();
    let beside = if adapters > 0 { TO_ADAPTER + ADAPTER[0] } else { 0.0 };
    let high_adapters = adapters as f64 * (ADAPTER[1] + BETWEEN);
    let panel = [own_width + beside, own_height.max(high_adapters)];
    let panels = host.placements().max(1);
    let columns = if panels > 1 && 2.0 * panel[0] < 1300.0 { 2 } else { 1 };
    let heading = 30.0;
    let width = (columns as f64 * (panel[0] + GAP) + GAP).max(560.0);
    let mut body = String::new();
    for number in 0..panels {
        let left = GAP + (number % columns) as f64 * (panel[0] + GAP);
        let top = GAP / 2.0 + (number / columns) as f64 * (heading + panel[1] + GAP);
        let title = match options.placements.get(number) {
            Some(placement) => format!("host {} under {placement}", host.name),
            None => format!("host {}", host.name),
        };
        let _ = writeln!(
            body,
            "<text class=\"ink\" x=\"{left:.1}\" y=\"{:.1}\" font-size=\"15\" font-weight=\"bold\">{}</text>\n\
             <g transform=\"translate({left:.1} {:.1})\">",
            top + 17.0,
            fitted(&title, 16.5, width - GAP - left),
            top + heading
        );
        draw_parts(&mut body, host, &plan, number, options.weight);
        for (at, adapter) in host.adapters.iter().enumerate() {
            let free = panel[1] - high_adapters;
            let y = (free / 2.0).max(0.0) + at as f64 * (ADAPTER[1] + BETWEEN);
            draw_adapter(
                &mut body,
                adapter,
                [own_width, y, own_height],
                number,
                host.most(),
                options.weight,
            );
        }
        body.push_str("</g>\n");
    }
    let rows = panels.div_ceil(columns) as f64;
    let mut y = GAP / 2.0 + rows * (heading + panel[1] + GAP);
    if host.placements() > 0 {
        let scale = Scale {
            most: host.most(),
            weight: options.weight,
            what: "crosses the boundary of a part (busier direction)",
            unused: "nothing crosses it",
            marks_busiest: false,
        };
        draw_scale(&mut body, &scale, [GAP, y], width - 2.0 * GAP);
        y += 46.0;
    }
    Picture {
        width,
        height: (y + 8.0).ceil(),
        title: format!("{} of {}", host.name, options.title),
        description: description(host, options),
        body,
    }
}

fn description(host: &DrawnHost, options: HostOptions) -> String {
    let places = host.parts.iter().filter(|part| part.parts.is_empty()).count();
    let mut text = format!(
        "Host {} of {}, with {} and {}.",
        host.name,
        options.title,
        plural(places, "place"),
        plural(host.adapters.len(), "adapter")
    );
    for (number, name) in options.placements.iter().enumerate().take(host.placements()) {
        let ranks: usize =
            host.parts.iter().filter_map(|part| part.ranks.get(number)).map(Vec::len).sum();
        let [out, into] = host
            .parts
            .first()
            .map_or([0.0; 2], |whole| whole.loads[number])
            .map(|load| Unit::from(options.weight).written(load));
        let _ = write!(
            text,
            " Under {name}, it has {}; {out} leave it, {into} come in.",
            plural(ranks, "rank")
        );
    }
    text
}

/// The colour of a load, and whether letters on it are light.
fn shade(loads: Option<&[f64; 2]>, most: f64) -> Option<(String, bool)> {
    let load = loads.map_or(0.0, |[out, into]| out.max(*into));
    let share = load / most;
    let step = (share * SHADES as f64).round() / SHADES as f64;
    (load > 0.0 && share.is_finite()).then(|| (colour::scale(step), share > 0.4))
}

fn loads_in_words(loads: Option<&[f64; 2]>, weight: Weight) -> Option<String> {
    let [out, into] = loads?.map(|load| Unit::from(weight).written(load));
    Some(format!("{out} out, {into} in"))
}

fn draw_parts(body: &mut String, host: &DrawnHost, plan: &Plan, number: usize, weight: Weight) {
    let most = host.most();
    for (part, area) in host.parts.iter().zip(&plan.areas) {
        let loads = part.loads.get(number);
        let shade = shade(loads, most);
        let words = loads_in_words(loads, weight);
        let is_place = part.parts.is_empty();
        let ranks = part.ranks.get(number).map_or(&[][..], |ranks| &ranks[..]);
        let tooltip = match (&words, ranks) {
            (None, _) => part.name.clone(),
            (Some(words), []) => format!("{}: {words}", part.name),
            (Some(words), ranks) => format!("{}, {}: {words}", part.name, ranks_in_words(ranks)),
        };
        let look = match (&shade, is_place) {
            (Some((colour, _)), true) => format!("fill=\"{colour}\""),
            (Some((colour, _)), false) => {
                format!("class=\"paper\" stroke=\"{colour}\" stroke-width=\"2.5\"")
            }
            (None, _) => "class=\"rule\" stroke-width=\"1.2\"".to_string(),
        };
        let Area { left, top, width, height } = area;
        let _ = writeln!(
            body,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\" {look}>\
             <title>{}</title></rect>",
            escaped(&tooltip)
        );
        match is_place {
            true => {
                let light = shade.as_ref().map(|(_, light)| *light);
                draw_place(body, &part.name, ranks, *area, light);
            }
            false => {
                let room = width - 2.0 * PADDING;
                let full = words.map(|words| format!("{}: {words}", part.name));
                let title = full.filter(|full| width_of(full, 11.0) <= room);
                let _ = writeln!(
                    body,
                    "<text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\">{}</text>",
                    left + PADDING,
                    top + 16.0,
                    fitted(title.as_ref().unwrap_or(&part.name), 11.0, room)
                );
            }
        }
    }
}

fn ranks_in_words(ranks: &[u32]) -> String {
    match ranks {
        [one] => format!("rank {one}"),
        several => {
            let all: Vec<String> = several.iter().map(u32::to_string).collect();
            format!("ranks {}", all.join(", "))
        }
    }
}

fn draw_place(body: &mut String, name: &str, ranks: &[u32], area: Area, light: Option<bool>) {
    let (strong, weak) = match light {
        // A dark page has other colours, and other letters on them.
        Some(true) => ("class=\"on-much\" fill=\"#fff\"", "class=\"on-much\" fill=\"#fff\""),
        Some(false) => ("class=\"on-little\" fill=\"#222\"", "class=\"on-little\" fill=\"#222\""),
        None => ("class=\"ink\"", "class=\"soft\""),
    };
    let middle = area.left + area.width / 2.0;
    let mut write = |look: &str, y: f64, size: f64, bold: &str, text: &str| {
        let _ = writeln!(
            body,
            "<text {look} x=\"{middle:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"middle\"{bold}>{}</text>",
            fitted(text, 1.1 * size, area.width - 2.0)
        );
    };
    if ranks.is_empty() {
        return write(weak, area.top + area.height / 2.0 + 3.5, 9.0, "", name);
    }
    let long = ranks_in_words(ranks);
    let short: Vec<String> = ranks.iter().map(u32::to_string).collect();
    let short = short.join(",");
    let text = if width_of(&long, 11.5) < area.width - 2.0 { &long } else { &short };
    write(strong, area.top + 15.0, 10.5, " font-weight=\"bold\"", text);
    write(weak, area.top + 28.0, 9.0, "", name);
}

fn draw_adapter(
    body: &mut String,
    adapter: &HostAdapter,
    [host_right, y, host_height]: [f64; 3],
    number: usize,
    most: f64,
    weight: Weight,
) {
    let loads = adapter.loads.get(number);
    let look = match shade(loads, most) {
        Some((colour, _)) => format!("stroke=\"{colour}\" stroke-width=\"3\""),
        None => "class=\"rule\" stroke-width=\"1.5\"".to_string(),
    };
    let left = host_right + TO_ADAPTER;
    let middle = y + ADAPTER[1] / 2.0;
    let from = middle.clamp(0.0, host_height.max(0.0));
    let (x, end) = (left + 8.0, left);
    let _ = writeln!(
        body,
        "<path fill=\"none\" {look} d=\"M{host_right:.1} {from:.1}L{end:.1} {middle:.1}\"/>\
         <rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\" class=\"paper\" {}/>",
        ADAPTER[0],
        ADAPTER[1],
        look.replace("class=\"rule\" ", "stroke=\"#999\" ")
    );
    let to = match &adapter.to[..] {
        [] => adapter.name.clone(),
        to => format!("{} to {}", adapter.name, to.join(", ")),
    };
    let mut write = |y: f64, class: &str, text: &str| {
        let _ = writeln!(
            body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"10.5\">{}</text>",
            fitted(text, 10.5, ADAPTER[0] - 14.0)
        );
    };
    match loads_in_words(loads, weight) {
        None => write(middle + 3.6, "ink", &to),
        Some(words) => {
            write(middle - 4.0, "ink", &to);
            write(middle + 12.0, "soft", &words);
        }
    }
}
