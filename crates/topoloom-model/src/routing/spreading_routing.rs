//! Routings that spread a flow over all shortest routes.

use super::interface::Routing;
use super::loads::LinkLoads;
use super::spreading::Spreading;
use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

impl Routing for Spreading {
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
        self.for_each(topology, from, to, visit);
    }

    fn add_flow(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        weight: f64,
        loads: &mut LinkLoads,
    ) {
        self.for_each(topology, from, to, |link, share| loads.add(link, weight * share));
    }

    fn is_straight(&self) -> bool {
        false
    }

    fn spreading(&self) -> Option<&Spreading> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Machine;
    use crate::routing::spread::{Split, spread};

    fn shares(machine: &str, routing: &str, from: u32, to: u32) -> BTreeMap<(u32, u32), f64> {
        let machine = Machine::parse(machine).unwrap().with_routing(routing).unwrap();
        let mut shares = BTreeMap::new();
        machine.routing().route(machine.topology(), Vertex(from), Vertex(to), &mut |id, share| {
            let link = machine.topology().link(id).unwrap();
            *shares.entry((link.from.0, link.to.0)).or_default() += share;
        });
        shares
    }

    #[test]
    fn a_diagonal_is_split_in_half() {
        for routing in ["minimal-adaptive", "ecmp"] {
            let expected = [((0, 1), 0.5), ((0, 2), 0.5), ((1, 3), 0.5), ((2, 3), 0.5)];
            assert_eq!(shares("mesh:2x2", routing, 0, 3), BTreeMap::from(expected));
        }
    }

    #[test]
    fn routes_and_links_share_differently() {
        // From corner to corner of 3 x 2 there are three routes: x x y, x y x, y x x.
        let by_route = shares("mesh:3x2", "minimal-adaptive", 0, 5);
        assert!((by_route[&(0, 1)] - 2.0 / 3.0).abs() < 1e-15);
        assert!((by_route[&(0, 3)] - 1.0 / 3.0).abs() < 1e-15);
        assert!((by_route[&(1, 2)] - 1.0 / 3.0).abs() < 1e-15);
        let by_link = shares("mesh:3x2", "ecmp", 0, 5);
        assert_eq!((by_link[&(0, 1)], by_link[&(0, 3)], by_link[&(1, 2)]), (0.5, 0.5, 0.25));
    }

    #[test]
    fn both_ways_round_a_ring_are_taken_when_they_tie() {
        let expected = [((0, 1), 0.5), ((0, 3), 0.5), ((1, 2), 0.5), ((3, 2), 0.5)];
        assert_eq!(shares("torus:4", "minimal-adaptive", 0, 2), BTreeMap::from(expected));
        assert_eq!(shares("torus:4", "minimal-adaptive", 3, 0), BTreeMap::from([((3, 0), 1.0)]));
    }

    #[test]
    fn footprints_are_what_spreading_from_there_gives() {
        for spec in ["mesh:3x4x2", "torus:4x3x2", "torus:4x2,double-links", "mesh:1x5"] {
            let machine = Machine::parse(spec).unwrap();
            let topology = machine.topology();
            for split in [Split::ByLink, Split::ByRoute] {
                let routing = Spreading::new("", split, topology);
                for from in (0..topology.num_nodes() as u32).map(Vertex) {
                    for to in (0..topology.num_nodes() as u32).map(Vertex) {
                        let (mut direct, mut shifted) = (BTreeMap::new(), BTreeMap::new());
                        spread(topology, from, to, split, &mut |id, share| {
                            *direct.entry(id).or_insert(0.0) += share;
                        });
                        routing.route(topology, from, to, &mut |id, share| {
                            *shifted.entry(id).or_insert(0.0) += share;
                        });
                        assert_eq!(direct, shifted, "{spec} {from} {to}");
                    }
                }
            }
        }
    }
}
