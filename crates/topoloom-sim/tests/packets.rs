//! The packet model against what theory says.

use std::sync::Arc;

use topoloom_model::topology::{Edge, Graph, LinkProperties};
use topoloom_model::trace::ProgramWriter;
use topoloom_model::{Machine, Mapping, Replay, Trace, Vertex, parse_pattern};
use topoloom_sim::{Model, OpenLoop, PacketOptions, Report, simulate};

fn in_order(machine: &Machine, ranks: u32) -> Mapping {
    Mapping::new((0..ranks).collect(), machine).unwrap()
}

fn replay(trace: &Trace, machine: &Machine, model: &str) -> Report {
    let mapping = in_order(machine, trace.num_ranks() as u32);
    simulate(trace, machine, &mapping, &Model::parse(model).unwrap()).unwrap()
}

/// One message of `bytes` from one node to another, and nothing else.
fn lone_message(nodes: u32, from: u32, to: u32, bytes: u64) -> Trace {
    let mut programs: Vec<ProgramWriter> = (0..nodes).map(|_| ProgramWriter::default()).collect();
    programs[from as usize].send(to, bytes, 0);
    programs[to as usize].receive(from, 0);
    Trace::new(programs.into_iter().map(ProgramWriter::finish).collect(), Vec::new()).unwrap()
}

const WIRED: [&str; 9] = [
    "mesh:4x4",
    "torus:4x5",
    "torus:4x4x4",
    "torus:2x2x3,double-links",
    "hypercube:4",
    "haec:3x4x3",
    "fat-tree:k=4",
    "fat-tree:levels=2,down=4:3,up=2",
    "dragonfly:groups=5,routers=4,nodes=1",
];

/// A network of nodes, one on each of the first switches, and links between switches.
fn drawn(nodes: u32, switches: u32, links: &[(u32, u32)]) -> Machine {
    let properties = LinkProperties::ELECTRICAL;
    let edge = |a: u32, b: u32| Edge { ends: [Vertex(a), Vertex(b)], properties };
    let to_nodes = (0..nodes).map(|node| edge(node, nodes + node));
    let between = links.iter().map(|&(a, b)| edge(nodes + a, nodes + b));
    let edges: Vec<Edge> = to_nodes.chain(between).collect();
    let graph = Graph::new(nodes, switches, &edges).unwrap();
    Machine::with_topology("graph:drawn", Arc::new(graph)).unwrap()
}

/// The machine with every routing it knows.
fn with_routings(spec: &str) -> Vec<Machine> {
    all_routings(Machine::parse(spec).unwrap())
}

fn all_routings(machine: Machine) -> Vec<Machine> {
    let routed = ["dimension-order", "minimal-adaptive", "ecmp"]
        .into_iter()
        .filter_map(|routing| machine.clone().with_routing(routing).ok());
    routed.collect()
}

#[test]
fn a_lone_packet_takes_what_the_formula_says_to_the_cycle() {
    // Through the router of each vertex on the way, over each link, and then its flits.
    for spec in WIRED {
        for machine in with_routings(spec) {
            let nodes = machine.num_nodes() as u32;
            for to in 1..nodes {
                for (router, bytes, flits) in [(1, 512, 32), (0, 16, 1), (3, 100, 7), (2, 0, 1)] {
                    let report = replay(
                        &lone_message(nodes, 0, to, bytes),
                        &machine,
                        &format!("packet:router={router}"),
                    );
                    let mut latency = 0;
                    let mut hops = 0;
                    if machine.routing().is_straight() {
                        let topology = machine.topology();
                        let count = &mut |link, _| {
                            let seconds = topology.link(link).unwrap().properties.latency_seconds;
                            latency +=
                                (seconds * topology.fastest_link() / 16.0 - 1e-6).ceil() as u64;
                            hops += 1;
                        };
                        machine.routing().route(topology, Vertex(0), Vertex(to), count);
                    } else if spec.starts_with("haec") {
                        // Slow and fast links on ways of different kinds: see the case of dimension
                        // order.
                        continue;
                    } else {
                        hops = u64::from(machine.topology().distance(Vertex(0), Vertex(to)));
                        // 100 ns at 1.6 ns per cycle.
                        latency = 63 * hops;
                    }
                    // On a HAEC box a flit takes 2.5 cycles over the slower links.
                    let slower = spec.starts_with("haec") && hops > 0 && latency > 20 * hops;
                    let flits = if slower { (flits as f64 * 2.5).ceil() as u64 } else { flits };
                    let expected = router * (hops + 1) + latency + flits;
                    assert_eq!(report.ticks, expected, "{spec} {to} {router} {bytes}");
                }
            }
        }
    }
}

