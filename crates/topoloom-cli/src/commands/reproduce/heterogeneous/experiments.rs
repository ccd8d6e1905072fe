//! Tables 3.10 and 3.12: 90 nodes of six and of eight clusters.

use topoloom::arrange::application::{Flow, Summa};
use topoloom::arrange::{Arrangement, Form, Measure, Platform, Task, fpm_br, parse_arranger};
use topoloom::core::{Machine, Mapping, Run};
use topoloom::sim::{Model, Outcome};

use super::super::figures::heterogeneous::Named;
use super::line::{Drawn, Line, Quantity, Section};
use super::published::Experiment;
use crate::output::numbers::percent;
use crate::output::table::numbers_table;
use crate::progress::{Progress, numbered};
use crate::simulation::simulated;

/// The thesis's problem size of 90,000 is the number of blocks.
const BLOCKS: u32 = 300;
const BYTES: f64 = 512.0;

/// How pivots travel, in the order of the thesis's columns.
const FLOWS: [(Flow, &str); 2] = [(Flow::Ring, "ring"), (Flow::OneToAll, "one-to-all")];

/// The names of machines whose links between clusters are shared among messages, and of those whose
/// links are not.
const SHARING: [&str; 2] = ["shared", "not shared"];

/// Floating-point operations per cycle and thread, for processors of that time.
const OPERATIONS: f64 = 4.0;

/// An arrangement and its costs: hops, bandwidth, and seconds by flow and by how links are shared.
struct Ours {
    name: &'static str,
    published: Option<usize>,
    hops: f64,
    bandwidth: f64,
    seconds: [[f64; 2]; 2],
}

/// One of the two tables.
pub fn table(
    number: &'static str,
    published: &[Experiment],
    platform: &Platform,
    machines: &[Machine; 2],
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
    let count = published.len() + 2;
    for (at, (name, strategy, published)) in strategies.enumerate() {
        let task = Task { platform, measure: &bandwidth, form: Form::Columns };
        let progress = Progress::new(&numbered(&format!("table {number}: {name}"), at, count));
        let mut run = Run::new(seed).with_listener(progress.clone());
        let found = parse_arranger(strategy)?.arrange(&task, &start, &mut run)?;
        progress.finish();
        let mut seconds = [[0.0; 2]; 2];
        for (of_flow, (flow, _)) in seconds.iter_mut().zip(FLOWS) {
            for (seconds, machine) in of_flow.iter_mut().zip(machines) {
                *seconds = replay(flow, &found, machine)?;
            }
        }
        rows.push(Ours {
            name,
            published,
            hops: hops.cost(&found).total(),
            bandwidth: bandwidth.cost(&found).total(),
            seconds,
        });
        arrangements.push(Named { name: name.to_string(), arrangement: found });
    }
    Ok(Section {
        heading: format!("Table {number}: {}", platform.name()),
        lines: lines(number, published, &rows),
        text: Some(text(published, &rows)),
        remarks: vec![sharing(&rows, published), computing(platform)],
    })
}

/// How sharing the links between clusters affects the hop-count arrangement.
fn sharing(rows: &[Ours], published: &[Experiment]) -> String {
    let faster = |seconds: f64, than: f64| match 1.0 - seconds / than {
        less if less < 0.0 => format!("{} slower", percent(-less)),
        less => format!("{} faster", percent(less)),
    };
    let ours = |sharing: usize| faster(rows[1].seconds[0][sharing], rows[0].seconds[0][sharing]);
    format!(
        "With rings, the hop-count arrangement is {} than the partition in the thesis; as \
         simulated, {} if all messages between two clusters share one link, and {} if each message \
         has the whole bandwidth of the table (SimGrid's FATPIPE). It counts only hops and sends \
         much over the slowest links, which are full only if they are shared. The thesis does not \
         say how its bandwidths were measured.",
        faster(published[1].seconds[0], published[0].seconds[0]),
        ours(0),
        ours(1),
    )
}

/// What computation adds, which is the same for every arrangement.
fn computing(platform: &Platform) -> String {
    let block = f64::from(Summa::default().block);
    let operations = f64::from(BLOCKS).powi(3) * 2.0 * block.powi(3);
    let gigahertz: f64 = platform.nodes().map(|node| node.speed.speed(1.0)).sum();
    format!(
        "Computing is left out. It takes about {:.1} s whatever the arrangement, if a thread does \
         {OPERATIONS} operations per cycle (an estimate).",
        operations / (gigahertz * 1e9 * OPERATIONS)
    )
}

