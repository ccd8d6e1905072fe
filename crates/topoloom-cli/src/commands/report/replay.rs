//! Simulated runs of the default placement and of the chosen one.

use std::time::Instant;

use anyhow::bail;
use topoloom::core::{Mapping, Problem, Replay, Trace, Vertex};
use topoloom::show::report::{Placed, SimulatedRun, Simulation};
use topoloom::sim::{Outcome, Report, SimulationError, Stopped};

use super::replay_plan::{Replayed, USUAL};
use super::told::Told;
use crate::output::numbers::{grouped, plural};
use crate::output::warn;
use crate::simulation::{simulated, stopped_in_words};

/// The simulation runs without being requested if all messages together cross at most this many
/// links.
const MOST_CROSSINGS: u64 = 500_000;

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
    // Ctrl-C and the time limit do not lose the result: the page is written without the run.
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
        // Half of a comparison is useless.
        Err(NoRun::Stopped(stopped)) => {
            let words = format!(
                "The simulation was {}; no simulated time is shown.",
                stopped_in_words(&stopped)
            );
            warn(&words);
            Ok((None, Some(words)))
        }
        // Nobody requested it: the rest of the report is still valid.
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

/// The links that messages cross, with one message per pair that sends.
fn crossings(problem: &Problem, mapping: &Mapping) -> u64 {
    let (nodes, topology) = (mapping.nodes(), problem.machine().topology());
    let mut crossings = 0;
    for flow in problem.traffic().flows() {
        // The count is large enough to decide.
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
