//! Links of different bandwidths, and a hand-made network, checked link by link.

use std::collections::BTreeMap;
use std::sync::Arc;

use topoloom_core::statistics::link_loads;
use topoloom_core::topology::{Edge, Graph, LinkProperties};
use topoloom_core::{
    LinkId, Machine, Mapping, Problem, TrafficBuilder, Vertex, Weight, parse_objective, score,
};

fn edge(a: u32, b: u32, bytes_per_second: f64) -> Edge {
    let properties = LinkProperties { bytes_per_second, ..LinkProperties::ELECTRICAL };
    Edge { ends: [Vertex(a), Vertex(b)], properties }
}

/// Nodes 0 and 1; two ways between them, one slow, the other with two cables for its second half.
///
/// ```text
///         .-- 3 -- slow --.
///  0 -- 2                  5 -- 1
///         '-- 4 =========='
/// ```
fn drawn() -> Machine {
    let fast = 10e9;
    let edges = [
        edge(0, 2, fast),
        edge(2, 3, fast),
        edge(2, 4, fast),
        edge(3, 5, 2e9),
        edge(4, 5, fast),
        edge(4, 5, fast),
        edge(5, 1, fast),
    ];
    let graph = Graph::new(2, 4, &edges).unwrap();
    Machine::with_topology("graph:drawn.txt", Arc::new(graph)).unwrap()
}

/// One flow from rank 0 to rank 1, which are on the nodes in order.
fn one_flow(machine: Machine, bytes: f64) -> (Problem, Mapping) {
    flows(machine, 2, &[(0, 1, bytes)])
}

fn flows(machine: Machine, ranks: u32, flows: &[(u32, u32, f64)]) -> (Problem, Mapping) {
    let mut traffic = TrafficBuilder::new(ranks);
    for &(from, to, bytes) in flows {
        traffic.add(from, to, 1.0, bytes);
    }
    let problem = Problem::new(traffic.build(), machine, Weight::Bytes).unwrap();
    let mapping = problem.mapping((0..ranks).collect()).unwrap();
    (problem, mapping)
}

/// What each link carries, parallel ones in the order of their numbers.
fn loads(problem: &Problem, mapping: &Mapping) -> BTreeMap<(u32, u32), Vec<f64>> {
    let mut loads: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    for used in link_loads(problem, mapping) {
        let link = problem.machine().topology().link(used.id).unwrap();
        loads.entry((link.from.0, link.to.0)).or_default().push(used.load);
    }
    loads
}

#[test]
fn equal_splits_at_each_hop_of_a_drawn_network() {
    assert_eq!(drawn().routing().name(), "ecmp");
    let (problem, mapping) = one_flow(drawn(), 12.0);
    let expected = [
        ((0, 2), vec![12.0]),
        ((2, 3), vec![6.0]),
        ((2, 4), vec![6.0]),
        ((3, 5), vec![6.0]),
        ((4, 5), vec![3.0, 3.0]),
        ((5, 1), vec![12.0]),
    ];
    assert_eq!(loads(&problem, &mapping), BTreeMap::from(expected));
    let links = score(&problem, &mapping).links.unwrap();
    assert_eq!(links.load.maximum, 12.0);
    // 6 bytes on the link that is five times slower.
    assert_eq!(links.max_relative_load, 30.0);
}

#[test]
fn equal_shares_of_the_three_routes_of_a_drawn_network() {
    let (problem, mapping) = one_flow(drawn().with_routing("minimal-adaptive").unwrap(), 12.0);
    let expected = [
        ((0, 2), vec![12.0]),
        ((2, 3), vec![4.0]),
        ((2, 4), vec![8.0]),
        ((3, 5), vec![4.0]),
        ((4, 5), vec![4.0, 4.0]),
        ((5, 1), vec![12.0]),
    ];
    let found = loads(&problem, &mapping);
    assert_eq!(found.len(), expected.len());
    for (ends, loads) in expected {
        assert_eq!(found[&ends].len(), loads.len(), "{ends:?}");
        for (found, expected) in found[&ends].iter().zip(loads) {
            assert!((found - expected).abs() < 1e-12, "{ends:?}");
        }
    }
    let relative = score(&problem, &mapping).links.unwrap().max_relative_load;
    assert!((relative - 20.0).abs() < 1e-12);
}

