//! How fast an application would run: its events, replayed through a simulated network.
//!
//! There are two models: [`packet`](Model::Packet) sends every packet over every link, buffer by
//! buffer; [`flow`](Model::Flow) shares links fairly between messages. Both keep the order of
//! events: a rank goes on when what it waits for has arrived.
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
mod outcome;
mod packet;
mod processes;
mod protocol;
mod queue;
mod registry;
mod report;
mod routes;
mod send_queues;
mod simulate;
mod source;
mod timeline;
mod watch;

pub use error::{SimulationError, Stuck};
pub use flow::{FlowOptions, Sharing};
pub use model::Model;
pub use open_loop::{LoadPoint, OpenLoop};
pub use outcome::Outcome;
pub use packet::{Arbitration, Consumption, PacketOptions};
pub use protocol::Protocol;
pub use registry::MODELS;
pub use report::{KindOfLink, LinkUse, Report, Stopped};
pub use send_queues::SendQueues;
pub use simulate::{simulate, simulate_until, simulate_watched};
pub use timeline::Timeline;
