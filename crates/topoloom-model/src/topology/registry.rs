//! The list of all topologies.

use super::entry::TopologyBuilder;
use super::{cluster, dragonfly, fat_tree, graph, grid, haec, hypercube, platform, tree};
use crate::registry::{Parameter, Registry};

/// Every known topology.
pub static TOPOLOGIES: Registry<TopologyBuilder> = Registry {
    kind: "topology",
    entries: &[
        &grid::MESH,
        &grid::TORUS,
        &hypercube::ENTRY,
        &haec::ENTRY,
        &tree::ENTRY,
        &fat_tree::ENTRY,
        &dragonfly::ENTRY,
        &graph::ENTRY,
        &cluster::ENTRY,
        &platform::ENTRY,
    ],
    common: &[Parameter { name: "slots", default: "1", summary: "ranks that each node can run" }],
};
