use std::sync::Arc;

use super::super::tests::check_all_vertices;
use super::*;
use crate::Machine;
use crate::topology::LinkProperties;
use crate::topology::metric::{largest_ball_by_counting, pairs_at_distance_by_counting};

/// Nodes, switches and cables.
type Drawing = (u32, u32, &'static [(u32, u32)]);

fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
    let edge = |&(a, b): &(u32, u32)| Edge {
        ends: [Vertex(a), Vertex(b)],
        properties: LinkProperties::ELECTRICAL,
    };
    pairs.iter().map(edge).collect()
}

fn graph(nodes: u32, switches: u32, pairs: &[(u32, u32)]) -> Result<Graph, GraphError> {
    Graph::new(nodes, switches, &edges(pairs))
}

#[test]
fn links_are_numbered_by_the_vertex_they_leave() {
    // Nodes 0 and 1 below switch 2, with two cables to node 0.
    let graph = graph(2, 1, &[(0, 2), (2, 1), (2, 0)]).unwrap();
    let ends: Vec<(u32, u32)> = graph.links.iter().map(|link| (link.from.0, link.to.0)).collect();
    assert_eq!(ends, [(0, 2), (0, 2), (1, 2), (2, 0), (2, 1), (2, 0)]);
    let mut next = Vec::new();
    graph.next_links(Vertex(1), Vertex(0), &mut next);
    graph.next_links(Vertex(2), Vertex(0), &mut next);
    graph.next_links(Vertex(2), Vertex(2), &mut next);
    assert_eq!(next, [LinkId(2), LinkId(3), LinkId(5)]);
}

#[test]
fn distances_are_those_of_a_search() {
    // Two vertices; a star of nodes; a star with a node in the middle; a line; two stars whose
    // middles are joined; a ring with tails; nodes on two switches each.
    let cases: [Drawing; 7] = [
        (2, 0, &[(0, 1), (1, 0)]),
        (3, 1, &[(0, 3), (1, 3), (2, 3), (2, 3)]),
        (3, 0, &[(0, 1), (1, 2)]),
        (5, 0, &[(4, 2), (2, 0), (0, 1), (1, 3)]),
        (5, 2, &[(0, 5), (1, 5), (2, 6), (3, 6), (4, 6), (5, 6)]),
        (6, 1, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (2, 6), (5, 1)]),
        (3, 3, &[(0, 3), (0, 4), (1, 4), (1, 5), (2, 3), (2, 5)]),
    ];
    for (nodes, switches, pairs) in cases {
        let graph = graph(nodes, switches, pairs).unwrap();
        assert_eq!(graph.pairs_at_distance(), pairs_at_distance_by_counting(&graph), "{pairs:?}");
        assert_eq!(graph.largest_ball(), largest_ball_by_counting(&graph), "{pairs:?}");
        check_all_vertices(&Machine::with_topology("graph:drawn.txt", Arc::new(graph)).unwrap());
    }
}

#[test]
fn the_central_node_is_nearest_to_all_others() {
    // 4 - 2 - 0 - 1 - 3: node 0 is 2 + 1 + 1 + 2 hops from the others.
    assert_eq!(graph(5, 0, &[(4, 2), (2, 0), (0, 1), (1, 3)]).unwrap().central_node(), Vertex(0));
    // Switch 5 with three nodes wins over switch 6 with two.
    let pairs = [(0, 6), (1, 6), (2, 5), (3, 5), (4, 5), (5, 6)];
    assert_eq!(graph(5, 2, &pairs).unwrap().central_node(), Vertex(2));
}

#[test]
fn a_single_node_is_a_network() {
    let graph = graph(1, 0, &[]).unwrap();
    assert_eq!((graph.num_links(), graph.distance(Vertex(0), Vertex(0))), (0, 0));
    assert_eq!((graph.pairs_at_distance(), graph.largest_ball()), (vec![], vec![]));
}

#[test]
fn only_vertices_with_several_neighbours_take_room() {
    // 30,000 nodes below two switches; a table of all pairs would take 2 GB.
    let below = |node: u32| (node, 30_000 + node % 2);
    let mut pairs: Vec<(u32, u32)> = (0..30_000).map(below).collect();
    pairs.push((30_000, 30_001));
    let graph = graph(30_000, 2, &pairs).unwrap();
    assert_eq!(graph.distance(Vertex(0), Vertex(29_999)), 3);
    // 15,000 nodes per switch: 2 * C(15000, 2) pairs below the same switch.
    assert_eq!(graph.pairs_at_distance(), [(2, 15_000 * 14_999), (3, 15_000 * 15_000)]);
}

#[test]
fn what_is_no_network_is_refused_with_a_reason() {
    let message = |nodes, switches, pairs: &[(u32, u32)]| {
        let error = graph(nodes, switches, pairs).unwrap_err();
        (error.to_string(), error.edge())
    };
    let refused = |text: &str, edge: Option<usize>| (text.to_string(), edge);
    assert_eq!(message(0, 2, &[(0, 1)]), refused("expected at least 1 node, found 0", None));
    assert_eq!(message(2, 0, &[(0, 1), (1, 2)]), refused("vertex 2 is not among 0 to 1", Some(1)));
    assert_eq!(message(2, 0, &[(1, 1)]), refused("vertex 1 is linked to itself", Some(0)));
    assert_eq!(message(3, 0, &[(0, 1)]), refused("node 2 cannot be reached from node 0", None));
    assert_eq!(message(2, 1, &[(0, 1)]), refused("switch 2 cannot be reached from node 0", None));
    let too_many = "4000000001 nodes and switches are too many; at most 16777216 are possible";
    assert_eq!(message(1, 4_000_000_000, &[]), refused(too_many, None));
    let ring: Vec<(u32, u32)> = (0..30_000).map(|node| (node, (node + 1) % 30_000)).collect();
    let too_many =
        "30000 nodes and switches with several neighbours are too many; at most 23170 are possible";
    assert_eq!(message(30_000, 0, &ring), refused(too_many, None));
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    for (bandwidth, latency, energy) in [
        (0.0, 0.0, 0.0),
        (-1.0, 0.0, 0.0),
        (f64::NAN, 0.0, 0.0),
        (f64::INFINITY, 0.0, 0.0),
        (1.0, -1.0, 0.0),
        (1.0, 0.0, f64::NAN),
    ] {
        let mut edges = edges(&[(0, 1), (0, 1)]);
        edges[1].properties = LinkProperties {
            bytes_per_second: bandwidth,
            latency_seconds: latency,
            joules_per_byte: energy,
            idle_watts: 0.0,
            is_fat_pipe: false,
        };
        let error = Graph::new(2, 0, &edges).unwrap_err();
        assert_eq!(error, GraphError::Properties { edge: 1 });
    }
}

#[test]
fn a_specification_alone_is_not_enough() {
    let message = |spec: &str| Machine::parse(spec).unwrap_err().to_string();
    assert_eq!(
        message("graph:some/net.txt,slots=2"),
        "graph: the network must first be read from \"some/net.txt\""
    );
    assert_eq!(message("graph:slots=2"), "graph: expected a file such as graph:network.txt");
    assert_eq!(
        message("graph:a.txt,slot=2"),
        "graph: unknown option \"slot\"; known: slots, node, place, adapter-bandwidth, adapter-latency; did you mean slots?"
    );
}
