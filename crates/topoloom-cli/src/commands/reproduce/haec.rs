//! Tables A.1 to A.3 and 4.1 of the HAEC thesis, its numbers beside ours, and what placements take in
//! a simulation.

use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};
use topoloom::core::{
    Machine, Mapping, Problem, Run, Summary, Weight, parse_objective, parse_pattern,
    parse_strategy, score,
};

use super::figures::{self, Figures};
use super::haec_simulated::{AUTO, MODEL, Replay, Simulated};
use super::haec_tables::{Published, PublishedTable, TABLES};
use crate::interrupt::Interrupt;
use crate::output::numbers::{duration, energy as in_joules, grouped, plural};
use crate::output::table::{numbers_table, wrapped};
use crate::output::{print, print_json};
use crate::progress::{Progress, limited_run};

/// One row of ours.
struct Ours {
    name: String,
    strategy: &'static str,
    /// What was made small, where the strategy itself has no say.
    objective: Option<&'static str>,
    links: Summary,
    hops: f64,
    /// Pairs of processes that are neighbours on the machine.
    neighbours: u64,
    /// `None` of what is only simulated.
    seconds: Option<f64>,
    complete: bool,
    mapping: Mapping,
    simulated: Option<Simulated>,
}

/// A benchmark on a machine: first the rows of the thesis, then those of [`BY_HOPS`], then, where it is
/// simulated, those of [`AUTO`].
struct Computed {
    table: &'static PublishedTable,
    /// What the application sends, whatever the placement.
    pairs: Summary,
    rows: Vec<Ours>,
    /// The steps that were simulated and the machine, or why nothing was.
    simulation: Result<(u32, String), String>,
}

/// What the genetic algorithm of the thesis makes large, and by our reading its random sampling too.
const CARDINALITY: &str = "cardinality";

/// The same two by what the tables show: messages times hops.
const BY_HOPS: [&str; 2] = ["genetic", "random-sampling"];
const HOPS: &str = "hop-bytes";

/// Machines of each benchmark.
const MACHINES: [&str; 3] = ["mesh", "torus", "haec"];

pub fn run(seed: u64, json: bool, figures: &mut Figures) -> anyhow::Result<()> {
    let interrupt = Interrupt::catch()?;
    if !json {
        print(PREFACE);
    }
    let mut all = Vec::new();
    for table in &TABLES {
        let computed = compute(table, seed, &interrupt)?;
        if !json {
            print(&show(&computed));
        }
        all.push(computed);
    }
    if figures.are_wanted() {
        draw(figures, &all);
    }
    if json {
        print_json(&all.iter().flat_map(records).collect::<Vec<Value>>());
    } else {
        print(&show_times(&all));
        print(&show_objectives(&all));
        print(&show_simulated(&all));
        print(&format!("\nseed {seed}, {} threads\n", rayon::current_num_threads()));
    }
    Ok(())
}

fn compute(
    table: &'static PublishedTable,
    seed: u64,
    interrupt: &Interrupt,
) -> anyhow::Result<Computed> {
    let traffic = parse_pattern(table.traffic)?;
    let problem = Problem::new(traffic, Machine::parse(table.machine)?, Weight::Messages)?;
    let of_thesis = table.rows.iter().map(|published| {
        let by_cardinality = BY_HOPS.contains(&published.strategy);
        (published.strategy.to_string(), published.strategy, by_cardinality.then_some(CARDINALITY))
    });
    let by_hops = BY_HOPS.map(|strategy| (format!("{strategy} by hops"), strategy, Some(HOPS)));
    let mut rows = Vec::new();
    for (name, strategy, objective) in of_thesis.chain(by_hops) {
        let task = format!("{} on {}: {name}", table.benchmark, table.machine);
        let progress = Progress::new(&task);
        let mut run: Run = limited_run(seed, None, interrupt, &progress);
        let search = parse_strategy(strategy)?;
        let judge = objective.map(parse_objective).transpose()?;
        let start = Instant::now();
        let mapping = interrupt.during(|| search.map(&problem, judge.as_deref(), &mut run))?;
        let seconds = Some(start.elapsed().as_secs_f64());
        let complete = !run.was_cut_short();
        progress.finish();
        let row = scored(&problem, (name, strategy, objective), mapping)?;
        rows.push(Ours { seconds, complete, ..row });
    }
    let simulation = match Replay::of(table)? {
        Err(reason) => Err(reason),
        Ok(replay) => {
            let found = replay.by_auto(seed, interrupt)?;
            for ((name, objective), mapping) in AUTO.into_iter().zip(found) {
                rows.push(scored(&problem, (name.to_string(), "auto", Some(objective)), mapping)?);
            }
            let mappings: Vec<&Mapping> = rows.iter().map(|row| &row.mapping).collect();
            let simulated = replay.simulate(&mappings, interrupt)?;
            rows.iter_mut().zip(simulated).for_each(|(row, found)| row.simulated = found);
            Ok((replay.iterations, replay.machine))
        }
    };
    let pairs = pairs_of(&problem, &rows[0].mapping);
    Ok(Computed { table, pairs, rows, simulation })
}

