//! The flow model against what theory says.

use std::sync::Arc;

use topoloom_model::topology::{Edge, Graph, LinkProperties};
use topoloom_model::trace::ProgramWriter;
use topoloom_model::{
    CollectiveMode, Machine, Mapping, Replay, Trace, Vertex, parse_pattern, parse_trace,
};
use topoloom_sim::{Model, Report, simulate};

fn replay(trace: &Trace, machine: &str, model: &str) -> Report {
    let machine = Machine::parse(machine).unwrap();
    let mapping = Mapping::new((0..trace.num_ranks() as u32).collect(), &machine).unwrap();
    simulate(trace, &machine, &mapping, &Model::parse(model).unwrap()).unwrap()
}

/// Messages (from, to, bytes) that all begin at once.
fn at_once(ranks: usize, messages: &[(u32, u32, u64)]) -> Trace {
    let mut programs: Vec<ProgramWriter> = (0..ranks).map(|_| ProgramWriter::default()).collect();
    for &(from, to, _) in messages {
        programs[to as usize].start_receive(from, 0);
    }
    for &(from, to, bytes) in messages {
        programs[from as usize].start_send(to, bytes, 0);
    }
    programs.iter_mut().for_each(ProgramWriter::wait_all);
    Trace::new(programs.into_iter().map(ProgramWriter::finish).collect(), Vec::new()).unwrap()
}

fn about(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected, "{found} {expected}");
}

#[test]
fn a_message_takes_the_latency_of_its_hops_and_its_bytes() {
    // 3 hops of 100 ns, 1 MB at 10 GB/s.
    let report = replay(&at_once(4, &[(0, 3, 1_000_000)]), "mesh:4", "flow");
    about(report.seconds, 3e-7 + 1e-4);
    assert_eq!(report.peak_in_flight, 1);
    assert_eq!(report.longest_queueing_seconds, 0.0);
}

#[test]
fn two_equal_flows_over_one_link_take_twice_as_long() {
    let alone = replay(&at_once(3, &[(0, 2, 1_000_000)]), "mesh:3,latency=0", "flow");
    let both =
        replay(&at_once(3, &[(0, 2, 1_000_000), (1, 2, 1_000_000)]), "mesh:3,latency=0", "flow");
    about(both.seconds, 2.0 * alone.seconds);
    // Both spent as much additional time on their way as they would have needed alone.
    about(both.mean_queueing_seconds, alone.seconds);
    about(both.max_utilisation(), 1.0);
}

#[test]
fn flows_over_a_fat_pipe_take_as_long_as_each_would_alone() {
    // Two nodes on each side of a link of 1 GB/s; their own links have 10 GB/s.
    let link = |one: u32, other: u32, bytes_per_second: f64, is_fat_pipe: bool| Edge {
        ends: [Vertex(one), Vertex(other)],
        properties: LinkProperties {
            bytes_per_second,
            latency_seconds: 0.0,
            is_fat_pipe,
            ..LinkProperties::ELECTRICAL
        },
    };
    let run = |is_fat_pipe: bool, model: &str| {
        let own = [(0, 4), (1, 4), (2, 5), (3, 5)];
        let mut edges: Vec<Edge> = own.map(|(a, b)| link(a, b, 10e9, false)).to_vec();
        edges.push(link(4, 5, 1e9, is_fat_pipe));
        let graph = Graph::new(4, 2, &edges).unwrap();
        let machine = Machine::with_topology("graph:two-sides", Arc::new(graph)).unwrap();
        let mapping = Mapping::new((0..4).collect(), &machine).unwrap();
        let trace = at_once(4, &[(0, 2, 1_000_000), (1, 3, 1_000_000)]);
        simulate(&trace, &machine, &mapping, &Model::parse(model).unwrap())
    };
    about(run(false, "flow").unwrap().seconds, 2e-3);
    let apart = run(true, "flow").unwrap();
    about(apart.seconds, 1e-3);
    // It carries two at its full bandwidth.
    about(apart.max_utilisation(), 2.0);
    assert!(run(false, "packet").is_ok());
    let error = run(true, "packet").unwrap_err().to_string();
    assert!(error.ends_with("the flow model can"), "{error}");
}

#[test]
fn what_is_left_of_a_link_goes_to_who_can_use_it() {
    // Links of 10 GB/s. Three flows leave node 0 over the first link, and one of them goes on over
    // a link that a fourth flow crosses. At first, these three get a third of a link each, and the
    // fourth gets two thirds.
    let trace =
        at_once(4, &[(0, 1, 1_000_000), (0, 1, 1_000_000), (0, 2, 1_000_000), (1, 2, 1_000_000)]);
    let report = replay(&trace, "mesh:4,latency=0", "flow:queues=none");
    // The fourth is done after 1 MB at 6.67 GB/s, the others after 1 MB at 3.33 GB/s.
    about(report.seconds, 3e-4);
    about(report.finished_seconds[2], 3e-4);
}

#[test]
fn shares_by_latency_are_in_inverse_proportion_to_it() {
    // To node 1 over one hop, to node 3 over three: three quarters of the first link, and one
    // quarter.
    let trace = at_once(4, &[(0, 1, 3_000_000), (0, 3, 1_000_000)]);
    let report = replay(&trace, "mesh:4,latency=1e-12", "flow:sharing=latency");
    about(report.finished_seconds[1], 4e-4);
    about(report.finished_seconds[3], 4e-4);
    let equal = replay(&trace, "mesh:4,latency=1e-12", "flow");
    about(equal.finished_seconds[3], 2e-4);
}

