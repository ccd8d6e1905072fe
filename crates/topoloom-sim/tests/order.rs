//! Messages of one pair, and of one send queue, go one after the other.

use topoloom_model::trace::ProgramWriter;
use topoloom_model::{Machine, Mapping, Replay, Trace, parse_pattern, random};
use topoloom_sim::{Model, Report, simulate};

const MODELS: [&str; 2] = ["flow", "packet"];

fn writers(ranks: usize) -> Vec<ProgramWriter> {
    (0..ranks).map(|_| ProgramWriter::default()).collect()
}

fn trace(programs: Vec<ProgramWriter>) -> Trace {
    Trace::new(programs.into_iter().map(ProgramWriter::finish).collect(), Vec::new()).unwrap()
}

fn replay(trace: &Trace, machine: &str, model: &str) -> Report {
    let machine = Machine::parse(machine).unwrap();
    let mapping = Mapping::new((0..trace.num_ranks() as u32).collect(), &machine).unwrap();
    simulate(trace, &machine, &mapping, &Model::parse(model).unwrap()).unwrap()
}

/// Rank 0 sends to each of `receivers` in turn, without waiting. Each receiver is done when it has
/// its messages.
fn sends(ranks: usize, receivers: &[(u32, u64)]) -> Trace {
    let mut programs = writers(ranks);
    for &(to, bytes) in receivers {
        programs[0].start_send(to, bytes, 0);
        programs[to as usize].receive(0, 0);
    }
    programs[0].wait_all();
    trace(programs)
}

fn about(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected, "{found} {expected}");
}

/// Rank 0 sends 50 messages to rank 1, which passes the first one on to rank 2 as soon as it has it.
fn relay() -> Trace {
    let mut programs = writers(3);
    programs[0].repeat(50, |writer| writer.send(1, 5_120, 0));
    programs[1].receive(0, 0);
    programs[1].send(2, 5_120, 1);
    programs[1].repeat(49, |writer| writer.receive(0, 0));
    programs[2].receive(1, 1);
    trace(programs)
}

#[test]
fn the_first_of_many_messages_can_be_passed_on_while_the_others_follow() {
    // 5,120 bytes at 10 GB/s take 512 ns, and a hop takes 100 ns. Twice that, and not all 50
    // messages before.
    let report = replay(&relay(), "mesh:3", "flow");
    about(report.finished_seconds[2], 2.0 * (512e-9 + 100e-9));
    about(report.finished_seconds[1], 100e-9 + 50.0 * 512e-9);
    // Cycles of 1.6 ns: 320 flits, 63 cycles for the hop, and two routers, at each hop.
    let report = replay(&relay(), "mesh:3", "packet");
    about(report.finished_seconds[2], 2.0 * (320.0 + 63.0 + 2.0) * 1.6e-9);
    // With their own connections, all of them arrive at the same time.
    let report = replay(&relay(), "mesh:3", "flow:queues=none");
    about(report.finished_seconds[2], 100e-9 + 50.0 * 512e-9 + 612e-9);
    let report = replay(&relay(), "mesh:3", "packet:queues=none");
    assert!(report.finished_seconds[2] > 15e-6);
}

#[test]
fn the_latency_of_a_message_passes_while_the_one_before_is_sent() {
    // Three hops of 100 ns once, and 1 MB twice at 10 GB/s.
    let both = sends(4, &[(3, 1_000_000), (3, 1_000_000)]);
    let report = replay(&both, "mesh:4", "flow:eager=1000000");
    about(report.seconds, 3e-7 + 2e-4);
    // Nothing waits if the line is empty: 50 bytes take 5 ns, and 1 us passes between them.
    let mut programs = writers(2);
    programs[0].send(1, 50, 0);
    programs[0].compute(1_000);
    programs[0].send(1, 50, 0);
    programs[1].receive(0, 0);
    programs[1].receive(0, 0);
    about(replay(&trace(programs), "mesh:2", "flow").seconds, 1e-6 + 1e-7 + 5e-9);
}

#[test]
fn messages_of_different_tags_keep_their_order_too() {
    for (model, tolerance) in [("flow", 1e-12), ("packet", 200e-9)] {
        let mut programs = writers(2);
        programs[0].send(1, 50_000, 1);
        programs[0].send(1, 50, 2);
        programs[1].receive(0, 2);
        programs[1].compute(1_000_000_000);
        programs[1].receive(0, 1);
        let report = replay(&trace(programs), "mesh:2,latency=0", model);
        // The second message waits for 5 us, although it takes 5 ns.
        let there = report.finished_seconds[1] - 1.0;
        assert!((there - 5.005e-6).abs() <= tolerance, "{model} {there}");
    }
}

