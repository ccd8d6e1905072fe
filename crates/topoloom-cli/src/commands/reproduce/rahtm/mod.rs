//! Figures 8 to 10 of the RAHTM paper in words: the link loads of each mapping, and simulated
//! times.

mod benchmarks;
mod times;

use std::time::Instant;

use serde_json::{Value, json};
use topoloom::core::strategy::rahtm::{Budget, CubesReport, Proof, Rahtm};
use topoloom::core::{
    Machine, Problem, Weight, parse_objective, parse_pattern, parse_strategy, score,
};

use self::benchmarks::{BENCHMARKS, ROUTING};
use super::figures::Figures;
use super::figures::rahtm::{self as drawing, Measured};
use super::published::Sheet;
use crate::interrupt::Interrupt;
use crate::output::table::{numbers_table, wrapped};
use crate::output::{print, print_json};
use crate::progress::{Progress, limited_run, numbered};

const MACHINE: &str = "torus:4x4x4x4x2,slots=32,double-links";

/// Steps of branch and bound for the cubes of a hierarchy.
const STEPS: u64 = 10_000_000;

/// What the paper's text says about each mapping, in words: the communication time of BT, SP and
/// CG, and the geometric mean of the whole time.
pub const WORDS: &str = include_str!("../../../../data/published/rahtm_words.csv");

/// A mapping, and where the paper mentions it.
struct Mapped {
    name: &'static str,
    strategy: &'static str,
}

/// The specification of what [`published`] builds.
const RAHTM: &str = "rahtm:steps=10000000";

const MAPPINGS: &[Mapped] = &[
    Mapped { name: "ABCDET", strategy: "permute:ABCDET" },
    Mapped { name: "TABCDE", strategy: "permute:TABCDE" },
    Mapped { name: "ACEBDT", strategy: "permute:ACEBDT" },
    Mapped { name: "Hilbert", strategy: "hilbert:equal" },
    Mapped { name: "RHT, ranks", strategy: "tiles:app=4x4,machine=4x2x1x1x2" },
    Mapped { name: "RHT, nodes", strategy: "tiles:app=16x32:4x8,machine=4x2x1x1x2:1x1x1x1x1" },
    Mapped { name: "RAHTM", strategy: RAHTM },
    Mapped { name: "auto", strategy: "auto" },
];

impl Mapped {
    /// What the paper says in a column of [`WORDS`].
    fn published(&self, column: &str) -> &'static str {
        Sheet::read(WORDS).find(&[self.name]).map_or("", |row| row.text(column))
    }
}

/// The result of one mapping.
struct Ours {
    load: f64,
    hop_bytes: f64,
    /// Simulated: the time until all bytes have arrived, if all are sent at once.
    burst_seconds: Option<f64>,
    seconds: f64,
    complete: bool,
    /// The report on the cubes, if there are any.
    cubes: Option<CubesReport>,
}

/// The results of all mappings for one benchmark, relative to the first.
struct Relative<'a>(&'a [Ours]);

impl Relative<'_> {
    fn load(&self, row: usize) -> f64 {
        self.0[row].load / self.0[0].load
    }

    fn burst(&self, row: usize) -> Option<f64> {
        Some(self.0[row].burst_seconds? / self.0[0].burst_seconds?)
    }

    /// The time of the whole run if only communication changes.
    fn whole(&self, benchmark: usize, row: usize) -> Option<f64> {
        let share = drawing::share_of_communication(&BENCHMARKS[benchmark].to_uppercase());
        Some(1.0 - share + share * self.burst(row)?)
    }
}

pub fn run(seed: u64, json: bool, figures: &mut Figures) -> anyhow::Result<()> {
    let interrupt = Interrupt::catch()?;
    if !json {
        print(PREFACE);
    }
    let mut all = Vec::new();
    for benchmark in BENCHMARKS {
        let ours = compute(benchmark, seed, &interrupt)?;
        if !json {
            print(&show(benchmark, &ours));
        }
        all.push(ours);
    }
    let iterations = times::of_an_iteration(seed, &interrupt)?;
    if figures.are_wanted() {
        draw(figures, &all);
    }
    if json {
        let mut records = Vec::new();
        for (number, ours) in all.iter().enumerate() {
            let row = |row| record(number, row, ours);
            records.extend((0..MAPPINGS.len()).map(row));
        }
        for (number, benchmark) in BENCHMARKS.iter().enumerate() {
            let mapped = times::SMALL_MAPPINGS.iter().zip(&iterations);
            records.extend(mapped.map(|((name, strategy), times)| {
                iteration_record(benchmark, name, strategy, times[number])
            }));
        }
        print_json(&records);
        return Ok(());
    }
    print(&show_means(&all));
    print(&show_iterations(&iterations));
    print(&format!("\nseed {seed}, {} threads\n", rayon::current_num_threads()));
    Ok(())
}