fn pairs_of(problem: &Problem, mapping: &Mapping) -> Summary {
    score(problem, mapping).thesis.inter_process_logical
}

/// A row of a placement that took no time worth telling.
fn scored(
    problem: &Problem,
    (name, strategy, objective): (String, &'static str, Option<&'static str>),
    mapping: Mapping,
) -> anyhow::Result<Ours> {
    let score = score(problem, &mapping);
    let pairs = score.thesis.inter_process_logical;
    Ok(Ours {
        name,
        strategy,
        objective,
        links: score.thesis.inter_node_physical.context("the machines of the thesis have links")?,
        hops: score.hop_bytes / pairs.average,
        neighbours: score.cardinality,
        seconds: None,
        complete: true,
        mapping,
        simulated: None,
    })
}

const PREFACE: &str = "\
Besmer, Process-to-Node Mapping Strategies for the HAEC Box (2016): messages on the links used.
Both directions of a pair count together and travel once, from the lower rank; links have no
direction. `=` marks totals that agree to within the one message by which pairs differ.

Where we differ: on the mesh the totals of the thesis are larger than the sum of its distances
(sweep on 4x4x4 is 216 hops, the thesis has 232), so no shortest route gives them. Its averages and
maxima follow from ours only in part (sweep on the 4x4x4 torus: 136 links used, ours 140), so it
routes or counts in a way that it does not describe. Gray and Hilbert curves have many variants.
Bokhari, genetic and random-sampling depend on random choices, minmd on the order of equally heavy
pairs; bokhari here is the best of 8 searches.

The genetic algorithm of the thesis maximises cardinality: the number of pairs that are neighbours.
The thesis does not say which objective its random sampling uses. Cardinality fits better than
hops: the run times double on HAEC, as the thesis says of strategies that compute cardinality, and
the hops are closer. Both use cardinality here. A table below has both by cardinality and by
messages times hops, which is what the tables show.
";

/// Whether two totals agree: the thesis counts 80829 or 80830 messages a pair, so that equal
/// numbers of hops differ by a part in ten thousand at most.
fn agree(published: f64, ours: f64) -> bool {
    (published - ours).abs() <= published * 1e-4
}

