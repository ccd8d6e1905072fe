//! Real clusters: switches, nodes and what is inside them, with the cost of each level.
//!
//! A [`Description`] is what files and the running system say; [`crate::topology::Cluster`] is the
//! machine built from it. Its nodes are the places where ranks run.

mod choice;
mod chunks;
mod costs;
mod fabric;
mod host_name;
mod inside;
mod join;
mod level;
mod named_network;
mod network;
mod node_adapter;
mod nvlink;
mod object;
mod on_network;
mod seat;
mod seating;
mod speed;
mod switch_group;
mod wiring;

pub use choice::{SeatError, SeatRules};
pub use costs::Costs;
pub use fabric::Fabric;
pub use host_name::{same_host, short_name};
pub use inside::inside_link;
pub use join::{JoinError, OneCoreAssumed, Parts};
pub use level::Level;
pub use named_network::NamedNetwork;
pub use network::Network;
pub use node_adapter::SlingshotPort;
pub use object::{Hardware, NodeAdapter, Object, ObjectKind};
pub use seat::Seat;
pub use seating::Seating;
pub use speed::Speed;
pub use switch_group::{NVLINK_LEVEL, SwitchGroup};
pub use wiring::{
    ADAPTER_LINK, Adapter, Cable, Device, Port, SWITCH_LATENCY, Switch, SwitchTables, Tables,
    UPLINK, Wiring, WiringError,
};

/// One host of an allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// What is inside it: an index of [`Description::kinds`].
    pub kind: u32,
    /// How many ranks it may run; as many as it has places if nothing is given.
    pub slots: Option<u32>,
    /// The group of [`Description::network`] it is plugged into; none if the network is not known.
    pub group: Option<u32>,
}

impl Description {
    /// The same machine with some of its hosts, in this order.
    pub fn with_hosts(mut self, chosen: &[u32]) -> Description {
        let mut number_of = vec![None; self.hosts.len()];
        for (number, &host) in (0..).zip(chosen) {
            number_of[host as usize] = Some(number);
        }
        self.hosts = chosen.iter().map(|&host| self.hosts[host as usize].clone()).collect();
        self.network.wiring = self.network.wiring.map(|wiring| wiring.of_hosts(&number_of));
        self.network.named = self.network.named.map(|named| named.of_hosts(&number_of));
        self
    }
}

/// A cluster as files and the running system describe it.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The kinds of nodes that exist.
    pub kinds: Vec<Hardware>,
    /// How they are joined.
    pub network: Network,
    /// The hosts that may be used, in the order in which launchers fill them.
    pub hosts: Vec<Host>,
    /// What each level costs.
    pub costs: Costs,
    /// What a rank gets to itself: a core, or a thread, a GPU, a NUMA node, a package, ...
    pub place: ObjectKind,
    /// Where the processes of a job may sit, if they are restricted: every host has at least one
    /// seat. Without any, each part of the kind `place` holds a rank.
    pub seats: Vec<Seat>,
}
