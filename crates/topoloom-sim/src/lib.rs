//! How fast an application would run: its events, replayed through a simulated network.
//!
//! Two models: [`packet`](Model::Packet) sends every packet over every link, buffer by buffer;
//! [`flow`](Model::Flow) shares links fairly between messages. Both keep the order of events: a
//! rank goes on when what it waits for is there.
//!
//! ```
//! use topoloom_model::{Machine, Mapping, Replay, Trace, parse_pattern};
//! use topoloom_sim::{Model, simulate};
//!
//! let traffic = parse_pattern("stencil:4x4,bytes=100000").unwrap();
//! let trace = Trace::of_traffic(&traffic, Replay::Burst);
//! let machine = Machine::parse("mesh:4x4").unwrap();
//! let mapping = Mapping::new((0..16).collect(), &machine).unwrap();
//! let flow = Model::parse("flow").unwrap();
//! let report = simulate(&trace, &machine, &mapping, &flow).unwrap();
//! // Every link carries one message: 100 ns under way, 10 us at 10 GB/s.
//! assert!((report.seconds - 10.1e-6).abs() < 1e-11);
//! ```

mod error;
mod flow;
mod footprint;
mod model;
mod network;
mod open_loop;
mod packet;
mod processes;
mod queue;
mod report;
mod routes;
mod send_queues;
mod source;
mod timeline;
mod watch;

pub use error::{SimulationError, Stuck};
pub use flow::{FlowOptions, Sharing};
pub use model::{MODELS, Model, Protocol};
pub use open_loop::{LoadPoint, OpenLoop};
pub use packet::{Arbitration, Consumption, PacketOptions};
pub use report::{KindOfLink, LinkUse, Report, Stopped};
pub use send_queues::SendQueues;
pub use timeline::Timeline;

use footprint::Budgets;
use topoloom_model::{Machine, Mapping, Trace};

/// How a simulation ended. What was stopped has no report, so that nobody takes it for a run.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// All ranks are done.
    Finished(Box<Report>),
    /// It was told to stop before that.
    Stopped(Stopped),
}

/// Replays `trace` on `machine`, with ranks where `mapping` puts them. Collectives of the trace
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

/// The same, but stops soon after `must_stop` is true. It is asked every few milliseconds; this
/// crate looks at no clock of its own.
pub fn simulate_until(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
    model: &Model,
    must_stop: &dyn Fn() -> bool,
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
