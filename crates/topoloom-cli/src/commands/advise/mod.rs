//! `topoloom advise`: which shape of partition, or which hosts of a cluster, to ask for.

mod allocation;
mod arguments;

use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use serde_json::{Value, json};
use topoloom::core::crew::{Packed, Reader, mark};
use topoloom::core::{
    Machine, Problem, Strategy, TOPOLOGIES, Traffic, parse_strategy, score_within,
};
use topoloom::sim::{Model, Outcome, SimulationError};

pub use arguments::AdviseArguments;

use crate::crew;
use crate::inputs::{Replayed, load_machine, load_replayed};
use crate::output::numbers::{duration, grouped, percent, plural};
use crate::output::table::{numbers_table, wrapped};
use crate::output::{print, print_json, warn};
use crate::placing::search::Searches;
use crate::placing::strategy_list::strategies;
use crate::progress::numbered;
use crate::simulation::{replay_in_words, simulated, stopped_in_words};
use crate::spec_list::split_list;

/// The result for one shape and one strategy.
struct Shape {
    machine: String,
    strategy: String,
    nodes: usize,
    seconds: f64,
    waiting_share: f64,
    max_link_utilisation: f64,
    joules: f64,
    average_dilation: f64,
    complete: bool,
}

impl Packed for Shape {
    fn pack(&self, bytes: &mut Vec<u8>) {
        (self.machine.clone(), self.strategy.clone(), self.nodes as u64).pack(bytes);
        (self.seconds, self.waiting_share, self.max_link_utilisation, self.joules).pack(bytes);
        (self.average_dilation, self.complete).pack(bytes);
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let (machine, strategy, nodes) = <(String, String, u64)>::unpack(from)?;
        let (seconds, waiting_share, max_link_utilisation, joules) =
            <(f64, f64, f64, f64)>::unpack(from)?;
        let (average_dilation, complete) = <(f64, bool)>::unpack(from)?;
        Some(Shape {
            machine,
            strategy,
            nodes: nodes as usize,
            seconds,
            waiting_share,
            max_link_utilisation,
            joules,
            average_dilation,
            complete,
        })
    }
}

/// Why a shape was left out after Ctrl-C.
const NOT_TRIED: &str = "interrupted before it was tried";

/// Times that differ by less count as equal: models are not more exact than that.
const EQUAL: f64 = 0.01;

pub fn run(arguments: AdviseArguments) -> anyhow::Result<()> {
    if let Some(machine) = &arguments.machine {
        return allocation::run(&arguments, machine);
    }
    let advisor = Advisor::new(&arguments)?;
    let machines = machines(&arguments)?;
    let replayed = load_replayed(&arguments.replayed)?;
    let traffic = replayed.trace.traffic();
    let Tried { mut shapes, left_out } = advisor.attempt_all(&machines, &replayed, &traffic)?;
    if shapes.is_empty() {
        let reasons: Vec<String> = left_out.iter().map(LeftOut::in_words).collect();
        bail!("no shape fits the job and can be simulated: {}", reasons.join("; "));
    }
    // Stable: among equals, the first in the list stays first.
    shapes.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let tried = Tried { shapes, left_out };
    if arguments.json {
        print_json(&record(&arguments, &advisor, &replayed, &tried));
        return Ok(());
    }
    if tried.shapes.iter().any(|shape| !shape.complete) {
        warn("a limit cut searches short: shapes may do better than shown");
    }
    print(&show(&arguments, &advisor, &replayed, &traffic, &tried));
    Ok(())
}

