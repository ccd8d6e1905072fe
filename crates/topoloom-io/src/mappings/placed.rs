//! From a mapping file to a placement on a machine, and back.

use thiserror::Error;
use topoloom_core::cluster::Seating;
use topoloom_core::words::counted;
use topoloom_core::{InvalidMapping, Machine, Mapping, Problem};

use super::mapping_file::MappingFile;

/// Why a mapping file is not a placement of a problem.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlacementError {
    /// The numbers of ranks differ.
    #[error("{} in the mapping, {} in the traffic", counted(*.mapping, "rank"), counted(*.traffic, "rank"))]
    Ranks {
        /// In the mapping.
        mapping: usize,
        /// In the traffic.
        traffic: usize,
    },
    /// Hosts, cores or CPUs are not those of the machine.
    #[error("{0}")]
    Seats(String),
    /// A rank is on a node that the machine does not have.
    #[error("rank {rank} is on node {node}, but the machine has nodes 0 to {last}")]
    NoSuchNode {
        /// The rank.
        rank: usize,
        /// Its node.
        node: u32,
        /// The machine's last one.
        last: usize,
    },
    /// A node has too little room.
    #[error("node {node} holds more ranks than its {}", counted(*.slots, "slot"))]
    NodeIsFull {
        /// The node.
        node: u32,
        /// How many slots it has.
        slots: u32,
    },
    /// A node has too little room for the weights of its ranks.
    #[error("node {node} holds more than its {} of capacity {capacity}", counted(*.slots, "slot"))]
    NodeIsOverloaded {
        /// The node.
        node: u32,
        /// How many slots it has.
        slots: u32,
        /// The capacity of each slot.
        capacity: f64,
    },
    /// The two lists of a file contradict each other.
    #[error("rank {rank}: slot {slot} is not on node {node}")]
    SlotElsewhere {
        /// The rank.
        rank: usize,
        /// Its slot.
        slot: u32,
        /// Its node.
        node: u32,
    },
    /// The slots are not a placement on this machine.
    #[error(transparent)]
    Mapping(#[from] InvalidMapping),
}

impl MappingFile {
    /// A placement as a file, with hosts and CPUs if the machine has them. It does not say which
    /// strategy made it.
    pub fn of(problem: &Problem, mapping: &Mapping) -> MappingFile {
        let machine = problem.machine();
        MappingFile {
            machine: Some(machine.spec().to_string()),
            node_of_rank: mapping.nodes(),
            slot_of_rank: Some(mapping.slots().to_vec()),
            imbalance: problem.imbalance(),
            seating: machine.topology().cluster().map(|cluster| Seating::of(mapping, cluster)),
            ..MappingFile::default()
        }
    }

    /// The placement that the file describes; a list of nodes fills each node's slots in order.
    pub fn placement(&self, problem: &Problem) -> Result<Mapping, PlacementError> {
        let machine = problem.machine();
        if self.ranks() != problem.num_ranks() {
            return Err(PlacementError::Ranks {
                mapping: self.ranks(),
                traffic: problem.num_ranks(),
            });
        }
        let slots = match &self.slot_of_rank {
            Some(slots) => slots.clone(),
            None => slots_of_nodes(&self.node_of_rank, problem)?,
        };
        if let Some(wrong) = self.wrong_seats(machine).into_iter().next() {
            return Err(PlacementError::Seats(wrong));
        }
        let mapping = problem.mapping(slots)?;
        let slots_and_nodes = mapping.slots().iter().zip(&self.node_of_rank);
        for (rank, (&slot, &node)) in slots_and_nodes.enumerate() {
            if slot / machine.slots_per_node() != node {
                return Err(PlacementError::SlotElsewhere { rank, slot, node });
            }
        }
        Ok(mapping)
    }

    /// Where the seats of the file contradict the machine. This matters because launchers use the
    /// seats.
    pub fn wrong_seats(&self, machine: &Machine) -> Vec<String> {
        let (Some(seating), Some(cluster)) = (&self.seating, machine.topology().cluster()) else {
            return Vec::new();
        };
        let hosts = &cluster.description().hosts;
        let mut wrong = Vec::new();
        if !hosts.iter().map(|host| &host.name).eq(&seating.hosts) {
            wrong.push("the hosts of the mapping are not the hosts of the machine".to_string());
        }
        let nodes = self.node_of_rank.iter().zip(&seating.seats).enumerate();
        for (rank, (&node, seat)) in nodes {
            match cluster.places().get(node as usize) {
                Some(place) if place != seat => {
                    wrong.push(format!(
                        "rank {rank}: its host, core or CPUs differ from those of node {node}"
                    ));
                }
                _ => {}
            }
        }
        wrong
    }
}

fn slots_of_nodes(nodes: &[u32], problem: &Problem) -> Result<Vec<u32>, PlacementError> {
    let machine = problem.machine();
    let last = machine.num_nodes() - 1;
    if let Some(rank) = nodes.iter().position(|&node| node as usize > last) {
        return Err(PlacementError::NoSuchNode { rank, node: nodes[rank], last });
    }
    let per_node = machine.slots_per_node();
    let sharing = problem.sharing();
    // Heavy ranks first, because room for them is hardest to find; others in their order.
    let mut ranks: Vec<u32> = (0..nodes.len() as u32).collect();
    if sharing.is_some() && problem.traffic().rank_weights().is_some() {
        ranks.sort_by(|&a, &b| problem.rank_weight(b).total_cmp(&problem.rank_weight(a)));
    }
    let mut held = vec![0.0; machine.num_slots()];
    let mut slots = vec![0; nodes.len()];
    for rank in ranks {
        let node = nodes[rank as usize];
        let (weight, capacity) = match sharing {
            Some(sharing) => (problem.rank_weight(rank), sharing.slot_capacity),
            None => (1.0, 1.0),
        };
        let has_room = |&slot: &u32| held[slot as usize] + weight <= capacity;
        let Some(slot) = (node * per_node..(node + 1) * per_node).find(has_room) else {
            return Err(match sharing {
                Some(_) => PlacementError::NodeIsOverloaded { node, slots: per_node, capacity },
                None => PlacementError::NodeIsFull { node, slots: per_node },
            });
        };
        held[slot as usize] += weight;
        slots[rank as usize] = slot;
    }
    Ok(slots)
}
