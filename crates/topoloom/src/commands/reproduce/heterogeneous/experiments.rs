//! Tables 3.10 and 3.12: 90 nodes of six and of eight clusters.

use topoloom::arrange::application::{Flow, Summa};
use topoloom::arrange::{Arrangement, Form, Measure, Platform, Task, fpm_br, parse_arranger};
use topoloom::core::{Machine, Mapping, Run};
use topoloom::sim::{Model, simulate};

use super::super::figures::heterogeneous::Named;
use super::line::{Line, Section};
use super::published::Experiment;
use crate::output::numbers::percent;
use crate::output::table::numbers_table;
use crate::progress::Progress;

/// The thesis's problem size of 90,000 is the number of blocks.
const BLOCKS: u32 = 300;
const BYTES: f64 = 512.0;

/// An arrangement and what it costs: hops, bandwidth, seconds with rings and one-to-all.
struct Ours {
    name: &'static str,
    published: Option<usize>,
    hops: f64,
    bandwidth: f64,
    seconds: [f64; 2],
}

/// One of the two tables.
pub fn table(
    number: &'static str,
    published: &[Experiment; 3],
    platform: &Platform,
    machine: &Machine,
    seed: u64,
    arrangements: &mut Vec<Named>,
) -> anyhow::Result<Section> {
    let hops = Measure::hops(platform);
    let bandwidth = Measure::bandwidth(platform, BYTES);
    let start = fpm_br(platform, BLOCKS)?;
    let mut rows = Vec::new();
    let strategies = published
        .iter()
        .enumerate()
        .map(|(row, experiment)| (experiment.name, experiment.strategy, Some(row)))
        .chain([("auto", "auto", None), ("shared-links", "shared-links", None)]);
    for (name, strategy, published) in strategies {
        let task = Task { platform, measure: &bandwidth, form: Form::Columns };
        let progress = Progress::new(&format!("table {number}: {name}"));
        let found = parse_arranger(strategy)?.arrange(&task, &start, &mut Run::new(seed))?;
        progress.finish();
        rows.push(Ours {
            name,
            published,
            hops: hops.cost(&found).total(),
            bandwidth: bandwidth.cost(&found).total(),
            seconds: [
                replay(Flow::Ring, &found, machine)?,
                replay(Flow::OneToAll, &found, machine)?,
            ],
        });
        arrangements.push(Named { name: name.to_string(), arrangement: found });
    }
    Ok(Section {
        heading: format!("Table {number}: {}", platform.name()),
        lines: lines(number, published, &rows),
        text: Some(text(published, &rows)),
        remarks: Vec::new(),
    })
}

/// Seconds of communication of the whole multiplication.
fn replay(flow: Flow, arrangement: &Arrangement, machine: &Machine) -> anyhow::Result<f64> {
    let trace = Summa { flow, ..Summa::default() }.trace(arrangement, None)?;
    let processors = arrangement.num_processors() as u32;
    let mapping = Mapping::new((0..processors).collect(), machine)?;
    let progress = Progress::new("simulating the multiplication");
    let report = simulate(&trace, machine, &mapping, &Model::parse("flow")?);
    progress.finish();
    Ok(report?.seconds)
}

fn lines(number: &'static str, published: &[Experiment; 3], rows: &[Ours]) -> Vec<Line> {
    let mut lines = Vec::new();
    for row in rows {
        let published = row.published.map(|row| &published[row]);
        let mut add = |what: &str, published: Option<f64>, ours: f64| {
            let what = format!("{}: {what}", row.name);
            lines.push(Line { table: number, what, published, ours: Some(ours) });
        };
        add("hop cost", published.map(|row| row.hops), row.hops);
        add("bandwidth cost", published.map(|row| row.bandwidth), row.bandwidth);
        let flows = ["seconds (ring)", "seconds (one-to-all)"];
        for (flow, what) in flows.into_iter().enumerate() {
            add(what, published.map(|row| row.seconds[flow]), row.seconds[flow]);
        }
    }
    lines
}

fn text(published: &[Experiment; 3], rows: &[Ours]) -> String {
    let header = ["", "hops", "ours", "bandwidth", "ours", "ring: s", "ours", "one-to-all", "ours"];
    let mut cells = Vec::new();
    let mut gains = Vec::new();
    let less = |value: f64, than: f64| percent(1.0 - value / than);
    for row in rows {
        let known = row.published.map(|row| &published[row]);
        let shown = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.0}"));
        let quantities = [
            (known.map(|row| row.hops), row.hops, rows[0].hops, published[0].hops),
            (
                known.map(|row| row.bandwidth),
                row.bandwidth,
                rows[0].bandwidth,
                published[0].bandwidth,
            ),
            (
                known.map(|row| row.seconds[0]),
                row.seconds[0],
                rows[0].seconds[0],
                published[0].seconds[0],
            ),
            (
                known.map(|row| row.seconds[1]),
                row.seconds[1],
                rows[0].seconds[1],
                published[0].seconds[1],
            ),
        ];
        let mut line = vec![row.name.to_string()];
        let mut gain = vec![format!("{}, less", row.name)];
        for (printed, ours, first, printed_first) in quantities {
            line.extend([shown(printed), format!("{ours:.0}")]);
            gain.push(printed.map_or("-".to_string(), |value| less(value, printed_first)));
            gain.push(less(ours, first));
        }
        cells.push(line);
        gains.push(gain);
    }
    cells.extend(gains.into_iter().skip(1));
    numbers_table(&header, &cells)
}
