//! Figures 2 to 4 of the paper on the Traffic Distribution criterion: simulated times of mappings.

mod findings;
mod setting;
pub mod settings;
mod show;

use anyhow::Context;
use topoloom::core::crew::mark;
use topoloom::core::{
    CollectiveMode, Machine, Mapping, Objective, Problem, ProgressListener, Run, Strategy, Trace,
    Weight, parse_objective, parse_strategy, parse_trace,
};
use topoloom::sim::{Model, simulate};

use self::setting::Setting;
use self::settings::{BENCHMARKS, CRITERIA, ITERATIONS, LINKS, MESHES, Plan, Times};
use super::figures::{self, Figures};
use crate::crew;
use crate::output::{print, print_json};
use crate::progress::Progress;

/// How many mappings of each kind the paper simulates.
pub const MAPPINGS: u64 = 50;

/// The defaults in the public source of the paper's simulator (FSIN, the network of INSEE): packets
/// of 16 phits of 4 bytes, one injection channel, buffers of four packets, several packets consumed
/// at once.
pub const MODEL: &str = "packet:packet=64,flit=4,channels=1,buffers=4,consumption=multiple";

/// The routings of that source: the first is its default. The paper does not say which one was
/// used.
const ROUTINGS: [&str; 2] = ["dimension-order", "minimal-adaptive"];

pub fn run(plan: &Plan<'_>, json: bool, figures: &mut Figures) -> anyhow::Result<()> {
    let simulated = Model::parse(plan.model)?;
    let routings: Vec<&str> = plan.routing.map_or(ROUTINGS.to_vec(), |routing| vec![routing]);
    // All names are read before the first simulation.
    let machines = MESHES
        .iter()
        .map(|mesh| routings.iter().map(|routing| machine(mesh, routing)).collect())
        .collect::<anyhow::Result<Vec<Vec<Machine>>>>()?;
    let progress = Progress::new("reproduce td");
    let mut by_routing: Vec<Vec<Times>> = routings.iter().map(|_| Vec::new()).collect();
    let total = (BENCHMARKS.len() * MESHES.len()) as u64;
    for benchmark in BENCHMARKS {
        let text = format!("{benchmark}:class=A,ranks=64,iterations={ITERATIONS}");
        let trace = parse_trace(&text)?.expect("the benchmarks have an order of events");
        let trace = trace.expanded("algorithm".parse::<CollectiveMode>().expect("a known mode"))?;
        for (mesh, shape) in MESHES.iter().enumerate() {
            let done = by_routing[0].len() as u64;
            progress.progress(&format!("{benchmark} on {shape}"), done, total);
            let seconds = times(&trace, &machines[mesh], &simulated, plan)?;
            for (all, seconds) in by_routing.iter_mut().zip(seconds) {
                all.push(Times { benchmark, mesh, seconds });
            }
        }
    }
    progress.finish();
    let settings: Vec<Setting> = routings
        .iter()
        .zip(by_routing)
        .map(|(routing, all)| {
            let findings = findings::check(&all);
            Setting { routing: routing.to_string(), all, findings }
        })
        .collect();
    if figures.are_wanted() {
        for setting in &settings {
            figures::td::draw(figures, &setting.all, plan, &setting.routing);
        }
    }
    if json {
        print_json(&show::records(&settings, plan));
    } else {
        print(&show::text(&settings, plan));
    }
    Ok(())
}

fn machine(mesh: &str, routing: &str) -> anyhow::Result<Machine> {
    Ok(Machine::parse(&format!("mesh:{mesh},{LINKS}"))?.with_routing(routing)?)
}

/// The times on each of `machines`, which differ only in their routing. No criterion depends on it,
/// so all simulate the same mappings.
fn times(
    trace: &Trace,
    machines: &[Machine],
    model: &Model,
    plan: &Plan<'_>,
) -> anyhow::Result<Vec<[Vec<f64>; 4]>> {
    let problem = Problem::new(trace.traffic(), machines[0].clone(), Weight::Bytes)?;
    let mut by_machine: Vec<[Vec<f64>; 4]> = vec![Default::default(); machines.len()];
    for (number, criterion) in CRITERIA.iter().enumerate() {
        let strategy = parse_strategy(criterion.strategy)?;
        let objective = criterion.objective.map(parse_objective).transpose()?;
        let count = if criterion.repeats { plan.mappings } else { 1 };
        let shared = crew::shared(Run::new(plan.seed));
        let mark = |what: &str| mark(what, [number as u64, count]);
        let slots = all(shared.share(mark("mappings"), count as usize, |mapping| {
            let run = Run::new(plan.seed.wrapping_add(mapping as u64));
            find(&problem, strategy.as_ref(), objective.as_deref(), run)
        }))?;
        let mappings: Vec<Mapping> =
            slots.into_iter().map(|slots| problem.mapping(slots)).collect::<Result<_, _>>()?;
        for (machine, seconds) in machines.iter().zip(&mut by_machine) {
            seconds[number] = all(shared.share(mark("simulations"), mappings.len(), |mapping| {
                let report = simulate(trace, machine, &mappings[mapping], model);
                report.map(|report| report.seconds).map_err(|reason| reason.to_string())
            }))?;
        }
    }
    Ok(by_machine)
}

fn find(
    problem: &Problem,
    strategy: &dyn Strategy,
    objective: Option<&dyn Objective>,
    mut run: Run,
) -> Result<Vec<u32>, String> {
    let mapping =
        strategy.map(problem, objective, &mut run).map_err(|reason| reason.to_string())?;
    Ok(mapping.slots().to_vec())
}

/// All results, or the first reason why one is missing.
fn all<T>(results: Vec<Option<Result<T, String>>>) -> anyhow::Result<Vec<T>> {
    let there = |result: Option<Result<T, String>>| {
        result.context("interrupted")?.map_err(|reason| anyhow::anyhow!("{reason}"))
    };
    results.into_iter().map(there).collect()
}