#[test]
fn a_node_that_sends_no_more_than_a_link_takes_its_messages_in_turn() {
    let trace = at_once(3, &[(1, 0, 1_000_000), (1, 2, 1_000_000)]);
    about(replay(&trace, "mesh:3,latency=0", "flow").seconds, 1e-4);
    about(replay(&trace, "mesh:3,latency=0", "flow:injection=1").seconds, 2e-4);
}

#[test]
fn flows_that_split_use_half_of_each_way() {
    // From corner to corner of a square there are two ways, and each carries half.
    let machine = Machine::parse("mesh:2x2,latency=0").unwrap();
    let machine = machine.with_routing("minimal-adaptive").unwrap();
    let trace = at_once(4, &[(0, 3, 1_000_000)]);
    let mapping = Mapping::new(vec![0, 1, 2, 3], &machine).unwrap();
    let report = simulate(&trace, &machine, &mapping, &Model::parse("flow").unwrap()).unwrap();
    about(report.seconds, 5e-5);
    assert_eq!(report.links.len(), 4);
    for link in &report.links {
        about(link.bytes, 500_000.0);
        about(link.utilisation, 1.0);
    }
}

#[test]
fn energy_is_that_of_the_bytes_on_each_kind_of_link_and_of_being_there() {
    // A HAEC box of two layers of 4 nodes: 1 MB in a layer, 2 MB between layers.
    let trace = at_once(8, &[(0, 1, 1_000_000), (2, 6, 2_000_000)]);
    let report = replay(&trace, "haec:2x2x2,optical-idle-power=3,wireless-idle-power=0.5", "flow");
    // 2 MB at 12.5 GB/s and 100 ns.
    about(report.seconds, 1.6e-4 + 1e-7);
    assert_eq!(report.kinds.len(), 2);
    let [optical, wireless] = [report.kinds[0], report.kinds[1]];
    // In rings of two each node has one link per dimension: 8 nodes x 2; 4 x 4 pairs, in both
    // directions.
    assert_eq!((optical.links, wireless.links), (16, 32));
    about(optical.transfer_joules, 1e6 * 40e-12);
    about(wireless.transfer_joules, 2e6 * 160e-12);
    about(optical.idle_joules, 16.0 * 3.0 * report.seconds);
    about(wireless.idle_joules, 32.0 * 0.5 * report.seconds);
    about(report.joules(), report.kinds.iter().map(|k| k.transfer_joules + k.idle_joules).sum());
}

#[test]
fn timelines_add_up_to_what_was_carried() {
    let traffic = parse_pattern("stencil:8x8,bytes=50000").unwrap();
    let trace = Trace::of_traffic(&traffic, Replay::Rounds(5));
    for model in ["flow", "packet"] {
        let report = replay(&trace, "torus:4x4x4", model);
        let ends = (0..).map(|bin| f64::from(bin) * report.bin_seconds());
        for link in report.links.iter().take(5) {
            let over_time = report.utilisation_of(link);
            let width = |begin: f64| report.bin_seconds().min(report.seconds - begin);
            let busy: f64 =
                over_time.iter().zip(ends.clone()).map(|(share, begin)| share * width(begin)).sum();
            let expected = link.utilisation * report.seconds;
            assert!((busy - expected).abs() < 1e-4 * expected, "{model} {busy} {expected}");
        }
        let mean: f64 = report
            .utilisation_over_time()
            .iter()
            .zip(ends)
            .map(|((mean, _), begin)| mean * report.bin_seconds().min(report.seconds - begin))
            .sum();
        let expected = report.mean_utilisation() * report.seconds;
        assert!((mean - expected).abs() < 1e-3 * expected, "{model} {mean} {expected}");
    }
}

#[test]
fn every_benchmark_runs_through_both_models_and_all_its_messages_arrive() {
    for benchmark in ["lu", "bt", "sp", "cg", "mg", "ft", "is", "ep"] {
        let iterations = if benchmark == "ep" { "" } else { ",iterations=2" };
        let text = format!("{benchmark}:class=S,ranks=16{iterations}");
        let trace = parse_trace(&text).unwrap().expect("the order of events is known");
        for mode in ["none", "direct", "algorithm"] {
            let trace = trace.expanded(mode.parse::<CollectiveMode>().unwrap()).unwrap();
            for model in ["flow", "flow:eager=0", "packet", "packet:eager=0,buffers=1"] {
                let report = replay(&trace, "torus:4x4", model);
                assert_eq!(report.messages, trace.num_messages(), "{text} {mode} {model}");
                assert_eq!(report.unreceived, 0, "{text} {mode} {model}");
            }
        }
    }
}

#[test]
fn a_wavefront_takes_as_many_steps_as_it_is_long() {
    // LU's planes pass through an 8x8 grid: with 1 us of computing per plane, messages that take no
    // time, and 10 planes, the last rank is done after 10 + 7 + 7 planes.
    let mut programs: Vec<ProgramWriter> = (0..64).map(|_| ProgramWriter::default()).collect();
    for (rank, program) in (0..64u32).zip(&mut programs) {
        let (a, b) = (rank % 8, rank / 8);
        program.repeat(10, |program| {
            if a > 0 {
                program.receive(rank - 1, 0);
            }
            if b > 0 {
                program.receive(rank - 8, 1);
            }
            program.compute(1_000);
            if a < 7 {
                program.send(rank + 1, 0, 0);
            }
            if b < 7 {
                program.send(rank + 8, 0, 1);
            }
        });
    }
    let programs = programs.into_iter().map(ProgramWriter::finish).collect();
    let trace = Trace::new(programs, Vec::new()).unwrap();
    let report = replay(&trace, "mesh:8x8,latency=0", "flow");
    about(report.seconds, 24e-6);
    about(report.finished_seconds[0], 10e-6);
    about(report.waiting_seconds[63], 14e-6);
}
