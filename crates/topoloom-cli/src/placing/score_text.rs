//! A score as people read it.

use topoloom::core::Objective;
use topoloom::core::objective::{CostMatrix, HopBytes};
use topoloom::core::statistics;
use topoloom::io::{LevelRecord, ScoreRecord, SummaryRecord};

use crate::interrupt;
use crate::output::collectives::line_of_record;
use crate::output::numbers::{duration, grouped, percent, plural, precise};
use crate::output::table::{numbers_table, wrapped};
use crate::placing::groups;

/// A score as people read it.
pub fn show(record: &ScoreRecord) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_string(), value]);
    if let Some(search) = &record.search {
        row("strategy", search.strategy.clone());
        row("seed", search.seed.to_string());
        if search.objective != HopBytes.name() {
            row(&search.objective, precise(search.shown_cost));
        }
        row("time", duration(search.seconds));
        row("evaluations", grouped(search.evaluations as f64));
    }
    if let (Some(cost), None) = (record.group_bytes, &record.search) {
        row("group-bytes", precise(cost));
    }
    let is_shown =
        record.search.as_ref().is_some_and(|search| search.objective == CostMatrix::NAME);
    if let (Some(cost), false) = (record.cost_matrix, is_shown) {
        row(CostMatrix::NAME, precise(cost));
    }
    if record.only_costs {
        row("total weight", grouped(record.total_weight));
        return headline(record) + &numbers_table(&["", ""], &rows) + &notes(record);
    }
    row("hop-bytes", grouped(record.hop_bytes));
    row("lower bound", record.lower_bound.map_or_else(why_no_bound, grouped));
    if let Some(name) = &record.lower_bound_name {
        row("  found by", name.clone());
    }
    let above = match shows_useless_bound(record) {
        true => NO_USEFUL_BOUND.to_string(),
        false => record.gap.map_or("-".to_string(), percent),
    };
    row("above bound", above);
    row("average dilation", format!("{:.3}", record.average_dilation));
    row("maximum dilation", record.max_dilation.to_string());
    row("cardinality", grouped(record.cardinality as f64));
    let optional = |value: Option<f64>| value.map_or("-".to_string(), grouped);
    row("congestion (pairs on a link)", optional(record.congestion.map(|pairs| pairs as f64)));
    row("busiest link", optional(record.links.max_link_load));
    row("  by bandwidth", optional(record.links.max_relative_load));
    if record.link_load_bound.is_some() {
        row("  lower bound", optional(record.link_load_bound));
    }
    if record.hosts.is_some() {
        row("  between switches", optional(record.links.max_switch_link_load));
        row("  inside a host", optional(record.links.max_inner_load));
    }
    row("links used", optional(record.links.links_used.map(|used| used as f64)));
    row("total weight", grouped(record.total_weight));
    // People call a node a host if there are hosts.
    let nodes = if record.hosts.is_some() { "hosts" } else { "nodes" };
    row(&format!("  inside {nodes}"), grouped(record.intra_node_weight));
    row(&format!("  between {nodes}"), grouped(record.inter_node_weight));

    let mut text = headline(record);
    text.push_str(&numbers_table(&["", ""], &rows));
    let node = nodes.trim_end_matches('s');
    text.push_str(&format!(
        "\nby pairs of ranks, pairs of ranks on one {node}, pairs of {nodes}, and undirected links used:\n\n"
    ));
    text.push_str(&statistics_table(record, node));
    if let Some(levels) = &record.levels {
        text.push_str("\nby the smallest part of the machine that holds both ends:\n\n");
        text.push_str(&levels_table(levels));
    }
    if let Some(groups) = &record.groups {
        let before = record.baseline_groups.as_deref().map(|groups| ("before", groups));
        text.push_str(&groups::table(groups, before));
    }
    if let (Some(_), Some(link)) = (record.hosts, &record.links.busiest_link) {
        text.push_str(&format!("\n{}\n", wrapped(&format!("busiest link: {link}"), "")));
    }
    text + &notes(record)
}

