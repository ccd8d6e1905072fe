//! Where ranks sit, in the terms of launchers: hosts and CPUs.

use crate::mapping::Mapping;
use crate::topology::{Cluster, Place};

/// Which host and which CPUs each rank gets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seating {
    /// The hosts, in the order in which launchers get them.
    pub hosts: Vec<String>,
    /// How many ranks each host may run.
    pub slots_of_host: Vec<u32>,
    /// The place of each rank; hosts are indices of `hosts`.
    pub seats: Vec<Place>,
}

impl Seating {
    /// Where a mapping on a cluster puts each rank.
    pub fn of(mapping: &Mapping, cluster: &Cluster) -> Seating {
        Seating::of_nodes(&mapping.nodes(), cluster)
    }

    /// The same for the node of each rank.
    pub fn of_nodes(nodes: &[u32], cluster: &Cluster) -> Seating {
        let places = cluster.places();
        let mut slots_of_host = vec![0; cluster.description().hosts.len()];
        places.iter().for_each(|place| slots_of_host[place.host as usize] += 1);
        let seats = nodes.iter().map(|&node| places[node as usize].clone()).collect();
        let hosts = cluster.description().hosts.iter().map(|host| host.name.clone()).collect();
        Seating { hosts, slots_of_host, seats }
    }
}
