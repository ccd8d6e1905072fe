//! A simulation from its checks to its end.

use topoloom_model::{Machine, Mapping, Trace};

use crate::error::{self, SimulationError};
use crate::footprint::{self, Budgets};
use crate::model::Model;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::{flow, network, packet, watch};

/// Replays `trace` on `machine`, with ranks where `mapping` puts them. The collectives of the trace
/// must have been expanded.
pub fn simulate(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
    model: &Model,
) -> Result<Report, SimulationError> {
    match simulate_until(trace, machine, mapping, model, &|| false)? {
        Outcome::Finished(report) => Ok(*report),
        Outcome::Stopped(_) => unreachable!("nobody stops it"),
    }
}

/// The same, but stops soon after `must_stop` is true. It is called every few milliseconds. This
/// crate does not read the clock itself.
pub fn simulate_until(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
    model: &Model,
    must_stop: &dyn Fn() -> bool,
) -> Result<Outcome, SimulationError> {
    simulate_watched(trace, machine, mapping, model, &|_| must_stop())
}

/// The same, but `must_stop` gets the number of messages that have arrived, of
/// [`Trace::num_messages`]. So it can show the progress too.
pub fn simulate_watched(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
    model: &Model,
    must_stop: &dyn Fn(u64) -> bool,
) -> Result<Outcome, SimulationError> {
    error::check(trace, machine, mapping)?;
    let nodes = mapping.nodes();
    let budgets = Budgets::of_process();
    footprint::check(trace, machine, &nodes, model, &budgets)?;
    let network = network::Network::new(machine)?;
    let watch = watch::Watch::new(must_stop);
    let most_messages = footprint::most_messages(model, &budgets);
    match model {
        Model::Packet(options) => {
            network.refuse_fat_pipes(machine)?;
            packet::simulate(trace, machine, &network, &nodes, options, (most_messages, &watch))
        }
        Model::Flow(options) => {
            flow::simulate(trace, machine, &network, &nodes, options, (most_messages, &watch))
        }
    }
}
