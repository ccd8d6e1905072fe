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
mod model;
mod network;
mod open_loop;
mod packet;
mod processes;
mod queue;
mod report;
mod routes;
mod source;
mod timeline;

pub use error::{SimulationError, Stuck};
pub use flow::{FlowOptions, Sharing};
pub use model::{MODELS, Model, Protocol};
pub use open_loop::{LoadPoint, OpenLoop};
pub use packet::{Arbitration, PacketOptions};
pub use report::{KindOfLink, LinkUse, Report};
pub use timeline::Timeline;

use topoloom_model::{Machine, Mapping, Trace};

/// Replays `trace` on `machine`, with ranks where `mapping` puts them. Collectives of the trace
/// must have been expanded.
pub fn simulate(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
    model: &Model,
) -> Result<Report, SimulationError> {
    error::check(trace, machine, mapping)?;
    let network = network::Network::new(machine)?;
    let nodes = mapping.nodes();
    match model {
        Model::Packet(options) => packet::simulate(trace, machine, &network, &nodes, options),
        Model::Flow(options) => flow::simulate(trace, machine, &network, &nodes, options),
    }
}
