//! Packets by virtual cut-through: a packet goes on as soon as its head has arrived and the next
//! buffer has room for the whole packet.

mod fabric;
mod options;
mod paths;
mod requests;
mod run;

use topoloom_model::registry::Parameter;
use topoloom_model::{Machine, Trace};

use crate::error::SimulationError;
use crate::model::{Model, ModelEntry};
use crate::network::Network;
use crate::outcome::Outcome;
use crate::processes::{Processes, Rules};
use crate::report::Stopped;
use crate::watch::Watch;

pub use options::{Arbitration, Consumption, PacketOptions};
pub(crate) use run::run;

/// The registry's entry.
pub(crate) static ENTRY: ModelEntry = ModelEntry {
    name: "packet",
    summary: "simulates every packet in every buffer: virtual cut-through with credits",
    example: "packet:buffers=8",
    parameters: &[
        Parameter { name: "packet", default: "512", summary: "bytes of a full packet" },
        Parameter {
            name: "flit",
            default: "16",
            summary: "bytes that the fastest link carries per cycle",
        },
        Parameter {
            name: "buffers",
            default: "what the longest link needs, at least 4",
            summary: "packets that each channel can hold at the end of a link",
        },
        Parameter {
            name: "channels",
            default: "2",
            summary: "channels per link, for each class that avoids deadlock",
        },
        Parameter {
            name: "router",
            default: "1",
            summary: "cycles that the head of a packet takes through a router",
        },
        Parameter {
            name: "arbitration",
            default: "round-robin",
            summary: "round-robin over all ports, or transit-first: injection only if no other \
                      port asks",
        },
        Parameter { name: "injection", default: "1", summary: "packets that a node sends at once" },
        Parameter {
            name: "consumption",
            default: "as injection",
            summary: "packets that a node receives at once: a number, or multiple (one per channel)",
        },
        Parameter {
            name: "seed",
            default: "1",
            summary: "random seed of the route that ecmp gives a packet",
        },
    ],
    build: |spec| Ok(Model::Packet(PacketOptions::from_spec(spec)?)),
};

/// Replays a trace without collectives.
pub(crate) fn simulate(
    trace: &Trace,
    machine: &Machine,
    network: &Network,
    node_of: &[u32],
    options: &PacketOptions,
    (most_messages, watch): (usize, &Watch<'_>),
) -> Result<Outcome, SimulationError> {
    let seconds_per_cycle = options.seconds_per_cycle(network);
    let rules = Rules {
        most_messages,
        eager_bytes: options.protocol.eager_bytes,
        queues: options.protocol.queues,
        ticks_per_nanosecond: 1e-9 / seconds_per_cycle,
    };
    let mut processes = Processes::new(trace, node_of, rules, watch);
    let (account, now) = run(&mut processes, machine, network, options, watch)?;
    if watch.is_over() {
        let seconds = now as f64 * seconds_per_cycle;
        return Ok(Outcome::Stopped(Stopped::new(seconds, &account, trace, processes.finished())));
    }
    let unreceived = processes.check_finished().map_err(SimulationError::Inconsistent)?;
    let times = processes.waited_and_finished();
    let report = account.report(network, seconds_per_cycle, times, unreceived);
    Ok(Outcome::Finished(Box::new(report)))
}
