//! The layout of a picture of a machine, and the loads of its links.

pub(crate) mod boxes;
mod edges;
mod levels;
mod limits;
mod links;
mod nested;
mod parts;
mod plan;
mod stress;

use topoloom_core::statistics::link_loads;
use topoloom_core::topology::Drawing;
use topoloom_core::{Machine, Mapping, Problem, Weight};

pub use limits::{MOST_EDGES, MOST_POINTS};

use edges::{Collected, collect};
use plan::Plan;

/// A machine as it is drawn. If it is too large, points stand for several nodes, and links between
/// them for several links; `notes` say so.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnMachine {
    /// Whether it has three dimensions and can be turned; otherwise every z is 0.
    pub turns: bool,
    /// Whether edges are boundaries of groups, on machines that are groups in groups.
    pub boundaries: bool,
    /// The positions of the points, about 1 apart: x to the right, y up, z to the front. First
    /// those that hold nodes, then switches or groups.
    pub points: Vec<[f32; 3]>,
    /// What each point is, such as `node 17 (1, 1, 0)`, `switch 3 of level 1` or `host n04`.
    pub names: Vec<String>,
    /// How many points hold nodes: the first ones.
    pub holding: usize,
    /// The point of each node of the machine.
    pub point_of_node: Vec<u32>,
    /// The ends of each edge: points, the lower one first; in ascending order, each pair once. An
    /// edge stands for all links between its ends, of both directions. On machines of groups in
    /// groups, it stands for the boundary of the group (or place) at its first end.
    pub edges: Vec<[u32; 2]>,
    /// Whether an edge goes around a ring, from one end of the picture to the other: drawn as a
    /// stub at each end, in the direction away from the other end.
    pub around: Vec<bool>,
    /// The loads of the edges, one for each placement.
    pub loads: Vec<DrawnLoads>,
    /// What was combined or left out, in sentences.
    pub notes: Vec<String>,
}

/// The loads of a drawn machine under a placement, in units of the problem's weight.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnLoads {
    /// On each edge from its first end to its second: the largest load of any link that it stands
    /// for. On machines of groups in groups, the amount that leaves the group at the first end.
    pub forward: Vec<f32>,
    /// The same from the second end to the first; on machines of groups in groups, the amount that
    /// enters the group.
    pub backward: Vec<f32>,
    /// For each point that holds nodes: what its ranks exchange with ranks elsewhere, in both
    /// directions.
    pub traffic: Vec<f32>,
    /// The busiest link (or boundary of a group), drawn or not.
    pub most: f64,
}

impl DrawnMachine {
    /// A machine without any loads.
    pub fn of(machine: &Machine) -> DrawnMachine {
        drawn(machine, None, &[])
    }

    /// A machine under placements of one problem.
    pub fn under(problem: &Problem, mappings: &[&Mapping]) -> DrawnMachine {
        drawn(problem.machine(), Some(problem), mappings)
    }

    /// The load of the busiest link under any placement; 0 if there are no placements.
    pub fn most(&self) -> f64 {
        self.loads.iter().map(|loads| loads.most).fold(0.0, f64::max)
    }
}

fn drawn(machine: &Machine, problem: Option<&Problem>, mappings: &[&Mapping]) -> DrawnMachine {
    let topology = machine.topology();
    let weight = problem.map_or(Weight::Bytes, Problem::weight);
    let (mut plan, collected) = match (topology.drawing(), topology.groups()) {
        (Drawing::Nested, Some(groups)) => {
            let placed = nested::plan(topology, &groups);
            let crossed = mappings
                .iter()
                .filter_map(|mapping| Some(nested::crossings(&groups, problem?, &mapping.nodes())));
            let collected = placed.collected(crossed.collect());
            (placed.plan, collected)
        }
        (drawing, _) => {
            let plan = match drawing {
                Drawing::Levels(rows) => levels::plan(topology, &rows),
                Drawing::Parts(part_of) => parts::plan(topology, &part_of),
                Drawing::Box => boxes::plan(topology),
                Drawing::Links | Drawing::Nested => links::plan(topology),
            };
            let used = mappings.iter().filter_map(|mapping| Some(link_loads(problem?, mapping)));
            let collected = collect(topology, &plan, &used.collect::<Vec<_>>(), weight);
            (plan, collected)
        }
    };
    let Collected { edges, carried, notes } = collected;
    plan.notes.extend(notes);
    plan.point_of_vertex.truncate(topology.num_nodes());
    let around = edges.iter().map(|&ends| plan.goes_around(ends)).collect();
    let loads = mappings.iter().zip(carried).filter_map(|(mapping, carried)| {
        let traffic = traffic_of_points(problem?, mapping, &plan);
        let small = |loads: Vec<f64>| loads.into_iter().map(narrowed).collect();
        Some(DrawnLoads {
            forward: small(carried.forward),
            backward: small(carried.backward),
            traffic: small(traffic),
            most: carried.most,
        })
    });
    DrawnMachine {
        loads: loads.collect(),
        turns: plan.turns,
        boundaries: matches!(topology.drawing(), Drawing::Nested),
        points: plan.points,
        names: plan.names,
        holding: plan.holding,
        point_of_node: plan.point_of_vertex,
        edges,
        around,
        notes: plan.notes,
    }
}

fn traffic_of_points(problem: &Problem, mapping: &Mapping, plan: &Plan) -> Vec<f64> {
    let mut traffic = vec![0.0; plan.holding];
    let nodes = mapping.nodes();
    let point = |rank: u32| plan.point_of_vertex[nodes[rank as usize] as usize] as usize;
    problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
        let (from, to) = (point(from), point(to));
        if from != to {
            traffic[from] += weight;
            traffic[to] += weight;
        }
    });
    traffic
}

/// A number of half the size. Larger values become the largest one, because a picture has no
/// infinity.
pub(crate) fn narrowed(value: f64) -> f32 {
    (value as f32).clamp(f32::MIN, f32::MAX)
}

#[cfg(test)]
mod tests;
