//! The verdict: how much better the chosen placement is, in words and numbers.

use topoloom_core::Weight;

use super::content::{Placed, Report};
use super::html::{Cell, Section, note, paragraph, row, table, text};
use crate::figure::Unit;
use crate::numbers::{duration, energy, percent, plural};

/// Shares below this count as the same: they would be shown as 0.0 %.
const SAME: f64 = 5e-4;

/// What is placed where, below the title.
pub fn subtitle(report: &Report<'_>) -> String {
    let machine = report.problem.machine();
    let nodes = match machine.topology().cluster() {
        Some(cluster) => {
            let hosts = cluster.description().hosts.len();
            format!("{} with {}", plural(hosts, "host"), plural(machine.num_nodes(), "place"))
        }
        None => plural(machine.num_nodes(), "node"),
    };
    let routing = match machine.topology().is_wired() {
        true => format!("{} routing", machine.routing().name()),
        false => "with known distances, but no known links".to_string(),
    };
    format!("{} on {nodes}, {routing}", plural(report.problem.num_ranks(), "rank"))
}

/// The section.
pub fn section(report: &Report<'_>) -> Section {
    let mut body = format!("<p class=\"verdict\">{}</p>\n", text(&sentence(report)));
    body.push_str(&tiles(report));
    body.push_str(&numbers_table(report));
    body.push_str(&paragraph(&format!(
        "The default placement is {}: {}.{} {} are {} times the distance they travel, summed over \
         all pairs of ranks. The lower bound is proven: no placement has fewer {}.{}{}",
        report.default().name,
        report.default_how,
        chosen_how(report),
        capital(hops_name(report.problem.weight())),
        report.problem.weight(),
        hops_name(report.problem.weight()),
        bound_how(report.chosen()),
        predicted_how(report),
    )));
    for remark in &report.remarks {
        body.push_str(&note(remark));
    }
    Section { id: "verdict", name: "Verdict", heading: "Verdict".to_string(), body }
}

/// The verdict in a few sentences.
fn sentence(report: &Report<'_>) -> String {
    let (default, chosen) = (report.default(), report.chosen());
    let hops = hops_name(report.problem.weight());
    if report.problem.traffic().total(report.problem.weight()) <= 0.0 {
        return "Nothing that counts is sent, so every placement is as good as any other."
            .to_string();
    }
    let mut sentences = vec![match &report.no_better_by {
        Some(tried) => format!("No better placement was found: {tried}."),
        None if report.keeps_default() => "The default placement was chosen.".to_string(),
        None => hop_bytes_in_words(report),
    }];
    if !report.keeps_default() {
        sentences.extend(load_in_words(default, chosen));
        sentences.extend(slower_in_words(report));
    }
    sentences.extend(bound_in_words(chosen, hops));
    sentences.extend(better_in_words(report));
    sentences.join(" ")
}

/// A bound farther away than this share says little about the placement: it is in the table, not in
/// the first sentences.
const TELLING_GAP: f64 = 0.25;

/// How near to the best a placement is proven to be, if the bound shows that.
fn bound_in_words(chosen: &Placed, hops: &str) -> Option<String> {
    let name = &chosen.name;
    Some(match chosen.score.gap().filter(|&gap| gap <= TELLING_GAP)? {
        gap if gap <= 1e-9 => {
            format!("{name} meets a proven lower bound: no placement can be better in {hops}.")
        }
        gap if gap < 5e-4 => {
            format!("In {hops}, {name} is less than 0.1 % above a proven lower bound.")
        }
        gap => format!("In {hops}, {name} is {} above a proven lower bound.", percent(gap)),
    })
}

/// How to understand a bound that is far away.
fn bound_how(chosen: &Placed) -> &'static str {
    match chosen.score.gap() {
        Some(gap) if gap <= TELLING_GAP => "",
        _ => " Here it says little: the best placement may be well above it.",
    }
}

/// The name of the sum over all pairs, depending on what counts.
pub fn hops_name(weight: Weight) -> &'static str {
    match weight {
        Weight::Bytes => "hop-bytes",
        Weight::Messages => "message hops",
    }
}

/// A simulated run that takes longer must not be overlooked.
fn slower_in_words(report: &Report<'_>) -> Option<String> {
    let simulation = report.simulation.as_ref()?;
    let longer = simulation.chosen.seconds / simulation.default.as_ref()?.seconds - 1.0;
    (longer.is_finite() && longer >= SAME)
        .then(|| format!("But the simulated run takes {} longer.", percent(longer)))
}

