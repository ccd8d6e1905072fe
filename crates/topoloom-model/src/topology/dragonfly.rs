//! Dragonflies: groups of routers, with links between all routers of a group and one link between
//! each two groups.

use std::sync::Arc;

use super::distance_counts::{DistanceCounts, ball, counts};
use super::drawing::Drawing;
use super::entry::TopologyEntry;
use super::interface::Topology;
use super::link::UNIFORM_LINK_PARAMETERS;
use super::link::{Link, LinkProperties};
use super::size::checked_volume;
use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};
use crate::words::counted;

/// Dragonflies.
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: "dragonfly",
    summary: "groups of routers: all linked within a group, one link between every two groups",
    example: "dragonfly:groups=9,routers=4,nodes=2",
    parameters: &[
        Parameter { name: "groups", default: "required", summary: "groups" },
        Parameter { name: "routers", default: "required", summary: "routers per group" },
        Parameter { name: "nodes", default: "required", summary: "nodes per router" },
        Parameter {
            name: "global",
            default: "ceil((groups-1)/routers)",
            summary: "links per router to other groups",
        },
        UNIFORM_LINK_PARAMETERS[0],
        UNIFORM_LINK_PARAMETERS[1],
        UNIFORM_LINK_PARAMETERS[2],
        UNIFORM_LINK_PARAMETERS[3],
        Parameter {
            name: "node-bandwidth",
            default: "bandwidth",
            summary: "bandwidth of links between nodes and routers",
        },
        Parameter {
            name: "node-latency",
            default: "latency",
            summary: "latency of links between nodes and routers",
        },
        Parameter {
            name: "node-energy",
            default: "energy",
            summary: "energy of links between nodes and routers",
        },
        Parameter {
            name: "node-idle-power",
            default: "idle-power",
            summary: "idle power of links between nodes and routers",
        },
        Parameter {
            name: "local-bandwidth",
            default: "bandwidth",
            summary: "bandwidth of links in a group",
        },
        Parameter {
            name: "local-latency",
            default: "latency",
            summary: "latency of links in a group",
        },
        Parameter {
            name: "local-energy",
            default: "energy",
            summary: "energy of links in a group",
        },
        Parameter {
            name: "local-idle-power",
            default: "idle-power",
            summary: "idle power of links in a group",
        },
        Parameter {
            name: "global-bandwidth",
            default: "bandwidth",
            summary: "bandwidth of links between groups",
        },
        Parameter {
            name: "global-latency",
            default: "latency",
            summary: "latency of links between groups",
        },
        Parameter {
            name: "global-energy",
            default: "energy",
            summary: "energy of links between groups",
        },
        Parameter {
            name: "global-idle-power",
            default: "idle-power",
            summary: "idle power of links between groups",
        },
    ],
    build: |spec| Ok(Arc::new(Dragonfly::from_spec(spec)?)),
};

/// A dragonfly. The k-th global link of group g goes to group (g + k + 1) mod groups and is on
/// router k div `global`. Routes take at most one global link.
///
/// Vertices are nodes first, then routers. Links: node n has link n, up to its router. Router r has
/// the links `nodes + r * ports + ...`: to its nodes, to the other routers of its group, and to
/// other groups.
#[derive(Debug, Clone, Copy)]
pub struct Dragonfly {
    groups: u32,
    routers: u32,
    nodes: u32,
    global: u32,
    /// Properties of the links between a node and its router.
    to_nodes: LinkProperties,
    /// Properties of the links in a group.
    local_links: LinkProperties,
    /// Properties of the links from group to group.
    global_links: LinkProperties,
}

