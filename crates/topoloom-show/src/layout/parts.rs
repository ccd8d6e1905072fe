//! Separate parts: groups on a circle, their routers on small circles, nodes around these.

use std::f64::consts::{PI, TAU};

use topoloom_core::{Topology, Vertex};

use super::limits::MOST_POINTS;
use super::plan::{Plan, in_rows, run_of};

/// How far apart nodes of a router are.
const APART: f64 = 0.6;

/// A direction and a distance from a centre; 0 is up, and angles increase clockwise.
fn around([x, y]: [f64; 2], angle: f64, distance: f64) -> [f64; 2] {
    [x + distance * angle.sin(), y + distance * angle.cos()]
}

/// The radius of a circle on which `count` points lie `apart` from each other.
fn radius(count: usize, apart: f64) -> f64 {
    match count {
        0 | 1 => 0.0,
        count => apart / (2.0 * (PI / count as f64).sin()),
    }
}

/// The routers of each part, and the nodes of each router.
struct Members {
    /// Routers, counted from 0, by part.
    routers: Vec<Vec<u32>>,
    /// The router of each node.
    router_of: Vec<u32>,
    /// How many nodes each router has.
    nodes_of: Vec<u32>,
}

impl Members {
    fn of(topology: &dyn Topology, part_of: &[u32]) -> Members {
        let nodes = topology.num_nodes();
        let count = part_of.len() - nodes;
        let parts = part_of.iter().max().map_or(0, |&part| part as usize + 1);
        let mut routers = vec![Vec::new(); parts];
        for (router, &part) in part_of[nodes..].iter().enumerate() {
            routers[part as usize].push(router as u32);
        }
        let mut next = Vec::new();
        let mut nodes_of = vec![0; count];
        let router_of = (0..nodes as u32).map(|node| {
            next.clear();
            // A node has one link, wherever its messages go.
            topology.next_links(Vertex(node), Vertex(nodes as u32), &mut next);
            let link = next.first().and_then(|&id| topology.link(id));
            let router = link.map_or(0, |link| link.to.0.saturating_sub(nodes as u32));
            nodes_of[router as usize] += 1;
            router
        });
        Members { router_of: router_of.collect(), routers, nodes_of }
    }
}

pub fn plan(topology: &dyn Topology, part_of: &[u32]) -> Plan {
    let nodes = topology.num_nodes();
    let parts = part_of.iter().max().map_or(0, |&part| part as usize + 1);
    match part_of.len() - nodes {
        0 => parts_as_points(nodes, part_of, parts),
        routers if routers > MOST_POINTS => parts_as_points(nodes, part_of, parts),
        _ => parts_of_routers(topology, part_of),
    }
}

/// Parts as points, or, if even these are too many, several parts as one point.
fn parts_as_points(nodes: usize, part_of: &[u32], parts: usize) -> Plan {
    let parts_a_point = parts.div_ceil(MOST_POINTS).max(1);
    let count = parts.div_ceil(parts_a_point);
    let point_of = |&part: &u32| part / parts_a_point as u32;
    let mut plan = Plan { block: "group", ..Plan::flat() };
    for point in 0..count {
        let run = (point * parts_a_point) as u32..((point + 1) * parts_a_point).min(parts) as u32;
        let place = around([0.0; 2], TAU * point as f64 / count as f64, radius(count, 1.0));
        plan.add(place, run_of("group", run));
    }
    plan.holding = count;
    plan.point_of_vertex = part_of.iter().map(point_of).collect();
    let edges = "an edge shows the busiest of the links between two of them";
    plan.notes.push(match parts_a_point {
        1 => {
            format!("A point stands for a group with its {} nodes; {edges}.", nodes / parts.max(1))
        }
        several => format!("A point stands for up to {several} groups; {edges}."),
    });
    plan
}

