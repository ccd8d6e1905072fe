//! What every routing promises.

use std::collections::HashMap;

use topoloom_core::statistics::link_loads;
use topoloom_core::{
    Problem, ROUTINGS, Run, TrafficBuilder, Vertex, Weight, parse_strategy, score,
};

use crate::distances::hops_over_links;
use crate::machines::{machines, nodes};

#[test]
fn routing_loses_nothing_on_the_way_and_takes_shortest_routes() {
    for machine in machines() {
        let topology = machine.topology();
        for entry in ROUTINGS.entries {
            let Ok(routed) = machine.clone().with_routing(entry.name) else { continue };
            // Detours by way of every switch take long: a few nodes are enough.
            let is_longer = routed.routing().may_be_longer();
            for from in nodes(topology).filter(|from| !is_longer || from.0 < 3) {
                // The routes of a HAEC box are longer than they could be.
                let shortest = is_longer.then(|| hops_over_links(topology, from));
                for to in nodes(topology) {
                    let mut balance: HashMap<Vertex, f64> = HashMap::new();
                    let mut crossed = 0.0;
                    routed.routing().route(topology, from, to, &mut |id, share| {
                        let link = topology.link(id).expect("a route uses links that exist");
                        *balance.entry(link.from).or_default() -= share;
                        *balance.entry(link.to).or_default() += share;
                        crossed += share;
                    });
                    let where_to = format!("{} {} {from} {to}", machine.spec(), entry.name);
                    let hops = f64::from(topology.hops(from, to));
                    match &shortest {
                        Some(all) => assert!(crossed > f64::from(all[&to]) - 1e-9, "{where_to}"),
                        None => assert!((crossed - hops).abs() < 1e-9, "{where_to}"),
                    }
                    for (vertex, rest) in balance {
                        let arrives = if from == to {
                            0.0
                        } else if vertex == to {
                            1.0
                        } else if vertex == from {
                            -1.0
                        } else {
                            0.0
                        };
                        assert!((rest - arrives).abs() < 1e-9, "{where_to}: {vertex}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_links_carry_adds_up_to_hop_bytes_under_every_routing() {
    for machine in machines().into_iter().filter(|machine| machine.topology().is_wired()) {
        for entry in ROUTINGS.entries {
            let Ok(machine) = machine.clone().with_routing(entry.name) else { continue };
            let spec = machine.spec().to_string();
            let ranks = machine.num_slots().min(20) as u32;
            let mut builder = TrafficBuilder::new(ranks);
            for rank in 0..ranks {
                builder.add(rank, (rank * 7 + 3) % ranks, 1.0, f64::from(rank + 1));
            }
            let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
            let mapping =
                parse_strategy("random").unwrap().map(&problem, None, &mut Run::new(2)).unwrap();
            let carried: f64 = link_loads(&problem, &mapping).iter().map(|link| link.load).sum();
            let score = score(&problem, &mapping);
            let topology = problem.machine().topology();
            let (mut by_hops, mut at_least) = (0.0, 0.0);
            let is_longer = problem.machine().routing().may_be_longer();
            for flow in problem.traffic().flows() {
                let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
                by_hops += flow.bytes * f64::from(topology.hops(from, to));
                if is_longer {
                    at_least += flow.bytes * f64::from(hops_over_links(topology, from)[&to]);
                }
            }
            // What links of adapters carry is what leaves and enters hosts.
            let adapters: f64 = link_loads(&problem, &mapping)
                .iter()
                .filter(|used| {
                    let link = topology.link(used.id).unwrap();
                    let inside =
                        |vertex: Vertex| u64::from(vertex.0) * 2 < topology.inner_link_bound();
                    inside(link.from) != inside(link.to)
                })
                .map(|used| used.load)
                .sum();
            if topology.cluster().is_some() {
                assert!(
                    (adapters - 2.0 * score.inter_node_weight).abs() < 1e-9 * adapters.max(1.0)
                );
            }
            if is_longer {
                assert!(carried >= at_least - 1e-9 * at_least, "{spec} {}", entry.name);
                continue;
            }
            let hop_bytes = if topology.cluster().is_some() { by_hops } else { score.hop_bytes };
            assert!(
                (carried - hop_bytes).abs() < 1e-9 * hop_bytes.max(1.0),
                "{spec} {}",
                entry.name
            );
        }
    }
}