impl Dragonfly {
    fn from_spec(spec: &Spec) -> Result<Dragonfly, SpecError> {
        spec.no_shape()?;
        let required = |key: &str| {
            let expected = "a number of at least 1";
            let found = spec.get::<u32>(key, expected)?;
            found.filter(|&number| number >= 1).ok_or_else(|| {
                let found = found.map_or("none".to_string(), |number| format!("\"{number}\""));
                SpecError::new(format!(
                    "dragonfly: expected {expected} for \"{key}\", found {found}"
                ))
            })
        };
        let (groups, routers, nodes) =
            (required("groups")?, required("routers")?, required("nodes")?);
        checked_volume(spec, &[groups, routers, nodes])?;
        let least = (groups - 1).div_ceil(routers);
        let global = spec.get("global", "a number")?.unwrap_or(least);
        if global < least {
            return Err(SpecError::new(format!(
                "dragonfly: expected at least {least} for \"global\", so that {} reach {}, found \
                 \"{global}\"",
                counted(routers, "router"),
                counted(groups - 1, "other group")
            )));
        }
        if u64::from(nodes) + u64::from(routers) + u64::from(global) > 1 << 20 {
            return Err(SpecError::new(format!("{spec} has routers with too many links")));
        }
        let all = LinkProperties::ELECTRICAL.overridden(spec, "")?;
        Ok(Dragonfly {
            groups,
            routers,
            nodes,
            global,
            to_nodes: all.overridden(spec, "node-")?,
            local_links: all.overridden(spec, "local-")?,
            global_links: all.overridden(spec, "global-")?,
        })
    }

    fn all_nodes(&self) -> u32 {
        self.groups * self.routers * self.nodes
    }

    fn ports(&self) -> u64 {
        u64::from(self.nodes) + u64::from(self.routers - 1) + u64::from(self.global)
    }

    /// The router of a vertex: for a node its router, for a router the router itself. Counted over
    /// all groups.
    fn router_of(&self, vertex: Vertex) -> u32 {
        match vertex.0.checked_sub(self.all_nodes()) {
            Some(router) => router,
            None => vertex.0 / self.nodes,
        }
    }

    fn is_node(&self, vertex: Vertex) -> bool {
        vertex.0 < self.all_nodes()
    }

    /// The global link from one group to another: its number, and the router it is on.
    fn way_out(&self, from_group: u32, to_group: u32) -> (u32, u32) {
        let link = (to_group + self.groups - from_group - 1) % self.groups;
        (link, from_group * self.routers + link / self.global)
    }

    /// The router at which a link from another group arrives.
    fn way_in(&self, from_group: u32, to_group: u32) -> u32 {
        self.way_out(to_group, from_group).1
    }

    fn between_routers(&self, a: u32, b: u32) -> u32 {
        let (from, to) = (a / self.routers, b / self.routers);
        if from == to {
            return u32::from(a != b);
        }
        u32::from(self.way_out(from, to).1 != a) + 1 + u32::from(self.way_in(from, to) != b)
    }

    fn router_link(&self, router: u32, port: u64) -> LinkId {
        LinkId(u64::from(self.all_nodes()) + u64::from(router) * self.ports() + port)
    }

    /// The link to another router of the same group.
    fn local_link(&self, from: u32, to: u32) -> LinkId {
        let (own, other) = (from % self.routers, to % self.routers);
        let place = if other < own { other } else { other - 1 };
        self.router_link(from, u64::from(self.nodes + place))
    }
}

impl Topology for Dragonfly {
    fn num_nodes(&self) -> usize {
        self.all_nodes() as usize
    }

    fn num_vertices(&self) -> usize {
        (self.all_nodes() + self.groups * self.routers) as usize
    }

    fn drawing(&self) -> Drawing {
        let group = |vertex| self.router_of(Vertex(vertex)) / self.routers;
        Drawing::Parts((0..self.num_vertices() as u32).map(group).collect())
    }

    fn num_links(&self) -> u64 {
        let (groups, routers) = (u64::from(self.groups), u64::from(self.routers));
        2 * u64::from(self.all_nodes()) + groups * routers * (routers - 1) + groups * (groups - 1)
    }

