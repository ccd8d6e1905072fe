//! Tables A.1 to A.3 and 4.1 of the HAEC thesis, its numbers beside ours.

use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};
use topoloom::core::{
    Machine, Problem, Run, Summary, Weight, parse_pattern, parse_strategy, score,
};

use super::haec_tables::{Published, PublishedTable, TABLES};
use crate::interrupt::Interrupt;
use crate::output::numbers::grouped;
use crate::output::table::numbers_table;
use crate::output::{print, print_json};
use crate::progress::{Progress, limited_run};

/// One row of ours.
struct Ours {
    links: Summary,
    hops: f64,
    seconds: f64,
    complete: bool,
}

/// What the application sends, whatever the placement.
struct Logical {
    pairs: Summary,
}

pub fn run(seed: u64, json: bool) -> anyhow::Result<()> {
    let interrupt = Interrupt::catch()?;
    let mut records = Vec::new();
    let mut times = Vec::new();
    if !json {
        print(PREFACE);
    }
    for table in &TABLES {
        let (logical, ours) = compute(table, seed, &interrupt)?;
        if json {
            records
                .extend(table.rows.iter().zip(&ours).map(|(row, ours)| record(table, row, ours)));
        } else {
            print(&show(table, &logical, &ours));
        }
        times.push(ours);
    }
    if json {
        print_json(&records);
    } else {
        print(&show_times(&times));
        print(&format!("\nseed {seed}, {} threads\n", rayon::current_num_threads()));
    }
    Ok(())
}

fn compute(
    table: &PublishedTable,
    seed: u64,
    interrupt: &Interrupt,
) -> anyhow::Result<(Logical, Vec<Ours>)> {
    let traffic = parse_pattern(table.traffic)?;
    let problem = Problem::new(traffic, Machine::parse(table.machine)?, Weight::Messages)?;
    let mut logical = Logical { pairs: Summary::default() };
    let mut rows = Vec::new();
    for published in &table.rows {
        let task = format!("{} on {}: {}", table.benchmark, table.machine, published.strategy);
        let progress = Progress::new(&task);
        let mut run: Run = limited_run(seed, None, interrupt, &progress);
        let strategy = parse_strategy(published.strategy)?;
        let start = Instant::now();
        let mapping = interrupt.during(|| strategy.map(&problem, None, &mut run))?;
        let seconds = start.elapsed().as_secs_f64();
        let score = score(&problem, &mapping);
        progress.finish();
        logical.pairs = score.thesis.inter_process_logical;
        rows.push(Ours {
            links: score
                .thesis
                .inter_node_physical
                .context("the machines of the thesis have links")?,
            hops: score.hop_bytes / logical.pairs.average,
            seconds,
            complete: !run.was_cut_short(),
        });
    }
    Ok((logical, rows))
}

const PREFACE: &str = "\
Besmer, Process-to-Node Mapping Strategies for the HAEC Box (2016): messages on the links used.
Both directions of a pair count together and travel once, from the lower rank; links have no
direction. `=` marks totals that agree to within the one message by which pairs differ.

Where we differ: on the mesh the thesis's totals are more than its distances add up to (sweep on
4x4x4 is 216 hops, the thesis has 232), so no shortest route gives them. Its averages and maxima
follow from ours only in part (sweep on the 4x4x4 torus: 136 links used, ours 140), so it routes or
counts in a way it does not tell. Gray and Hilbert curves have many variants. Bokhari, genetic and
random-sampling depend on random choices, minmd on the order of equally heavy pairs; bokhari here
is the best of 8 searches.
";

/// Whether two totals agree: the thesis counts 80829 or 80830 messages a pair, so that equal
/// numbers of hops differ by a part in ten thousand at most.
fn agree(published: f64, ours: f64) -> bool {
    (published - ours).abs() <= published * 1e-4
}

fn show(table: &PublishedTable, logical: &Logical, ours: &[Ours]) -> String {
    let plain = |value: f64| format!("{value:.0}");
    let optional = |value: Option<f64>| value.map_or("-".to_string(), plain);
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .zip(ours)
        .map(|(published, ours)| {
            let equal = published.total.is_some_and(|total| agree(total, ours.links.total));
            let cut = if ours.complete { "" } else { "*" };
            vec![
                format!("{}{cut}", published.strategy),
                optional(published.total),
                format!("{}{}", plain(ours.links.total), if equal { "=" } else { " " }),
                optional(published.average),
                plain(ours.links.average),
                optional(published.minimum),
                plain(ours.links.minimum),
                optional(published.maximum),
                plain(ours.links.maximum),
            ]
        })
        .collect();
    let pairs = &logical.pairs;
    format!(
        "\nTable {}: {} on {}\n between processes: total {}, average {}, minimum {}, maximum {}\n\n{}",
        table.table,
        table.benchmark,
        table.machine,
        grouped(pairs.total),
        grouped(pairs.average.floor()),
        grouped(pairs.minimum),
        grouped(pairs.maximum),
        numbers_table(
            &["", "total", "ours", "average", "ours", "min", "ours", "max", "ours"],
            &rows
        )
    )
}

fn show_times(ours: &[Vec<Ours>]) -> String {
    let mut text = String::from(
        "\nTable 4.1: run time in seconds; the thesis's with Python on a 2.3 GHz Core i5-5300U\n \
         (`*`: stopped after 3 hours)\n",
    );
    for (first, benchmark) in [(0, "LU.C.64"), (3, "LU.D.512"), (6, "LU.D.4096")] {
        let rows: Vec<Vec<String>> = (0..TABLES[first].rows.len())
            .map(|row| {
                let mut cells = vec![TABLES[first].rows[row].strategy.to_string()];
                for machine in first..first + 3 {
                    let published = TABLES[machine].rows[row].seconds;
                    cells
                        .push(published.map_or("*".to_string(), |seconds| format!("{seconds:.3}")));
                    cells.push(format!("{:.5}", ours[machine][row].seconds));
                }
                cells
            })
            .collect();
        let header = [benchmark, "mesh", "ours", "torus", "ours", "haec", "ours"];
        text.push_str(&format!("\n{}", numbers_table(&header, &rows)));
    }
    text
}

fn record(table: &PublishedTable, published: &Published, ours: &Ours) -> Value {
    json!({
        "table": table.table,
        "benchmark": table.benchmark,
        "traffic": table.traffic,
        "machine": table.machine,
        "strategy": published.strategy,
        "published": {
            "total": published.total,
            "average": published.average,
            "minimum": published.minimum,
            "maximum": published.maximum,
            "seconds": published.seconds,
        },
        "ours": {
            "total": ours.links.total,
            "average": ours.links.average,
            "minimum": ours.links.minimum,
            "maximum": ours.links.maximum,
            "links_used": ours.links.count,
            "hops": ours.hops,
            "seconds": ours.seconds,
            "complete": ours.complete,
        },
        "totals_agree": published.total.is_some_and(|total| agree(total, ours.links.total)),
    })
}
