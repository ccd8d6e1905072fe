//! Machines that a running job sees: its hosts, and the slots that its processes are in.

use std::sync::Arc;

use topoloom::core::topology::Link;
use topoloom::core::{LinkId, Machine, Topology, Vertex};
use topoloom::io::{Given, LoadError, Loader};
use topoloom::schedule::Part;

/// Under this name, hosts that only have numbers are read.
const HOSTS: &str = "hosts";

/// A machine of hosts with some slots each.
pub fn hosts(slots: &[u32]) -> Result<Machine, LoadError> {
    let line = |(host, slots): (usize, &u32)| format!("host{host}:{slots}\n");
    let content: String = slots.iter().enumerate().map(line).collect();
    let mut given = Given::default();
    given.add_file(HOSTS, content.into_bytes());
    Loader::with_given(given).machine(&format!("cluster:{HOSTS}")).map(|(machine, _)| machine)
}

/// The slots of a machine that processes are in, as a machine of their own.
pub struct Used {
    machine: Machine,
    slot_of_process: Vec<u32>,
}

impl Used {
    /// Each process has a slot of its own.
    pub fn new(machine: &Machine, slots: &[u32]) -> Result<Used, String> {
        let mut used = slots.to_vec();
        used.sort_unstable();
        if let Some(&slot) = used.last().filter(|&&slot| slot as usize >= machine.num_slots()) {
            return Err(format!("slot_of_process: there is no slot {slot}"));
        }
        if let Some(pair) = used.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("slot_of_process: two processes are in slot {}", pair[0]));
        }
        if used.len() == machine.num_slots() {
            return Ok(Used { machine: machine.clone(), slot_of_process: slots.to_vec() });
        }
        let place = |slot: &u32| used.partition_point(|other| other < slot) as u32;
        let slot_of_process = slots.iter().map(place).collect();
        let topology: Arc<dyn Topology> = match machine.slots_per_node() {
            1 => Arc::new(Part::new(machine, &used)),
            slots => {
                let nodes = used.iter().map(|slot| slot / slots).collect();
                Arc::new(Slots { machine: machine.clone(), nodes })
            }
        };
        let machine = Machine::with_topology("graph:part", topology);
        Ok(Used { machine: machine.map_err(|error| error.to_string())?, slot_of_process })
    }

    /// The machine whose slots are those of the processes.
    pub fn machine(&self) -> Machine {
        self.machine.clone()
    }

    /// The slot of each process on it.
    pub fn slot_of_process(&self) -> &[u32] {
        &self.slot_of_process
    }
}

/// Slots of nodes that hold several, as nodes. Links are not known.
#[derive(Debug)]
struct Slots {
    machine: Machine,
    nodes: Vec<u32>,
}

impl Topology for Slots {
    fn num_nodes(&self) -> usize {
        self.nodes.len()
    }

    fn is_wired(&self) -> bool {
        false
    }

    fn num_links(&self) -> u64 {
        0
    }

    fn link_id_bound(&self) -> u64 {
        0
    }

    fn link(&self, _: LinkId) -> Option<Link> {
        None
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        let node = |vertex: Vertex| Vertex(self.nodes[vertex.index()]);
        self.machine.topology().distance(node(from), node(to))
    }

    fn next_links(&self, _: Vertex, _: Vertex, _: &mut Vec<LinkId>) {}
}
