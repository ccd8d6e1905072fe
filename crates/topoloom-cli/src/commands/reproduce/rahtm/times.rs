//! Simulated times of the mappings: all bytes at once at full size, and one iteration with its events
//! in order at a size that can be simulated.

use std::sync::atomic::Ordering;

use topoloom::core::{
    CollectiveMode, Machine, Mapping, Problem, Replay, Trace, Weight, parse_objective,
    parse_strategy, parse_trace,
};
use topoloom::sim::{Model, Outcome, simulate_until};

use super::benchmarks::{BENCHMARKS, ROUTING};
use crate::interrupt::Interrupt;
use crate::progress::{Progress, limited_run, numbered};

/// The machine and the ranks of the iterations that are simulated event by event.
pub const SMALL_MACHINE: &str = "torus:2x2x2x2x2,slots=8,double-links";
pub const SMALL_RANKS: u32 = 256;

/// The mappings that fit the small machine.
pub const SMALL_MAPPINGS: [(&str, &str); 6] = [
    ("ABCDET", "permute:ABCDET"),
    ("TABCDE", "permute:TABCDE"),
    ("ACEBDT", "permute:ACEBDT"),
    ("Hilbert", "hilbert:equal"),
    ("RAHTM", "rahtm"),
    ("auto", "auto"),
];

/// The time until all bytes have arrived if all nodes send at once, with one message for everything
/// that one node sends to another; `None` after an interrupt.
pub fn of_a_burst(
    problem: &Problem,
    mapping: &Mapping,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<f64>> {
    let machine = problem.machine().with_one_slot();
    let nodes = machine.num_nodes() as u32;
    let between_nodes = problem.traffic().contracted(&mapping.nodes(), nodes);
    let trace = Trace::of_traffic(&between_nodes, Replay::Burst);
    let in_place = Mapping::new((0..nodes).collect(), &machine)?;
    simulated(&trace, &machine, &in_place, interrupt)
}

/// The times of one iteration of each benchmark on the small machine, by mapping.
pub fn of_an_iteration(
    seed: u64,
    interrupt: &Interrupt,
) -> anyhow::Result<Vec<[Option<f64>; BENCHMARKS.len()]>> {
    let objective = parse_objective("max-link-load")?;
    let mut times = vec![[None; BENCHMARKS.len()]; SMALL_MAPPINGS.len()];
    for (number, benchmark) in BENCHMARKS.iter().enumerate() {
        let text = format!("{benchmark}:class=D,ranks={SMALL_RANKS},iterations=1");
        let trace = parse_trace(&text)?.expect("the benchmarks have an order of events");
        let trace = trace.expanded("none".parse::<CollectiveMode>().expect("a known mode"))?;
        let machine = Machine::parse(SMALL_MACHINE)?.with_routing(ROUTING)?;
        let problem = Problem::new(trace.traffic(), machine, Weight::Bytes)?;
        for (row, (name, strategy)) in SMALL_MAPPINGS.iter().enumerate() {
            let task = format!("{benchmark}, one iteration: {name}");
            let progress = Progress::new(&numbered(&task, row, SMALL_MAPPINGS.len()));
            let mut run = limited_run(seed, None, interrupt, &progress);
            let strategy = parse_strategy(strategy)?;
            let mapping =
                interrupt.during(|| strategy.map(&problem, Some(objective.as_ref()), &mut run))?;
            times[row][number] = simulated(&trace, problem.machine(), &mapping, interrupt)?;
            progress.finish();
        }
    }
    Ok(times)
}

fn simulated(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<f64>> {
    let stop = interrupt.flag();
    let must_stop = || stop.load(Ordering::Relaxed);
    let model = Model::parse("flow")?;
    let outcome =
        interrupt.during(|| simulate_until(trace, machine, mapping, &model, &must_stop))?;
    Ok(match outcome {
        Outcome::Finished(report) => Some(report.seconds),
        Outcome::Stopped(_) => None,
    })
}
