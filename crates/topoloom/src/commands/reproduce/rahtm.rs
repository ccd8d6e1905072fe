//! Figures 8 to 10 of the RAHTM paper in words, and what each mapping puts on the links.

use std::time::Instant;

use serde_json::{Value, json};
use topoloom::core::{
    Machine, Problem, Weight, parse_objective, parse_pattern, parse_strategy, score,
};

use super::figures::rahtm::{Measured, Relative};
use super::figures::{self, Figures};
use crate::interrupt::Interrupt;
use crate::output::table::numbers_table;
use crate::output::{print, print_json};
use crate::progress::{Progress, limited_run};

const MACHINE: &str = "torus:4x4x4x4x2,slots=32,double-links";
const ROUTING: &str = "minimal-adaptive";
const BENCHMARKS: [&str; 3] = ["bt", "sp", "cg"];

/// A mapping, and what the paper says of its communication time.
struct Mapped {
    name: &'static str,
    strategy: &'static str,
    /// For BT, SP and CG.
    published: [&'static str; 3],
}

const MAPPINGS: &[Mapped] = &[
    Mapped { name: "ABCDET", strategy: "permute:ABCDET", published: ["1", "1", "1"] },
    Mapped { name: "TABCDE", strategy: "permute:TABCDE", published: ["-", "-", "1.48"] },
    Mapped { name: "ACEBDT", strategy: "permute:ACEBDT", published: ["-", "-", "1.19"] },
    Mapped { name: "Hilbert", strategy: "hilbert:equal", published: ["-", "-", "-"] },
    Mapped {
        name: "RHT, ranks",
        strategy: "tiles:app=4x4,machine=4x2x1x1x2",
        published: ["below 1", "below 1", "above 1"],
    },
    Mapped {
        name: "RHT, nodes",
        strategy: "tiles:app=16x32:4x8,machine=4x2x1x1x2:1x1x1x1x1",
        published: ["below 1", "below 1", "above 1"],
    },
    Mapped { name: "RAHTM", strategy: "rahtm", published: ["0.8", "0.8", "0.8"] },
    Mapped { name: "auto", strategy: "auto", published: ["", "", ""] },
];

/// What one mapping gives.
struct Ours {
    load: f64,
    hop_bytes: f64,
    seconds: f64,
    complete: bool,
}

pub fn run(seed: u64, json: bool, figures: &mut Figures) -> anyhow::Result<()> {
    let interrupt = Interrupt::catch()?;
    let mut records = Vec::new();
    let mut means = vec![1.0; MAPPINGS.len()];
    let mut drawn: Vec<Relative> = MAPPINGS
        .iter()
        .map(|mapped| Relative { mapping: mapped.name, values: Vec::new() })
        .collect();
    if !json {
        print(PREFACE);
    }
    for (number, benchmark) in BENCHMARKS.iter().enumerate() {
        let ours = compute(benchmark, seed, &interrupt)?;
        let relative = |row: usize| ours[row].load / ours[0].load;
        (0..MAPPINGS.len()).for_each(|row| means[row] *= relative(row));
        drawn.iter_mut().zip(&ours).for_each(|(drawn, row)| {
            drawn.values.push(row.load / ours[0].load);
        });
        if json {
            records.extend(MAPPINGS.iter().zip(&ours).map(|(mapped, row)| {
                record(benchmark, number, mapped, row, row.load / ours[0].load)
            }));
        } else {
            print(&show(benchmark, number, &ours));
        }
    }
    if figures.are_wanted() {
        figures::rahtm::draw(figures, Measured::Load, &BENCHMARKS, &drawn);
    }
    if json {
        print_json(&records);
        return Ok(());
    }
    let rows: Vec<Vec<String>> = MAPPINGS
        .iter()
        .zip(&means)
        .map(|(mapped, product)| vec![mapped.name.into(), format!("{:.3}", product.cbrt())])
        .collect();
    print("\nGeometric mean of the most loaded link over BT, SP and CG, relative to ABCDET\n\n");
    print(&numbers_table(&["", "load"], &rows));
    print(&format!("\nseed {seed}, {} threads\n", rayon::current_num_threads()));
    Ok(())
}

const PREFACE: &str = "\
Abdel-Gawad, Thottethodi, Bhatele, RAHTM (2014): 16,384 ranks of BT, SP and CG, class D, bytes sent
point to point, on 4x4x4x4x2 nodes of a Blue Gene/Q, 32 ranks a node. Every shortest route carries
the same share.

The paper measures communication times on the machine; its text gives few of them as numbers, and
none of them is a load. RAHTM is 20 % below ABCDET on each benchmark, TABCDE and ACEBDT are 48 % and
19 % above it on CG, hierarchical tiling in the manner of Rubik (RHT) is better than ABCDET on two
benchmarks and worse on CG. Here stands what the most loaded link carries, which is what RAHTM
makes small. The paper does not say whether the 4x4 tiles of RHT are of ranks or of nodes: both.
The paper's RAHTM took 33 minutes (BT) to 35 hours (CG) on 64 cores.
";

fn compute(benchmark: &str, seed: u64, interrupt: &Interrupt) -> anyhow::Result<Vec<Ours>> {
    let traffic = parse_pattern(&format!("{benchmark}:class=D,ranks=16384"))?;
    let machine = Machine::parse(MACHINE)?.with_routing(ROUTING)?;
    let problem = Problem::new(traffic, machine, Weight::Bytes)?;
    let objective = parse_objective("max-link-load")?;
    let mut rows = Vec::new();
    for mapped in MAPPINGS {
        let progress = Progress::new(&format!("{benchmark}: {}", mapped.name));
        let mut run = limited_run(seed, None, interrupt, &progress);
        let strategy = parse_strategy(mapped.strategy)?;
        let start = Instant::now();
        let mapping =
            interrupt.during(|| strategy.map(&problem, Some(objective.as_ref()), &mut run))?;
        let seconds = start.elapsed().as_secs_f64();
        let score = score(&problem, &mapping);
        progress.finish();
        rows.push(Ours {
            load: score.links.as_ref().map_or(0.0, |links| links.load.maximum),
            hop_bytes: score.hop_bytes,
            seconds,
            complete: !run.was_cut_short(),
        });
    }
    Ok(rows)
}

fn show(benchmark: &str, number: usize, ours: &[Ours]) -> String {
    let rows: Vec<Vec<String>> = MAPPINGS
        .iter()
        .zip(ours)
        .map(|(mapped, row)| {
            vec![
                format!("{}{}", mapped.name, if row.complete { "" } else { "*" }),
                mapped.published[number].to_string(),
                format!("{:.3}", row.load / ours[0].load),
                format!("{:.0}", row.load),
                format!("{:.3}", row.hop_bytes / ours[0].hop_bytes),
                format!("{:.3}", row.seconds),
            ]
        })
        .collect();
    let header = ["", "paper: time", "ours: load", "bytes on the link", "hop-bytes", "seconds"];
    format!("\n{}.D.16384\n\n{}", benchmark.to_uppercase(), numbers_table(&header, &rows))
}

fn record(benchmark: &str, number: usize, mapped: &Mapped, ours: &Ours, relative: f64) -> Value {
    json!({
        "benchmark": format!("{}.D.16384", benchmark.to_uppercase()),
        "traffic": format!("{benchmark}:class=D,ranks=16384"),
        "machine": MACHINE,
        "routing": ROUTING,
        "mapping": mapped.name,
        "strategy": mapped.strategy,
        "published": { "communication_time_relative": mapped.published[number] },
        "ours": {
            "max_link_load": ours.load,
            "max_link_load_relative": relative,
            "hop_bytes": ours.hop_bytes,
            "seconds": ours.seconds,
            "complete": ours.complete,
        },
    })
}
