//! Simulated runs of the default placement and of the chosen one.

use std::str::FromStr;

use anyhow::{Context, bail};
use topoloom::core::{Replay, Trace};
use topoloom::show::report::{Placed, SimulatedRun, Simulation};
use topoloom::sim::{Model, Report};

use super::super::simulate::simulated;
use super::Told;
use crate::inputs::trace_in_order;
use crate::output::numbers::grouped;

/// Messages of a replay up to which it runs unasked.
const MOST_MESSAGES: usize = 200_000;

/// What is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    /// All that is sent, at once or in rounds.
    Totals(Replay),
    /// The events of the ranks, in their order.
    Events,
}

impl FromStr for Replayed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "events" => Ok(Replayed::Events),
            other => other
                .parse()
                .map(Replayed::Totals)
                .map_err(|error| error.replacen("expected burst", "expected events, burst", 1)),
        }
    }
}

/// Whether and how to simulate.
#[derive(Debug)]
pub struct ReplayOptions {
    /// The model and its name; none if nobody wants a simulation.
    model: Option<(String, Model)>,
    /// Whether it was asked for.
    asked: bool,
    replayed: Replayed,
}

impl ReplayOptions {
    /// Where nothing is said.
    pub fn usual() -> ReplayOptions {
        ReplayOptions::new(None, None).expect("the usual model is one of the models")
    }

    pub fn new(model: Option<&str>, replayed: Option<Replayed>) -> anyhow::Result<ReplayOptions> {
        const USUAL: &str = "flow";
        let parsed = match model {
            Some("none") if replayed.is_some() => bail!("--replay needs a model, not none"),
            Some("none") => None,
            name => {
                let name = name.unwrap_or(USUAL);
                Some((name.to_string(), Model::parse(name)?))
            }
        };
        let asked = model.is_some() || replayed.is_some();
        let replayed = replayed.unwrap_or(Replayed::Totals(Replay::Burst));
        Ok(ReplayOptions { model: parsed, asked, replayed })
    }
}

/// The simulation, or why there is none.
pub fn simulate(
    told: &Told<'_>,
    [default, chosen]: [&Placed; 2],
    same: bool,
) -> anyhow::Result<(Option<Simulation>, Option<String>)> {
    let options = told.replay;
    let Some((name, model)) = &options.model else { return Ok((None, None)) };
    let machine = told.problem.machine();
    if !machine.topology().is_wired() {
        if options.asked {
            bail!("{} has no links, so that nothing can be simulated on it", machine.spec());
        }
        return Ok((None, None));
    }
    if !options.asked && told.problem.traffic().num_flows() > MOST_MESSAGES {
        let words = format!(
            "There are more than {} pairs that send, so that no run was simulated unasked: --model flow does it.",
            grouped(MOST_MESSAGES as f64)
        );
        return Ok((None, Some(words)));
    }
    let trace = match options.replayed {
        Replayed::Totals(replay) => Trace::of_traffic(told.problem.traffic(), replay),
        Replayed::Events => {
            let name = &told.arguments.traffic;
            trace_in_order(name)?
                .with_context(|| format!("{name}: the order of events is not known"))?
                .expanded(told.arguments.collectives)?
        }
    };
    let run = |placed: &Placed| -> anyhow::Result<SimulatedRun> {
        Ok(simulated_run(&simulated(&trace, machine, &placed.mapping, model)?))
    };
    let default = if same { None } else { Some(run(default)?) };
    let simulation = Simulation { how: how(options.replayed, name), default, chosen: run(chosen)? };
    Ok((Some(simulation), None))
}

fn how(replayed: Replayed, model: &str) -> String {
    let what = match replayed {
        Replayed::Totals(Replay::Burst) => "Every rank sends all it has at once".to_string(),
        Replayed::Totals(Replay::Rounds(rounds)) => {
            format!("Every rank sends what it has in {} rounds", grouped(f64::from(rounds)))
        }
        Replayed::Events => "Ranks do what they do in the order of their events".to_string(),
    };
    format!("{what}, through a simulated network (model {model}).")
}

fn simulated_run(report: &Report) -> SimulatedRun {
    let over_time = report.utilisation_over_time();
    SimulatedRun {
        seconds: report.seconds,
        joules: report.joules(),
        waiting_share: report.waiting_share(),
        waiting_seconds: report.waiting_seconds.clone(),
        bin_seconds: report.bin_seconds(),
        mean_utilisation: over_time.iter().map(|bin| bin.0).collect(),
        most_utilisation: over_time.iter().map(|bin| bin.1).collect(),
    }
}
