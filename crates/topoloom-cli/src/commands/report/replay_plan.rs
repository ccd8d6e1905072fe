//! Whether and how a report simulates runs.

use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use topoloom::core::{Problem, Replay, Trace};
use topoloom::sim::Model;

use crate::arguments::ProblemArguments;
use crate::inputs::trace_in_order;

/// The default model.
pub const USUAL: &str = "flow";

/// What is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    /// All messages, at once or in rounds.
    Totals(Replay),
    /// The events of the ranks, in order.
    Events,
}

impl FromStr for Replayed {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        match text {
            "events" => Ok(Replayed::Events),
            other => other
                .parse::<Replay>()
                .map(Replayed::Totals)
                .map_err(|error| anyhow!(error.to_string().replacen("burst", "events, burst", 1))),
        }
    }
}

/// Whether and how to simulate.
#[derive(Debug)]
pub struct ReplayPlan {
    /// The model and its name; `None` if no simulation is wanted or possible.
    pub model: Option<(String, Model)>,
    /// Whether it was requested.
    pub asked: bool,
    pub replayed: Replayed,
    /// The events, if they are replayed.
    pub events: Option<Trace>,
}

impl ReplayPlan {
    /// The options of `topoloom simulate` that repeat the replay; `None` if nothing is replayed.
    pub fn options(&self) -> Option<Vec<String>> {
        let (name, _) = self.model.as_ref()?;
        let mut words = vec!["--model".to_string(), name.clone()];
        if let Replayed::Totals(replay) = self.replayed {
            words.extend(["--replay".to_string(), replay.to_string()]);
        }
        Some(words)
    }

    /// The plan that the options ask for; impossible plans are refused.
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

    /// The default plan.
    pub fn usual(arguments: &ProblemArguments, problem: &Problem) -> anyhow::Result<ReplayPlan> {
        ReplayPlan::new((None, None), arguments, problem)
    }
}