/// Communication seconds of the whole multiplication.
fn replay(flow: Flow, arrangement: &Arrangement, machine: &Machine) -> anyhow::Result<f64> {
    let trace = Summa { flow, ..Summa::default() }.trace(arrangement, None)?;
    let processors = arrangement.num_processors() as u32;
    let mapping = Mapping::new((0..processors).collect(), machine)?;
    let report = simulated(&trace, machine, &mapping, &Model::parse("flow")?, &Run::new(0))?;
    match report {
        Outcome::Finished(report) => Ok(report.seconds),
        Outcome::Stopped(_) => unreachable!("a run without limits goes on to its end"),
    }
}

fn lines(number: &'static str, published: &[Experiment], rows: &[Ours]) -> Vec<Line> {
    let mut lines = Vec::new();
    for row in rows {
        let published = row.published.map(|row| &published[row]);
        let mut add =
            |what: &str, quantity: Option<Quantity>, published: Option<f64>, ours: f64| {
                let what = format!("{}: {what}", row.name);
                let drawn =
                    quantity.map(|quantity| Drawn { arrangement: row.name.to_string(), quantity });
                lines.push(Line { table: number, what, published, ours: Some(ours), drawn });
            };
        let costs = [
            ("hop cost", published.map(|row| row.hops), row.hops),
            ("bandwidth cost", published.map(|row| row.bandwidth), row.bandwidth),
        ];
        for (name, published, ours) in costs {
            add(name, Some(Quantity::Cost(name)), published, ours);
        }
        for (flow, (_, name)) in FLOWS.into_iter().enumerate() {
            let published = published.map(|row| row.seconds[flow]);
            let what = format!("seconds ({name})");
            add(&what, Some(Quantity::Seconds(name)), published, row.seconds[flow][0]);
            let what = format!("seconds ({name}, links not shared)");
            add(&what, None, published, row.seconds[flow][1]);
        }
    }
    lines
}

/// Costs, and below them seconds.
fn text(published: &[Experiment], rows: &[Ours]) -> String {
    let costs = |row: &Ours, known: Option<&Experiment>| {
        vec![
            known.map(|row| row.hops),
            Some(row.hops),
            known.map(|row| row.bandwidth),
            Some(row.bandwidth),
        ]
    };
    let seconds = |row: &Ours, known: Option<&Experiment>| {
        let of_flow = |flow: usize| {
            let [shared, not_shared] = row.seconds[flow];
            [known.map(|row| row.seconds[flow]), Some(shared), Some(not_shared)]
        };
        [of_flow(0), of_flow(1)].concat()
    };
    let mut header = vec![""];
    for (_, name) in FLOWS {
        header.push(name);
        header.extend(SHARING);
    }
    format!(
        "{}\nSeconds: published, and simulated with links between clusters that are shared by all \
         messages\nor not:\n\n{}",
        with_gains(&["", "hops", "ours", "bandwidth", "ours"], published, rows, costs),
        with_gains(&header, published, rows, seconds)
    )
}

/// A table of `values` of each row, and below it by how much each is less than the first.
fn with_gains(
    header: &[&str],
    published: &[Experiment],
    rows: &[Ours],
    values: impl Fn(&Ours, Option<&Experiment>) -> Vec<Option<f64>>,
) -> String {
    let of = |row: &Ours| values(row, row.published.map(|row| &published[row]));
    let dash = || "-".to_string();
    let first = of(&rows[0]);
    let (mut cells, mut gains) = (Vec::new(), Vec::new());
    for row in rows {
        let shown = |value: Option<f64>| value.map_or_else(dash, |value| format!("{value:.0}"));
        let less = |(value, than): (Option<f64>, &Option<f64>)| match (value, than) {
            (Some(value), Some(than)) => percent(1.0 - value / than),
            _ => dash(),
        };
        let values = of(row);
        gains.push(
            std::iter::once(format!("{}, less", row.name))
                .chain(values.iter().copied().zip(&first).map(less))
                .collect::<Vec<String>>(),
        );
        cells.push(
            std::iter::once(row.name.to_string())
                .chain(values.into_iter().map(shown))
                .collect::<Vec<String>>(),
        );
    }
    cells.extend(gains.into_iter().skip(1));
    numbers_table(header, &cells)
}
