//! Nodes, switches, links and distances.

mod cluster;
mod distance_counts;
mod dragonfly;
mod drawing;
mod entry;
mod fat_tree;
mod graph;
mod grid;
mod groups;
mod haec;
mod hypercube;
mod interface;
mod lattice;
mod link;
pub mod metric;
mod platform;
mod registry;
mod size;
#[cfg(test)]
mod tests;
mod tree;
mod twisted_torus;

pub use cluster::{Cluster, ClusterError, ClusterMetric, Place, Wired, number_ranges};
pub use distance_counts::DistanceCounts;
pub use drawing::Drawing;
pub use entry::{TopologyBuilder, TopologyEntry};
pub use graph::{Broken, Edge, Forwarding, Graph, GraphError, Unrouted, Walked};
pub use groups::{Group, Groups};
pub use interface::Topology;
pub use lattice::Lattice;
pub use link::{Lines, Link, LinkProperties, Stretch};
pub use metric::{GeneralMetric, Metric, MetricKind};
pub use platform::{PLATFORM, platform_file};
pub use registry::TOPOLOGIES;
