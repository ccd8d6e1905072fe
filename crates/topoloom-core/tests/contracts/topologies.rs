//! What every topology promises.

use std::collections::HashSet;
use std::ops::ControlFlow;

use topoloom_core::topology::metric::{
    largest_ball_by_counting, pairs_at_distance_by_counting, weighted_hops_by_distance,
};
use topoloom_core::topology::{Metric, Topology};
use topoloom_core::{LinkId, Vertex, random, with_metric};

use crate::distances::{
    cluster_length, dragonfly_lengths, haec_length, hops_over_links, hosted_lengths, tree_length,
};
use crate::machines::{machines, nodes};

#[test]
fn topology_distance_agrees_with_its_slow_definition() {
    for machine in machines() {
        let topology = machine.topology();
        for from in nodes(topology) {
            let by_search = if machine.spec().contains(",node=") {
                hosted_lengths(&machine, from)
            } else if machine.spec().starts_with("dragonfly") {
                dragonfly_lengths(&machine, from)
            } else {
                hops_over_links(topology, from)
            };
            for to in nodes(topology) {
                let expected = if machine.spec().starts_with("haec") {
                    haec_length(topology.grid_lengths().unwrap(), from, to)
                } else if machine.spec().starts_with("tree") {
                    tree_length(machine.spec(), from.0, to.0)
                } else if machine.spec().starts_with("cluster") {
                    cluster_length(topology, from.0, to.0)
                } else {
                    by_search[&to]
                };
                assert_eq!(topology.distance(from, to), expected, "{} {from} {to}", machine.spec());
                let quick = with_metric!(machine.metric(), metric => metric.distance(from.0, to.0));
                assert_eq!(quick, expected, "metric of {} {from} {to}", machine.spec());
            }
        }
    }
}

#[test]
fn topology_sums_of_weighted_hops_agree_with_their_definition() {
    for machine in machines() {
        let nodes = machine.num_nodes() as u32;
        let mut rng = random::stream(1, &[]);
        let places: Vec<(u32, f64)> =
            (0..9).map(|weight| (random::below(&mut rng, nodes), f64::from(weight))).collect();
        let (mut quick, mut slow) = (vec![1.0; nodes as usize], vec![0.0; nodes as usize]);
        with_metric!(machine.metric(), metric => {
            metric.weighted_hops(&places, &mut quick);
            weighted_hops_by_distance(metric, &places, &mut slow);
        });
        assert_eq!(quick, slow, "{}", machine.spec());
    }
}

#[test]
fn topology_next_links_lead_exactly_one_hop_closer() {
    for machine in machines() {
        let topology = machine.topology();
        let mut links = Vec::new();
        for from in nodes(topology) {
            for to in nodes(topology) {
                links.clear();
                topology.next_links(from, to, &mut links);
                let none = from == to || !topology.is_wired();
                assert_eq!(links.is_empty(), none, "{} {from} {to}", machine.spec());
                let distinct: HashSet<_> = links.iter().collect();
                assert_eq!(distinct.len(), links.len());
                for &id in &links {
                    let link = topology.link(id).expect("a next link exists");
                    assert_eq!(link.from, from);
                    assert_eq!(topology.hops(link.to, to) + 1, topology.hops(from, to));
                }
            }
        }
    }
}

#[test]
fn topology_counts_its_links_and_distances() {
    for machine in machines() {
        let topology = machine.topology();
        let links: Vec<_> =
            (0..topology.link_id_bound()).filter_map(|id| topology.link(LinkId(id))).collect();
        assert_eq!(links.len() as u64, topology.num_links(), "{}", machine.spec());
        assert!(links.iter().all(|link| link.from != link.to));
        assert_eq!(topology.link(LinkId(topology.link_id_bound())), None);
        let network = (topology.inner_link_bound()..topology.link_id_bound())
            .filter_map(|id| topology.link(LinkId(id)));
        let fastest = network.map(|l| l.properties.bytes_per_second).fold(0.0, f64::max);
        assert!(links.is_empty() || topology.fastest_link() == fastest, "{}", machine.spec());

        let spec = machine.spec();
        assert_eq!(topology.pairs_at_distance(), pairs_at_distance_by_counting(topology), "{spec}");
        assert_eq!(topology.largest_ball(), largest_ball_by_counting(topology), "{spec}");
        let mut distances: Vec<u32> =
            nodes(topology).flat_map(|from| profile(topology, from)).collect();
        distances.sort_unstable();
        distances.dedup();
        assert_eq!(topology.distances(), distances, "{spec}");
    }
}

#[test]
fn topology_visits_each_node_at_a_distance_once() {
    for machine in machines() {
        let topology = machine.topology();
        for from in nodes(topology) {
            let mut found = 0;
            for distance in topology.distances() {
                let mut seen = HashSet::new();
                let _ = topology.nodes_at_distance(from, distance, &mut |node| {
                    assert!(seen.insert(node), "{}: {node} twice", machine.spec());
                    assert_eq!(topology.distance(from, node), distance, "{}", machine.spec());
                    ControlFlow::Continue(())
                });
                found += seen.len();
            }
            assert_eq!(found, topology.num_nodes(), "{}", machine.spec());
        }
    }
}

/// Distances from a node to all others, sorted: equal for nodes that are images of each other.
fn profile(topology: &dyn Topology, from: Vertex) -> Vec<u32> {
    let mut distances: Vec<u32> = nodes(topology).map(|to| topology.distance(from, to)).collect();
    distances.sort_unstable();
    distances
}

#[test]
fn topology_representatives_stand_for_every_node() {
    for machine in machines() {
        let topology = machine.topology();
        let known: HashSet<Vec<u32>> =
            topology.representative_nodes().iter().map(|&node| profile(topology, node)).collect();
        for node in nodes(topology) {
            assert!(known.contains(&profile(topology, node)), "{} {node}", machine.spec());
        }
    }
}