/// Draws simulated times, or loads if a simulation was not possible.
fn draw(figures: &mut Figures, all: &[Vec<Ours>]) {
    let simulated = all.iter().flatten().all(|ours| ours.burst_seconds.is_some());
    let measured = if simulated { Measured::Burst } else { Measured::Load };
    let value = |ours: &[Ours], row: usize| {
        let relative = Relative(ours);
        relative.burst(row).filter(|_| simulated).unwrap_or(relative.load(row))
    };
    let rows: Vec<drawing::Relative> = MAPPINGS
        .iter()
        .enumerate()
        .map(|(row, mapped)| drawing::Relative {
            mapping: mapped.name,
            values: all.iter().map(|ours| value(ours, row)).collect(),
        })
        .collect();
    drawing::draw(figures, measured, &BENCHMARKS, &rows);
}

const PREFACE: &str = "\
Abdel-Gawad, Thottethodi, Bhatele, RAHTM (2014): 16,384 ranks of BT, SP and CG, class D, bytes sent
point to point, on 4x4x4x4x2 nodes of a Blue Gene/Q, 32 ranks per node. Every shortest route carries
the same share.

The paper measures communication times on the machine; its text gives few of them as numbers. RAHTM
is 20 % below ABCDET on each benchmark, TABCDE and ACEBDT are 48 % and 19 % above it on CG,
hierarchical tiling in the manner of Rubik (RHT) is better than ABCDET on two benchmarks and worse on
CG. The paper does not say whether the 4x4 tiles of RHT are of ranks or of nodes: both are shown.

Our \"load\" is what the busiest link carries, which RAHTM minimises. Our \"burst\" is a simulated time
(flow model): all nodes send all their bytes at once, and what one node sends to another is one
message. Both are relative to ABCDET. Whole iterations with events in order are not simulated at
16,384 ranks, where BT alone has about 1,500 messages per rank. They are simulated at 256 ranks
below.

The paper's RAHTM took 33 minutes (BT) to 35 hours (CG) on 64 cores and solved its linear programs
with CPLEX. Here a hierarchy has 10,000,000 steps of branch and bound for all its cubes. The line
under each table says how many were proven, and the gap of the others.
";

