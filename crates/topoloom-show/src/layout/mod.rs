//! The layout of a picture of a machine, and the loads of its links.

pub(crate) mod boxes;
mod edges;
mod gray;
mod gray_code;
mod hosts;
mod inside;
mod layered;
mod layers;
mod levels;
mod limits;
mod links;
mod nested;
mod parts;
mod plan;
mod racks;
mod stress;

use topoloom_core::cluster::NamedNetwork;
use topoloom_core::statistics::link_loads;
use topoloom_core::topology::{Cluster, Drawing};
use topoloom_core::{LinkId, Machine, Mapping, Problem, Topology, Vertex, Weight};

pub use inside::{DrawnHost, HostAdapter, HostPart};
pub use layers::Layers;
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
    /// How far the middle of each edge is aside: upwards along a row, to the right along a column. 0
    /// for straight edges.
    pub bends: Vec<f32>,
    /// How many links each edge stands for, with both directions of a cable counted once.
    pub links: Vec<u32>,
    /// The rows of a machine that is drawn in rows.
    pub layers: Option<Layers>,
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
    /// The busiest link (or boundary of a group), drawn or not. Links inside hosts do not count.
    pub most: f64,
    /// The edge of the busiest link, and what this link is called; none if nothing is carried, or it
    /// is not drawn.
    pub busiest: Option<(u32, String)>,
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
    let drawing = match topology.cluster() {
        Some(cluster) if hosts::is_network_of_hosts(cluster) => Drawing::Links,
        _ => topology.drawing(),
    };
    let boundaries = matches!(drawing, Drawing::Nested);
    let (mut plan, collected) = match (drawing, topology.groups()) {
        (Drawing::Nested, Some(groups)) => {
            let placed = nested::plan(topology, &groups);
            let crossed = mappings
                .iter()
                .filter_map(|mapping| Some(nested::crossings(&groups, problem?, &mapping.nodes())));
            let collected = placed.collected(crossed.collect());
            (placed.plan, collected)
        }
        (drawing, _) => {
            let plan = match named_network(topology) {
                Some((cluster, named)) => {
                    let network = named.topology.as_ref();
                    let plan = plan_of(network, network.drawing());
                    hosts::on_network(plan, topology, cluster, &named.node_of_host)
                }
                None => plan_of(topology, drawing),
            };
            let used = mappings.iter().filter_map(|mapping| Some(link_loads(problem?, mapping)));
            let collected = collect(topology, &plan, &used.collect::<Vec<_>>(), weight);
            (plan, collected)
        }
    };
    let Collected { edges, links, carried, notes } = collected;
    plan.notes.extend(notes);
    let around = edges.iter().map(|&ends| plan.goes_around(ends)).collect();
    let bends = edges.iter().map(|&ends| plan.bend(ends)).collect();
    let loads = mappings.iter().zip(carried).filter_map(|(mapping, carried)| {
        let traffic = traffic_of_points(problem?, mapping, &plan);
        let busiest =
            carried.busiest.map(|(edge, link)| (edge, name_of_link(topology, &plan, link)));
        let small = |loads: Vec<f64>| loads.into_iter().map(narrowed).collect();
        Some(DrawnLoads {
            forward: small(carried.forward),
            backward: small(carried.backward),
            traffic: small(traffic),
            most: carried.most,
            busiest,
        })
    });
    let loads = loads.collect();
    plan.point_of_vertex.truncate(topology.num_nodes());
    DrawnMachine {
        loads,
        turns: plan.turns,
        boundaries,
        points: plan.points,
        names: plan.names,
        holding: plan.holding,
        point_of_node: plan.point_of_vertex,
        edges,
        around,
        bends,
        links,
        layers: plan.layers,
        notes: plan.notes,
    }
}

/// The cluster and its network, if the network has a name: it is drawn as it is without hosts.
fn named_network(topology: &dyn Topology) -> Option<(&Cluster, &NamedNetwork)> {
    let cluster = topology.cluster().filter(|cluster| hosts::is_network_of_hosts(cluster))?;
    Some((cluster, cluster.description().network.named.as_ref()?))
}

fn plan_of(topology: &dyn Topology, drawing: Drawing) -> Plan {
    match drawing {
        Drawing::Levels(rows) => levels::plan(topology, &rows),
        Drawing::Parts(part_of) => parts::plan(topology, &part_of),
        Drawing::Box => boxes::plan(topology),
        Drawing::Links | Drawing::Nested => links::plan(topology),
    }
}

/// What a link is called: by its ports if they are known, otherwise by the points at its ends.
fn name_of_link(topology: &dyn Topology, plan: &Plan, link: LinkId) -> String {
    if topology.cluster().is_some() {
        return topology.link_name(link).unwrap_or_default();
    }
    let ends = topology.link(link).map(|link| [link.from, link.to]);
    let name = |end: Vertex| {
        let point = plan.point_of_vertex.get(end.index()).copied().unwrap_or(0);
        plan.names.get(point as usize).map_or("", |name| &name[..])
    };
    ends.map(|[from, to]| format!("{} -> {}", name(from), name(to))).unwrap_or_default()
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
