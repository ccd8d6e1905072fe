//! All placements that were compared: costs, time spent, link loads.

use super::Report;
use super::html::{Cell, Row, Section, paragraph, table, text};
use super::verdict::amount;
use crate::numbers::{duration, grouped, percent, precise};

/// The section.
pub fn section(report: &Report<'_>) -> Section {
    let mut body = paragraph(&format!(
        "Every placement that was tried, best first by {}. The chosen one stands out.",
        report.sorted_by
    ));
    body.push_str(&strategies_table(report));
    for (strategy, reason) in &report.not_applicable {
        body.push_str(&format!(
            "<p class=\"note\"><b>{}</b> does not apply: {}</p>\n",
            text(strategy),
            text(reason)
        ));
    }
    let heading = "What else was tried".to_string();
    Section { id: "strategies", name: "Strategies", heading, body }
}

fn strategies_table(report: &Report<'_>) -> String {
    let weight = report.problem.weight();
    let load = |value: f64| amount(weight, value);
    // Hop-bytes have a column of their own; another objective gets one too.
    let other = report.sorted_by != "hop-bytes";
    let mut header = vec!["strategy"];
    if other {
        header.push(report.sorted_by);
    }
    header.extend([
        "hop-bytes",
        "average distance",
        "farthest pair",
        "busiest link",
        "average link",
        "links used",
        "above bound",
        "time to find",
    ]);
    let rows: Vec<Row> = report
        .placements
        .iter()
        .enumerate()
        .map(|(number, placed)| {
            let score = &placed.score;
            let links = score.links;
            let mark = if placed.complete { "" } else { " (cut short)" };
            let mut cells = vec![Cell::words(format!("{}{mark}", placed.name))];
            if other {
                cells.push(Cell::number(placed.cost, precise(placed.cost)));
            }
            cells.extend([
                Cell::number(score.hop_bytes, load(score.hop_bytes)),
                Cell::number(score.average_dilation(), format!("{:.2}", score.average_dilation())),
                Cell::number(f64::from(score.max_dilation), score.max_dilation.to_string()),
                Cell::optional(links.map(|links| links.load.maximum), load),
                Cell::optional(links.map(|links| links.load.average), load),
                Cell::optional(links.map(|links| links.load.count as f64), grouped),
                Cell::optional(score.gap(), percent),
                Cell::optional(placed.seconds, duration),
            ]);
            Row { cells, highlighted: number == report.chosen }
        })
        .collect();
    table("strategies-table", "Placements, best first", &header, &rows)
}
