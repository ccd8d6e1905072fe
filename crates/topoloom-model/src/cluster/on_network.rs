//! Hosts of one kind on the nodes of a network with a name.

use super::{Costs, Description, Hardware, Host, NamedNetwork, Network, ObjectKind};

impl Description {
    /// One host of this kind for each node that the network has one on, called `n0`, `n1`, ... by
    /// the number of its node.
    pub fn on_network(named: NamedNetwork, node: Hardware) -> Description {
        let topology = named.topology.as_ref();
        let (nodes, vertices) = (topology.num_nodes(), topology.num_vertices());
        let tree = NamedNetwork::groups(topology);
        let (groups, innermost) = match tree {
            Some((groups, innermost)) => (groups, Some(innermost)),
            None => (Vec::new(), None),
        };
        let host = |&node: &u32| Host {
            name: format!("n{node}"),
            kind: 0,
            slots: None,
            group: innermost.as_ref().map(|groups| groups[node as usize]),
        };
        Description {
            kinds: vec![node],
            hosts: named.node_of_host.iter().map(host).collect(),
            network: Network {
                groups,
                hosts: Vec::new(),
                // In a network without switches, nodes pass messages on.
                switches: if vertices > nodes { vertices - nodes } else { nodes },
                links: topology.num_links() as usize / 2 + named.node_of_host.len(),
                wiring: None,
                named: Some(named),
            },
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats: Vec::new(),
        }
    }
}