fn show(computed: &Computed) -> String {
    let plain = |value: f64| format!("{value:.0}");
    let optional = |value: Option<f64>| value.map_or("-".to_string(), plain);
    let Computed { table, pairs, .. } = computed;
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .zip(&computed.rows)
        .map(|(published, ours)| {
            let equal = published.total.is_some_and(|total| agree(total, ours.links.total));
            let cut = if ours.complete { "" } else { "*" };
            vec![
                format!("{}{cut}", ours.name),
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

fn show_times(all: &[Computed]) -> String {
    let mut text = String::from(
        "\nTable 4.1: run time in seconds; the thesis's with Python on a 2.3 GHz Core i5-5300U\n \
         (`*`: stopped after 3 hours)\n",
    );
    for machines in all.chunks(MACHINES.len()) {
        let table = machines[0].table;
        let rows: Vec<Vec<String>> = (0..table.rows.len())
            .map(|row| {
                let mut cells = vec![table.rows[row].strategy.to_string()];
                for computed in machines {
                    let published = computed.table.rows[row].seconds;
                    cells
                        .push(published.map_or("*".to_string(), |seconds| format!("{seconds:.3}")));
                    let ours = computed.rows[row].seconds;
                    cells.push(ours.map_or("-".to_string(), |seconds| format!("{seconds:.5}")));
                }
                cells
            })
            .collect();
        let header = [table.benchmark, "mesh", "ours", "torus", "ours", "haec", "ours"];
        text.push_str(&format!("\n{}", numbers_table(&header, &rows)));
    }
    text
}

/// The genetic algorithm and random sampling by both objectives.
fn show_objectives(all: &[Computed]) -> String {
    let mut text = String::from(
        "\nGenetic algorithm and random sampling by both objectives: hops of an average pair summed over\n\
         all pairs (total / messages per pair), and pairs that are neighbours\n",
    );
    for machines in all.chunks(MACHINES.len()) {
        let mut rows = Vec::new();
        for strategy in BY_HOPS {
            let mut published = vec![format!("{strategy}, thesis")];
            for computed in machines {
                let of_strategy = |row: &&Published| row.strategy == strategy;
                let total = computed.table.rows.iter().find(of_strategy).and_then(|row| row.total);
                let hops = total.map(|total| total / computed.pairs.average);
                published.push(hops.map_or("-".to_string(), |hops| grouped(hops.round())));
                published.push("-".to_string());
            }
            rows.push(published);
            for (objective, name) in [(CARDINALITY, "cardinality"), (HOPS, "hops")] {
                let mut cells = vec![format!("{strategy} by {name}")];
                for computed in machines {
                    let wanted =
                        |row: &&Ours| row.strategy == strategy && row.objective == Some(objective);
                    let found = computed.rows.iter().find(wanted);
                    let hops = found.map(|row| grouped(row.hops.round()));
                    cells.push(hops.unwrap_or_else(|| "-".to_string()));
                    let neighbours = found.map(|row| grouped(row.neighbours as f64));
                    cells.push(neighbours.unwrap_or_else(|| "-".to_string()));
                }
                rows.push(cells);
            }
        }
        let benchmark = machines[0].table.benchmark;
        let header =
            [benchmark, "mesh: hops", "pairs", "torus: hops", "pairs", "haec: hops", "pairs"];
        text.push_str(&format!("\n{}", numbers_table(&header, &rows)));
    }
    text
}

const SIMULATED: &str = "
Simulated time and energy, which the thesis leaves to its simulator. Messages share links fairly
(the flow model), and computing takes no time. Links of the HAEC box have 31.25 GB/s, 10 ns, 40 pJ
per byte and 0.6 W all the time in layers, and 12.5 GB/s, 100 ns and 160 pJ per byte between layers.
Mesh and torus have only links of the first kind. Hops are as above; ms and mJ are for the part
that is replayed; mJ are the energy of what is sent + the energy of links that are always on.
";

/// Where the fewest hops are not the least time or energy: which placement has what.
fn in_words(computed: &Computed) -> Option<String> {
    let row = |name: &str| {
        let found = computed.rows.iter().find(|row| row.name == name)?;
        Some((found.hops, found.simulated?))
    };
    let (auto, sweep, energy) = (row("auto")?, row("sweep")?, row("auto by energy")?);
    let is_better = |(_, other): &(f64, Simulated)| {
        other.seconds < auto.1.seconds || other.transfer_joules < auto.1.transfer_joules
    };
    if ![sweep, energy].iter().any(is_better) {
        return None;
    }
    let said = |(hops, found): (f64, Simulated)| {
        let hops = grouped(hops.round());
        format!("{hops} hops, {} and {}", duration(found.seconds), in_joules(found.transfer_joules))
    };
    Some(format!(
        "On {} auto (by hop-bytes) has {}; sweep has {}; auto by energy has {}. The placement with \
        the fewest hop-bytes need not be the fastest, nor need it take the least energy: links \
        between layers are slower and cost more than links in layers, and hops do not tell them \
        apart.\n",
        computed.table.machine,
        said(auto),
        said(sweep),
        said(energy)
    ))
}

/// About three digits that count.
fn three_digits(value: f64) -> String {
    let decimals = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

fn show_simulated(all: &[Computed]) -> String {
    let mut text = SIMULATED.to_string();
    for machines in all.chunks(MACHINES.len()) {
        let benchmark = machines[0].table.benchmark;
        let iterations = match &machines[0].simulation {
            Ok((iterations, _)) => iterations,
            Err(reason) => {
                text.push_str(&format!("\n{benchmark}: not simulated: {reason}\n"));
                continue;
            }
        };
        let steps = plural(*iterations as usize, "iteration");
        text.push_str(&format!("\n{benchmark}: {steps} and the warm-up\n\n"));
        let rows: Vec<Vec<String>> = (0..machines[0].rows.len())
            .map(|row| {
                let mut cells = vec![machines[0].rows[row].name.clone()];
                for computed in machines {
                    let row = &computed.rows[row];
                    let (time, energy) = match row.simulated {
                        None => ("-".to_string(), "-".to_string()),
                        Some(found) => {
                            let millijoules = |joules: f64| three_digits(joules * 1e3);
                            let (sent, idle) = (found.transfer_joules, found.idle_joules);
                            let energy = format!("{}+{}", millijoules(sent), millijoules(idle));
                            (three_digits(found.seconds * 1e3), energy)
                        }
                    };
                    cells.extend([grouped(row.hops.round()), time, energy]);
                }
                cells
            })
            .collect();
        let header = ["hops on", "mesh", "ms", "mJ", "torus", "ms", "mJ", "haec", "ms", "mJ"];
        text.push_str(&numbers_table(&header, &rows));
        if let Some(words) = machines.last().and_then(in_words) {
            text.push_str(&format!("\n{}", wrapped(&words, "")));
        }
    }
    text
}

fn draw(figures: &mut Figures, all: &[Computed]) {
    for (machines, number) in all.chunks(MACHINES.len()).zip(["4.1", "4.2", "4.3"]) {
        let tables: Vec<figures::haec::Table<'_>> = machines
            .iter()
            .map(|computed| figures::haec::Table {
                published: computed.table,
                logical_total: computed.pairs.total,
                links: computed.rows.iter().map(|row| &row.links).collect(),
            })
            .collect();
        figures::haec::draw_links(figures, number, &tables);
        let Ok((iterations, _)) = &machines[0].simulation else { continue };
        let rows: Vec<figures::haec::Simulated> = (0..machines[0].rows.len())
            .map(|row| {
                let each = |value: fn(Simulated) -> f64| {
                    machines
                        .iter()
                        .map(|computed| computed.rows[row].simulated.map(value))
                        .collect()
                };
                figures::haec::Simulated {
                    name: machines[0].rows[row].name.clone(),
                    seconds: each(|found| found.seconds),
                    joules: each(|found| found.transfer_joules),
                }
            })
            .collect();
        let steps = plural(*iterations as usize, "iteration");
        let settings = format!("Model {MODEL}, {steps} and the warm-up, links of the HAEC box");
        let names: Vec<&str> = machines.iter().map(|computed| computed.table.machine).collect();
        let benchmark = machines[0].table.benchmark;
        figures::haec::draw_simulated(figures, benchmark, &names, &settings, &rows);
    }
}

fn records(computed: &Computed) -> Vec<Value> {
    let published = |place: usize| computed.table.rows.get(place);
    computed
        .rows
        .iter()
        .enumerate()
        .map(|(place, row)| record(computed, published(place), row))
        .collect()
}

fn record(computed: &Computed, published: Option<&Published>, ours: &Ours) -> Value {
    let table = computed.table;
    let of = |value: fn(&Published) -> Option<f64>| published.and_then(value);
    let simulated = match (&computed.simulation, ours.simulated) {
        (Ok((iterations, machine)), Some(found)) => json!({
            "model": MODEL,
            "machine": machine,
            "iterations": iterations,
            "seconds": found.seconds,
            "joules": found.joules(),
            "transfer_joules": found.transfer_joules,
            "idle_joules": found.idle_joules,
        }),
        _ => Value::Null,
    };
    let total = of(|published| published.total);
    json!({
        "table": table.table,
        "benchmark": table.benchmark,
        "traffic": table.traffic,
        "machine": table.machine,
        "strategy": ours.strategy,
        "objective": ours.objective,
        "published": {
            "total": total,
            "average": of(|published| published.average),
            "minimum": of(|published| published.minimum),
            "maximum": of(|published| published.maximum),
            "seconds": of(|published| published.seconds),
        },
        "ours": {
            "total": ours.links.total,
            "average": ours.links.average,
            "minimum": ours.links.minimum,
            "maximum": ours.links.maximum,
            "links_used": ours.links.count,
            "hops": ours.hops,
            "neighbours": ours.neighbours,
            "seconds": ours.seconds,
            "complete": ours.complete,
        },
        "simulated": simulated,
        "not_simulated": computed.simulation.as_ref().err(),
        "totals_agree": total.is_some_and(|total| agree(total, ours.links.total)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, hops: f64, simulated: Option<Simulated>) -> Ours {
        let machine = Machine::parse("haec:2x2x2").unwrap();
        Ours {
            name: name.to_string(),
            strategy: "auto",
            objective: Some(HOPS),
            links: Summary::default(),
            hops,
            neighbours: 3,
            seconds: None,
            complete: true,
            mapping: Mapping::new((0..8).collect(), &machine).unwrap(),
            simulated,
        }
    }

    fn computed(simulation: Result<(u32, String), String>) -> Computed {
        let found = |seconds, transfer_joules| {
            Some(Simulated { seconds, transfer_joules, idle_joules: 0.129 })
        };
        let rows = vec![
            row("sweep", 152.0, found(0.8e-3, 0.035)),
            row("auto", 112.0, found(1.2e-3, 0.050)),
            row("auto by energy", 150.0, None),
            row("auto by energy", 150.0, found(0.7e-3, 0.029)),
        ];
        Computed { table: &TABLES[2], pairs: Summary::default(), rows, simulation }
    }

    #[test]
    fn times_and_energies_stand_beside_hops() {
        let three = || {
            let some = || computed(Ok((2, "haec:4x4x4".to_string())));
            vec![some(), some(), some()]
        };
        let text = show_simulated(&three());
        assert!(text.contains("LU.C.64: 2 iterations and the warm-up"), "{text}");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let has = |wanted: &str| text.lines().any(|line| words(line) == wanted);
        assert!(has("sweep 152 0.80 35.0+129 152 0.80 35.0+129 152 0.80 35.0+129"), "{text}");
        // What was cut short has no numbers, not zeros.
        assert!(has("auto by energy 150 - - 150 - - 150 - -"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn what_is_not_simulated_says_why() {
        let none = || computed(Err("too many messages".to_string()));
        let text = show_simulated(&[none(), none(), none()]);
        assert!(text.contains("LU.C.64: not simulated: too many messages"), "{text}");
        let record = record(&none(), None, &row("auto", 112.0, None));
        assert_eq!(record["simulated"], Value::Null);
        assert_eq!(record["not_simulated"], "too many messages");
        assert_eq!(record["objective"], HOPS);
    }

    #[test]
    fn the_best_in_hops_is_named_beside_the_best_in_energy() {
        let mut all = computed(Ok((2, "haec:4x4x4".to_string())));
        assert_eq!(in_words(&all), None, "a row that was cut short says nothing");
        all.rows.remove(2);
        let words = in_words(&all).unwrap();
        assert!(words.contains("auto (by hop-bytes) has 112 hops, 1.2 ms and 50.0 mJ"), "{words}");
        assert!(words.contains("auto by energy has 150 hops, 700 µs and 29.0 mJ"), "{words}");
        // Where auto is the best in all, there is nothing to say.
        let (seconds, transfer_joules, idle_joules) = (0.1e-3, 0.001, 0.2);
        all.rows[1].simulated = Some(Simulated { seconds, transfer_joules, idle_joules });
        assert_eq!(in_words(&all), None);
    }
}