/// Parts with their routers and nodes; if there are too many nodes, those of a router are one
/// point.
fn parts_of_routers(topology: &dyn Topology, part_of: &[u32]) -> Plan {
    let nodes = topology.num_nodes();
    let members = Members::of(topology, part_of);
    let each = nodes <= MOST_POINTS;
    let most_nodes = members.nodes_of.iter().max().map_or(1, |&most| most.max(1));
    let fan = if each { most_nodes as usize } else { 1 };
    let columns = (1..).find(|columns| columns * columns >= fan).unwrap_or(1);
    let depth = 0.8 + APART * fan.div_ceil(columns) as f64;
    let most_routers = members.routers.iter().map(Vec::len).max().unwrap_or(1);
    // Nodes lie outside the circle of routers, where there is more room.
    let wide = APART * columns as f64 + 0.5;
    let inner = if most_routers > 1 { (radius(most_routers, wide) - 0.5).max(0.8) } else { 0.0 };
    let parts = members.routers.len();
    let outer = radius(parts, 2.0 * (inner + depth) * 0.95 + 0.6);

    let mut places = vec![([0.0; 2], 0.0); part_of.len() - nodes];
    for (part, routers) in members.routers.iter().enumerate() {
        let direction = TAU * part as f64 / parts as f64;
        let centre = around([0.0; 2], direction, outer);
        for (at, &router) in routers.iter().enumerate() {
            let turn = match routers.len() {
                1 => 0.0,
                count => (at as f64 + 0.5) / count as f64,
            };
            let angle = direction + TAU * turn;
            places[router as usize] = (around(centre, angle, inner), angle);
        }
    }
    let beside = |router: u32, count: usize, at: usize| {
        let (place, angle) = places[router as usize];
        let [column, row] = in_rows(count, columns, at);
        let out = around(place, angle, 0.8 + APART * row);
        around(out, angle + PI / 2.0, APART * column)
    };
    let mut plan = Plan { block: "router", ..Plan::flat() };
    if each {
        let mut seen = vec![0; members.nodes_of.len()];
        for (node, &router) in (0u32..).zip(&members.router_of) {
            let at = seen[router as usize];
            seen[router as usize] += 1;
            let count = members.nodes_of[router as usize] as usize;
            plan.add(beside(router, count, at), format!("node {node}"));
        }
        plan.point_of_vertex = (0..nodes as u32).collect();
    } else {
        plan.point_of_vertex = nodes_by_router(&mut plan, &members, |router| beside(router, 1, 0));
        plan.notes.push(format!(
            "A point stands for the {most_nodes} nodes of a router; an edge shows the busiest of the links that it \
             stands for."
        ));
    }
    plan.holding = plan.points.len();
    let mut number_in_part = vec![0; part_of.len() - nodes];
    for routers in &members.routers {
        for (number, &router) in (0..).zip(routers) {
            number_in_part[router as usize] = number;
        }
    }
    for (router, &part) in part_of[nodes..].iter().enumerate() {
        let name = format!("router {} of group {part}", number_in_part[router]);
        let point = plan.add(places[router].0, name);
        plan.point_of_vertex.push(point);
    }
    plan
}

/// One point for the nodes of each router that has some; returns the point of each node.
fn nodes_by_router(
    plan: &mut Plan,
    members: &Members,
    place: impl Fn(u32) -> [f64; 2],
) -> Vec<u32> {
    let mut first = vec![u32::MAX; members.nodes_of.len()];
    for (node, &router) in (0u32..).zip(&members.router_of) {
        first[router as usize] = first[router as usize].min(node);
    }
    let mut point_of = vec![0; first.len()];
    for (router, &count) in (0u32..).zip(&members.nodes_of).filter(|&(_, &count)| count > 0) {
        let from = first[router as usize];
        point_of[router as usize] = plan.add(place(router), run_of("node", from..from + count));
    }
    members.router_of.iter().map(|&router| point_of[router as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use topoloom_core::Machine;
    use topoloom_core::topology::Drawing;

    fn plan_of(spec: &str) -> Plan {
        let machine = Machine::parse(spec).unwrap();
        let Drawing::Parts(parts) = machine.topology().drawing() else {
            panic!("{spec} has parts")
        };
        plan(machine.topology(), &parts)
    }

    #[test]
    fn nodes_are_nearest_to_their_own_router() {
        let plan = plan_of("dragonfly:groups=9,routers=4,nodes=3");
        assert_eq!((plan.holding, plan.points.len()), (108, 144));
        assert_eq!(plan.names[108 + 5], "router 1 of group 1");
        for node in 0..108 {
            let apart = |router: &usize| {
                let [a, b] = [plan.points[node], plan.points[108 + router]];
                (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
            };
            let nearest = (0..36).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap();
            assert_eq!(nearest, node / 3);
        }
    }

    #[test]
    fn many_nodes_are_put_together_by_router_and_many_routers_by_group() {
        let plan = plan_of("dragonfly:groups=33,routers=32,nodes=16");
        assert_eq!((plan.holding, plan.names[1].as_str()), (33 * 32, "nodes 16 to 31"));
        let plan = plan_of("dragonfly:groups=129,routers=128,nodes=2");
        assert_eq!((plan.holding, plan.points.len()), (129, 129));
        let plan = plan_of("dragonfly:groups=10000,routers=1,nodes=1");
        assert_eq!((plan.holding, plan.names[0].as_str()), (5000, "groups 0 to 1"));
    }
}
