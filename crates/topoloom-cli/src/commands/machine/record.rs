//! A machine as JSON.

use serde::Serialize;
use topoloom::core::Machine;
use topoloom::core::cluster::{Description, Hardware, NodeAdapter, ObjectKind};
use topoloom::core::topology::{Cluster, Group, Topology};

use super::fabric::{self, FabricRecord};

/// The counts for a machine of any kind.
#[derive(Serialize)]
pub struct MachineRecord {
    pub machine: String,
    pub nodes: usize,
    pub slots_per_node: u32,
    pub places: usize,
    pub links: u64,
    pub max_distance: u32,
    pub routing: String,
}

/// The counts for a described cluster. Only hosts that may be used are counted.
#[derive(Serialize)]
pub struct ClusterRecord {
    pub machine: String,
    pub hosts: usize,
    pub kinds: usize,
    pub packages: usize,
    pub dies: usize,
    pub numa: usize,
    pub l3: usize,
    pub l2: usize,
    pub l1: usize,
    pub cores: usize,
    pub threads: usize,
    pub gpus: usize,
    /// Counted in the whole network.
    pub switches: usize,
    pub links: usize,
    /// The part of a host that a rank gets.
    pub place: String,
    pub places: usize,
    /// The levels between places, nearest first.
    pub levels: Vec<LevelRecord>,
    pub host_names: Vec<String>,
    pub places_of_host: Vec<usize>,
    /// The network adapters inside hosts, if they are known.
    pub adapters: Vec<AdapterRecord>,
    /// What is wrong with the network, if its cables are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fabric: Option<FabricRecord>,
}

/// A network adapter inside the hosts of a kind.
#[derive(Serialize)]
pub struct AdapterRecord {
    /// The number of the kind, from 1.
    pub kind: usize,
    pub name: String,
    pub numa: Option<u32>,
    /// The GPUs on its own PCI bridge.
    pub gpus: Vec<u32>,
    /// Where a NIC of Slingshot is plugged in, on the host that the node was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slingshot: Option<SlingshotRecord>,
}

/// A port of a Slingshot network.
#[derive(Serialize)]
pub struct SlingshotRecord {
    pub group: u32,
    pub switch: u32,
    pub port: u32,
}

/// A level between places.
#[derive(Serialize)]
pub struct LevelRecord {
    pub name: String,
    pub cost: u32,
    /// How many groups of the level hold several parts.
    pub groups: usize,
}

pub fn of_machine(name: &str, machine: &Machine) -> MachineRecord {
    let topology = machine.topology();
    MachineRecord {
        machine: name.to_string(),
        nodes: machine.num_nodes(),
        slots_per_node: machine.slots_per_node(),
        places: machine.num_slots(),
        links: topology.num_links(),
        max_distance: topology.distances().last().copied().unwrap_or(0),
        routing: machine.routing().name(),
    }
}

pub fn of_cluster(name: &str, cluster: &Cluster) -> ClusterRecord {
    let description = cluster.description();
    let per_kind = |part: ObjectKind| -> Vec<usize> {
        description.kinds.iter().map(|kind| kind.node.count(part)).collect()
    };
    let count = |part: ObjectKind| {
        let of_kind = per_kind(part);
        description.hosts.iter().map(|host| of_kind[host.kind as usize]).sum()
    };
    let mut places_of_host = vec![0; description.hosts.len()];
    cluster.places().iter().for_each(|place| places_of_host[place.host as usize] += 1);
    ClusterRecord {
        machine: name.to_string(),
        hosts: description.hosts.len(),
        kinds: description.kinds.len(),
        packages: count(ObjectKind::Package),
        dies: count(ObjectKind::Die),
        numa: count(ObjectKind::Numa),
        l3: count(ObjectKind::L3),
        l2: count(ObjectKind::L2),
        l1: count(ObjectKind::L1),
        cores: count(ObjectKind::Core),
        threads: count(ObjectKind::Thread),
        gpus: count(ObjectKind::Gpu),
        switches: description.network.switches,
        links: description.network.links,
        place: description.place.to_string(),
        places: cluster.num_nodes(),
        levels: levels(cluster),
        host_names: description.hosts.iter().map(|host| host.name.clone()).collect(),
        places_of_host,
        adapters: adapters(description),
        fabric: fabric::record(cluster),
    }
}

/// The network adapters inside hosts, kind by kind.
fn adapters(description: &Description) -> Vec<AdapterRecord> {
    let of_kind = |(number, kind): (usize, &Hardware)| -> Vec<AdapterRecord> {
        let record = |adapter: &NodeAdapter| AdapterRecord {
            kind: number + 1,
            name: adapter.name.clone(),
            numa: kind.numa_of(adapter),
            gpus: kind.gpus_of(adapter),
            slingshot: adapter.slingshot_port().map(|at| SlingshotRecord {
                group: at.group,
                switch: at.switch,
                port: at.port,
            }),
        };
        kind.adapters.iter().map(record).collect()
    };
    description.kinds.iter().enumerate().flat_map(of_kind).collect()
}

/// The levels between places, nearest first.
pub fn levels(cluster: &Cluster) -> Vec<LevelRecord> {
    let tree = cluster.tree();
    let mut levels: Vec<(u16, LevelRecord)> = Vec::new();
    // On a network that is not a tree, costs between hosts are not those of groups.
    let is_tree = cluster.groups().is_some();
    let in_host = |group: &Group| usize::from(group.level) < ObjectKind::ALL.len();
    let has_cost = |group: &&Group| group.children.len() > 1 && (is_tree || in_host(group));
    for group in tree.all().iter().filter(has_cost) {
        match levels.iter_mut().find(|(level, _)| *level == group.level) {
            Some((_, level)) => {
                level.groups += 1;
                level.cost = level.cost.max(group.distance);
            }
            None => {
                let name = tree.level_names()[group.level as usize].clone();
                levels.push((group.level, LevelRecord { name, cost: group.distance, groups: 1 }));
            }
        }
    }
    levels.sort_by_key(|(level, record)| (record.cost, *level));
    levels.into_iter().map(|(_, level)| level).collect()
}
