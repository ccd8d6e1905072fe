//! How the nodes of a cluster are joined: switches in groups.

use super::named_network::NamedNetwork;
use super::switch_group::SwitchGroup;
use super::wiring::Wiring;

/// The network of a cluster as groups in groups, and as it is wired.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Network {
    /// The groups of switches; a group comes before the groups in it.
    pub groups: Vec<SwitchGroup>,
    /// The hosts with the group they are plugged into, in the order of the file.
    pub hosts: Vec<(String, u32)>,
    /// How many switches there are.
    pub switches: usize,
    /// How many cables there are, between switches and from hosts to switches; none if only groups
    /// are known.
    pub links: usize,
    /// Adapters, switches and cables; none if only groups are known. Adapters belong to the hosts in
    /// the order of this network or, in a [`Description`](super::Description), in its order.
    pub wiring: Option<Wiring>,
    /// The network itself, if it has a name and a rule for its links, such as a torus. Then there is
    /// no wiring.
    pub named: Option<NamedNetwork>,
}