/// What the search remarks, in paragraphs.
fn notes(record: &ScoreRecord) -> String {
    let notes = record.search.iter().flat_map(|search| &search.notes);
    notes.map(|note| format!("\n{}\n", wrapped(note, ""))).collect()
}

/// What tables say instead of a percentage if the bound is too low.
pub const NO_USEFUL_BOUND: &str = "no useful bound";

/// Whether a placement shows that the bound is too low to be of use.
pub fn shows_useless_bound(record: &ScoreRecord) -> bool {
    let by_auto = record.search.as_ref().is_some_and(|search| {
        search.strategy.starts_with("auto") && search.objective == HopBytes.name()
    });
    record.gap.is_some_and(|gap| statistics::shows_useless_bound(gap, by_auto))
}

/// The lower bound and its name, or why there is none.
pub fn bound_in_words(record: &ScoreRecord) -> String {
    match (record.lower_bound, &record.lower_bound_name) {
        (Some(bound), Some(name)) => format!("{} ({name})", grouped(bound)),
        (bound, _) => bound.map_or_else(why_no_bound, grouped),
    }
}

fn why_no_bound() -> String {
    match interrupt::happened() {
        true => "not computed (interrupted)".to_string(),
        false => "not computed (time limit)".to_string(),
    }
}

/// What was placed where, and how it is counted.
pub fn headline(record: &ScoreRecord) -> String {
    // Machines without links route nothing.
    let routing = if record.routing == "none" { "no" } else { &record.routing };
    let nodes = match record.hosts {
        Some(hosts) => format!("{} on {}", plural(record.nodes, "place"), plural(hosts, "host")),
        None => plural(record.nodes, "node"),
    };
    if record.only_costs {
        let ranks = plural(record.ranks, "rank");
        let (traffic, weight) = (&record.traffic, &record.weight);
        return format!(
            "{traffic} ({ranks}) on {nodes}, with the costs of the file\nweight: {weight}\n\n"
        );
    }
    let line = record.collectives.as_ref().map(line_of_record);
    let collectives = line.map_or(String::new(), |line| format!("{line}\n"));
    format!(
        "{} ({}) on {} ({nodes})\n{} routing, weight: {}\n{collectives}\n",
        record.traffic,
        plural(record.ranks, "rank"),
        record.machine,
        routing,
        record.weight
    )
}

/// The traffic through each level.
fn levels_table(levels: &[LevelRecord]) -> String {
    let total: f64 = levels.iter().map(|level| level.weight).sum();
    let rows: Vec<Vec<String>> = levels
        .iter()
        .map(|level| {
            let share = if total > 0.0 { level.weight / total } else { 0.0 };
            let distance = level.distance.to_string();
            vec![level.name.clone(), distance, grouped(level.weight), percent(share)]
        })
        .collect();
    numbers_table(&["", "distance", "weight", "share"], &rows)
}

/// Sums over pairs of ranks, over pairs of nodes (or what people call them), and over links.
fn statistics_table(record: &ScoreRecord, node: &str) -> String {
    let row = |name: &str, summary: Option<&SummaryRecord>| {
        let Some(summary) = summary else {
            return std::iter::once(name).chain(["-"; 5]).map(String::from).collect();
        };
        let average = summary.average;
        let numbers = [
            summary.count as f64,
            summary.total,
            if average < 1000.0 { average } else { average.round() },
            summary.minimum,
            summary.maximum,
        ];
        std::iter::once(name.to_string()).chain(numbers.map(grouped)).collect::<Vec<_>>()
    };
    let statistics = &record.statistics;
    numbers_table(
        &["", "number", "total", "average", "minimum", "maximum"],
        &[
            row("between ranks, logical", Some(&statistics.inter_process_logical)),
            row(&format!("within a {node}, logical"), Some(&statistics.intra_node_logical)),
            row(&format!("between {node}s, logical"), Some(&statistics.inter_node_logical)),
            row(&format!("between {node}s, physical"), statistics.inter_node_physical.as_ref()),
        ],
    )
}