/// How many hop-bytes more or fewer than the default placement the chosen one has.
fn hop_bytes_in_words(report: &Report<'_>) -> String {
    let (default, chosen) = (report.default(), report.chosen());
    let (before, after) = (default.score.hop_bytes, chosen.score.hop_bytes);
    let (name, hops) = (&chosen.name, hops_name(report.problem.weight()));
    if (after - before).abs() < SAME * before || after == before {
        return format!("{name} has as many {hops} as the default placement.");
    }
    if before <= 0.0 {
        return format!(
            "Under {name}, nodes exchange what stays inside nodes under the default placement."
        );
    }
    let part = percent((after / before - 1.0).abs());
    let which = if after < before { "fewer" } else { "more" };
    let unit = one_of(report.problem.weight());
    let way = way_in_words(report);
    format!("{name} has {part} {which} {hops} than the default placement: an average {unit} {way}.")
}

/// The best of all placements, if it is not the chosen one.
fn better_in_words(report: &Report<'_>) -> Option<String> {
    let (best, chosen) = (report.placements.first()?, report.chosen());
    let less = 1.0 - best.cost / chosen.cost;
    let words =
        || format!("But {} is better: {} less by {}.", best.name, percent(less), report.sorted_by);
    (less.is_finite() && less >= SAME).then(words)
}

/// How far an average byte travels.
fn way_in_words(report: &Report<'_>) -> String {
    let [before, after] =
        [report.default(), report.chosen()].map(|placed| placed.score.average_dilation());
    let topology = report.problem.machine().topology();
    // Distances of clusters are costs, not links.
    match topology.is_wired() && topology.cluster().is_none() {
        true => format!("crosses {after:.2} links instead of {before:.2}"),
        false => format!("travels a distance of {after:.2} instead of {before:.2}"),
    }
}

fn one_of(weight: Weight) -> &'static str {
    match weight {
        Weight::Bytes => "byte",
        Weight::Messages => "message",
    }
}

fn most(placed: &Placed) -> Option<f64> {
    placed.score.links.map(|links| links.load.maximum)
}

fn load_in_words(default: &Placed, chosen: &Placed) -> Option<String> {
    let (before, after) = (most(default)?, most(chosen)?);
    if before <= 0.0 || after <= 0.0 {
        return None;
    }
    Some(match after / before {
        ratio if (ratio - 1.0).abs() < SAME => "The busiest link carries the same.".to_string(),
        ratio if ratio < 1.0 => format!("The busiest link carries {} less.", percent(1.0 - ratio)),
        ratio => {
            let fewer = chosen.score.hop_bytes < default.score.hop_bytes;
            let begin = if fewer { "But the" } else { "The" };
            format!("{begin} busiest link carries {} more.", percent(ratio - 1.0))
        }
    })
}

/// A number of the verdict: of the default placement and of the chosen one.
struct Measure {
    name: &'static str,
    default: Option<f64>,
    chosen: Option<f64>,
    /// The lower bound of all placements.
    bound: Option<f64>,
    shown: Box<dyn Fn(f64) -> String>,
}

fn measures(report: &Report<'_>) -> Vec<Measure> {
    let (default, chosen) = (report.default(), report.chosen());
    let weight = report.problem.weight();
    let shown = move |value: f64| Unit::from(weight).written(value);
    let simulation = report.simulation.as_ref();
    // If the chosen placement is the default one, one run stands for both.
    let before =
        simulation.map(|simulation| simulation.default.as_ref().unwrap_or(&simulation.chosen));
    let time_name = simulation.map_or("time, at least", |simulation| simulation.time_name);
    let mut measures = vec![
        Measure {
            name: hops_name(weight),
            default: Some(default.score.hop_bytes),
            chosen: Some(chosen.score.hop_bytes),
            bound: chosen.score.lower_bound,
            shown: Box::new(shown),
        },
        Measure {
            name: "busiest link",
            default: most(default),
            chosen: most(chosen),
            bound: None,
            shown: Box::new(shown),
        },
        Measure {
            name: time_name,
            default: before.map_or(default.busiest_seconds, |run| Some(run.seconds)),
            chosen: simulation
                .map_or(chosen.busiest_seconds, |simulation| Some(simulation.chosen.seconds)),
            bound: None,
            shown: Box::new(duration),
        },
        Measure {
            name: "energy of links",
            default: before.map_or(default.joules, |run| Some(run.joules)),
            chosen: simulation.map_or(chosen.joules, |simulation| Some(simulation.chosen.joules)),
            bound: None,
            shown: Box::new(energy),
        },
    ];
    measures.retain(|measure| measure.default.is_some() && measure.chosen.is_some());
    measures
}

/// The explanation of the chosen placement.
fn chosen_how(report: &Report<'_>) -> String {
    let chosen = report.chosen();
    match chosen.objective {
        _ if report.keeps_default() => String::new(),
        Some(objective) => {
            format!(
                " The chosen placement was found by the strategy {}, which minimised {objective}.",
                chosen.name
            )
        }
        None => format!(" The chosen placement is from the file {}.", chosen.name),
    }
}

