//! Distances between nodes for inner loops. The metric of a topology is in the topology's own file;
//! one list collects them.

mod interface;
mod list;

pub use super::cluster::{ClusterMetric, HostedMetric};
pub use super::grid::GridMetric;
pub use super::haec::HaecMetric;
pub use super::hypercube::HypercubeMetric;
pub use super::interface::{largest_ball_by_counting, pairs_at_distance_by_counting};
pub use super::tree::TreeMetric;
pub use interface::{Metric, weighted_hops_by_distance};
pub use list::{GeneralMetric, MetricKind};
