//! The core of Topoloom: what an application sends, what a machine looks like, what a
//! placement costs, and how to find a good one.
//!
//! Nothing here touches files, the environment, standard output or global state, and nothing
//! but [`Run`](run::Run) looks at a clock.

pub mod ids;
pub mod random;
pub mod registry;
pub mod spec;
pub mod traffic;

pub use ids::{LinkId, Rank, Slot, Vertex};
pub use registry::{Entry, Parameter, Registry};
pub use spec::{Spec, SpecError};
pub use traffic::patterns::{PATTERNS, parse_pattern};
pub use traffic::{CollectiveMode, CommunicationGraph, Flow, Traffic, TrafficBuilder, Weight};
