//! Routings by way of a switch that is chosen at random.
//!
//! *Valiant*: every packet goes to a random switch first, then to its destination, each half on a
//! shortest route. Whatever the traffic, it is spread evenly, at twice the length.
//! *UGAL*: each packet takes the shortest route unless its queue is much longer than that of such a
//! detour (Singh, Load-balanced routing in interconnection networks, 2005). Queues exist only in a
//! simulation of packets. Where nothing is simulated, its shortest routes count.
//!
//! In a network without switches, any node may be the one on the way.

use std::sync::Arc;

use super::entry::RoutingEntry;
use super::interface::{PacketWays, Routing};
use super::shortest_way::shortest_way;
use super::spread::{Split, spread};
use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

/// Every packet makes a detour.
pub static VALIANT: RoutingEntry = RoutingEntry {
    name: "valiant",
    summary: "by way of a random switch, each half on a shortest route",
    example: "valiant",
    parameters: &[],
    build: |spec, _| {
        spec.no_shape()?;
        Ok(Arc::new(ByWayOf { name: VALIANT.name, ways: PacketWays::Random }))
    },
};

/// Packets make a detour if the shortest route has a long queue.
pub static UGAL: RoutingEntry = RoutingEntry {
    name: "ugal",
    summary: "shortest, or by way of a random switch if that queue is shorter; needs packets",
    example: "ugal",
    parameters: &[],
    build: |spec, _| {
        spec.no_shape()?;
        Ok(Arc::new(ByWayOf { name: UGAL.name, ways: PacketWays::ByQueue }))
    },
};

#[derive(Debug)]
struct ByWayOf {
    name: &'static str,
    ways: PacketWays,
}

/// What may be on the way: all switches or, without any, all nodes.
fn on_the_way(topology: &dyn Topology) -> std::ops::Range<u32> {
    let (nodes, vertices) = (topology.num_nodes() as u32, topology.num_vertices() as u32);
    if vertices > nodes { nodes..vertices } else { 0..nodes }
}

impl Routing for ByWayOf {
    fn name(&self) -> String {
        self.name.to_string()
    }

    fn route(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        visit: &mut dyn FnMut(LinkId, f64),
    ) {
        if from == to {
            return;
        }
        if matches!(self.ways, PacketWays::ByQueue) {
            return spread(topology, from, to, Split::ByLink, visit);
        }
        let all = on_the_way(topology);
        let each = 1.0 / all.len() as f64;
        for via in all.map(Vertex) {
            let mut add = |link, share: f64| visit(link, share * each);
            spread(topology, from, via, Split::ByLink, &mut add);
            spread(topology, via, to, Split::ByLink, &mut add);
        }
    }

    fn is_straight(&self) -> bool {
        false
    }

    fn may_be_longer(&self) -> bool {
        true
    }

    fn packet_ways(&self) -> Option<PacketWays> {
        Some(self.ways)
    }

    fn one_way(
        &self,
        topology: &dyn Topology,
        (from, to): (Vertex, Vertex),
        shortest: bool,
        pick: &mut dyn FnMut(u32) -> u32,
        visit: &mut dyn FnMut(LinkId),
    ) {
        let mut start = from;
        if !shortest && from != to {
            let all = on_the_way(topology);
            let via = Vertex(all.start + pick(all.len() as u32));
            shortest_way(topology, from, via, pick, visit);
            start = via;
        }
        shortest_way(topology, start, to, pick, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    #[test]
    fn valiant_spreads_the_traffic_between_two_groups_over_all_of_them() {
        // Four groups of two routers with a node each: all of group 0 sends to group 1. The one link
        // between them carries everything on shortest routes.
        let spec = "dragonfly:groups=4,routers=2,nodes=1";
        let busiest = |routing: &str| {
            let machine = Machine::parse(spec).unwrap().with_routing(routing).unwrap();
            let topology = machine.topology();
            let mut loads = vec![0.0; topology.link_id_bound() as usize];
            for (from, to) in [(0, 2), (1, 3)] {
                let mut add = |id: LinkId, share: f64| loads[id.index()] += share;
                machine.routing().route(topology, Vertex(from), Vertex(to), &mut add);
            }
            let group = |vertex: Vertex| (vertex.0 - 8) / 2;
            let global = |id: &usize| {
                let link = topology.link(LinkId(*id as u64));
                link.is_some_and(|link| {
                    link.from.0 >= 8 && link.to.0 >= 8 && group(link.from) != group(link.to)
                })
            };
            (0..loads.len()).filter(global).map(|id| loads[id]).fold(0.0, f64::max)
        };
        assert_eq!(busiest("ugal"), 2.0);
        // Of eight routers, two in group 0 and two in group 1 lead over that link: 2 x 4 / 8.
        assert_eq!(busiest("valiant"), 1.0);
    }

    #[test]
    fn a_way_of_a_packet_leads_from_end_to_end() {
        for spec in ["dragonfly:groups=4,routers=2,nodes=2", "torus:3x4", "fat-tree:k=4"] {
            let machine = Machine::parse(spec).unwrap().with_routing("valiant").unwrap();
            let topology = machine.topology();
            for (number, to) in (0..16).zip((0..machine.num_nodes() as u32).cycle()) {
                let mut at = Vertex(1);
                let mut pick = |ways: u32| (number * 7 + 3) % ways.max(1);
                let ends = (Vertex(1), Vertex(to));
                machine.routing().one_way(topology, ends, false, &mut pick, &mut |id| {
                    let link = topology.link(id).unwrap();
                    assert_eq!(link.from, at, "{spec}");
                    at = link.to;
                });
                assert_eq!(at, Vertex(to), "{spec}");
            }
        }
    }
}
