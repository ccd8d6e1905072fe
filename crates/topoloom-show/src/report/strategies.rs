//! All placements that were compared: costs, time spent, link loads.

use super::content::{Placed, Report};
use super::html::{Cell, Row, Section, chart, paragraph, row, table, text};
use super::verdict::hops_name;
use crate::figure::bars::{BarRow, Bars, MachineBars, bars};
use crate::figure::loads::{self, Loads, loads};
use crate::figure::scatter::{self, Scatter, scatter};
use crate::figure::{Frame, Unit};
use crate::numbers::{amount, duration, grouped, percent, precise};

/// The section.
pub fn section(report: &Report<'_>) -> Section {
    let mut body = paragraph(&format!(
        "Every placement that was tried, best first by {}. The chosen one is highlighted.",
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
    body.push_str(&bars_chart(report));
    if report.placements.iter().filter(|placed| placed.seconds.is_some()).count() > 1 {
        body.push_str(&scatter_chart(report));
    }
    if report.problem.machine().topology().is_wired() {
        body.push_str(&loads_chart(report));
    }
    let heading = "What else was tried".to_string();
    Section { id: "strategies", name: "Strategies", heading, body }
}

fn strategies_table(report: &Report<'_>) -> String {
    let weight = report.problem.weight();
    let load = |value: f64| amount(weight, value);
    // Hop-bytes have their own column; another objective gets one too.
    let other = !report.sorted_by_hop_bytes;
    let mut header = vec!["strategy"];
    if other {
        header.push(&report.sorted_by);
    }
    header.extend([
        hops_name(weight),
        "average distance",
        "farthest pair",
        "busiest link",
        "average link",
        "links used",
        "above bound",
        "time to find",
    ]);
    let is_useful = !report.placements.iter().any(Placed::shows_useless_bound);
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
                Cell::above_bound(score.gap(), is_useful),
                Cell::optional(placed.seconds, duration),
            ]);
            let role = match number {
                number if number == report.chosen => Some("chosen"),
                number if number == report.default => Some("default"),
                _ => None,
            };
            Row { cells, role }
        })
        .collect();
    table("strategies-table", "Placements, best first", &header, &rows)
}

/// As in figures 4.1 to 4.3 of Besmer's thesis.
fn bars_chart(report: &Report<'_>) -> String {
    let input = Bars {
        unit: Unit::from(report.problem.weight()),
        machines: vec![MachineBars {
            name: report.problem.machine().spec().to_string(),
            bound: report.placements.first().and_then(|placed| placed.score.lower_bound),
            rows: report
                .placements
                .iter()
                .enumerate()
                .map(|(number, placed)| {
                    BarRow::of(&placed.name, &placed.score, number == report.chosen)
                })
                .collect(),
        }],
    };
    let rows: Vec<Row> = input
        .machines
        .iter()
        .flat_map(|machine| &machine.rows)
        .map(|bar| {
            let shown = |value: f64| amount(report.problem.weight(), value);
            row(vec![
                Cell::words(&bar.name),
                Cell::number(bar.total, shown(bar.total)),
                Cell::optional(bar.average, shown),
                Cell::optional(bar.minimum, shown),
                Cell::optional(bar.maximum, shown),
            ])
        })
        .collect();
    let (caption, words) = match report.problem.machine().topology().is_wired() {
        true => (
            "What links between nodes carry, both directions together",
            "What links between nodes carry, counted as in the HAEC thesis: what two nodes \
             exchange takes one route, both directions together. The figure shows the total of all \
             links, and the average, least and most of the links that are used. No placement has a \
             total below the line.",
        ),
        false => (
            "What placements cost",
            "What is sent times the distance it travels. No placement has a total below the line.",
        ),
    };
    let header = ["strategy", "total", "average", "minimum", "maximum"];
    chart(
        "bars",
        words,
        |width| bars(Frame { width }, &input),
        &table("bars-table", caption, &header, &rows),
    )
}

