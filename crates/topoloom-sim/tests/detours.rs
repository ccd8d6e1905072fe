//! Packets with ways that are not all shortest: Valiant, UGAL and up-down; and networks of hosts.

use std::sync::Arc;

use topoloom_model::cluster::{Description, Hardware, NamedNetwork, Object};
use topoloom_model::topology::Cluster;
use topoloom_model::trace::ProgramWriter;
use topoloom_model::{Machine, Mapping, Trace};
use topoloom_sim::{Model, Report, simulate};

fn replay(trace: &Trace, machine: &Machine, model: &str) -> Report {
    let mapping = Mapping::new((0..trace.num_ranks() as u32).collect(), machine).unwrap();
    simulate(trace, machine, &mapping, &Model::parse(model).unwrap()).unwrap()
}

/// Every rank sends to each of its partners, all at once.
fn all_at_once(ranks: u32, bytes: u64, partners: impl Fn(u32) -> Vec<u32>) -> Trace {
    let mut programs: Vec<ProgramWriter> = (0..ranks).map(|_| ProgramWriter::default()).collect();
    for from in 0..ranks {
        for to in partners(from) {
            programs[from as usize].start_send(to, bytes, 0);
        }
    }
    programs.iter_mut().for_each(ProgramWriter::wait_all);
    for from in 0..ranks {
        partners(from).into_iter().for_each(|to| programs[to as usize].receive(from, 0));
    }
    Trace::new(programs.into_iter().map(ProgramWriter::finish).collect(), Vec::new()).unwrap()
}

fn seconds(machine: &str, routing: &str, trace: &Trace) -> f64 {
    let machine = Machine::parse(machine).unwrap().with_routing(routing).unwrap();
    replay(trace, &machine, "packet").seconds
}

#[test]
fn traffic_between_neighbouring_groups_needs_detours_and_even_traffic_does_not() {
    // Nine groups of 4 routers with 2 nodes. If all 8 nodes of a group send to the next group, they
    // share one link on shortest routes. By way of other groups there are up to 8.
    let spec = "dragonfly:groups=9,routers=4,nodes=2";
    let next_group = all_at_once(72, 20_000, |rank| vec![(rank + 8) % 72]);
    let [shortest, valiant, ugal] =
        ["ecmp", "valiant", "ugal"].map(|routing| seconds(spec, routing, &next_group));
    assert!(valiant < 0.6 * shortest, "{valiant} {shortest}");
    assert!(ugal < 0.7 * shortest, "{ugal} {shortest}");

    let even = all_at_once(72, 2_000, |rank| (1..72).map(|step| (rank + step) % 72).collect());
    let [shortest, valiant, ugal] =
        ["ecmp", "valiant", "ugal"].map(|routing| seconds(spec, routing, &even));
    assert!(valiant > 1.2 * shortest, "{valiant} {shortest}");
    assert!(ugal < valiant, "{ugal} {valiant}");
}

#[test]
fn no_way_makes_packets_wait_for_each_other_in_a_circle() {
    let trace = all_at_once(24, 5_000, |rank| (1..24).map(|step| (rank + step) % 24).collect());
    for spec in ["torus:4x6", "dragonfly:groups=6,routers=2,nodes=2", "hypercube:5", "fat-tree:k=6"]
    {
        for routing in ["valiant", "ugal", "up-down"] {
            let machine = Machine::parse(spec).unwrap().with_routing(routing).unwrap();
            let report = replay(&trace, &machine, "packet:buffers=1,channels=1");
            assert!(report.seconds > 0.0, "{spec} {routing}");
        }
    }
}

#[test]
fn hosts_on_a_torus_are_simulated_with_every_routing_and_share_their_adapters() {
    let topology = Machine::parse("torus:4x3").unwrap().shared_topology();
    let named = NamedNetwork::new("torus:4x3", topology);
    let node = Hardware::new(None, Object::flat_node(2));
    let cluster = Cluster::new(Description::on_network(named, node)).unwrap();
    let machine = Machine::with_topology("torus:4x3,node=node.xml", Arc::new(cluster)).unwrap();
    let all = all_at_once(24, 5_000, |rank| (1..24).map(|step| (rank + step) % 24).collect());
    for routing in ["dimension-order", "minimal-adaptive", "ecmp", "valiant", "ugal", "up-down"] {
        let machine = machine.clone().with_routing(routing).unwrap();
        assert!(replay(&all, &machine, "packet:buffers=1,channels=1").seconds > 0.0, "{routing}");
    }
    // Two ranks of a host send 1 MB each to two ranks of the next one. The adapter carries 10 GB/s.
    let pair = all_at_once(24, 1_000_000, |rank| if rank < 2 { vec![rank + 2] } else { vec![] });
    for model in ["packet", "flow"] {
        let seconds = replay(&pair, &machine, model).seconds;
        assert!((200e-6..215e-6).contains(&seconds), "{model}: {seconds}");
    }
}