#[test]
fn a_message_without_bytes_waits_for_its_turn_and_holds_nobody_up() {
    for model in MODELS {
        let mut programs = writers(2);
        programs[0].send(1, 50_000, 0);
        programs[0].send(1, 0, 1);
        programs[0].send(1, 0, 1);
        programs[0].send(1, 50_000, 2);
        programs[1].receive(0, 1);
        programs[1].receive(0, 1);
        programs[1].compute(1_000_000_000);
        programs[1].receive(0, 0);
        programs[1].receive(0, 2);
        let report = replay(&trace(programs), "mesh:2,latency=0", model);
        let there = report.finished_seconds[1] - 1.0;
        assert!((5e-6..5.1e-6).contains(&there), "{model} {there}");
        assert_eq!((report.messages, report.bytes), (4, 100_000.0));
    }
}

#[test]
fn different_pairs_share_links_as_if_nothing_waited() {
    // One message per pair: any number of queues per pair is the same as none.
    let traffic = parse_pattern("all-to-all:16,bytes=20000").unwrap();
    let burst = Trace::of_traffic(&traffic, Replay::Burst);
    for model in MODELS {
        for machine in ["mesh:4x4", "torus:4x4"] {
            let pair = replay(&burst, machine, model);
            let none = replay(&burst, machine, &format!("{model}:queues=none"));
            assert_eq!((pair.ticks, &pair.finished_seconds), (none.ticks, &none.finished_seconds));
            let many = replay(&burst, machine, &format!("{model}:queues=1000"));
            assert_eq!((pair.ticks, &pair.finished_seconds), (many.ticks, &many.finished_seconds));
        }
    }
}

#[test]
fn pairs_get_equal_shares_however_many_messages_each_has() {
    // Over the link to rank 2, rank 1 has one message of 1 MB and rank 0 has nine: each rank gets
    // half of the link until rank 1 is done, not a tenth.
    let mut programs = writers(3);
    for _ in 0..9 {
        programs[0].start_send(2, 1_000_000, 0);
    }
    programs[0].wait_all();
    programs[1].start_send(2, 1_000_000, 1);
    programs[1].wait_all();
    programs[2].receive(1, 1);
    programs[2].send(1, 0, 2);
    (0..9).for_each(|_| programs[2].receive(0, 0));
    programs[1].receive(2, 2);
    let trace = trace(programs);
    let eager = "eager=1000000";
    let report = replay(&trace, "mesh:3,latency=0", &format!("flow:{eager}"));
    about(report.finished_seconds[1], 2e-4);
    about(report.seconds, 1e-3);
    let report = replay(&trace, "mesh:3,latency=0", &format!("packet:{eager}"));
    assert!((report.finished_seconds[1] - 2e-4).abs() < 2e-6, "{}", report.finished_seconds[1]);
    let report = replay(&trace, "mesh:3,latency=0", &format!("flow:{eager},queues=none"));
    about(report.finished_seconds[1], 1e-3);
}

/// On a star around rank 0, every message has its own links.
fn star(model: &str, options: &str) -> Vec<f64> {
    // 1 MB to each of four ranks, all at once; 100 us at 10 GB/s.
    let trace = sends(5, &[(1, 1_000_000), (2, 1_000_000), (3, 1_000_000), (4, 1_000_000)]);
    let machine = Machine::parse("mesh:3x3,latency=0").unwrap();
    let mapping = Mapping::new(vec![4, 1, 3, 5, 7], &machine).unwrap();
    let model = Model::parse(&format!("{model}:eager=1000000{options}")).unwrap();
    simulate(&trace, &machine, &mapping, &model).unwrap().finished_seconds[1..].to_vec()
}

#[test]
fn a_send_queue_sends_one_message_at_a_time_and_partners_are_dealt_in_turn() {
    let expected = [
        ("", [1.0, 1.0, 1.0, 1.0]),
        (",queues=4", [1.0, 1.0, 1.0, 1.0]),
        (",queues=3", [1.0, 1.0, 1.0, 2.0]),
        (",queues=2", [1.0, 1.0, 2.0, 2.0]),
        (",queues=1", [1.0, 2.0, 3.0, 4.0]),
    ];
    for (options, hundred_microseconds) in expected {
        let found = star("flow", options);
        found
            .iter()
            .zip(hundred_microseconds)
            .for_each(|(&found, times)| about(found, times * 1e-4));
        // A node that can send four packets at once. The head of each takes a few more cycles.
        let found = star("packet", &format!(",injection=4{options}"));
        for (&found, times) in found.iter().zip(hundred_microseconds) {
            assert!((found / (times * 1e-4) - 1.0).abs() < 5e-3, "{options} {found}");
        }
    }
}

#[test]
fn packets_of_one_send_queue_leave_one_message_after_the_other() {
    // A node sends one packet at a time, so four messages in turn all arrive at the end.
    for found in star("packet", "") {
        assert!(found > 3.99e-4, "{found}");
    }
    for (found, times) in star("packet", ",queues=1").iter().zip(1..) {
        assert!((found / (f64::from(times) * 1e-4) - 1.0).abs() < 1e-3, "{found}");
    }
}

