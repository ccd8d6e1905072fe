//! The nodes next to each node: where a partner's partner should be.

use std::ops::ControlFlow;

use crate::ids::Vertex;
use crate::machine::Machine;
use crate::run::Run;
use crate::topology::{Metric, MetricKind};
use crate::with_metric;

/// Neighbours stored per node: enough for boxes of six dimensions and for the groups of trees; a
/// whole layer of a HAEC box would be too many to try.
const MOST_NEIGHBOURS: usize = 32;

/// Machines of a general kind and at most this size are searched pair by pair.
const MOST_NODES_FOR_PAIRS: u32 = 4096;

/// The nearest other nodes of each node, in compressed rows.
#[derive(Debug)]
pub(crate) struct Surroundings {
    row_start: Vec<u32>,
    neighbour: Vec<u32>,
}

impl Surroundings {
    /// The surroundings of every node of `machine`. Takes O(nodes), or O(nodes^2) on small
    /// machines of a general kind.
    pub(crate) fn new(machine: &Machine) -> Surroundings {
        let forever = &mut Run::new(0);
        Surroundings::in_time(machine, forever).expect("a run without limits goes on")
    }

    /// The same; `None` if the time runs out first.
    pub(crate) fn in_time(machine: &Machine, run: &mut Run) -> Option<Surroundings> {
        let nodes = machine.num_nodes() as u32;
        let work = match machine.metric() {
            MetricKind::General(_) if nodes <= MOST_NODES_FOR_PAIRS => u64::from(nodes),
            _ => MOST_NEIGHBOURS as u64,
        };
        let mut surroundings = Surroundings { row_start: vec![0], neighbour: Vec::new() };
        let mut row = Vec::new();
        for node in 0..nodes {
            if !run.goes_on(work) {
                return None;
            }
            row.clear();
            if matches!(machine.metric(), MetricKind::General(_)) {
                nearest_by_distance(machine, node, &mut row);
            } else {
                let topology = machine.topology();
                let _ = topology.nodes_at_distance(Vertex(node), 1, &mut |other| {
                    row.push(other.0);
                    if row.len() < MOST_NEIGHBOURS {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                });
            }
            surroundings.neighbour.extend_from_slice(&row);
            surroundings.row_start.push(surroundings.neighbour.len() as u32);
        }
        Some(surroundings)
    }

    /// The nearest other nodes of `node`; on large machines some of them.
    #[inline]
    pub(crate) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.neighbour[self.row_start[node] as usize..self.row_start[node + 1] as usize]
    }
}

/// The nearest of all nodes, or, on large machines, of those with similar numbers: machines are
/// numbered group by group.
fn nearest_by_distance(machine: &Machine, node: u32, row: &mut Vec<u32>) {
    let nodes = machine.num_nodes() as u32;
    let (first, last) = if nodes <= MOST_NODES_FOR_PAIRS {
        (0, nodes)
    } else {
        let reach = MOST_NEIGHBOURS as u32;
        (node.saturating_sub(reach), (node + reach).min(nodes))
    };
    with_metric!(machine.metric(), metric => {
        let mut least = u32::MAX;
        // Starts at the next number. Otherwise all nodes of a large group would store the same few.
        for other in (node + 1..last).chain(first..node) {
            let distance = metric.distance(node, other);
            if distance < least {
                least = distance;
                row.clear();
            }
            if distance == least && row.len() < MOST_NEIGHBOURS {
                row.push(other);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_of_a_torus_has_two_neighbours_a_dimension() {
        let surroundings = Surroundings::new(&Machine::parse("torus:4x4x2").unwrap());
        let mut around = surroundings.of(0).to_vec();
        around.sort_unstable();
        // One step along x, y and z; the ring of two has one other node.
        assert_eq!(around, [1, 3, 4, 12, 16]);
    }

    #[test]
    fn a_single_node_has_no_neighbours() {
        let surroundings = Surroundings::new(&Machine::parse("mesh:1,slots=4").unwrap());
        assert_eq!(surroundings.of(0), [] as [u32; 0]);
    }

    #[test]
    fn large_groups_are_cut_off() {
        let surroundings = Surroundings::new(&Machine::parse("haec:9x9x3").unwrap());
        assert_eq!(surroundings.of(100).len(), MOST_NEIGHBOURS);
    }
}
