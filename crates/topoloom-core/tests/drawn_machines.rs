//! A small fat tree and a small dragonfly, with loads link by link as worked out by hand.

use std::collections::BTreeMap;

use topoloom_core::statistics::link_loads;
use topoloom_core::{Machine, Mapping, Problem, TrafficBuilder, Weight};

/// What each link carries, by its ends, when rank r is on node r.
fn loads(machine: &str, routing: &str, flows: &[(u32, u32, f64)]) -> BTreeMap<(u32, u32), f64> {
    let machine = Machine::parse(machine).unwrap().with_routing(routing).unwrap();
    let ranks = machine.num_nodes() as u32;
    let mut builder = TrafficBuilder::new(ranks);
    flows.iter().for_each(|&(from, to, bytes)| builder.add(from, to, 1.0, bytes));
    let mapping = Mapping::new((0..ranks).collect(), &machine).unwrap();
    let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
    let mut loads = BTreeMap::new();
    for used in link_loads(&problem, &mapping) {
        let link = problem.machine().topology().link(used.id).unwrap();
        *loads.entry((link.from.0, link.to.0)).or_default() += used.load;
    }
    loads
}

#[test]
fn a_fat_tree_splits_at_the_leaf_switch_and_joins_at_the_other() {
    // Nodes 0 to 3; 0 and 1 are on switch 4, 2 and 3 on switch 5; 6 and 7 are above both.
    let flows = [(0, 2, 4.0), (1, 0, 1.0), (3, 0, 2.0)];
    let expected = BTreeMap::from([
        ((0, 4), 4.0),
        ((4, 6), 2.0),
        ((4, 7), 2.0),
        ((6, 5), 2.0),
        ((7, 5), 2.0),
        ((5, 2), 4.0),
        // From 3 to 0, and from 1 to 0 below one switch.
        ((3, 5), 2.0),
        ((5, 6), 1.0),
        ((5, 7), 1.0),
        ((6, 4), 1.0),
        ((7, 4), 1.0),
        ((1, 4), 1.0),
        ((4, 0), 3.0),
    ]);
    for routing in ["ecmp", "minimal-adaptive"] {
        assert_eq!(loads("fat-tree:levels=2,down=2:2,up=2", routing, &flows), expected);
    }
}

#[test]
fn a_dragonfly_takes_the_one_link_between_two_groups() {
    // Groups of routers 6 and 7, 8 and 9, 10 and 11 with nodes 0 to 5. The first router of each
    // group is wired to the last of the next: 6 to 9, 8 to 11, 10 to 7.
    let flows = [(0, 2, 4.0), (1, 3, 2.0), (4, 1, 1.0)];
    let expected = BTreeMap::from([
        // 0 to 2: over to 9, then within the group to 8.
        ((0, 6), 4.0),
        ((6, 9), 6.0),
        ((9, 8), 4.0),
        ((8, 2), 4.0),
        // 1 to 3: within the group to 6, then over to 9.
        ((1, 7), 2.0),
        ((7, 6), 2.0),
        ((9, 3), 2.0),
        // 4 to 1: router 10 is wired to 7.
        ((4, 10), 1.0),
        ((10, 7), 1.0),
        ((7, 1), 1.0),
    ]);
    for routing in ["ecmp", "minimal-adaptive"] {
        assert_eq!(loads("dragonfly:groups=3,routers=2,nodes=1", routing, &flows), expected);
    }
}