#[test]
fn packets_of_a_long_message_follow_each_other_without_a_gap() {
    // 100 packets of 32 flits over 3 hops: all flits in a row, and the first one's way. The buffers
    // must hold what is under way until a credit comes back: 2 x 63 cycles and 33 more.
    let machine = Machine::parse("mesh:8").unwrap();
    for arbitration in ["round-robin", "transit-first"] {
        let model = format!("packet:buffers=6,channels=1,arbitration={arbitration}");
        let report = replay(&lone_message(8, 1, 4, 51_200), &machine, &model);
        assert_eq!(report.ticks, 100 * 32 + 4 + 3 * 63);
        assert_eq!(report.packet_hops, 300);
    }
    // With room for one packet, the next one leaves when the credit has come back.
    let report = replay(&lone_message(8, 1, 4, 51_200), &machine, "packet:buffers=1,channels=1");
    assert_eq!(report.ticks, 99 * (32 + 2 * 63 + 1) + 32 + 4 + 3 * 63);
}

#[test]
fn two_messages_over_one_link_take_turns_and_twice_as_long() {
    let machine = Machine::parse("mesh:4,latency=0").unwrap();
    let mut programs: Vec<ProgramWriter> = (0..4).map(|_| ProgramWriter::default()).collect();
    for from in [0, 1] {
        programs[from].start_send(2 + from as u32, 51_200, 0);
        programs[from].wait_all();
        programs[2 + from].receive(from as u32, 0);
    }
    let programs = programs.into_iter().map(ProgramWriter::finish).collect();
    let report = replay(&Trace::new(programs, Vec::new()).unwrap(), &machine, "packet");
    // 200 packets of 32 cycles cross from node 1 to node 2; the last is under way for a few more.
    assert!((6_400..6_400 + 64).contains(&report.ticks), "{}", report.ticks);
    assert!((report.max_utilisation() - 1.0).abs() < 0.01);
    for finished in &report.finished_seconds[2..] {
        assert!(*finished > 0.98 * report.seconds);
    }
}

#[test]
fn behind_a_slower_link_a_packet_does_not_overtake_itself() {
    // x at a quarter of the bandwidth of y: 32 flits take 128 cycles over x, and their tail crosses
    // y no sooner than it has arrived.
    let machine = Machine::parse("mesh:2x2,bandwidth=2.5e9:10e9,latency=0").unwrap();
    let report = replay(&lone_message(4, 0, 3, 512), &machine, "packet");
    assert_eq!(report.ticks, 3 + 128);
}

#[test]
fn crowded_networks_do_not_lock_up_with_the_smallest_buffers() {
    // Every node sends to every other at once through buffers of one packet: whatever could form a
    // cycle of waiting packets does.
    for spec in WIRED {
        for machine in with_routings(spec) {
            let ranks = machine.num_nodes();
            let traffic = parse_pattern(&format!("all-to-all:{ranks},bytes=3000")).unwrap();
            let trace = Trace::of_traffic(&traffic, Replay::Burst);
            for model in ["packet:buffers=1,channels=1", "packet:buffers=1,channels=1,injection=8"]
            {
                let report = replay(&trace, &machine, model);
                let name = format!("{spec} {} {model}", machine.routing().name());
                assert_eq!(report.messages as usize, ranks * (ranks - 1), "{name}");
                assert_eq!(report.unreceived, 0, "{name}");
            }
        }
    }
}

#[test]
fn drawn_networks_do_not_lock_up_either() {
    // A ring of switches. Also leaves that are joined by tops, each to the next, so routes go up
    // and down and up again.
    let ring: Vec<(u32, u32)> = (0..9).map(|switch| (switch, (switch + 1) % 9)).collect();
    let zigzag: Vec<(u32, u32)> =
        (0..6).flat_map(|top| [(top, 6 + top), ((top + 1) % 6, 6 + top)]).collect();
    for machine in [drawn(9, 9, &ring), drawn(6, 12, &zigzag)] {
        for machine in all_routings(machine) {
            let ranks = machine.num_nodes();
            let traffic = parse_pattern(&format!("all-to-all:{ranks},bytes=30000")).unwrap();
            let trace = Trace::of_traffic(&traffic, Replay::Burst);
            let report = replay(&trace, &machine, "packet:buffers=1,channels=1");
            assert_eq!(report.messages as usize, ranks * (ranks - 1));
        }
    }
}

#[test]
fn no_packet_is_lost_or_doubled_in_a_million() {
    let machine = Machine::parse("torus:8x8").unwrap().with_routing("minimal-adaptive").unwrap();
    let options = PacketOptions { packet_bytes: 64, ..PacketOptions::default() };
    // 64 nodes, 0.6 flits per cycle, 4 flits per packet: 9.6 packets per cycle.
    let open_loop = OpenLoop { rate: 0.6, warm_up: 1_000, measured: 105_000, seed: 3 };
    let point = open_loop.run(&machine, &options).unwrap();
    assert!(point.sent >= 1_000_000, "{}", point.sent);
    assert_eq!(point.sent, point.arrived);
}

