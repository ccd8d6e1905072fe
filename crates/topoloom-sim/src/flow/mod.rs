//! Messages as flows that share links fairly: first the latency of every hop, then the bytes at
//! the rate that the sharing leaves.

mod engine;
mod shares;

use std::fmt;
use std::str::FromStr;

use topoloom_model::registry::Parameter;
use topoloom_model::spec::{Spec, SpecError};
use topoloom_model::{Machine, Trace};

use crate::Outcome;
use crate::error::SimulationError;
use crate::model::{Model, ModelEntry, Protocol, positive};
use crate::network::Network;
use crate::processes::{Processes, Rules};
use crate::report::Stopped;
use crate::watch::Watch;

/// The registry's entry.
pub(crate) static ENTRY: ModelEntry = ModelEntry {
    name: "flow",
    summary: "messages share links by max-min fairness, after the latency of every hop",
    example: "flow",
    parameters: &[
        Parameter {
            name: "sharing",
            default: "equal",
            summary: "equal, or latency: the shorter a route, the larger its share",
        },
        Parameter {
            name: "injection",
            default: "unlimited",
            summary: "bandwidth at which a node sends or receives, in multiples of the fastest link",
        },
    ],
    build: |spec| Ok(Model::Flow(FlowOptions::from_spec(spec)?)),
};

/// How flows that meet on a link share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// All alike.
    #[default]
    Equal,
    /// In inverse proportion to the latency of their routes, as flows of TCP do and SimGrid has it.
    Latency,
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sharing::Equal => "equal",
            Sharing::Latency => "latency",
        })
    }
}

impl FromStr for Sharing {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "equal" => Ok(Sharing::Equal),
            "latency" => Ok(Sharing::Latency),
            _ => Err(()),
        }
    }
}

/// The options of the flow model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FlowOptions {
    /// How flows that meet on a link share it.
    pub sharing: Sharing,
    /// What a node sends or receives at once, in bandwidths of the fastest link; `None` for all
    /// that its links take.
    pub injection: Option<f64>,
    /// How messages are handed over.
    pub protocol: Protocol,
}

impl FlowOptions {
    fn from_spec(spec: &Spec) -> Result<FlowOptions, SpecError> {
        Ok(FlowOptions {
            sharing: spec.get("sharing", "equal or latency")?.unwrap_or_default(),
            injection: positive(spec, "injection")?,
            protocol: Protocol::from_spec(spec)?,
        })
    }
}

/// Time is counted in picoseconds.
const TICKS_PER_SECOND: f64 = 1e12;

/// Replays a trace without collectives.
pub(crate) fn simulate(
    trace: &Trace,
    machine: &Machine,
    network: &Network,
    node_of: &[u32],
    options: &FlowOptions,
    (most_messages, watch): (usize, &Watch<'_>),
) -> Result<Outcome, SimulationError> {
    let rules = Rules {
        most_messages,
        eager_bytes: options.protocol.eager_bytes,
        queues: options.protocol.queues,
        ticks_per_nanosecond: TICKS_PER_SECOND / 1e9,
    };
    let mut processes = Processes::new(trace, node_of, rules, watch);
    let (account, now) = engine::run(&mut processes, machine, network, options, watch)?;
    if watch.is_over() {
        let seconds = now as f64 / TICKS_PER_SECOND;
        return Ok(Outcome::Stopped(Stopped::new(seconds, &account, trace, processes.finished())));
    }
    let unreceived = processes.check_finished().map_err(SimulationError::Inconsistent)?;
    let times = processes.waited_and_finished();
    let report = account.report(network, 1.0 / TICKS_PER_SECOND, times, unreceived);
    Ok(Outcome::Finished(Box::new(report)))
}
