//! Labels of nodes in Kubernetes that say where a node is in the network.

use crate::text::tree::Tree;

/// Labels of switches, the outermost first. Each row is one way to name them; the first row of which
/// a node has a label is used.
const NAMED: &[&[&str]] = &[
    // Topograph up to 0.5.0, and before that.
    &[
        "network.topology.nvidia.com/core",
        "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/leaf",
    ],
    &[
        "network.topology.nvidia.com/datacenter",
        "network.topology.nvidia.com/spine",
        "network.topology.nvidia.com/block",
    ],
    &[
        "network.topology.kubernetes.io/datacenter",
        "network.topology.kubernetes.io/spine",
        "network.topology.kubernetes.io/block",
    ],
    // AWS
    &[
        "topology.k8s.aws/network-node-layer-1",
        "topology.k8s.aws/network-node-layer-2",
        "topology.k8s.aws/network-node-layer-3",
        "topology.k8s.aws/network-node-layer-4",
    ],
    // Google
    &["cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"],
    // Oracle
    &[
        "oci.oraclecloud.com/host.hpc_island_id",
        "oci.oraclecloud.com/host.network_block_id",
        "oci.oraclecloud.com/host.rack_id",
    ],
    // Examples of Kueue
    &["cloud.provider.com/topology-block", "cloud.provider.com/topology-rack"],
];

/// Topograph since 1.0.0: tier 0 is the switch next to the node.
const TIER: &str = "fabric.topograph.run/tier-";

/// Labels of NVLink domains. The first one that a node has is used.
const DOMAINS: &[&str] = &[
    "accelerator.topograph.run/domain",
    "network.topology.nvidia.com/accelerator",
    "nvidia.com/gpu.clique",
    "topology.k8s.aws/ultraserver-id",
];

/// The switches around a node, the outermost first.
pub fn switches(labels: &Tree) -> Vec<&str> {
    let tier = |(name, value): &'_ (String, Tree)| -> Option<u32> {
        name.strip_prefix(TIER)?.parse().ok().filter(|_| value.text().is_some())
    };
    let mut tiers: Vec<(u32, &str)> = labels
        .fields()
        .iter()
        .filter_map(|field| Some((tier(field)?, field.1.text()?)))
        .filter(|(_, name)| !name.is_empty())
        .collect();
    if !tiers.is_empty() {
        tiers.sort_unstable_by(|a, b| b.cmp(a));
        return tiers.into_iter().map(|(_, name)| name).collect();
    }
    let value = |name: &&str| labels.text_of(name).filter(|value| !value.is_empty());
    let of_row = |row: &&[&str]| -> Vec<&str> { row.iter().filter_map(value).collect() };
    // A spine alone is part of two rows. The row with more labels is meant.
    let mut best: Vec<&str> = Vec::new();
    for found in NAMED.iter().map(of_row) {
        if found.len() > best.len() {
            best = found;
        }
    }
    best
}

/// The NVLink domain of a node.
pub fn domain(labels: &Tree) -> Option<&str> {
    DOMAINS.iter().find_map(|name| labels.text_of(name).filter(|value| !value.is_empty()))
}
