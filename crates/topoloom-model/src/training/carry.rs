//! Who sends to whom when a group does something together, as NCCL does it. That depends on where
//! the members are: NCCL numbers nodes in the order in which they appear among the members of a
//! communicator, and joins node n to node n + 1. A node is whatever NVLink joins.

use super::call::{Call, Operation};
use super::double_tree::{TreeNode, double_tree};
use crate::traffic::Group;

/// How collectives between nodes are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Carry {
    /// Everything goes around a ring of all members, node by node.
    #[default]
    Ring,
    /// All-reduces go up and down two trees of nodes, half of the bytes in each. Inside a node
    /// members pass them on in a chain.
    Tree,
    /// Inside a node a switch adds up and hands out. Each member sends its share of the bytes around
    /// a ring of the members with the same number in other nodes.
    Nvls,
    /// Like `Ring`. In an all-to-all, a message for another node goes first to the local member
    /// with the receiver's number, so it stays on one rail of the network.
    Pxn,
}

impl Carry {
    /// All of them with their names.
    pub const ALL: [(Carry, &'static str); 4] =
        [(Carry::Ring, "ring"), (Carry::Tree, "tree"), (Carry::Nvls, "nvls"), (Carry::Pxn, "pxn")];
}

/// Makes messages of calls. It keeps its memory from one group to the next.
#[derive(Debug, Default)]
pub struct Carrier {
    /// Members, node by node; nodes in the order of their first members.
    order: Vec<u32>,
    /// Where each node begins in `order`, and the end of the last.
    starts: Vec<usize>,
    /// For each node: the last group in which it was seen, and its place among the nodes of that.
    seen: Vec<(u32, u32)>,
    /// How many groups were arranged.
    groups: u32,
    members: Vec<(u32, u32)>,
    trees: Option<(u32, [Vec<TreeNode>; 2])>,
}

impl Carrier {
    /// Visits (sender, receiver, bytes) of the messages of a group in a step. `node_of` says where
    /// each rank is.
    pub fn messages(
        &mut self,
        group: &Group,
        calls: &[Call],
        carry: Carry,
        node_of: impl Fn(u32) -> u32,
        mut visit: impl FnMut(u32, u32, f64),
    ) {
        let size = group.size();
        if size < 2 || calls.is_empty() {
            return;
        }
        self.arrange(group, node_of);
        let member = |number: u32| group.member(number);
        for call in calls {
            let bytes = call.times * call.bytes;
            let sent = call.sent(size);
            match (call.operation, carry) {
                (Operation::AllReduce, Carry::Tree) if self.num_nodes() > 1 => {
                    self.trees(bytes, &mut visit);
                }
                (
                    Operation::AllReduce | Operation::AllGather | Operation::ReduceScatter,
                    Carry::Nvls,
                ) if self.nodes_are_alike() => self.by_switch(call, &mut visit),
                (Operation::AllReduce | Operation::AllGather | Operation::ReduceScatter, _) => {
                    for at in 0..self.order.len() {
                        let next = if at + 1 == self.order.len() { 0 } else { at + 1 };
                        visit(self.order[at], self.order[next], sent);
                    }
                }
                (Operation::AllToAll, Carry::Pxn) => {
                    self.by_rails(bytes / f64::from(size), &mut visit);
                }
                (Operation::AllToAll, _) => {
                    let share = bytes / f64::from(size);
                    for from in 0..size {
                        for to in (0..size).filter(|&to| to != from) {
                            visit(member(from), member(to), share);
                        }
                    }
                }
                (Operation::Shift, _) => {
                    for from in 0..size {
                        visit(member(from), member((from + 1) % size), sent);
                    }
                }
                (Operation::Forward, _) => {
                    (1..size).for_each(|to| visit(member(to - 1), member(to), sent));
                }
                (Operation::Backward, _) => {
                    (1..size).for_each(|from| visit(member(from), member(from - 1), sent));
                }
                (Operation::LastToFirst, _) => visit(member(size - 1), member(0), sent),
                (Operation::FirstToLast, _) => visit(member(0), member(size - 1), sent),
                (Operation::Broadcast, _) => {
                    self.order.windows(2).for_each(|pair| visit(pair[0], pair[1], sent));
                }
            }
        }
    }

    fn num_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    fn node(&self, number: usize) -> &[u32] {
        &self.order[self.starts[number]..self.starts[number + 1]]
    }

    /// Puts the members in the order of nodes by their first members.
    fn arrange(&mut self, group: &Group, node_of: impl Fn(u32) -> u32) {
        self.members.clear();
        // A number that no node has yet: after it wrapped around, everything is forgotten.
        self.groups = self.groups.wrapping_add(1);
        if self.groups == 0 {
            self.seen.clear();
            self.groups = 1;
        }
        let mut nodes = 0;
        for number in 0..group.size() {
            let rank = group.member(number);
            let node = node_of(rank) as usize;
            if node >= self.seen.len() {
                self.seen.resize(node + 1, (0, 0));
            }
            let (last, place) = &mut self.seen[node];
            if *last != self.groups {
                (*last, *place) = (self.groups, nodes);
                nodes += 1;
            }
            self.members.push((*place, rank));
        }
        self.lay_out_members();
    }

    /// Fills `order` and `starts` from `members`. Not part of `arrange`, which is compiled for each `node_of`.
    fn lay_out_members(&mut self) {
        // Stable, so members of a node keep their order.
        if !self.members.is_sorted_by_key(|&(place, _)| place) {
            self.members.sort_by_key(|&(place, _)| place);
        }
        self.order.clear();
        self.starts.clear();
        for (at, &(place, rank)) in self.members.iter().enumerate() {
            if place as usize == self.starts.len() {
                self.starts.push(at);
            }
            self.order.push(rank);
        }
        self.starts.push(self.order.len());
    }

    fn nodes_are_alike(&self) -> bool {
        let size = self.node(0).len();
        (1..self.num_nodes()).all(|node| self.node(node).len() == size)
    }

    /// Two trees with half of the bytes each. A node enters a tree through one of its members.
    fn trees(&mut self, bytes: f64, visit: &mut impl FnMut(u32, u32, f64)) {
        let nodes = self.num_nodes() as u32;
        let known = self.trees.take().filter(|(of, _)| *of == nodes);
        let (_, trees) = known.unwrap_or_else(|| (nodes, double_tree(nodes)));
        let half = bytes / 2.0;
        for (number, tree) in trees.iter().enumerate() {
            let head = |node: u32| {
                let members = self.node(node as usize);
                members[number % members.len()]
            };
            for (node, neighbours) in (0..).zip(tree) {
                let members = self.node(node as usize);
                for step in 1..members.len() {
                    let at = |place: usize| members[(number + place) % members.len()];
                    visit(at(step), at(step - 1), half);
                    visit(at(step - 1), at(step), half);
                }
                if let Some(up) = neighbours.up {
                    visit(head(node), head(up), half);
                    visit(head(up), head(node), half);
                }
            }
        }
        self.trees = Some((nodes, trees));
    }

    /// A switch adds up inside nodes; members with the same number form rings between nodes.
    fn by_switch(&self, call: &Call, visit: &mut impl FnMut(u32, u32, f64)) {
        let nodes = self.num_nodes();
        let local = self.node(0).len();
        let bytes = call.times * call.bytes;
        // Inside, each member sends what it has once and gets the rest from the others.
        let inside = bytes * call.operation.sent_per_byte(local as u32) / 2.0;
        let share = inside / (local.max(2) - 1) as f64;
        let between = bytes / local as f64 * call.operation.sent_per_byte(nodes as u32);
        for number in 0..nodes {
            let members = self.node(number);
            for (place, &from) in members.iter().enumerate() {
                for &to in members.iter().filter(|&&to| to != from) {
                    visit(from, to, share);
                }
                if nodes > 1 {
                    visit(from, self.node((number + 1) % nodes)[place], between);
                }
            }
        }
    }

    /// An all-to-all in which messages change to the receiver's rail inside the sender's node.
    fn by_rails(&self, share: f64, visit: &mut impl FnMut(u32, u32, f64)) {
        for own in 0..self.num_nodes() {
            let here = self.node(own);
            for (place, &from) in here.iter().enumerate() {
                for other in 0..self.num_nodes() {
                    for (rail, &to) in self.node(other).iter().enumerate() {
                        if to == from {
                            continue;
                        }
                        // Without a member on that rail the message leaves by its own.
                        let through =
                            here.get(rail).copied().filter(|_| other != own && rail != place);
                        match through {
                            Some(through) => {
                                visit(from, through, share);
                                visit(through, to, share);
                            }
                            None => visit(from, to, share),
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(operation: Operation, bytes: f64) -> Call {
        Call { operation, when: "step", times: 1.0, bytes }
    }

    fn messages(
        group: &Group,
        calls: &[Call],
        carry: Carry,
        node_of: impl Fn(u32) -> u32,
    ) -> Vec<(u32, u32, f64)> {
        let mut all = Vec::new();
        Carrier::default()
            .messages(group, calls, carry, node_of, |from, to, bytes| all.push((from, to, bytes)));
        all
    }

    #[test]
    fn a_ring_goes_through_nodes_in_the_order_in_which_they_appear() {
        let group = Group::first(4);
        let ring = |node_of: [u32; 4]| {
            let calls = [call(Operation::AllReduce, 100.0)];
            let all = messages(&group, &calls, Carry::Ring, |rank| node_of[rank as usize]);
            assert!(all.iter().all(|&(_, _, bytes)| bytes == 150.0));
            all.into_iter().map(|(from, to, _)| (from, to)).collect::<Vec<_>>()
        };
        assert_eq!(ring([0, 0, 1, 1]), [(0, 1), (1, 2), (2, 3), (3, 0)]);
        // Ranks 0 and 2 share a node, so they are neighbours whatever their numbers are.
        assert_eq!(ring([7, 3, 7, 3]), [(0, 2), (2, 1), (1, 3), (3, 0)]);
    }

    #[test]
    fn two_trees_carry_half_of_the_bytes_each_way() {
        let group = Group::first(8);
        let all = messages(&group, &[call(Operation::AllReduce, 8.0)], Carry::Tree, |rank| rank);
        // Seven edges in each tree, both ways.
        assert_eq!(all.len(), 2 * 2 * 7);
        assert!(all.iter().all(|&(_, _, bytes)| bytes == 4.0));
        let most = (0..8).map(|rank| all.iter().filter(|message| message.0 == rank).count());
        assert!(most.max().unwrap() <= 4, "at most twice the bytes leave a rank");
    }

    #[test]
    fn a_switch_leaves_one_share_of_the_bytes_for_the_network() {
        let group = Group::first(8);
        let between = |all: &[(u32, u32, f64)]| -> f64 {
            all.iter().filter(|(from, to, _)| from / 4 != to / 4).map(|message| message.2).sum()
        };
        let calls = [call(Operation::AllReduce, 80.0)];
        let nvls = messages(&group, &calls, Carry::Nvls, |rank| rank / 4);
        // 2 S / g (N - 1) / N from each of 8 members.
        assert_eq!(between(&nvls), 8.0 * 2.0 * 80.0 / 4.0 / 2.0);
        let ring = messages(&group, &calls, Carry::Ring, |rank| rank / 4);
        assert_eq!(between(&ring), 2.0 * (2.0 * 7.0 / 8.0) * 80.0);
    }

    #[test]
    fn messages_by_rails_change_rails_before_they_leave() {
        let group = Group::first(8);
        let calls = [call(Operation::AllToAll, 80.0)];
        let direct = messages(&group, &calls, Carry::Ring, |rank| rank / 4);
        let rails = messages(&group, &calls, Carry::Pxn, |rank| rank / 4);
        let crossing = |all: &[(u32, u32, f64)]| -> (f64, bool) {
            let crossing: Vec<_> = all.iter().filter(|(from, to, _)| from / 4 != to / 4).collect();
            let same_rail = crossing.iter().all(|(from, to, _)| from % 4 == to % 4);
            (crossing.iter().map(|message| message.2).sum(), same_rail)
        };
        assert_eq!(crossing(&direct), (8.0 * 4.0 * 10.0, false));
        assert_eq!(crossing(&rails), (8.0 * 4.0 * 10.0, true));
    }
}
