//! Messages as flows that share links fairly: first the latency of every hop, then the bytes at
//! the rate that the sharing leaves.

mod engine;
mod options;
mod shares;

use topoloom_model::registry::Parameter;
use topoloom_model::{Machine, Trace};

use crate::error::SimulationError;
use crate::model::{Model, ModelEntry};
use crate::network::Network;
use crate::outcome::Outcome;
use crate::processes::{Processes, Rules};
use crate::report::Stopped;
use crate::watch::Watch;
use engine::TICKS_PER_SECOND;

pub use options::{FlowOptions, Sharing};

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
