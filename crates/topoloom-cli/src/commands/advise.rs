//! `topoloom advise`: which shape of partition to ask for.

use clap::Args;
use serde_json::json;
use topoloom::core::{Problem, TOPOLOGIES, Weight, parse_strategy, score_within};
use topoloom::sim::{Model, Outcome, Report, SimulationError};

use crate::arguments::{ReplayedArguments, SearchArguments, parse_imbalance};
use crate::inputs::{load_machine, load_replayed};
use crate::output::numbers::{duration, grouped, percent, plural};
use crate::output::table::{numbers_table, wrapped};
use crate::output::{print, print_json, warn};
use crate::placing::search::Searches;
use crate::simulation::{replay_in_words, simulated, stopped_in_words};
use crate::spec_list::split_list;

#[derive(Debug, Args)]
pub struct AdviseArguments {
    #[command(flatten)]
    pub replayed: ReplayedArguments,
    /// The shapes of partitions to choose from, separated by commas or given one by one, such as
    /// mesh:8x8,mesh:4x4x4,torus:4x4x4
    #[arg(long, value_name = "MACHINES", required = true)]
    pub shapes: Vec<String>,
    /// How messages travel, such as minimal-adaptive [default: the default of each shape]
    #[arg(long)]
    pub routing: Option<String>,
    /// The strategy that places the ranks on each shape
    #[arg(long, default_value = "auto")]
    pub strategy: String,
    /// How messages travel in the simulation: flow or packet, with options (see
    /// `topoloom list models`)
    #[arg(long, default_value = "flow")]
    pub model: String,
    /// What counts for the strategy: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// Let ranks share slots: each slot takes up to (1 + E) times its share of the ranks' weight
    #[arg(long, value_name = "E", value_parser = parse_imbalance, allow_negative_numbers = true)]
    pub imbalance: Option<f64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What a shape gives.
struct Shape {
    machine: String,
    nodes: usize,
    report: Report,
    average_dilation: f64,
    complete: bool,
}

/// Times that differ by less are called equal: models are no better than that.
const EQUAL: f64 = 0.01;

pub fn run(arguments: AdviseArguments) -> anyhow::Result<()> {
    let searches = Searches::new(arguments.search)?.leave_half_of_limit();
    let model = Model::parse(&arguments.model)?;
    let strategy = parse_strategy(&arguments.strategy)?;
    let known = |name: &str| TOPOLOGIES.entries.iter().any(|entry| entry.name == name);
    let machines = split_list(&arguments.shapes, known)
        .iter()
        .map(|text| load_machine(text, arguments.routing.as_deref()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if machines.is_empty() {
        anyhow::bail!("--shapes: expected machines such as mesh:8x8,mesh:4x4x4, found none");
    }
    let replayed = load_replayed(&arguments.replayed)?;
    let traffic = replayed.trace.traffic();
    let mut shapes: Vec<Shape> = Vec::new();
    let mut left_out: Vec<(String, String)> = Vec::new();
    for machine in machines {
        let spec = machine.spec().to_string();
        if searches.interrupt.happened() {
            left_out.push((spec, "interrupted before it was tried".to_string()));
            continue;
        }
        let (weight, imbalance) = (arguments.weight, arguments.imbalance);
        let problem = match Problem::with_imbalance(traffic.clone(), machine, weight, imbalance) {
            Ok(problem) => problem,
            Err(reason) => {
                left_out.push((spec, reason.to_string()));
                continue;
            }
        };
        let found = match searches.run_strategy(&spec, strategy.as_ref(), &problem) {
            Ok(found) => found,
            Err(reason) => {
                let reason = format!("{} is not applicable: {reason}", arguments.strategy);
                left_out.push((spec, reason));
                continue;
            }
        };
        let mut rest = searches.rest_of_limit(found.started);
        let simulate =
            || simulated(&replayed.trace, problem.machine(), &found.mapping, &model, &rest);
        match searches.interrupt.during(simulate) {
            Ok(Outcome::Finished(report)) => shapes.push(Shape {
                machine: spec,
                nodes: problem.machine().num_nodes(),
                report: *report,
                average_dilation: score_within(&problem, &found.mapping, &mut rest)
                    .average_dilation(),
                complete: !found.run.was_cut_short(),
            }),
            // What did not end cannot be compared with what did.
            Ok(Outcome::Stopped(stopped)) => {
                let reason = format!("the simulation was {}", stopped_in_words(&stopped));
                left_out.push((spec, reason));
            }
            Err(reason @ SimulationError::Inconsistent(_)) => {
                return Err(reason.into());
            }
            Err(reason) => left_out.push((spec, reason.to_string())),
        }
    }
    if shapes.is_empty() {
        let reasons: Vec<String> =
            left_out.iter().map(|(shape, reason)| format!("{shape}: {reason}")).collect();
        anyhow::bail!("no shape both fits and can be simulated: {}", reasons.join("; "));
    }
    // Stable: of equal ones the first in the list stays first.
    shapes.sort_by(|a, b| a.report.seconds.total_cmp(&b.report.seconds));
    let advice = advice(&shapes);
    if arguments.json {
        let rows: Vec<_> = shapes
            .iter()
            .map(|shape| {
                json!({
                    "machine": shape.machine,
                    "nodes": shape.nodes,
                    "seconds": shape.report.seconds,
                    "slower_than_best": slower(&shapes[0], shape),
                    "average_dilation": shape.average_dilation,
                    "waiting_share": shape.report.waiting_share(),
                    "max_link_utilisation": shape.report.max_utilisation(),
                    "joules": shape.report.joules(),
                    "complete": shape.complete,
                })
            })
            .collect();
        let left_out: Vec<_> = left_out
            .iter()
            .map(|(machine, reason)| json!({"machine": machine, "not_applicable": reason}))
            .collect();
        print_json(&json!({
            "traffic": replayed.name,
            "replay": replayed.replay,
            "collectives": replayed.collectives,
            "collectives_bytes_share": replayed.collective_share.map(|share| share.bytes),
            "collectives_messages_share": replayed.collective_share.map(|share| share.messages),
            "strategy": arguments.strategy,
            "model": arguments.model,
            "seed": searches.seed(),
            "best": shapes[0].machine,
            "advice": advice,
            "shapes": rows,
            "left_out": left_out,
        }));
        return Ok(());
    }
    if shapes.iter().any(|shape| !shape.complete) {
        warn("a limit cut searches short: shapes may do better than shown");
    }
    let rows: Vec<Vec<String>> = shapes
        .iter()
        .map(|shape| {
            vec![
                shortened(&shape.machine),
                grouped(shape.nodes as f64),
                duration(shape.report.seconds),
                percent(slower(&shapes[0], shape)),
                format!("{:.2}", shape.average_dilation),
                percent(shape.report.waiting_share()),
                percent(shape.report.max_utilisation()),
            ]
        })
        .collect();
    let header = ["shape", "nodes", "time", "slower", "dilation", "waiting", "busiest link"];
    let mut text = format!(
        "{} ({}), placed by {}, {} model, seed {}\n{}\n\n",
        replayed.name,
        plural(traffic.num_ranks(), "rank"),
        arguments.strategy,
        arguments.model,
        searches.seed(),
        replay_in_words(&replayed.replay, replayed.collective_share.as_ref()),
    );
    text.push_str(&numbers_table(&header, &rows));
    text.push('\n');
    for (shape, reason) in &left_out {
        text.push_str(&format!(" {}\n", wrapped(&format!("{shape}: {reason}"), "   ")));
    }
    text.push_str(&format!("{advice}\n"));
    print(&text);
    Ok(())
}

/// A name that leaves room for the numbers in 100 columns; advice has the whole one.
fn shortened(machine: &str) -> String {
    const LONGEST: usize = 36;
    if machine.chars().count() <= LONGEST {
        return machine.to_string();
    }
    let start: String = machine.chars().take(LONGEST - 1).collect();
    format!("{start}…")
}

/// By how much one takes longer than the best.
fn slower(best: &Shape, shape: &Shape) -> f64 {
    if best.report.seconds > 0.0 { shape.report.seconds / best.report.seconds - 1.0 } else { 0.0 }
}

/// What to ask for, and by how much it is better.
fn advice(shapes: &[Shape]) -> String {
    let best = &shapes[0];
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
