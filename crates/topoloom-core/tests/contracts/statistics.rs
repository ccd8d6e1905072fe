//! The numbers in scores, checked against a second computation.

use std::collections::HashMap;

use proptest::prelude::*;
use topoloom_core::statistics::link_loads;
use topoloom_core::{LinkId, Problem, Vertex, Weight, parse_pattern, score};

use crate::machines::machines;
use crate::problems::random_mapping;

/// Count, total, minimum and maximum.
fn summed_up(values: impl IntoIterator<Item = f64>) -> (u64, f64, f64, f64) {
    let values: Vec<f64> = values.into_iter().collect();
    let least = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let greatest = values.iter().copied().reduce(f64::max).unwrap_or(0.0);
    (values.len() as u64, values.iter().sum(), least, greatest)
}

#[test]
fn a_node_of_the_statistics_is_a_host_and_links_that_are_not_known_are_not_counted() {
    for machine in machines() {
        let ranks = machine.num_slots().min(18);
        let degree = (ranks as u32 - 1).min(5);
        let traffic = format!("random:ranks={ranks},degree={degree},seed=7,bytes=3");
        let problem =
            Problem::new(parse_pattern(&traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let mapping = random_mapping(&problem, 5);
        let topology = problem.machine().topology();
        let host = |rank: u32| {
            let node = mapping.nodes()[rank as usize];
            topology.cluster().map_or(node, |cluster| cluster.places()[node as usize].host)
        };
        let mut by_pair: HashMap<(u32, u32), f64> = HashMap::new();
        for flow in problem.traffic().flows().filter(|flow| flow.from != flow.to) {
            let (a, b) = (flow.from.0.min(flow.to.0), flow.from.0.max(flow.to.0));
            *by_pair.entry((a, b)).or_default() += flow.bytes;
        }
        let mut by_hosts: HashMap<(u32, u32), f64> = HashMap::new();
        // A pair that uses two links between the same nodes crosses them twice.
        let mut by_link: HashMap<(u32, u32), (f64, u64)> = HashMap::new();
        for (&(a, b), &bytes) in &by_pair {
            if host(a) != host(b) {
                let pair = (host(a).min(host(b)), host(a).max(host(b)));
                *by_hosts.entry(pair).or_default() += bytes;
            }
            let [from, to] = [a, b].map(|rank| Vertex(mapping.nodes()[rank as usize]));
            problem.machine().routing().route(topology, from, to, &mut |id, share| {
                let link = topology.link(id).unwrap();
                if id.0 < topology.inner_link_bound() {
                    return;
                }
                let ends = (link.from.0.min(link.to.0), link.from.0.max(link.to.0));
                let on_link = by_link.entry(ends).or_default();
                on_link.0 += bytes * share;
                on_link.1 += 1;
            });
        }
        let within = by_pair.iter().filter(|((a, b), _)| host(*a) == host(*b));
        let thesis = score(&problem, &mapping).thesis;
        let known = |summary: topoloom_core::Summary| {
            (summary.count, summary.total, summary.minimum, summary.maximum)
        };
        let spec = problem.machine().spec();
        let within = summed_up(within.map(|(_, bytes)| *bytes));
        assert_eq!(known(thesis.intra_node_logical), within, "{spec}");
        let between = summed_up(by_hosts.values().copied());
        assert_eq!(known(thesis.inter_node_logical), between, "{spec}");
        let wired = topology.num_links() > 0;
        assert_eq!(thesis.congestion.is_some(), wired, "{spec}");
        assert_eq!(thesis.inter_node_physical.is_some(), wired, "{spec}");
        if let (Some(physical), Some(congestion)) = (thesis.inter_node_physical, thesis.congestion)
        {
            let (count, total, ..) = summed_up(by_link.values().map(|link| link.0));
            assert_eq!(physical.count, count, "{spec}");
            assert!((physical.total - total).abs() <= 1e-9 * total, "{spec}");
            let most = by_link.values().map(|link| link.1).max().unwrap_or(0);
            assert_eq!(congestion, most, "{spec}");
        }
    }
    // Some machine among them has several hosts with several places.
    assert!(machines().iter().any(|machine| {
        machine.topology().cluster().is_some_and(|cluster| {
            let hosts = cluster.description().hosts.len();
            hosts > 1 && hosts < cluster.places().len()
        })
    }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn loads_add_up_to_hop_bytes_and_the_bound_holds(
        seed in 0u64..1000,
        machine in 0..machines().len(),
        degree in 1u32..4,
    ) {
        let machine = machines().swap_remove(machine);
        let ranks = machine.num_slots().min(20);
        prop_assume!(ranks as u32 > degree);
        let traffic = parse_pattern(&format!("random:ranks={ranks},degree={degree},seed={seed},bytes=7"));
        let problem = Problem::new(traffic.unwrap(), machine, Weight::Bytes).unwrap();
        let mapping = random_mapping(&problem, seed);
        let score = score(&problem, &mapping);
        let carried: f64 = link_loads(&problem, &mapping).iter().map(|used| used.load).sum();
        // The same, link by link along each route.
        let machine = problem.machine();
        let mut by_route: HashMap<LinkId, (f64, u64)> = HashMap::new();
        for flow in problem.traffic().flows() {
            let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
            machine.routing().route(machine.topology(), from, to, &mut |id, share| {
                let tally = by_route.entry(id).or_default();
                tally.0 += flow.bytes * share;
                tally.1 += 1;
            });
        }
        let by_stretch: HashMap<LinkId, (f64, u64)> = link_loads(&problem, &mapping)
            .iter()
            .map(|used| (used.id, (used.load, used.flows)))
            .collect();
        // Shares such as a third add up differently in another order.
        prop_assert_eq!(by_route.len(), by_stretch.len());
        for (id, (load, flows)) in &by_route {
            let (other, crossed) = by_stretch[id];
            prop_assert!((load - other).abs() <= 1e-12 * load && *flows == crossed);
        }
        let (mut expected, mut inside) = (0.0, 0.0);
        if machine.topology().is_wired() {
            let inner = machine.topology().inner_link_bound();
            for flow in problem.traffic().flows() {
                let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
                expected += flow.bytes * f64::from(machine.topology().hops(from, to));
            }
            let used = link_loads(&problem, &mapping);
            inside = used.iter().filter(|used| used.id.0 < inner).map(|used| used.load).sum();
        }
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs();
        prop_assert!(near(carried, expected), "{carried} {expected}");
        if machine.topology().is_wired() && machine.topology().cluster().is_none() {
            prop_assert!(near(expected, score.hop_bytes));
        }
        let expected = expected - inside;
        let physical = score.thesis.inter_node_physical.map(|links| links.total);
        // A single node has no links, though its kind of machine has.
        let has_links = machine.topology().num_links() > 0;
        prop_assert_eq!(physical.is_some(), has_links);
        prop_assert!(near(physical.unwrap_or(expected), expected) || expected.abs() < 1e-9);
        prop_assert!(score.lower_bound.unwrap() <= score.hop_bytes);
        prop_assert_eq!(score.intra_node_weight + score.inter_node_weight, score.total_weight);
    }
}
