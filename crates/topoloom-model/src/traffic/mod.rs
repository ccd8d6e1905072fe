//! What the application sends: which ranks exchange messages, how often and how much.

mod algorithms;
mod builder;
mod collective;
mod collective_mode;
mod contract;
mod edit;
mod expand;
mod flow;
mod graph;
pub mod patterns;
mod rows;
mod symmetry;
mod values;
mod variable_sizes;
mod weight;

pub use algorithms::Library;
pub use builder::TrafficBuilder;
pub use collective::{Collective, Group, Operation};
pub use collective_mode::{Algorithms, COLLECTIVE_MODES, CollectiveMode};
pub use edit::{BothWays, Filter, Filtered, MergeError, ScaleError, Scaled, Scaling};
pub use expand::TooManyFlows;
pub(crate) use expand::Transfers;
pub use flow::Flow;
pub use graph::CommunicationGraph;
pub use rows::Traffic;
pub use values::Values;
pub use variable_sizes::VariableSizes;
pub use weight::Weight;
