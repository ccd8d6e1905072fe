//! Some nodes of a machine, with their distances on it.

use std::sync::Arc;

use topoloom_core::topology::{Groups, Link};
use topoloom_core::{LinkId, Machine, Topology, Vertex};

/// Some nodes of a machine. Distances are those of the machine; links are not known, because routes
/// may leave the part.
#[derive(Debug, Clone)]
pub struct Part {
    machine: Machine,
    /// The machine's number of each node, in ascending order.
    nodes: Arc<[u32]>,
    groups: Option<Arc<Groups>>,
}

impl Part {
    /// These nodes of a machine, which must be in ascending order.
    pub fn new(machine: &Machine, nodes: &[u32]) -> Part {
        debug_assert!(nodes.is_sorted());
        let groups = machine.topology().groups().map(|whole| Arc::new(groups_of(&whole, nodes)));
        Part { machine: machine.clone(), nodes: nodes.into(), groups }
    }
}

/// The groups, reduced to some nodes.
fn groups_of(whole: &Groups, nodes: &[u32]) -> Groups {
    let has_nodes = |group: &u32| {
        let range = &whole.group(*group).nodes;
        nodes.partition_point(|&node| node < range.start)
            < nodes.partition_point(|&node| node < range.end)
    };
    Groups::new(0u32, whole.level_names().to_vec(), |&number| {
        let group = whole.group(number);
        let children = group.children.clone().filter(has_nodes).collect();
        (children, group.distance, group.level)
    })
}

impl Topology for Part {
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

    fn groups(&self) -> Option<Arc<Groups>> {
        self.groups.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_distances_and_groups_of_the_whole() {
        let machine = Machine::parse("tree:3:3:2,distances=1:10:100").unwrap();
        let nodes = [0, 2, 3, 9, 17];
        let part = Part::new(&machine, &nodes);
        let groups = part.groups().unwrap();
        assert_eq!(groups.num_nodes(), 5);
        let of_node = groups.group_of_node();
        for (a, &from) in nodes.iter().enumerate() {
            for (b, &to) in nodes.iter().enumerate() {
                let distance = part.distance(Vertex(a as u32), Vertex(b as u32));
                assert_eq!(distance, machine.topology().distance(Vertex(from), Vertex(to)));
                let around = groups.smallest_around(of_node[a], of_node[b]);
                assert_eq!(groups.group(around).distance, distance, "{from} {to}");
            }
        }
    }
}