#[test]
fn in_a_queue_a_longer_way_takes_its_longer_latency() {
    // The second message leaves when all bytes of the first have left, after 100 us, and needs 300
    // ns.
    let near_first = sends(4, &[(1, 1_000_000), (3, 1_000_000)]);
    let report = replay(&near_first, "mesh:4", "flow:eager=1000000,queues=1");
    about(report.finished_seconds[3], 2e-4 + 3e-7);
    // After a longer way, it begins when the first has arrived.
    let far_first = sends(4, &[(3, 1_000_000), (1, 1_000_000)]);
    let report = replay(&far_first, "mesh:4", "flow:eager=1000000,queues=1");
    about(report.finished_seconds[1], 2e-4 + 3e-7);
}

#[test]
fn a_message_that_waits_for_its_receiver_holds_up_nobody() {
    for model in MODELS {
        for queues in ["pair", "1"] {
            let mut programs = writers(2);
            let request = programs[0].start_send(1, 1_000_000, 1);
            programs[0].send(1, 1_000, 2);
            programs[0].wait(request);
            programs[1].receive(0, 2);
            programs[1].receive(0, 1);
            let options = format!("{model}:queues={queues}");
            let report = replay(&trace(programs), "mesh:2,latency=0", &options);
            assert!((report.seconds - 1.001e-4).abs() < 1e-7, "{model} {}", report.seconds);
        }
    }
}

#[test]
fn copies_inside_a_node_keep_the_order_of_their_pair_and_use_no_send_queue() {
    // 1 GB/s and 1 us: 1,000 bytes take 1 us each, one after the other, and then 1 us more.
    let mut programs = writers(3);
    (0..3).for_each(|_| programs[0].send(1, 1_000, 0));
    programs[0].send(2, 1_000, 0);
    (0..3).for_each(|_| programs[1].receive(0, 0));
    programs[2].receive(0, 0);
    let trace = trace(programs);
    let machine = Machine::parse("mesh:2,slots=3").unwrap();
    let mapping = Mapping::new(vec![0, 1, 2], &machine).unwrap();
    let memory = "memory-bandwidth=1e9,memory-latency=1e-6";
    for model in MODELS {
        for (queues, expected) in [("pair", 4e-6), ("1", 4e-6), ("none", 2e-6)] {
            let text = format!("{model}:{memory},queues={queues}");
            let model = Model::parse(&text).unwrap();
            let report = simulate(&trace, &machine, &mapping, &model).unwrap();
            // Exact to the cycle of 1.6 ns.
            let close = |found: f64, expected: f64| (found - expected).abs() <= 1.6e-9;
            assert!(close(report.finished_seconds[1], expected), "{text}");
            assert!(close(report.finished_seconds[2], 2e-6), "{text}");
        }
    }
}

/// A random trace that cannot get stuck: both ends of all messages are posted in the same order.
fn drawn(seed: u64, ranks: u32) -> (Trace, f64) {
    let mut rng = random::stream(seed, &[]);
    let mut programs = writers(ranks as usize);
    let mut bytes = 0.0;
    for _ in 0..200 {
        let [from, to] = [0, 0].map(|_| random::below(&mut rng, ranks));
        let size = u64::from(random::below(&mut rng, [10, 1_000, 10_000][seed as usize % 3]));
        let tag = random::below(&mut rng, 3);
        bytes += size as f64;
        programs[to as usize].start_receive(from, tag);
        programs[from as usize].start_send(to, size, tag);
        let pause = random::below(&mut rng, 4 * ranks);
        if let Some(program) = programs.get_mut(pause as usize) {
            program.wait_all();
            program.compute(u64::from(random::below(&mut rng, 2_000)));
        }
    }
    programs.iter_mut().for_each(ProgramWriter::wait_all);
    (trace(programs), bytes)
}

#[test]
fn all_bytes_arrive_whatever_waits_for_what() {
    for seed in 0..6 {
        let (trace, bytes) = drawn(seed, 12);
        let machine = ["mesh:4x3", "torus:3x2,slots=2", "fat-tree:k=4"][seed as usize % 3];
        for model in [
            "flow",
            "flow:injection=1",
            "flow:eager=0",
            "packet",
            "packet:eager=500,arbitration=transit-first",
        ] {
            let mut carried: Option<f64> = None;
            for queues in ["pair", "1", "3", "none"] {
                let separator = if model.contains(':') { "," } else { ":" };
                let text = format!("{model}{separator}queues={queues}");
                let report = replay(&trace, machine, &text);
                assert_eq!(report.messages, trace.num_messages(), "{seed} {text}");
                assert_eq!((report.bytes, report.unreceived), (bytes, 0), "{seed} {text}");
                assert!(report.max_utilisation() <= 1.0 + 1e-9, "{seed} {text}");
                // Routes are the same, so links carry the same.
                let on_links: f64 = report.links.iter().map(|link| link.bytes).sum();
                about(on_links, *carried.get_or_insert(on_links));
                let again = replay(&trace, machine, &text);
                assert_eq!(report.ticks, again.ticks, "{seed} {text}");
            }
        }
    }
}
