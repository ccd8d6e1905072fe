//! Simulated runs of the default placement and of the chosen one.

use std::str::FromStr;
use std::time::Instant;

use anyhow::{Context, bail};
use topoloom::core::{Mapping, Problem, Replay, Trace, Vertex};
use topoloom::show::report::{Placed, SimulatedRun, Simulation};
use topoloom::sim::{Model, Outcome, Report, SimulationError, Stopped};

use super::super::simulate::{simulated, stopped_in_words};
use super::Told;
use crate::cli::ProblemArguments;
use crate::inputs::trace_in_order;
use crate::output::numbers::{grouped, plural};
use crate::output::warn;

/// Links that the messages of a replay cross, all together, up to which it runs unasked.
const MOST_CROSSINGS: u64 = 500_000;

/// The model where none is named.
const USUAL: &str = "flow";

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
                .map_err(|error| error.to_string().replacen("burst", "events, burst", 1)),
        }
    }
}

/// Whether and how to simulate.
#[derive(Debug)]
pub struct ReplayPlan {
    /// The model and its name; none if nobody wants a simulation, or it is not possible.
    model: Option<(String, Model)>,
    /// Whether it was asked for.
    asked: bool,
    replayed: Replayed,
    /// The events, where these are replayed.
    events: Option<Trace>,
}

impl ReplayPlan {
    /// The options of `topoloom simulate` that replay the same; none if nothing is replayed.
    pub fn options(&self) -> Option<Vec<String>> {
        let (name, _) = self.model.as_ref()?;
        let mut words = vec!["--model".to_string(), name.clone()];
        if let Replayed::Totals(replay) = self.replayed {
            words.extend(["--replay".to_string(), replay.to_string()]);
        }
        Some(words)
    }

    /// What the options ask for; what cannot be is refused.
    pub fn new(
        (model, replayed): (Option<&str>, Option<Replayed>),
        arguments: &ProblemArguments,
        problem: &Problem,
    ) -> anyhow::Result<ReplayPlan> {
        let asked = model.is_some() || replayed.is_some();
        let machine = problem.machine();
        let parsed = match model {
            Some("none") if replayed.is_some() => bail!("--replay needs a model, not none"),
            Some("none") => None,
            name => {
                let name = name.unwrap_or(USUAL);
                let model = Model::parse(name)?;
                match machine.topology().is_wired() {
                    true => Some((name.to_string(), model)),
                    false if asked => {
                        bail!("{} has no links, so nothing can be simulated on it", machine.spec())
                    }
                    false => None,
                }
            }
        };
        let replayed = replayed.unwrap_or(Replayed::Totals(Replay::Burst));
        let name = &arguments.traffic;
        let events = match replayed {
            Replayed::Events => {
                let trace = trace_in_order(name)?;
                let trace =
                    trace.with_context(|| format!("{name}: the order of events is not known"))?;
                Some(trace.expanded(arguments.counting.collectives.mode)?)
            }
            Replayed::Totals(_) => None,
        };
        Ok(ReplayPlan { model: parsed, asked, replayed, events })
    }

    /// What is done where nothing is said.
    pub fn usual(arguments: &ProblemArguments, problem: &Problem) -> anyhow::Result<ReplayPlan> {
        ReplayPlan::new((None, None), arguments, problem)
    }
}

/// The simulation, or why there is none.
pub fn simulate(
    told: &Told<'_>,
    [default, chosen]: [&Placed; 2],
    same: bool,
) -> anyhow::Result<(Option<Simulation>, Option<String>)> {
    let plan = told.replay;
    let Some((name, model)) = &plan.model else { return Ok((None, None)) };
    if !plan.asked && crossings(told.problem, &default.mapping) > MOST_CROSSINGS {
        let words = format!(
            "Messages cross more than {} links, so no run was simulated by default: topoloom \
             report --model {USUAL} simulates one.",
            grouped(MOST_CROSSINGS as f64)
        );
        return Ok((None, Some(words)));
    }
    let interrupt = &told.searches.interrupt;
    if !plan.asked && interrupt.happened() {
        return Ok((None, Some("Interrupted: no run was simulated.".to_string())));
    }
    let totals;
    let trace = match (&plan.events, plan.replayed) {
        (Some(events), _) => events,
        (None, Replayed::Totals(replay)) => {
            totals = Trace::of_traffic(told.problem.traffic(), replay);
            &totals
        }
        (None, Replayed::Events) => bail!("the order of events is not known"),
    };
    let machine = told.problem.machine();
    // Ctrl-C and the time limit do not lose what was found: the page is written without the run.
    let rest = told.searches.rest_of_limit(Instant::now());
    let run = |placed: &Placed| -> Result<SimulatedRun, NoRun> {
        let simulate = || simulated(trace, machine, &placed.mapping, model, &rest);
        match interrupt.during(simulate)? {
            Outcome::Finished(report) => Ok(simulated_run(&report)),
            Outcome::Stopped(stopped) => Err(NoRun::Stopped(stopped)),
        }
    };
    let runs = || {
        let default = if same { None } else { Some(run(default)?) };
        let how = how(plan.replayed, name);
        let time_name = time_name(plan.replayed);
        Ok(Simulation { how, time_name, default, chosen: run(chosen)? })
    };
    let simulation: Result<Simulation, NoRun> = runs();
    match simulation {
        Ok(simulation) => Ok((Some(simulation), None)),
        // Half of a comparison is none.
        Err(NoRun::Stopped(stopped)) => {
            let words = format!(
                "The simulation was {}; no simulated time is shown.",
                stopped_in_words(&stopped)
            );
            warn(&words);
            Ok((None, Some(words)))
        }
        // Nobody asked for it: the rest of the report stands.
        Err(NoRun::Impossible(reason)) if !plan.asked => {
            Ok((None, Some(format!("No run could be simulated: {reason}."))))
        }
        Err(NoRun::Impossible(reason)) => Err(reason.into()),
    }
}

/// Why there is no simulated run.
enum NoRun {
    Stopped(Stopped),
    Impossible(SimulationError),
}

impl From<SimulationError> for NoRun {
    fn from(error: SimulationError) -> Self {
        NoRun::Impossible(error)
    }
}

/// The links that messages cross, one message a pair that sends.
fn crossings(problem: &Problem, mapping: &Mapping) -> u64 {
    let (nodes, topology) = (mapping.nodes(), problem.machine().topology());
    let mut crossings = 0;
    for flow in problem.traffic().flows() {
        // Enough is known.
        if crossings > MOST_CROSSINGS {
            break;
        }
        let [from, to] = [flow.from, flow.to].map(|rank| Vertex(nodes[rank.index()]));
        crossings += u64::from(topology.distance(from, to));
    }
    crossings
}

fn time_name(replayed: Replayed) -> &'static str {
    match replayed {
        Replayed::Totals(Replay::Burst) => "time, all sent at once",
        Replayed::Totals(Replay::Rounds(_)) => "time, sent in rounds",
        Replayed::Events => "time, events in order",
    }
}

fn how(replayed: Replayed, model: &str) -> String {
    let what = match replayed {
        Replayed::Totals(Replay::Burst) => "Every rank sends everything at once".to_string(),
        Replayed::Totals(Replay::Rounds(rounds)) => {
            format!("Every rank sends its messages in {}", plural(rounds as usize, "round"))
        }
        Replayed::Events => "Ranks replay their events in order".to_string(),
    };
    format!("{what}, over a simulated network (model {model}).")
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
