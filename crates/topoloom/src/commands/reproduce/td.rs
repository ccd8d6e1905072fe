//! Figures 2 to 4 of the paper on the Traffic Distribution criterion: simulated times of mappings.

mod findings;
mod show;

use rayon::prelude::*;
use topoloom::core::{
    CollectiveMode, Machine, Mapping, Objective, Problem, ProgressListener, Run, Strategy, Trace,
    Weight, parse_objective, parse_strategy, parse_trace,
};
use topoloom::sim::{Model, simulate};

use super::figures::{self, Figures};
use crate::output::{print, print_json};
use crate::progress::Progress;

/// The benchmarks in the order of the figures.
pub const BENCHMARKS: [&str; 7] = ["bt", "cg", "ft", "is", "lu", "mg", "sp"];

/// The meshes of figures 2 and 3, by their shapes.
pub const MESHES: [&str; 2] = ["8x8", "4x4x4"];

/// Links with a latency of one cycle, as simulators of routers have them: with that of real cables
/// distance would count for more than in the paper.
const LINKS: &str = "bandwidth=10e9,latency=1.6e-9";

/// The four criteria of the figures, in their order.
pub const CRITERIA: [Criterion; 4] = [
    Criterion { name: "consecutive", strategy: "consecutive", objective: None, repeats: false },
    Criterion { name: "random", strategy: "random", objective: None, repeats: true },
    Criterion {
        name: "distance",
        strategy: "grasp:iterations=50,tabu=0",
        objective: Some("distance"),
        repeats: true,
    },
    Criterion {
        name: "TD",
        strategy: "grasp:iterations=50,tabu=0",
        objective: Some("traffic-distribution"),
        repeats: true,
    },
];

const CONSECUTIVE: usize = 0;
const RANDOM: usize = 1;
const DISTANCE: usize = 2;
const TD: usize = 3;

/// How many mappings of each kind the paper simulates.
pub const MAPPINGS: u64 = 50;

/// The usual options of our packets; the paper does not say what its simulator had.
pub const MODEL: &str = "packet";

/// Steps that are simulated, beside the warm-up: they repeat, and so do the times.
const ITERATIONS: u32 = 1;

/// A way to find mappings.
pub struct Criterion {
    pub name: &'static str,
    strategy: &'static str,
    objective: Option<&'static str>,
    /// Whether every seed gives another mapping.
    repeats: bool,
}

/// Simulated seconds of a benchmark on a mesh, for each criterion one a mapping.
pub struct Times {
    pub benchmark: &'static str,
    pub mesh: usize,
    pub seconds: [Vec<f64>; 4],
}

pub fn run(model: &str, seed: u64, json: bool, figures: &mut Figures) -> anyhow::Result<()> {
    let simulated = Model::parse(model)?;
    let progress = Progress::new("reproduce td");
    let mut all = Vec::new();
    let total = (BENCHMARKS.len() * MESHES.len()) as u64;
    for benchmark in BENCHMARKS {
        let text = format!("{benchmark}:class=A,ranks=64,iterations={ITERATIONS}");
        let trace = parse_trace(&text)?.expect("the benchmarks have an order of events");
        let trace = trace.expanded("algorithm".parse::<CollectiveMode>().expect("a known mode"))?;
        for (mesh, shape) in MESHES.iter().enumerate() {
            progress.progress(&format!("{benchmark} on {shape}"), all.len() as u64, total);
            all.push(Times { benchmark, mesh, seconds: times(&trace, shape, &simulated, seed)? });
        }
    }
    progress.finish();
    let findings = findings::check(&all);
    if figures.are_wanted() {
        figures::td::draw(figures, &all, &format!("model {model}"));
    }
    if json {
        print_json(&show::records(&all, &findings, model, seed));
    } else {
        print(&show::text(&all, &findings, model, seed));
    }
    Ok(())
}

fn times(trace: &Trace, mesh: &str, model: &Model, seed: u64) -> anyhow::Result<[Vec<f64>; 4]> {
    let machine = Machine::parse(&format!("mesh:{mesh},{LINKS}"))?;
    let problem = Problem::new(trace.traffic(), machine, Weight::Bytes)?;
    let mut seconds: [Vec<f64>; 4] = Default::default();
    for (criterion, seconds) in CRITERIA.iter().zip(&mut seconds) {
        let strategy = parse_strategy(criterion.strategy)?;
        let objective = criterion.objective.map(parse_objective).transpose()?;
        let count = if criterion.repeats { MAPPINGS } else { 1 };
        *seconds = (0..count)
            .into_par_iter()
            .map(|number| {
                let run = Run::new(seed + number);
                let mapping = find(&problem, strategy.as_ref(), objective.as_deref(), run)?;
                Ok(simulate(trace, problem.machine(), &mapping, model)?.seconds)
            })
            .collect::<anyhow::Result<_>>()?;
    }
    Ok(seconds)
}

fn find(
    problem: &Problem,
    strategy: &dyn Strategy,
    objective: Option<&dyn Objective>,
    mut run: Run,
) -> anyhow::Result<Mapping> {
    strategy.map(problem, objective, &mut run).map_err(|reason| anyhow::anyhow!("{reason}"))
}