#[test]
fn the_objective_divides_by_bandwidth() {
    let (problem, mapping) = one_flow(drawn(), 12.0);
    let cost = parse_objective("max-link-load").unwrap().cost(&problem, &mapping);
    // 30, and a millionth of the mean square of the relative loads: 12, 6, 6, 30, 3, 3, 12 on 7 of
    // 14 links make 1278.
    assert!((cost - (30.0 + 1e-6 * 1278.0 / 14.0 / 30.0)).abs() < 1e-12, "{cost}");
}

/// Largest load and largest relative load of one flow of 6 bytes between the first and the last
/// node.
fn across(spec: &str) -> (f64, f64) {
    let machine = Machine::parse(spec).unwrap();
    let last = machine.num_nodes() as u32 - 1;
    let (problem, mapping) = flows(machine, last + 1, &[(0, last, 6.0)]);
    let links = score(&problem, &mapping).links.unwrap();
    (links.load.maximum, links.max_relative_load)
}

#[test]
fn levels_of_a_fat_tree_have_bandwidths_of_their_own() {
    // Two uplinks share the 6 bytes: 3 on each, and those are four times slower.
    let tree = "fat-tree:levels=2,down=2:2,up=2";
    assert_eq!(across(&format!("{tree},bandwidth=4e9:1e9")), (6.0, 12.0));
    // Faster uplinks carry 1.5 by bandwidth, while the link to the node carries 6 of its half.
    assert_eq!(across(&format!("{tree},bandwidth=2e9:4e9")), (6.0, 12.0));
    assert_eq!(across(&format!("{tree},bandwidth=2e9")), (6.0, 6.0));
    let machine = Machine::parse(&format!("{tree},bandwidth=4e9:1e9,latency=1:2")).unwrap();
    for id in 0..machine.topology().link_id_bound() {
        let link = machine.topology().link(LinkId(id)).unwrap();
        let at_node = link.from.0 < 4 || link.to.0 < 4;
        let expected = if at_node { (4e9, 1.0) } else { (1e9, 2.0) };
        let properties = link.properties;
        assert_eq!((properties.bytes_per_second, properties.latency_seconds), expected, "{link:?}");
    }
}

#[test]
fn links_between_groups_of_a_dragonfly_may_be_slower() {
    let dragonfly = "dragonfly:groups=3,routers=2,nodes=1";
    assert_eq!(across(dragonfly), (6.0, 6.0));
    assert_eq!(across(&format!("{dragonfly},global-bandwidth=2.5e9")), (6.0, 24.0));
    // Everything else is half as fast as the links between groups.
    assert_eq!(across(&format!("{dragonfly},bandwidth=1e9,global-bandwidth=2e9")), (6.0, 12.0));
    assert_eq!(across(&format!("{dragonfly},node-bandwidth=5e9,local-bandwidth=5e9")), (6.0, 12.0));
}

#[test]
fn dimensions_of_a_torus_have_bandwidths_of_their_own() {
    // From (0, 0) to (3, 1): one hop down in x, one up in y.
    assert_eq!(across("torus:4x2,bandwidth=2e9:1e9"), (6.0, 12.0));
    // A dimension of length 1 has no links, however fast.
    assert_eq!(across("torus:4x1,bandwidth=2e9:8e9"), (6.0, 6.0));
    assert_eq!(across("mesh:4x1x2,bandwidth=3e9:9e9:3e9"), (6.0, 6.0));
}

#[test]
fn wrong_numbers_of_links_say_what_was_expected() {
    for (spec, expected) in [
        (
            "torus:4x4,bandwidth=1:2:3",
            "torus: expected 1 number or 2, one per dimension, for \"bandwidth\", found \"1:2:3\"",
        ),
        (
            "fat-tree:k=4,latency=1:2",
            "fat-tree: expected 1 number or 3, one per level, for \"latency\", found \"1:2\"",
        ),
        (
            "hypercube:3,bandwidth=1:2",
            "hypercube: expected 1 number for \"bandwidth\", found \"1:2\"",
        ),
        (
            "torus:4x4,bandwidth=1:0",
            "torus: expected a positive number for \"bandwidth\", found \"0\"",
        ),
        (
            "torus:4x4,energy=1:x",
            "torus: expected a number of at least 0 for \"energy\", found \"x\"",
        ),
        (
            "dragonfly:groups=2,routers=1,nodes=1,global-bandwidth=inf",
            "dragonfly: expected a positive number for \"global-bandwidth\", found \"inf\"",
        ),
    ] {
        assert_eq!(Machine::parse(spec).unwrap_err().to_string(), expected);
    }
}