    fn link_id_bound(&self) -> u64 {
        u64::from(self.all_nodes()) + u64::from(self.groups * self.routers) * self.ports()
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        let nodes = self.all_nodes();
        let Some(rest) = id.0.checked_sub(u64::from(nodes)) else {
            let node = Vertex(id.0 as u32);
            let router = Vertex(nodes + self.router_of(node));
            return Some(Link { from: node, to: router, properties: self.to_nodes });
        };
        if id.0 >= self.link_id_bound() {
            return None;
        }
        let (router, port) = ((rest / self.ports()) as u32, (rest % self.ports()) as u32);
        let from = Vertex(nodes + router);
        let group = router / self.routers;
        if port < self.nodes {
            let node = Vertex(router * self.nodes + port);
            return Some(Link { from, to: node, properties: self.to_nodes });
        }
        let port = port - self.nodes;
        if port < self.routers - 1 {
            let other = if port < router % self.routers { port } else { port + 1 };
            let other = Vertex(nodes + group * self.routers + other);
            return Some(Link { from, to: other, properties: self.local_links });
        }
        let number = router % self.routers * self.global + port - (self.routers - 1);
        if number + 1 >= self.groups {
            return None;
        }
        let there = (group + number + 1) % self.groups;
        let other = Vertex(nodes + self.way_in(group, there));
        Some(Link { from, to: other, properties: self.global_links })
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        if from == to {
            return 0;
        }
        let ends = u32::from(self.is_node(from)) + u32::from(self.is_node(to));
        ends + self.between_routers(self.router_of(from), self.router_of(to))
    }

    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        if at == to {
            return;
        }
        if self.is_node(at) {
            return out.push(LinkId(u64::from(at.0)));
        }
        let (here, there) = (self.router_of(at), self.router_of(to));
        if here == there {
            return out.push(self.router_link(here, u64::from(to.0 % self.nodes)));
        }
        let (group, goal) = (here / self.routers, there / self.routers);
        if group == goal {
            return out.push(self.local_link(here, there));
        }
        let (number, gateway) = self.way_out(group, goal);
        if gateway == here {
            let port = self.nodes + self.routers - 1 + number % self.global;
            out.push(self.router_link(here, u64::from(port)));
        } else {
            out.push(self.local_link(here, gateway));
        }
    }

    // Links to other groups are numbered relative to their own group, so groups are alike.
    fn nested_parts(&self) -> Option<Vec<u32>> {
        Some(vec![self.nodes, self.routers, self.groups])
    }

    fn fastest_link(&self) -> f64 {
        LinkProperties::fastest([
            (true, self.to_nodes),
            (self.routers > 1, self.local_links),
            (self.groups > 1, self.global_links),
        ])
    }

    // Between two groups there is one link. Whichever routers it joins, they are one pair of
    // routers, and each has R - 1 others beside it.
    fn pairs_at_distance(&self) -> DistanceCounts {
        let [groups, routers, nodes] = [self.groups, self.routers, self.nodes].map(u64::from);
        let pairs = |of: u64| of * (of - 1) / 2;
        let between_groups = pairs(groups) * nodes.pow(2);
        counts(vec![
            0,
            0,
            groups * routers * pairs(nodes),
            groups * pairs(routers) * nodes.pow(2) + between_groups,
            2 * (routers - 1) * between_groups,
            (routers - 1).pow(2) * between_groups,
        ])
    }

    // Groups are alike. The first router of a group has the most global links, and each of them
    // brings a whole group one hop nearer.
    fn largest_ball(&self) -> DistanceCounts {
        let [groups, routers, nodes] = [self.groups, self.routers, self.nodes].map(u64::from);
        let own_links = u64::from(self.global).min(groups - 1);
        let over_others = groups - 1 - own_links;
        ball(vec![
            1,
            0,
            nodes - 1,
            (routers - 1 + own_links) * nodes,
            (own_links * (routers - 1) + over_others) * nodes,
            over_others * (routers - 1) * nodes,
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::super::metric::{largest_ball_by_counting, pairs_at_distance_by_counting};
    use super::*;
    use crate::Machine;

    #[test]
    fn a_small_one_is_wired_as_drawn() {
        // Three groups of two routers, one node each: nodes 0 to 5, routers 6 to 11. Each router
        // has one global link: router 0 of a group to the next group, router 1 to the one after.
        let machine = Machine::parse("dragonfly:groups=3,routers=2,nodes=1").unwrap();
        let topology = machine.topology();
        let ends: Vec<(u32, u32)> = (0..topology.link_id_bound())
            .map(|id| topology.link(LinkId(id)).unwrap())
            .map(|link| (link.from.0, link.to.0))
            .collect();
        let expected = [
            (0, 6),
            (1, 7),
            (2, 8),
            (3, 9),
            (4, 10),
            (5, 11),
            (6, 0),
            (6, 7),
            (6, 9),
            (7, 1),
            (7, 6),
            (7, 10),
            (8, 2),
            (8, 9),
            (8, 11),
            (9, 3),
            (9, 8),
            (9, 6),
            (10, 4),
            (10, 11),
            (10, 7),
            (11, 5),
            (11, 10),
            (11, 8),
        ];
        assert_eq!(ends, expected);
        assert_eq!(topology.num_links(), 24);
    }

    #[test]
    fn routes_take_one_global_link_at_most() {
        let machine = Machine::parse("dragonfly:groups=3,routers=2,nodes=1").unwrap();
        let mut route = Vec::new();
        // From node 0 to node 2: router 6, over to 9, to 8. Two global links, 6 - 9 and on, would
        // not be shorter here, and are never taken.
        machine.routing().route(machine.topology(), Vertex(0), Vertex(2), &mut |id, share| {
            route.push((machine.topology().link(id).unwrap().to.0, share));
        });
        assert_eq!(route, [(6, 1.0), (9, 1.0), (8, 1.0), (2, 1.0)]);
        assert_eq!(machine.topology().distance(Vertex(0), Vertex(2)), 4);
    }

    #[test]
    fn distances_by_formula_are_those_of_all_pairs() {
        for groups in 1..=6 {
            for routers in 1..=4 {
                for nodes in 1..=3 {
                    let least = (groups - 1u32).div_ceil(routers);
                    // One more than needed, and so many that the first router has all of them.
                    for global in [least, least + 1, groups, groups + 3] {
                        let spec = format!(
                            "dragonfly:groups={groups},routers={routers},nodes={nodes},global={global}"
                        );
                        let machine = Machine::parse(&spec).unwrap();
                        let topology = machine.topology();
                        assert_eq!(
                            topology.pairs_at_distance(),
                            pairs_at_distance_by_counting(topology),
                            "{spec}"
                        );
                        assert_eq!(
                            topology.largest_ball(),
                            largest_ball_by_counting(topology),
                            "{spec}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_largest_machines_are_counted_without_a_look_at_their_pairs() {
        // 2^24 nodes have 2^47 pairs, which cannot be counted one by one.
        let machine = Machine::parse("dragonfly:groups=4096,routers=64,nodes=64").unwrap();
        let nodes = machine.num_nodes() as u64;
        let pairs = machine.topology().pairs_at_distance();
        assert_eq!(pairs.iter().map(|&(_, count)| count).sum::<u64>(), nodes * (nodes - 1) / 2);
        assert_eq!(machine.topology().largest_ball().last(), Some(&(5, nodes - 1)));
    }

    #[test]
    fn too_few_global_links_are_named() {
        let message = Machine::parse("dragonfly:groups=9,routers=4,nodes=2,global=1")
            .unwrap_err()
            .to_string();
        assert!(message.contains("at least 2"), "{message}");
    }
}
