//! MinMD: the heaviest pairs first, as close together as possible.
//!
//! Algorithm 2 of the HAEC thesis.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::unfinished::{NOWHERE, fill_up, in_order_instead};
use crate::clock::Clock;
use crate::ids::Vertex;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::pace::Pace;
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "minmd",
    summary: "places the heaviest pairs first, as close as possible, growing from the centre",
    example: "minmd",
    parameters: &[Parameter {
        name: "limit",
        default: "1",
        summary: "fill every node to this many ranks, then raise the limit by one",
    }],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(MinMd { limit: spec.get_positive("limit")?.unwrap_or(1) }))
    },
};

/// Heaviest pairs first, as close together as possible.
#[derive(Debug, Clone, Copy)]
pub struct MinMd {
    /// Ranks that a node takes at first. When every node is full, the limit grows by one.
    pub limit: u32,
}

impl Strategy for MinMd {
    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let mut pairs: Vec<(u32, u32, f64)> = problem.graph().pairs().collect();
        if run.out_of_time() {
            return in_order_instead(ENTRY.name, problem, run);
        }
        pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
        let mut growth = Growth {
            room: Room::new(problem.machine(), self.limit, Clock::new(run)),
            slots: vec![NOWHERE; problem.num_ranks()],
        };
        let (placed, in_time) = growth.place_all(problem, &pairs);
        let mut slots = growth.slots;
        // A limit on evaluations does not apply here: half a placement is of little use.
        run.count(placed);
        if !in_time {
            fill_up(ENTRY.name, &mut slots, problem, run);
        }
        Ok(Mapping::new(slots, problem.machine()).expect("each slot is taken once"))
    }
}

/// A placement that grows.
struct Growth<'a> {
    room: Room<'a>,
    slots: Vec<u32>,
}

impl Growth<'_> {
    /// Places both ranks of each pair, then ranks without partners. Returns how many pairs had a
    /// rank to place, and whether there was time for all.
    fn place_all(&mut self, problem: &Problem, pairs: &[(u32, u32, f64)]) -> (u64, bool) {
        let centre = problem.machine().topology().central_node().0;
        let mut placed = 0;
        for &(u, v, _) in pairs {
            let in_time = match (self.node_of(u), self.node_of(v)) {
                (Some(_), Some(_)) => continue,
                (Some(node), None) => self.place(v, node).is_some(),
                (None, Some(node)) => self.place(u, node).is_some(),
                (None, None) => {
                    self.place(u, centre).and_then(|node| self.place(v, node)).is_some()
                }
            };
            if !in_time {
                return (placed, false);
            }
            placed += 1;
        }
        for rank in 0..problem.num_ranks() as u32 {
            if self.node_of(rank).is_none() && self.place(rank, centre).is_none() {
                return (placed, false);
            }
        }
        (placed, true)
    }

    fn node_of(&self, rank: u32) -> Option<u32> {
        let slot = self.slots[rank as usize];
        (slot != NOWHERE).then(|| slot / self.room.machine.slots_per_node())
    }

    /// Puts a rank as close to `near` as there is room. Returns the node, if there is time.
    fn place(&mut self, rank: u32, near: u32) -> Option<u32> {
        self.slots[rank as usize] = self.room.take_nearest(near)?;
        self.node_of(rank)
    }
}

/// The maximum number of stored lists of nodes.
const MOST_SHELLS: usize = 16;

/// Which nodes have room under the present limit.
struct Room<'a> {
    machine: &'a Machine,
    limit: u32,
    taken: Vec<u32>,
    /// Nodes that are not full under the present limit.
    open_nodes: usize,
    /// Every distance between nodes.
    distances: Vec<u32>,
    /// For each node, the first of these distances at which a node may have room: closer nodes are
    /// full until the limit grows.
    closest_room: Vec<u32>,
    /// For each node, how many full nodes were passed in the search for room near it.
    passed: Vec<u32>,
    /// The nodes around those near which many ranks need room: all partners of a hub do.
    shells: Vec<Shell>,
    clock: Clock<'a>,
    pace: Pace,
}

/// The nodes at one distance from a node.
struct Shell {
    near: u32,
    nearness: u32,
    nodes: Vec<u32>,
    /// Nodes before this one are full until the limit grows.
    next: usize,
}

