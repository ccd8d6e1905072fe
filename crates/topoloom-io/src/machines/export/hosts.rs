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
    /// The nodes on it, at least one.
    pub nodes: Vec<Vertex>,
    /// How many ranks it can run.
    pub slots: u32,
}

impl ExportedHost {
    /// The node that routes to and from the host are taken of.
    pub fn first(&self) -> Vertex {
        self.nodes[0]
    }

    /// The last node on it: the first one if the host is one node.
    pub fn last(&self) -> Vertex {
        self.nodes[self.nodes.len() - 1]
    }
}

/// The hosts of a machine: those of a cluster, in their order, or the nodes.
pub(super) fn hosts_of(machine: &Machine) -> Result<Vec<ExportedHost>, ExportError> {
    let slots = machine.slots_per_node();
    let host = |(name, nodes): (String, Vec<Vertex>)| {
        let slots = slots * nodes.len() as u32;
        ExportedHost { name, nodes, slots }
    };
    let Some(cluster) = machine.topology().cluster() else {
        let nodes = (0..machine.num_nodes()).map(|n| (numbered_host(n), vec![Vertex(n as u32)]));
        return Ok(nodes.map(host).collect());
    };
    let mut seen = HashSet::new();
    let hosts: Vec<ExportedHost> = on_cluster(cluster).map(host).collect();
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
fn on_cluster(cluster: &Cluster) -> impl Iterator<Item = (String, Vec<Vertex>)> {
    let names = &cluster.description().hosts;
    let mut nodes: Vec<Vec<Vertex>> = vec![Vec::new(); names.len()];
    for (node, place) in (0u32..).zip(cluster.places()) {
        nodes[place.host as usize].push(Vertex(node));
    }
    let named = names.iter().map(|host| host.name.clone()).zip(nodes);
    named.filter(|(_, nodes)| !nodes.is_empty())
}