/// What a longer search gains.
fn scatter_chart(report: &Report<'_>) -> String {
    let searched = || {
        report
            .placements
            .iter()
            .enumerate()
            .filter_map(|(number, placed)| Some((number, placed, placed.seconds?)))
    };
    let input = Scatter {
        cost: hops_name(report.problem.weight()).to_string(),
        unit: Unit::from(report.problem.weight()),
        bound: report.placements.first().and_then(|placed| placed.score.lower_bound),
        strategies: searched()
            .map(|(number, placed, seconds)| scatter::Strategy {
                name: placed.name.clone(),
                seconds,
                cost: placed.score.hop_bytes,
                highlighted: number == report.chosen,
            })
            .collect(),
    };
    let rows: Vec<Row> = searched()
        .map(|(_, placed, seconds)| {
            let cost = placed.score.hop_bytes;
            row(vec![
                Cell::words(&placed.name),
                Cell::number(seconds, duration(seconds)),
                Cell::number(cost, amount(report.problem.weight(), cost)),
            ])
        })
        .collect();
    let numbers = table(
        "times",
        "Cost and time to find it",
        &["strategy", "time", hops_name(report.problem.weight())],
        &rows,
    );
    chart(
        "scatter",
        "What a placement costs against the time it took to find it.",
        |width| scatter(Frame { width }, &input),
        &numbers,
    )
}

/// The most lines in the picture of loads: the default and the chosen placement, and the best of
/// the others.
const MOST_LINES: usize = 5;

/// The shares of all links for which the table shows the largest load.
const QUANTILES: [f64; 6] = [0.25, 0.5, 0.75, 0.9, 0.99, 1.0];

/// How many links carry how much.
fn loads_chart(report: &Report<'_>) -> String {
    let all_links = report.problem.machine().topology().num_links();
    let mut numbers = vec![report.default, report.chosen];
    numbers.extend(0..report.placements.len());
    let mut drawn: Vec<usize> = Vec::new();
    for number in numbers {
        if !drawn.contains(&number) && drawn.len() < MOST_LINES {
            drawn.push(number);
        }
    }
    let input = Loads {
        unit: Unit::from(report.problem.weight()),
        series: drawn
            .iter()
            .map(|&number| {
                let placed = &report.placements[number];
                loads::Series::of(placed.name.clone(), report.problem, &placed.mapping)
            })
            .collect(),
    };
    let rows: Vec<Row> = input
        .series
        .iter()
        .map(|series| {
            let mut cells = vec![
                Cell::words(&series.name),
                Cell::number(series.loads.len() as f64, grouped(series.loads.len() as f64)),
            ];
            cells.extend(QUANTILES.map(|share| {
                let load = quantile(series, share);
                Cell::number(load, amount(report.problem.weight(), load))
            }));
            row(cells)
        })
        .collect();
    let titles: Vec<String> = QUANTILES
        .iter()
        .map(|share| format!("{} of links carry at most", percent(*share)))
        .collect();
    let mut header = vec!["placement", "links used"];
    header.extend(titles.iter().map(String::as_str));
    let caption = format!("Of all {} directed links", grouped(all_links as f64));
    chart(
        "loads",
        "The share of all directed links that carry at most a given load: a line further to the \
         left means less load on links.",
        |width| loads(Frame { width }, &input),
        &table("loads-table", &caption, &header, &rows),
    )
}

/// The largest load of this share of all links; idle links count.
fn quantile(series: &loads::Series, share: f64) -> f64 {
    let idle = series.all_links.saturating_sub(series.loads.len() as u64);
    let number = (share * series.all_links as f64).ceil() as u64;
    match number.checked_sub(idle + 1) {
        Some(place) => {
            series.loads.get(place as usize).or(series.loads.last()).copied().unwrap_or(0.0)
        }
        None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_links_that_carry_nothing() {
        // Ten links: six idle, the others carry 1, 2, 3 and 4.
        let series =
            loads::Series { name: String::new(), loads: vec![1.0, 2.0, 3.0, 4.0], all_links: 10 };
        let at = |share| quantile(&series, share);
        assert_eq!([at(0.25), at(0.6), at(0.7), at(0.9), at(1.0)], [0.0, 0.0, 1.0, 3.0, 4.0]);
    }
}
