//! A network that a specification describes, with hosts on its nodes.

use std::sync::Arc;

use super::switch_group::SwitchGroup;
use crate::ids::Vertex;
use crate::topology::{LinkProperties, Topology};

/// A torus, a fat tree, a dragonfly, ... between the hosts of a cluster.
#[derive(Debug, Clone)]
pub struct NamedNetwork {
    /// What describes it, such as `torus:4x4x4`. Networks with the same specification are equal.
    pub specification: String,
    /// Its nodes are where hosts are plugged in.
    pub topology: Arc<dyn Topology>,
    /// The node of each host of the description.
    pub node_of_host: Vec<u32>,
    /// The link between a host and its node of the network. Without it, an adapter is as fast as
    /// the network's link to it or, if its node has several, as the fastest link.
    pub adapter: Option<LinkProperties>,
}

impl PartialEq for NamedNetwork {
    fn eq(&self, other: &NamedNetwork) -> bool {
        self.specification == other.specification
            && self.node_of_host == other.node_of_host
            && self.adapter == other.adapter
    }
}

impl NamedNetwork {
    /// A network with a host on each of its nodes.
    pub fn new(specification: &str, topology: Arc<dyn Topology>) -> NamedNetwork {
        let (specification, nodes) = (specification.to_string(), topology.num_nodes() as u32);
        NamedNetwork { specification, topology, node_of_host: (0..nodes).collect(), adapter: None }
    }

    /// The same network with some of its hosts only. `number_of` has the new number of each host,
    /// or none if it is left out.
    pub fn of_hosts(mut self, number_of: &[Option<u32>]) -> NamedNetwork {
        let mut kept: Vec<(u32, u32)> = number_of
            .iter()
            .zip(&self.node_of_host)
            .filter_map(|(number, &node)| Some(((*number)?, node)))
            .collect();
        kept.sort_unstable();
        self.node_of_host = kept.into_iter().map(|(_, node)| node).collect();
        self
    }

    /// The groups of switches of a network whose distances are those of a tree, a group before the
    /// groups in it, and the innermost group of each node. None for other networks.
    pub fn groups(topology: &dyn Topology) -> Option<(Vec<SwitchGroup>, Vec<u32>)> {
        let tree = topology.groups()?;
        let mut number_of = vec![None; tree.len()];
        let mut groups: Vec<SwitchGroup> = Vec::new();
        let mut innermost = vec![0; tree.num_nodes()];
        // The height of each group above its nodes: 1 for a group of nodes.
        let mut height = vec![0u32; tree.len()];
        for (number, group) in tree.all().iter().enumerate().skip(1).rev() {
            let around = group.parent as usize;
            height[around] = height[around].max(height[number] + 1);
        }
        for (number, group) in tree.all().iter().enumerate() {
            if group.children.is_empty() {
                let around = number_of[group.parent as usize]?;
                innermost[group.nodes.start as usize] = around;
                continue;
            }
            number_of[number] = Some(groups.len() as u32);
            let parent = if number == 0 { None } else { number_of[group.parent as usize] };
            let (level, name) = (height[number], format!("switches-{number}"));
            groups.push(SwitchGroup { name, level, parent });
        }
        Some((groups, innermost))
    }

    /// The least distance between two nodes of a network.
    pub fn closest(topology: &dyn Topology) -> u32 {
        let others = (1..topology.num_nodes() as u32).map(Vertex);
        others.map(|node| topology.distance(Vertex(0), node)).min().unwrap_or(1).max(1)
    }
}
