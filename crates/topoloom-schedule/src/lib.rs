//! A stream of jobs on a machine: which jobs wait, which nodes they get, and how long they then
//! take.
//!
//! A job asks for nodes and a time. A queue policy ([`queue`]) says which job starts next, a
//! partition policy ([`partition`]) says which nodes it gets, and [`RunTimes`] estimates how long it
//! takes on them, from its traffic and the strategy that places its ranks.
//!
//! ```
//! use topoloom_schedule::{Job, Simulation, Stop, queue::parse_queue, partition::Divider};
//! use topoloom_core::Machine;
//!
//! // Two jobs of 3 nodes on 4 nodes: the second one waits for the first.
//! let job = |number| Job { number, submit: 0, ranks: 3, run_time: 10_000, estimate: 10_000 };
//! let machine = Machine::parse("mesh:4").unwrap();
//! let divider = Divider::parse("any-nodes", &machine).unwrap();
//! let queue = parse_queue("first-come").unwrap();
//! let simulation = Simulation::without_traffic(&machine, vec![job(1), job(2)]);
//! let schedule = simulation.run(&queue, &divider, &Stop::never()).unwrap().unwrap();
//! assert_eq!(schedule.jobs[1].start, 10_000);
//! ```

mod box_search;
mod confidence;
mod error;
mod job;
mod measures;
mod node_set;
mod part;
pub mod partition;
pub mod queue;
mod room;
mod run_times;
mod shape;
mod simulation;
mod stop;
mod traffic_mix;
pub mod workload;

pub use confidence::Interval;
pub use error::ScheduleError;
pub use job::{Job, TICKS_PER_SECOND, Ticks, scale_to_load};
pub use measures::{Measures, NodeTicks};
pub use node_set::NodeSet;
pub use part::Part;
pub use partition::PARTITIONS;
pub use queue::QUEUES;
pub use run_times::{RunTimes, TrafficRules};
pub use shape::{Shape, ShapeRule, UnknownShape, boxes_for};
pub use simulation::{Schedule, ScheduledJob, Simulation};
pub use stop::Stop;
pub use traffic_mix::{Template, TrafficMix};
pub use workload::WORKLOADS;