impl<'a> Room<'a> {
    fn new(machine: &'a Machine, limit: u32, clock: Clock<'a>) -> Self {
        let nodes = machine.num_nodes();
        Room {
            machine,
            limit: limit.min(machine.slots_per_node()),
            taken: vec![0; nodes],
            open_nodes: nodes,
            distances: machine.topology().distances(),
            closest_room: vec![0; nodes],
            passed: vec![0; nodes],
            shells: Vec::new(),
            clock,
            pace: Pace::default(),
        }
    }

    /// Takes the next slot of the closest node to `near` that has room; `None` if the time is up.
    fn take_nearest(&mut self, near: u32) -> Option<u32> {
        if self.open_nodes == 0 {
            self.limit += 1;
            self.open_nodes = self.taken.len();
            self.closest_room.fill(0);
            self.shells.clear();
        }
        let mut nearness = self.closest_room[near as usize];
        let node = loop {
            let found = match self.shell(near, nearness) {
                Some(shell) => self.next_in_shell(shell),
                None => self.first_with_room(near, nearness),
            };
            if self.clock.is_over_after(1, &mut self.pace) {
                return None;
            }
            if let Some(node) = found {
                break node;
            }
            nearness += 1;
        };
        self.closest_room[near as usize] = nearness;
        let slot = node * self.machine.slots_per_node() + self.taken[node as usize];
        self.taken[node as usize] += 1;
        if self.taken[node as usize] == self.limit {
            self.open_nodes -= 1;
        }
        Some(slot)
    }

    /// The first node with room at a distance from `near`. Stops if the time is up.
    fn first_with_room(&mut self, near: u32, nearness: u32) -> Option<u32> {
        let distance = self.distances[nearness as usize];
        let (taken, limit, clock) = (&self.taken, self.limit, &self.clock);
        let (passed, pace) = (&mut self.passed[near as usize], &mut self.pace);
        let mut found = None;
        let _ = self.machine.topology().nodes_at_distance(Vertex(near), distance, &mut |node| {
            if taken[node.index()] < limit {
                found = Some(node.0);
                return ControlFlow::Break(());
            }
            *passed = passed.saturating_add(1);
            match clock.is_over_after(1, pace) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        found
    }

    /// The list of the nodes at a distance from `near`, if there is one. It is made once as many
    /// nodes have been passed there as the machine has.
    fn shell(&mut self, near: u32, nearness: u32) -> Option<usize> {
        if (self.passed[near as usize] as usize) < self.taken.len() {
            return None;
        }
        let known = self.shells.iter().position(|shell| shell.near == near);
        if let Some(known) = known.filter(|&known| self.shells[known].nearness == nearness) {
            return Some(known);
        }
        let distance = self.distances[nearness as usize];
        let mut nodes = Vec::new();
        let _ = self.machine.topology().nodes_at_distance(Vertex(near), distance, &mut |node| {
            nodes.push(node.0);
            ControlFlow::Continue(())
        });
        let shell = Shell { near, nearness, nodes, next: 0 };
        match known {
            Some(known) => {
                self.shells[known] = shell;
                Some(known)
            }
            None => {
                if self.shells.len() == MOST_SHELLS {
                    let oldest = self.shells.remove(0);
                    self.passed[oldest.near as usize] = 0;
                }
                self.shells.push(shell);
                Some(self.shells.len() - 1)
            }
        }
    }

    /// The same as `first_with_room`, from where the last search ended.
    fn next_in_shell(&mut self, shell: usize) -> Option<u32> {
        let Shell { nodes, next, .. } = &mut self.shells[shell];
        let is_full = |&&node: &&u32| self.taken[node as usize] >= self.limit;
        *next += nodes[*next..].iter().take_while(is_full).count();
        nodes.get(*next).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_found_in_lists_where_a_search_through_the_machine_finds_it() {
        for spec in ["torus:5x4x3,slots=2", "tree:4:5:3,distances=1:10:100", "hypercube:6"] {
            let machine = Machine::parse(spec).unwrap();
            let run = Run::new(1);
            let mut listed = Room::new(&machine, 1, Clock::new(&run));
            let mut searched = Room::new(&machine, 1, Clock::new(&run));
            for turn in 0..machine.num_slots() as u32 {
                // With lists from the first search on, and without any.
                listed.passed.fill(u32::MAX);
                searched.passed.fill(0);
                let near = [7, 7, 11, turn % machine.num_nodes() as u32][turn as usize % 4];
                let slots = (listed.take_nearest(near), searched.take_nearest(near));
                assert_eq!(slots.0, slots.1, "{spec}");
            }
            assert!(!listed.shells.is_empty() && searched.shells.is_empty());
        }
    }
}
