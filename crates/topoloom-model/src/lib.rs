//! The model that Topoloom works with: what an application sends, what a machine looks like and how
//! it routes, and which rank runs where. Nothing here searches for a placement.
//!
//! ```
//! use topoloom_model::{Machine, Mapping, Rank, Vertex, parse_pattern};
//!
//! let traffic = parse_pattern("stencil:8x8").unwrap();
//! let machine = Machine::parse("torus:4x4x4,slots=2").unwrap();
//! let mapping = Mapping::new((0..64).collect(), &machine).unwrap();
//! assert_eq!(mapping.num_ranks(), traffic.num_ranks());
//! assert_eq!(mapping.node_of(Rank(5)), Vertex(2));
//! ```

pub mod budget;
pub mod cluster;
pub mod ids;
pub mod list;
pub mod machine;
pub mod mapping;
pub mod random;
pub mod registry;
pub mod routing;
#[doc(hidden)]
pub mod side_by_side;
pub mod spec;
#[doc(hidden)]
pub mod tally;
pub mod topology;
pub mod trace;
pub mod traffic;
pub mod training;
pub mod words;

pub use ids::{LinkId, Rank, Slot, Vertex};
pub use list::{CommonMemory, List};
pub use machine::Machine;
pub use mapping::{InvalidMapping, Mapping, Placement};
pub use registry::{Entry, Parameter, Registry};
pub use routing::{ROUTINGS, Routing};
pub use spec::{Spec, SpecError};
pub use topology::{TOPOLOGIES, Topology};
pub use trace::{Event, InvalidTrace, Replay, Trace};
pub use traffic::patterns::{PATTERNS, parse_pattern, parse_trace};
pub use traffic::{
    COLLECTIVE_MODES, CollectiveMode, CommunicationGraph, Flow, Traffic, TrafficBuilder, Weight,
};