/// The shapes that are named.
fn machines(arguments: &AdviseArguments) -> anyhow::Result<Vec<Machine>> {
    let known = |name: &str| TOPOLOGIES.entries.iter().any(|entry| entry.name == name);
    let machines = split_list(&arguments.shapes, known)
        .iter()
        .map(|text| load_machine(text, arguments.routing.as_deref()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if machines.is_empty() {
        bail!("--shapes: expected machines such as mesh:8x8,mesh:4x4x4, found none");
    }
    Ok(machines)
}

/// The results of all shapes.
#[derive(Default)]
struct Tried {
    shapes: Vec<Shape>,
    left_out: Vec<LeftOut>,
}

/// What cannot be compared, and why.
struct LeftOut {
    machine: String,
    /// `None` if the shape suits no strategy.
    strategy: Option<String>,
    reason: String,
}

impl LeftOut {
    fn in_words(&self) -> String {
        format!("{}: {}", self.machine, self.reason)
    }
}

/// How each shape is tried.
struct Advisor<'a> {
    arguments: &'a AdviseArguments,
    searches: Searches,
    model: Model,
    /// With their names.
    strategies: Vec<(String, Arc<dyn Strategy>)>,
}

impl<'a> Advisor<'a> {
    fn new(arguments: &'a AdviseArguments) -> anyhow::Result<Advisor<'a>> {
        let searches = Searches::new(arguments.search.clone())?.leave_half_of_limit();
        let model = Model::parse(&arguments.model)?;
        let strategies = strategies(&arguments.strategy)?
            .into_iter()
            .map(|name| parse_strategy(&name).map(|strategy| (name, strategy)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Advisor { arguments, searches, model, strategies })
    }

    /// The names of the strategies, as a list.
    fn names(&self) -> String {
        self.strategies.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Places and simulates the job on each shape, with each strategy.
    fn attempt_all(
        &self,
        machines: &[Machine],
        replayed: &Replayed,
        traffic: &Traffic,
    ) -> anyhow::Result<Tried> {
        let per_shape = self.strategies.len();
        let count = machines.len() * per_shape;
        let one = |number: usize| {
            let (name, strategy) = &self.strategies[number % per_shape];
            let machine = machines[number / per_shape].clone();
            let task = numbered(&format!("{name} on {}", machine.spec()), number, count);
            self.attempt(machine, replayed, traffic, (name, &task), strategy.as_ref())
        };
        let results: Vec<Result<Shape, NoShape>> = match crew::current() {
            Some(crew) if count > 1 => {
                let run = self.searches.rest_of_limit(Instant::now()).with_crew(crew);
                let mark = mark("shapes", [count as u64]);
                let results = self.searches.interrupt.during(|| run.share(mark, count, one));
                let missing = || Err(NoShape::LeftOut(NOT_TRIED.to_string()));
                results.into_iter().map(|result| result.unwrap_or_else(missing)).collect()
            }
            _ => (0..count).map(one).collect(),
        };
        let mut tried = Tried::default();
        for (number, result) in results.into_iter().enumerate() {
            let machine = machines[number / per_shape].spec().to_string();
            let strategy = Some(self.strategies[number % per_shape].0.clone());
            match result {
                Ok(shape) => tried.shapes.push(shape),
                Err(NoShape::LeftOut(reason)) => {
                    tried.left_out.push(LeftOut { machine, strategy, reason });
                }
                Err(NoShape::DoesNotFit(_)) if number % per_shape > 0 => {}
                Err(NoShape::DoesNotFit(reason)) => {
                    tried.left_out.push(LeftOut { machine, strategy: None, reason });
                }
                Err(NoShape::Inconsistent(reason)) => bail!("{reason}"),
            }
        }
        Ok(tried)
    }

    fn attempt(
        &self,
        machine: Machine,
        replayed: &Replayed,
        traffic: &Traffic,
        (name, task): (&str, &str),
        strategy: &dyn Strategy,
    ) -> Result<Shape, NoShape> {
        let (weight, imbalance) = (self.arguments.weight, self.arguments.imbalance);
        let problem = Problem::with_imbalance(traffic.clone(), machine, weight, imbalance)
            .map_err(|reason| NoShape::DoesNotFit(reason.to_string()))?;
        self.simulate_on(&problem, replayed, (name, task), strategy)
    }

    fn simulate_on(
        &self,
        problem: &Problem,
        replayed: &Replayed,
        (name, task): (&str, &str),
        strategy: &dyn Strategy,
    ) -> Result<Shape, NoShape> {
        let spec = problem.machine().spec().to_string();
        let searches = &self.searches;
        if searches.interrupt.happened() {
            return Err(NoShape::LeftOut(NOT_TRIED.to_string()));
        }
        let found = searches
            .run_strategy(task, strategy, problem)
            .map_err(|reason| NoShape::LeftOut(format!("{name} is not applicable: {reason}")))?;
        let mut rest = searches.rest_of_limit(found.started);
        let simulate =
            || simulated(&replayed.trace, problem.machine(), &found.mapping, &self.model, &rest);
        match searches.interrupt.during(simulate) {
            Ok(Outcome::Finished(report)) => Ok(Shape {
                machine: spec,
                strategy: name.to_string(),
                nodes: problem.machine().num_nodes(),
                seconds: report.seconds,
                waiting_share: report.waiting_share(),
                max_link_utilisation: report.max_utilisation(),
                joules: report.joules(),
                average_dilation: score_within(problem, &found.mapping, &mut rest)
                    .average_dilation(),
                complete: !found.run.was_cut_short(),
            }),
            // A run that did not end cannot be compared with runs that did.
            Ok(Outcome::Stopped(stopped)) => {
                let words = stopped_in_words(&stopped);
                Err(NoShape::LeftOut(format!("the simulation was {words}")))
            }
            Err(reason @ SimulationError::Inconsistent(_)) => {
                Err(NoShape::Inconsistent(reason.to_string()))
            }
            Err(reason) => Err(NoShape::LeftOut(reason.to_string())),
        }
    }
}

/// Why a shape has no result.
enum NoShape {
    /// The job does not fit, whatever the strategy.
    DoesNotFit(String),
    /// Other shapes may have one.
    LeftOut(String),
    /// The replayed events are wrong on every shape.
    Inconsistent(String),
}

impl Packed for NoShape {
    fn pack(&self, bytes: &mut Vec<u8>) {
        let (kind, reason) = match self {
            NoShape::DoesNotFit(reason) => (0u8, reason),
            NoShape::LeftOut(reason) => (1, reason),
            NoShape::Inconsistent(reason) => (2, reason),
        };
        (kind, reason.clone()).pack(bytes);
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let (kind, reason) = <(u8, String)>::unpack(from)?;
        Some(match kind {
            0 => NoShape::DoesNotFit(reason),
            1 => NoShape::LeftOut(reason),
            _ => NoShape::Inconsistent(reason),
        })
    }
}

/// The whole result, for programs.
fn record(
    arguments: &AdviseArguments,
    advisor: &Advisor<'_>,
    replayed: &Replayed,
    tried: &Tried,
) -> Value {
    let best = &tried.shapes[0];
    let shape = |shape: &Shape| {
        json!({
            "machine": shape.machine,
            "strategy": shape.strategy,
            "nodes": shape.nodes,
            "seconds": shape.seconds,
            "slower_than_best": slower(best, shape),
            "average_dilation": shape.average_dilation,
            "waiting_share": shape.waiting_share,
            "max_link_utilisation": shape.max_link_utilisation,
            "joules": shape.joules,
            "complete": shape.complete,
        })
    };
    let left_out = |left_out: &LeftOut| {
        let LeftOut { machine, strategy, reason } = left_out;
        json!({"machine": machine, "strategy": strategy, "not_applicable": reason})
    };
    json!({
        "traffic": replayed.name,
        "replay": replayed.replay,
        "collectives": replayed.collectives,
        "collectives_bytes_share": replayed.collective_share.map(|share| share.bytes),
        "collectives_messages_share": replayed.collective_share.map(|share| share.messages),
        "strategy": advisor.names(),
        "model": arguments.model,
        "seed": advisor.searches.seed(),
        "best": best.machine,
        "advice": advice(&tried.shapes),
        "shapes": tried.shapes.iter().map(shape).collect::<Vec<_>>(),
        "left_out": tried.left_out.iter().map(left_out).collect::<Vec<_>>(),
    })
}

/// The same, for people.
fn show(
    arguments: &AdviseArguments,
    advisor: &Advisor<'_>,
    replayed: &Replayed,
    traffic: &Traffic,
    tried: &Tried,
) -> String {
    // The column is there only if it distinguishes rows.
    let named = advisor.strategies.len() > 1;
    let row = |shape: &Shape| {
        let mut cells = vec![shortened(&shape.machine, if named { 22 } else { 36 })];
        cells.extend(named.then(|| shortened(&shape.strategy, 14)));
        cells.extend([
            grouped(shape.nodes as f64),
            duration(shape.seconds),
            percent(slower(&tried.shapes[0], shape)),
            format!("{:.2}", shape.average_dilation),
            percent(shape.waiting_share),
            percent(shape.max_link_utilisation),
        ]);
        cells
    };
    let rows: Vec<Vec<String>> = tried.shapes.iter().map(row).collect();
    let mut header = vec!["shape"];
    header.extend(named.then_some("strategy"));
    header.extend(["nodes", "time", "slower", "dilation", "waiting", "busiest link"]);
    let mut text = format!(
        "{} ({}), placed by {}, {} model, seed {}\n{}\n\n",
        replayed.name,
        plural(traffic.num_ranks(), "rank"),
        advisor.names(),
        arguments.model,
        advisor.searches.seed(),
        replay_in_words(&replayed.replay, replayed.collective_share.as_ref()),
    );
    text.push_str(&numbers_table(&header, &rows));
    text.push('\n');
    for left_out in &tried.left_out {
        text.push_str(&format!(" {}\n", wrapped(&left_out.in_words(), "   ")));
    }
    text.push_str(&format!("{}\n", advice(&tried.shapes)));
    text
}

/// A name that leaves room for the numbers in 100 columns; the text around the table has the whole
/// name.
fn shortened(name: &str, longest: usize) -> String {
    if name.chars().count() <= longest {
        return name.to_string();
    }
    let start: String = name.chars().take(longest - 1).collect();
    format!("{start}…")
}

/// How much longer a shape takes than the best one.
fn slower(best: &Shape, shape: &Shape) -> f64 {
    if best.seconds > 0.0 { shape.seconds / best.seconds - 1.0 } else { 0.0 }
}

/// What to ask for, and by how much it is better. Each shape counts with its fastest strategy.
fn advice(rows: &[Shape]) -> String {
    let mut shapes: Vec<&Shape> = Vec::new();
    for row in rows {
        if shapes.iter().all(|shape| shape.machine != row.machine) {
            shapes.push(row);
        }
    }
    let best = shapes[0];
    let same: Vec<&str> = shapes[1..]
        .iter()
        .filter(|shape| slower(best, shape) < EQUAL)
        .map(|shape| shape.machine.as_str())
        .collect();
    let next = shapes[1..].iter().find(|shape| slower(best, shape) >= EQUAL);
    let equals = match same.is_empty() {
        true => String::new(),
        false => format!(" (or {}, within 1 %)", same.join(", ")),
    };
    match next {
        Some(next) => format!(
            "Ask for {}{equals}: {} takes {} longer.",
            best.machine,
            next.machine,
            percent(slower(best, next))
        ),
        None if same.is_empty() => {
            format!("Ask for {}: no other shape fits.", best.machine)
        }
        None => format!("Ask for any: {} and {} take the same.", best.machine, same.join(", ")),
    }
}