fn compute(benchmark: &str, seed: u64, interrupt: &Interrupt) -> anyhow::Result<Vec<Ours>> {
    let traffic = parse_pattern(&format!("{benchmark}:class=D,ranks=16384"))?;
    let machine = Machine::parse(MACHINE)?.with_routing(ROUTING)?;
    let problem = Problem::new(traffic, machine, Weight::Bytes)?;
    let objective = parse_objective("max-link-load")?;
    let mut rows = Vec::new();
    for (number, mapped) in MAPPINGS.iter().enumerate() {
        let task = format!("{benchmark}: {}", mapped.name);
        let progress = Progress::new(&numbered(&task, number, MAPPINGS.len()));
        let mut run = limited_run(seed, None, interrupt, &progress);
        let start = Instant::now();
        let (mapping, cubes) = interrupt.during(|| -> anyhow::Result<_> {
            if mapped.strategy == RAHTM {
                let (mapping, cubes) = published().map_with_report(&problem, &mut run)?;
                return Ok((mapping, Some(cubes)));
            }
            let strategy = parse_strategy(mapped.strategy)?;
            Ok((strategy.map(&problem, Some(objective.as_ref()), &mut run)?, None))
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let score = score(&problem, &mapping);
        let burst_seconds = times::of_a_burst(&problem, &mapping, interrupt)?;
        progress.finish();
        rows.push(Ours {
            load: score.links.as_ref().map_or(0.0, |links| links.load.maximum),
            hop_bytes: score.hop_bytes,
            burst_seconds,
            seconds,
            complete: !run.was_cut_short(),
            cubes,
        });
    }
    Ok(rows)
}

/// RAHTM with a budget that keeps the waiting time acceptable.
fn published() -> Rahtm {
    let usual = Rahtm::default();
    Rahtm { budget: Budget { steps: STEPS, ..usual.budget }, ..usual }
}

/// A number with three decimals, or a dash if it is unknown.
fn known(number: Option<f64>) -> String {
    number.map_or("-".into(), |number| format!("{number:.3}"))
}

fn show(benchmark: &str, ours: &[Ours]) -> String {
    let relative = Relative(ours);
    let rows: Vec<Vec<String>> = MAPPINGS
        .iter()
        .zip(ours)
        .enumerate()
        .map(|(at, (mapped, row))| {
            vec![
                format!("{}{}", mapped.name, if row.complete { "" } else { "*" }),
                mapped.published(benchmark).to_string(),
                known(relative.burst(at)),
                format!("{:.3}", relative.load(at)),
                format!("{:.0}", row.load),
                format!("{:.3}", row.hop_bytes / ours[0].hop_bytes),
                format!("{:.3}", row.seconds),
            ]
        })
        .collect();
    let header = [
        "",
        "paper: time",
        "ours: burst",
        "ours: load",
        "bytes on the link",
        "hop-bytes",
        "seconds",
    ];
    let table = numbers_table(&header, &rows);
    let mut text = format!("\n{}.D.16384\n\n{table}", benchmark.to_uppercase());
    for cubes in ours.iter().filter_map(|row| row.cubes.as_ref()) {
        text += &format!("\n{}\n", wrapped(&format!("RAHTM placed {cubes}."), ""));
    }
    text
}

/// The geometric mean, if all are known.
fn geometric_mean(numbers: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    let product: f64 = numbers.iter().product();
    Some(product.powf(1.0 / numbers.len() as f64))
}

fn show_means(all: &[Vec<Ours>]) -> String {
    let rows: Vec<Vec<String>> = MAPPINGS
        .iter()
        .enumerate()
        .map(|(row, mapped)| {
            let each = || all.iter().map(|ours| Relative(ours));
            vec![
                mapped.name.into(),
                mapped.published("mean").to_string(),
                known(geometric_mean(each().enumerate().map(|(at, one)| one.whole(at, row)))),
                known(geometric_mean(each().map(|one| one.burst(row)))),
                known(geometric_mean(each().map(|one| Some(one.load(row))))),
            ]
        })
        .collect();
    let header = ["", "paper: whole time", "ours: whole time", "ours: burst", "ours: load"];
    format!(
        "\nGeometric means over BT, SP and CG, relative to ABCDET. The whole time is an estimate: \
         figure 9's\nshares of communication (35, 35 and 70 %) times our burst, the rest as it \
         is.\n\n{}",
        numbers_table(&header, &rows)
    )
}

fn show_iterations(times: &[[Option<f64>; BENCHMARKS.len()]]) -> String {
    let relative = |row: usize, at: usize| Some(times[row][at]? / times[0][at]?);
    let rows: Vec<Vec<String>> = times::SMALL_MAPPINGS
        .iter()
        .enumerate()
        .map(|(row, (name, _))| {
            let mut cells = vec![name.to_string()];
            for (at, time) in times[row].iter().enumerate() {
                cells.push(time.map_or("-".into(), |time| format!("{:.3}", 1e3 * time)));
                cells.push(known(relative(row, at)));
            }
            cells.push(known(geometric_mean((0..BENCHMARKS.len()).map(|at| relative(row, at)))));
            cells
        })
        .collect();
    let header = ["", "BT ms", "", "SP ms", "", "CG ms", "", "mean"];
    format!(
        "\nSimulated time of one iteration, events in order, {} ranks of class D on {}\n(flow model), \
         and relative to ABCDET\n\n{}",
        times::SMALL_RANKS,
        times::SMALL_MACHINE,
        numbers_table(&header, &rows)
    )
}

fn record(number: usize, row: usize, all: &[Ours]) -> Value {
    let (benchmark, mapped, ours) = (BENCHMARKS[number], &MAPPINGS[row], &all[row]);
    let relative = Relative(all);
    json!({
        "benchmark": format!("{}.D.16384", benchmark.to_uppercase()),
        "traffic": format!("{benchmark}:class=D,ranks=16384"),
        "machine": MACHINE,
        "routing": ROUTING,
        "mapping": mapped.name,
        "strategy": mapped.strategy,
        "published": { "communication_time_relative": mapped.published(benchmark) },
        "ours": {
            "max_link_load": ours.load,
            "max_link_load_relative": relative.load(row),
            "burst_seconds": ours.burst_seconds,
            "burst_seconds_relative": relative.burst(row),
            "whole_time_relative_estimate": relative.whole(number, row),
            "hop_bytes": ours.hop_bytes,
            "seconds": ours.seconds,
            "complete": ours.complete,
            "cubes": ours.cubes.as_ref().map(cubes_record),
        },
    })
}

fn cubes_record(cubes: &CubesReport) -> Value {
    json!({
        "cubes": cubes.cubes.len(),
        "proven_by_linear_programs": cubes.count(Proof::Program),
        "proven_by_branch_and_bound": cubes.count(Proof::Branching),
        "left_to_the_search": cubes.count(Proof::Left),
        "without_bound": cubes.without_bound(),
        "largest_gap": cubes.largest_gap(),
        "kept_search_placement": cubes.search_went_on(),
        "repeated": cubes.repeated,
    })
}

fn iteration_record(benchmark: &str, mapping: &str, strategy: &str, time: Option<f64>) -> Value {
    let ranks = times::SMALL_RANKS;
    json!({
        "benchmark": format!("{}.D.{ranks}", benchmark.to_uppercase()),
        "traffic": format!("{benchmark}:class=D,ranks={ranks},iterations=1"),
        "machine": times::SMALL_MACHINE,
        "routing": ROUTING,
        "mapping": mapping,
        "strategy": strategy,
        "ours": { "iteration_seconds": time },
    })
}