#[test]
fn a_mesh_takes_at_most_what_its_middle_lets_through_and_most_of_it() {
    // Half of all packets cross the middle of an 8x8 mesh: 32 nodes x rate / 2 over 8 links in each
    // direction, so half a flit per node and cycle is the maximum.
    let machine = Machine::parse("mesh:8x8,latency=1.6e-9").unwrap();
    // Deep buffers take long to fill, and until then packets with short ways are ahead.
    let accepted = |options: PacketOptions| {
        let open_loop = OpenLoop { rate: 0.9, warm_up: 200_000, measured: 100_000, seed: 1 };
        open_loop.run(&machine, &options).unwrap().accepted
    };
    let usual = accepted(PacketOptions::default());
    let deep =
        accepted(PacketOptions { buffers: Some(32), channels: 8, ..PacketOptions::default() });
    assert!(usual <= 0.5 && deep <= 0.5, "{usual} {deep}");
    assert!(usual >= 0.3, "{usual}");
    assert!(deep >= 0.45, "{deep}");
}

#[test]
fn the_same_run_takes_the_same_cycles() {
    for routing in ["dimension-order", "minimal-adaptive", "ecmp"] {
        let machine = Machine::parse("torus:4x4").unwrap().with_routing(routing).unwrap();
        let traffic = parse_pattern("random:ranks=16,degree=6,seed=5").unwrap();
        let trace = Trace::of_traffic(&traffic, Replay::Rounds(3));
        let run = || replay(&trace, &machine, "packet:seed=9");
        let (first, second) = (run(), run());
        assert_eq!(first.ticks, second.ticks);
        assert_eq!(first.waiting_seconds, second.waiting_seconds);
    }
}

#[test]
fn sizes_and_times_beyond_all_bounds_are_refused() {
    let refusal = |machine: &str, model: &str| {
        let machine = Machine::parse(machine).unwrap();
        let ranks = machine.num_nodes() as u32;
        let trace = lone_message(ranks, 0, ranks - 1, 1000);
        let mapping = in_order(&machine, ranks);
        let model = Model::parse(model).unwrap();
        simulate(&trace, &machine, &mapping, &model).unwrap_err().to_string()
    };
    for model in ["packet", "flow"] {
        let too_long = "the simulated time is too large to be counted";
        assert_eq!(refusal("mesh:2x2,latency=1e300", model), too_long);
        assert_eq!(refusal("mesh:2x2,bandwidth=1e-300:1e10", model), too_long);
    }
    let deep = refusal("torus:32x32x32", "packet:buffers=4096,channels=64");
    // 385 GiB.
    assert!(deep.starts_with("buffers for 25165824 channels of links would need"), "{deep}");
    assert!(deep.contains("TOPOLOOM_MEMORY"), "{deep}");
}

#[test]
fn one_node_alone_or_a_rate_of_nothing_sends_nothing() {
    let idle = |machine: &str, rate: f64| {
        let machine = Machine::parse(machine).unwrap();
        let open_loop = OpenLoop { rate, warm_up: 10, measured: 100, seed: 1 };
        open_loop.run(&machine, &PacketOptions::default()).unwrap().sent
    };
    assert_eq!(idle("mesh:1", 0.5), 0);
    assert_eq!(idle("mesh:4", 0.0), 0);
}

#[test]
fn a_node_consumes_one_packet_at_a_time_or_all_that_are_there() {
    // Four neighbours of node 4 send it one packet of 16 flits of 4 bytes each, as in FSIN. A cycle
    // is 0.4 ns, and so is the latency of a link: 2 routers, 1 cycle, 16 flits. If the node
    // receives one at a time, the last one waits for three others.
    let machine = Machine::parse("mesh:3x3,latency=0.4e-9").unwrap();
    let mut programs: Vec<ProgramWriter> = (0..9).map(|_| ProgramWriter::default()).collect();
    for from in [1u32, 3, 5, 7] {
        programs[4].start_receive(from, 0);
        programs[from as usize].send(4, 64, 0);
    }
    programs[4].wait_all();
    let programs = programs.into_iter().map(ProgramWriter::finish).collect();
    let trace = Trace::new(programs, Vec::new()).unwrap();
    let cycles = |more: &str| {
        let model = format!("packet:packet=64,flit=4,channels=1,buffers=4{more}");
        replay(&trace, &machine, &model).ticks
    };
    let alone = 2 + 1 + 16;
    assert_eq!(cycles(""), alone + 3 * 16);
    assert_eq!(cycles(",consumption=1"), alone + 3 * 16);
    assert_eq!(cycles(",consumption=2"), alone + 16);
    assert_eq!(cycles(",consumption=multiple"), alone);
    // By default, as many as a node sends at once.
    assert_eq!(cycles(",injection=4"), alone);
    assert_eq!(cycles(",injection=4,consumption=1"), alone + 3 * 16);
    for wrong in ["0", "4097", "single", "-1"] {
        let error = Model::parse(&format!("packet:consumption={wrong}")).unwrap_err();
        let expected = format!(
            "packet: expected multiple or a whole number from 1 to 4096 for \"consumption\", found \"{wrong}\""
        );
        assert_eq!(error.to_string(), expected);
    }
}
