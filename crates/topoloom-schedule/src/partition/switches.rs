//! As few switches as possible: the smallest group of nodes that has room.
//!
//! Only the innermost groups with enough free nodes count. Of those the one with the fewest free
//! nodes is chosen (best fit), which keeps emptier groups whole. The same rule applies inside it:
//! take the part with the fewest free nodes that can hold the rest, or else the whole part with the
//! most free nodes. This is what Slurm's `topology/tree` does with switches, applied at every
//! level.

use std::sync::Arc;

use topoloom_core::Entry;
use topoloom_core::topology::{Group, Groups};

use super::entry::PartitionEntry;
use super::interface::{Partition, PartitionPolicy, Request};
use crate::error::ScheduleError;
use crate::node_set::NodeSet;

/// The registry's entry.
pub static ENTRY: PartitionEntry = Entry {
    name: "switches",
    summary: "nodes below as few switches as possible, best fit by level; trees, fat trees, \
              clusters",
    example: "switches",
    parameters: &[],
    build: |spec, machine| {
        spec.no_shape()?;
        let groups = machine.topology().groups().ok_or_else(|| ScheduleError::NotForMachine {
            policy: "switches",
            needs: "groups in groups, such as a tree, a fat tree or a cluster",
            machine: machine.spec().to_string(),
        })?;
        let free_in = vec![0; groups.len()];
        Ok(Box::new(Switches { groups, free_in }))
    },
};

#[derive(Debug)]
struct Switches {
    groups: Arc<Groups>,
    /// The free nodes of each group.
    free_in: Vec<u32>,
}

impl Switches {
    fn count(&mut self, free: &NodeSet) {
        for (number, group) in self.groups.all().iter().enumerate() {
            self.free_in[number] = match group.children.is_empty() {
                true => u32::from(free.contains(group.nodes.start)),
                false => 0,
            };
        }
        // Outer groups have lower numbers than their inner groups.
        for number in (1..self.groups.len()).rev() {
            let parent = self.groups.group(number as u32).parent as usize;
            self.free_in[parent] += self.free_in[number];
        }
    }

    /// The group with room for `wanted`, innermost first, then fewest free nodes, then first.
    fn smallest_with_room(&self, wanted: u32) -> Option<u32> {
        // A machine of one node has no switch: the node itself is the only group.
        let is_switch = |group: &Group| !group.children.is_empty() || self.groups.len() == 1;
        let all = (0..).zip(self.groups.all()).filter(|(_, group)| is_switch(group));
        let with_room = all.filter(|(number, _)| self.free_in[*number as usize] >= wanted);
        let key = |(number, group): &(u32, &Group)| {
            (group.distance, self.free_in[*number as usize], group.nodes.len(), *number)
        };
        with_room.min_by_key(key).map(|(number, _)| number)
    }

    /// Adds `wanted` free nodes of a group, which has them.
    fn take(&self, group: u32, wanted: u32, free: &NodeSet, nodes: &mut Vec<u32>) {
        let inside = self.groups.group(group);
        if inside.children.is_empty() || self.free_in[group as usize] == wanted {
            let all = inside.nodes.clone();
            nodes.extend(all.filter(|&node| free.contains(node)).take(wanted as usize));
            return;
        }
        let mut left = wanted;
        let mut children: Vec<u32> = inside.children.clone().collect();
        while left > 0 {
            let free_in = |child: &u32| self.free_in[*child as usize];
            let fitting = (0..children.len()).filter(|&at| free_in(&children[at]) >= left);
            let best = fitting.min_by_key(|&at| free_in(&children[at])).unwrap_or_else(|| {
                let fullest = (0..children.len()).rev().max_by_key(|&at| free_in(&children[at]));
                fullest.expect("the group has enough free nodes")
            });
            let child = children.remove(best);
            let taken = left.min(free_in(&child));
            self.take(child, taken, free, nodes);
            left -= taken;
        }
    }
}

impl PartitionPolicy for Switches {
    fn find(&mut self, request: &Request, free: &NodeSet) -> Option<Partition> {
        if request.nodes > free.len() {
            return None;
        }
        self.count(free);
        let group = self.smallest_with_room(request.nodes)?;
        let mut nodes = Vec::with_capacity(request.nodes as usize);
        self.take(group, request.nodes, free, &mut nodes);
        nodes.sort_unstable();
        Some(Partition { nodes, lengths: None })
    }

    fn takes_any_nodes(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::Divider;
    use super::*;
    use topoloom_core::Machine;

    fn find(machine: &str, taken: &[u32], nodes: u32) -> Vec<u32> {
        let machine = Machine::parse(machine).unwrap();
        let mut policy = Divider::parse("switches", &machine).unwrap().policy();
        let mut free = NodeSet::all(machine.num_nodes());
        free.remove_all(taken);
        policy.find(&Request { nodes, shapes: Vec::new() }, &free).unwrap().nodes
    }

    const TREE: &str = "tree:4:3,distances=1:10";

    #[test]
    fn a_job_goes_below_the_switch_with_the_fewest_free_nodes_that_has_room() {
        // Switches of nodes 0 to 3, 4 to 7 and 8 to 11 with 2, 3 and 4 free nodes.
        let taken = [0, 1, 4];
        assert_eq!(find(TREE, &taken, 1), [2]);
        assert_eq!(find(TREE, &[8, 9, 10], 1), [11]);
        assert_eq!(find(TREE, &taken, 2), [2, 3]);
        assert_eq!(find(TREE, &taken, 3), [5, 6, 7]);
        assert_eq!(find(TREE, &taken, 4), [8, 9, 10, 11]);
    }

    #[test]
    fn what_fits_below_no_switch_takes_the_emptiest_one_whole() {
        // 5 nodes: the 4 of the last switch, and one of the first, which has the fewest.
        assert_eq!(find(TREE, &[0, 1, 4], 5), [2, 8, 9, 10, 11]);
        assert_eq!(find(TREE, &[0, 1, 4], 9), [2, 3, 5, 6, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn machines_without_switches_are_refused_in_words() {
        let machine = Machine::parse("torus:4x4").unwrap();
        let refused = Divider::parse("switches", &machine).unwrap_err().to_string();
        let expected = "switches needs groups in groups, such as a tree, a fat tree or a cluster, not torus:4x4";
        assert_eq!(refused, expected);
        let machine = Machine::parse(TREE).unwrap();
        let refused = Divider::parse("free-box", &machine).unwrap_err().to_string();
        assert!(refused.starts_with("free-box needs a box of nodes"), "{refused}");
    }
}
