//! The list of all topologies.

use super::entry::TopologyBuilder;
use super::{
    cluster, dragonfly, fat_tree, graph, grid, haec, hypercube, platform, tree, twisted_torus,
};
use crate::registry::{Parameter, Registry};

/// Every known topology.
pub static TOPOLOGIES: Registry<TopologyBuilder> = Registry {
    kind: "topology",
    entries: &[
        &grid::MESH,
        &grid::TORUS,
        &twisted_torus::ENTRY,
        &hypercube::ENTRY,
        &haec::ENTRY,
        &tree::ENTRY,
        &fat_tree::ENTRY,
        &dragonfly::ENTRY,
        &graph::ENTRY,
        &cluster::ENTRY,
        &platform::ENTRY,
    ],
    common: &[
        Parameter { name: "slots", default: "1", summary: "ranks that each node can run" },
        Parameter {
            name: "node",
            default: "none",
            summary: "a file that says what is inside each node: hwloc XML or a machine file",
        },
        Parameter { name: "place", default: "core", summary: "with node: what a rank gets" },
        Parameter {
            name: "adapter-bandwidth",
            default: "that of a link",
            summary: "with node: bytes per second of a host's adapter, which its ranks share",
        },
        Parameter {
            name: "adapter-latency",
            default: "0",
            summary: "with node: delay between a host and the network, in seconds",
        },
    ],
};
