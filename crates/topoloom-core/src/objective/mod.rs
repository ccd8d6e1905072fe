//! What a placement costs: the definition from scratch, and a tracker that follows exchanges.

mod balanced_hop_bytes;
mod by_definition;
mod cardinality;
mod cost_matrix;
mod cost_tracker;
mod definition;
mod distance;
mod energy;
mod entry;
mod hop_bytes;
mod link_load_mean;
mod link_loads;
mod max_dilation;
mod max_link_load;
pub(crate) mod pair_sum;
mod registry;
mod traffic_distribution;
mod unsuitable_machine;

pub use balanced_hop_bytes::BalancedHopBytes;
pub use by_definition::track_by_definition;
pub use cardinality::Cardinality;
pub use cost_matrix::{CostMatrix, InvalidCosts};
pub use cost_tracker::{BestSwap, CostTracker, best_swap_by_trying_all};
pub use definition::{NodeCosts, Objective};
pub use distance::Distance;
pub use energy::Energy;
pub use entry::{ObjectiveBuilder, ObjectiveEntry};
pub use hop_bytes::HopBytes;
pub use link_load_mean::LinkLoadMean;
pub use max_dilation::MaxDilation;
pub(crate) use max_link_load::LinkTracker;
pub use max_link_load::MaxLinkLoad;
pub use registry::{OBJECTIVES, parse_objective};
pub use traffic_distribution::TrafficDistribution;
pub use unsuitable_machine::UnsuitableMachine;
pub(crate) use unsuitable_machine::check_links;
