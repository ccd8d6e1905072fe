//! The hosts of a machine, for programs that know nothing of the places inside them.

use std::collections::HashSet;

use topoloom_core::topology::Cluster;
use topoloom_core::{Machine, Vertex};

use super::error::ExportError;

/// The name of a node of a machine whose nodes have none.
pub fn numbered_host(node: usize) -> String {
    format!("n{node}")
}

/// A host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExportedHost {
    pub name: String,
    /// The node that routes to and from the host are taken of.
    pub first: Vertex,
    /// The last node on it. The same as the first one if the host is one node.
    pub last: Vertex,
    /// How many ranks it can run.
    pub slots: u32,
}

/// The hosts of a machine: those of a cluster, in their order, or the nodes.
pub(super) fn hosts_of(machine: &Machine) -> Result<Vec<ExportedHost>, ExportError> {
    let slots = machine.slots_per_node();
    let host = |name, node| ExportedHost { name, first: Vertex(node), last: Vertex(node), slots };
    let Some(cluster) = machine.topology().cluster() else {
        return Ok((0..machine.num_nodes()).map(|n| host(numbered_host(n), n as u32)).collect());
    };
    let hosts = on_cluster(cluster, host);
    let mut seen = HashSet::new();
    for host in &hosts {
        if host.name.chars().any(char::is_control) {
            return Err(ExportError::Name(host.name.clone()));
        }
        if !seen.insert(&host.name) {
            return Err(ExportError::SameName(host.name.clone()));
        }
    }
    Ok(hosts)
}

/// Hosts without a place have no ranks, and are left out.
fn on_cluster(cluster: &Cluster, new: impl Fn(String, u32) -> ExportedHost) -> Vec<ExportedHost> {
    let names = &cluster.description().hosts;
    let mut hosts: Vec<Option<ExportedHost>> = vec![None; names.len()];
    for (node, place) in (0u32..).zip(cluster.places()) {
        let number = place.host as usize;
        let one = new(names[number].name.clone(), node);
        match &mut hosts[number] {
            Some(host) => (host.last, host.slots) = (one.last, host.slots + one.slots),
            unknown => *unknown = Some(one),
        }
    }
    hosts.into_iter().flatten().collect()
}
