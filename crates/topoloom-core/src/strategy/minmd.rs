//! MinMD: the heaviest pairs first, as close together as possible.
//!
//! Algorithm 2 of the HAEC thesis.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{NotApplicable, Strategy, StrategyEntry};
use crate::ids::Vertex;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::SpecError;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "minmd",
    summary: "heaviest pairs first, as close as possible, growing from the centre",
    example: "minmd",
    parameters: &[Parameter {
        name: "limit",
        default: "1",
        summary: "ranks a node takes before every node has as many; then one more, and so on",
    }],
    build: |spec| {
        spec.no_shape()?;
        let expected = "a number of at least 1";
        let limit = spec.get("limit", expected)?.unwrap_or(1u32);
        if limit == 0 {
            return Err(SpecError::new(format!(
                "minmd: expected {expected} for \"limit\", found \"0\""
            )));
        }
        Ok(Arc::new(MinMd { limit }))
    },
};

/// Heaviest pairs first, as close together as possible.
#[derive(Debug, Clone, Copy)]
pub struct MinMd {
    /// Ranks that a node takes at first. When every node holds as many, the limit grows by one.
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
        pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
        let centre = problem.machine().topology().central_node().0;
        let mut room = Room::new(problem.machine(), self.limit);
        let mut node_of: Vec<Option<u32>> = vec![None; problem.num_ranks()];
        let mut slots = vec![0; problem.num_ranks()];
        let mut place = |rank: u32, near: u32, node_of: &mut [Option<u32>]| {
            let slot = room.take_nearest(near);
            slots[rank as usize] = slot;
            node_of[rank as usize] = Some(slot / problem.machine().slots_per_node());
        };
        for (u, v, _) in pairs {
            match (node_of[u as usize], node_of[v as usize]) {
                (Some(_), Some(_)) => continue,
                (Some(node), None) => place(v, node, &mut node_of),
                (None, Some(node)) => place(u, node, &mut node_of),
                (None, None) => {
                    place(u, centre, &mut node_of);
                    let node = node_of[u as usize].expect("just placed");
                    place(v, node, &mut node_of);
                }
            }
            // Half a placement is of no use, so no limit cuts this short.
            run.count(1);
        }
        for rank in 0..problem.num_ranks() as u32 {
            if node_of[rank as usize].is_none() {
                place(rank, centre, &mut node_of);
            }
        }
        Ok(Mapping::new(slots, problem.machine()).expect("each slot is taken once"))
    }
}

/// Which nodes have room under the present limit.
struct Room<'a> {
    machine: &'a Machine,
    limit: u32,
    taken: Vec<u32>,
    /// Nodes that are not full under the present limit.
    open_nodes: usize,
    /// Every distance between nodes.
    distances: Vec<u32>,
    /// For each node, the first of these at which a node may have room: what is closer is full
    /// until the limit grows.
    closest_room: Vec<u32>,
}

impl<'a> Room<'a> {
    fn new(machine: &'a Machine, limit: u32) -> Self {
        let nodes = machine.num_nodes();
        Room {
            machine,
            limit: limit.min(machine.slots_per_node()),
            taken: vec![0; nodes],
            open_nodes: nodes,
            distances: machine.topology().distances(),
            closest_room: vec![0; nodes],
        }
    }

    /// Takes a slot on the closest node to `near` that has room.
    fn take_nearest(&mut self, near: u32) -> u32 {
        if self.open_nodes == 0 {
            self.limit += 1;
            self.open_nodes = self.taken.len();
            self.closest_room.fill(0);
        }
        let mut nearness = self.closest_room[near as usize];
        let node = loop {
            let distance = self.distances[nearness as usize];
            let mut found = None;
            let _ =
                self.machine.topology().nodes_at_distance(Vertex(near), distance, &mut |node| {
                    if self.taken[node.index()] < self.limit {
                        found = Some(node.0);
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                });
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
        slot
    }
}
