//! Simulated runs of the default placement and of the chosen one.

use super::content::{Report, SimulatedRun, Simulation};
use super::html::{Cell, Section, chart, note, paragraph, row, table};
use crate::figure::Frame;
use crate::figure::timeline::{self, timeline};
use crate::figure::waiting::{self, waiting};
use crate::numbers::{duration, energy, percent};

/// The most ranks whose waiting times are in a table of the page.
const MOST_ROWS: usize = 4096;

/// The section, if there was a simulation or one could be expected.
pub fn section(report: &Report<'_>) -> Option<Section> {
    let heading = "A simulated run".to_string();
    let section = |body| Section { id: "simulation", name: "Simulation", heading, body };
    let Some(simulation) = &report.simulation else {
        return report.not_simulated.as_ref().map(|reason| section(note(reason)));
    };
    let runs = runs(report, simulation);
    let mut body = paragraph(&simulation.how);
    body.push_str(&paragraph(&in_words(&runs)));
    body.push_str(&use_of_links(&runs));
    body.push_str(&waiting_of_ranks(&runs));
    Some(section(body))
}

/// The runs by the names of their placements.
fn runs<'a>(
    report: &'a Report<'_>,
    simulation: &'a Simulation,
) -> Vec<(&'a str, &'a SimulatedRun)> {
    let default = simulation.default.iter().map(|run| (report.default().name.as_str(), run));
    default.chain([(report.chosen().name.as_str(), &simulation.chosen)]).collect()
}

fn in_words(runs: &[(&str, &SimulatedRun)]) -> String {
    let run = |(name, run): &(&str, &SimulatedRun)| {
        format!(
            "With {name}, it takes {}, of which ranks wait {} on average; links need {}.",
            duration(run.seconds),
            percent(run.waiting_share),
            energy(run.joules)
        )
    };
    runs.iter().map(run).collect::<Vec<_>>().join(" ")
}

fn use_of_links(runs: &[(&str, &SimulatedRun)]) -> String {
    let drawn: Vec<timeline::Run> = runs
        .iter()
        .map(|(name, run)| timeline::Run {
            name: name.to_string(),
            seconds: run.seconds,
            bin_seconds: run.bin_seconds,
            bins: run
                .mean_utilisation
                .iter()
                .copied()
                .zip(run.most_utilisation.iter().copied())
                .collect(),
        })
        .collect();
    let mut rows = Vec::new();
    for run in &drawn {
        for (bin, (mean, most)) in run.bins.iter().enumerate() {
            let from = bin as f64 * run.bin_seconds;
            rows.push(row(vec![
                Cell::words(&run.name),
                Cell::number(from, duration(from)),
                Cell::number(*mean, percent(*mean)),
                Cell::number(*most, percent(*most)),
            ]));
        }
    }
    let header = ["placement", "from", "all links, on average", "busiest link"];
    let numbers = table("utilisation", "How busy links are over time", &header, &rows);
    chart(
        "timeline",
        "How busy links are over time: all of them on average, and the busiest at each moment.",
        |width| timeline(Frame { width }, &drawn),
        &numbers,
    )
}

fn waiting_of_ranks(runs: &[(&str, &SimulatedRun)]) -> String {
    let drawn: Vec<waiting::Waiting> = runs
        .iter()
        .map(|(name, run)| waiting::Waiting {
            name: name.to_string(),
            seconds: run.waiting_seconds.clone(),
        })
        .collect();
    chart(
        "waiting",
        "How long each rank waits for others.",
        |width| waiting(Frame { width }, &drawn),
        &waiting_table(runs),
    )
}

/// One row per rank, up to the limit of a page.
fn waiting_table(runs: &[(&str, &SimulatedRun)]) -> String {
    let ranks = runs.iter().map(|(_, run)| run.waiting_seconds.len()).max().unwrap_or(0);
    let mut header = vec!["rank".to_string()];
    header.extend(runs.iter().map(|(name, _)| format!("waits under {name}")));
    let rows: Vec<_> =
        (0..ranks.min(MOST_ROWS))
            .map(|rank| {
                let mut cells = vec![Cell::number(rank as f64, rank.to_string())];
                cells.extend(runs.iter().map(|(_, run)| {
                    Cell::optional(run.waiting_seconds.get(rank).copied(), duration)
                }));
                row(cells)
            })
            .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut html = table("waiting-ranks", "How long each rank waits", &header, &rows);
    if ranks > MOST_ROWS {
        html.push_str(&note(&format!(
            "Only the first {MOST_ROWS} of {ranks} ranks are in this table; the JSON of topoloom simulate has all."
        )));
    }
    html
}