fn lower(words: &str) -> String {
    let (first, rest) = words.split_at(words.chars().next().map_or(0, char::len_utf8));
    first.to_lowercase() + rest
}

fn capital(words: &str) -> String {
    let (first, rest) = words.split_at(words.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

/// Where time and energy come from.
fn predicted_how(report: &Report<'_>) -> String {
    match (&report.simulation, report.chosen().busiest_seconds) {
        (Some(simulation), _) => {
            format!(" Time and energy are from a simulated run: {}", lower(&simulation.how))
        }
        (None, Some(_)) => " The time is what the busiest link needs for its load: no run that \
                            sends all of it is faster. The energy is what the bytes need on their \
                            links."
            .to_string(),
        (None, None) => String::new(),
    }
}

/// How much less or more it is, such as `26.3 % less`.
fn change(default: f64, chosen: f64) -> String {
    match chosen / default {
        ratio if !ratio.is_finite() => "-".to_string(),
        ratio if (ratio - 1.0).abs() < SAME => "the same".to_string(),
        ratio if ratio < 1.0 => format!("{} less", percent(1.0 - ratio)),
        ratio if ratio > 10.0 => format!("{ratio:.0} times as much"),
        ratio => format!("{} more", percent(ratio - 1.0)),
    }
}

fn tiles(report: &Report<'_>) -> String {
    let mut html = "<div class=\"tiles\">\n".to_string();
    for measure in measures(report) {
        let (Some(default), Some(chosen)) = (measure.default, measure.chosen) else { continue };
        let better = if chosen < default * (1.0 - SAME) { " better" } else { "" };
        let is_telling = |bound: &f64| chosen <= bound * (1.0 + TELLING_GAP);
        let mut notes = Vec::new();
        // A single placement has nothing to be compared with.
        if !report.keeps_default() {
            let default_shown = (measure.shown)(default);
            notes.push(text(&format!("default {default_shown}: {}", change(default, chosen))));
        }
        if let Some(bound) = measure.bound.filter(is_telling) {
            notes.push(text(&format!("lower bound {}", (measure.shown)(bound))));
        }
        html.push_str(&format!(
            "<div class=\"tile{better}\"><div class=\"tile-name\">{}</div><div class=\"tile-value\">{}</div>\
             <div class=\"tile-note\">{}</div></div>\n",
            text(measure.name),
            text(&(measure.shown)(chosen)),
            notes.join("<br>"),
        ));
    }
    html + "</div>\n"
}

fn numbers_table(report: &Report<'_>) -> String {
    if report.keeps_default() {
        return one_placement_table(report);
    }
    let is_useful = !report.chosen().shows_useless_bound();
    let rows: Vec<_> = measures(report)
        .iter()
        .filter_map(|measure| {
            let (default, chosen) = (measure.default?, measure.chosen?);
            let above = |value: f64| {
                measure.bound.filter(|&bound| bound > 0.0).map(|bound| value / bound - 1.0)
            };
            Some(row(vec![
                Cell::words(measure.name),
                Cell::number(default, (measure.shown)(default)),
                Cell::number(chosen, (measure.shown)(chosen)),
                Cell::words(change(default, chosen)),
                Cell::optional(measure.bound, &measure.shown),
                Cell::above_bound(above(default), is_useful),
                Cell::above_bound(above(chosen), is_useful),
            ]))
        })
        .collect();
    let default = format!("default ({})", report.default().name);
    let chosen = format!("chosen ({})", report.chosen().name);
    let header = [
        "",
        &default,
        &chosen,
        "change",
        "lower bound",
        "default above bound",
        "chosen above bound",
    ];
    table("verdict-numbers", "The default placement and the chosen one", &header, &rows)
}

/// The numbers if the default placement is the chosen one.
fn one_placement_table(report: &Report<'_>) -> String {
    let is_useful = !report.chosen().shows_useless_bound();
    let rows: Vec<_> = measures(report)
        .iter()
        .filter_map(|measure| {
            let value = measure.chosen?;
            let bound = measure.bound.filter(|&bound| bound > 0.0);
            let above = bound.map(|bound| value / bound - 1.0);
            Some(row(vec![
                Cell::words(measure.name),
                Cell::number(value, (measure.shown)(value)),
                Cell::optional(measure.bound, &measure.shown),
                Cell::above_bound(above, is_useful),
            ]))
        })
        .collect();
    let header = ["", &report.chosen().name, "lower bound", "above bound"];
    table("verdict-numbers", "The placement in numbers", &header, &rows)
}
