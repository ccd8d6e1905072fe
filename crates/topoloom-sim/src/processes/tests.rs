use topoloom_model::trace::ProgramWriter;
use topoloom_model::traffic::{Collective, Group, Operation};
use topoloom_model::{CollectiveMode, Event, Machine, Mapping, Trace};

use crate::network::Network;
use crate::watch::Watch;
use crate::{FlowOptions, Model, Report, SimulationError, simulate};

fn trace(programs: Vec<ProgramWriter>) -> Trace {
    Trace::new(programs.into_iter().map(ProgramWriter::finish).collect(), Vec::new()).unwrap()
}

fn writers(ranks: usize) -> Vec<ProgramWriter> {
    (0..ranks).map(|_| ProgramWriter::default()).collect()
}

/// Runs on a line of links of 1 GB/s without latency, with ranks in order.
fn run(programs: Vec<ProgramWriter>, model: &str) -> Result<Report, SimulationError> {
    let trace = trace(programs);
    let ranks = trace.num_ranks() as u32;
    let machine = Machine::parse(&format!("mesh:{ranks},bandwidth=1e9,latency=0")).unwrap();
    let mapping = Mapping::new((0..ranks).collect(), &machine).unwrap();
    simulate(&trace, &machine, &mapping, &Model::parse(model).unwrap())
}

fn message(programs: Vec<ProgramWriter>) -> String {
    run(programs, "flow").unwrap_err().to_string()
}

fn about(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected + 1e-15, "{found} {expected}");
}

#[test]
fn a_rank_goes_on_when_what_it_waits_for_is_there() {
    // 1000 bytes take 1 us over a link. Rank 1 has them after 1 us, computes 5 us and sends back.
    let mut programs = writers(2);
    programs[0].send(1, 1000, 0);
    programs[0].receive(1, 7);
    programs[1].receive(0, 0);
    programs[1].compute(5_000);
    programs[1].send(0, 2000, 7);
    let report = run(programs, "flow").unwrap();
    about(report.seconds, 8e-6);
    about(report.waiting_seconds[0], 8e-6);
    about(report.waiting_seconds[1], 1e-6);
    about(report.finished_seconds[1], 6e-6);
    assert_eq!((report.messages, report.bytes), (2, 3000.0));
}

#[test]
fn a_large_message_waits_until_its_receiver_is_ready() {
    let programs = |bytes: u64| {
        let mut programs = writers(2);
        programs[0].send(1, bytes, 0);
        programs[1].compute(1_000_000);
        programs[1].receive(0, 0);
        programs
    };
    // 100,000 bytes take 100 us, which begin after 1 ms of computing. Eager messages have arrived
    // by then.
    about(run(programs(100_000), "flow").unwrap().seconds, 1.1e-3);
    let eager = run(programs(100_000), "flow:eager=100000").unwrap();
    about(eager.seconds, 1e-3);
    about(eager.finished_seconds[0], 0.0);
}

#[test]
fn messages_of_one_tag_keep_their_order_and_other_tags_may_overtake() {
    let mut programs = writers(2);
    for (bytes, tag) in [(4000, 1), (1000, 2)] {
        programs[0].start_send(1, bytes, tag);
    }
    programs[0].wait_all();
    programs[1].receive(0, 2);
    programs[1].receive(0, 1);
    // The second message has arrived after 5 us, and the first, which rank 1 asks for later, after
    // 4.
    about(run(programs, "flow").unwrap().seconds, 5e-6);
}

#[test]
fn waiting_for_one_request_leaves_the_others_open() {
    let mut programs = writers(3);
    let slow = programs[1].start_receive(0, 0);
    let fast = programs[1].start_receive(2, 0);
    programs[1].wait(fast);
    programs[1].send(2, 0, 1);
    programs[1].wait(slow);
    programs[0].send(1, 9_000, 0);
    programs[2].send(1, 1_000, 0);
    programs[2].receive(1, 1);
    let report = run(programs, "flow").unwrap();
    about(report.finished_seconds[2], 1e-6);
    about(report.seconds, 9e-6);
}

#[test]
fn a_receive_that_nobody_sends_is_named() {
    let mut programs = writers(3);
    programs[0].receive(2, 5);
    programs[1].receive(0, 0);
    programs[2].compute(10);
    assert_eq!(
        message(programs),
        "the trace is inconsistent: rank 0, event 0: waits for a message from rank 2 with tag 5 \
         that is never sent; rank 1, event 0: waits for a message from rank 0 with tag 0 that is \
         itself waiting"
    );
}

#[test]
fn a_large_message_that_nobody_receives_is_named_and_a_small_one_is_counted() {
    let mut programs = writers(2);
    programs[0].send(1, 1 << 20, 0);
    assert_eq!(
        message(programs),
        "the trace is inconsistent: rank 0, event 0: waits for its message to rank 1 with tag 0 \
         that is never received"
    );
    let mut programs = writers(2);
    programs[0].send(1, 1, 0);
    programs[0].send(1, 1, 0);
    assert_eq!(run(programs, "flow").unwrap().unreceived, 2);
}

#[test]
fn requests_that_make_no_sense_are_named() {
    let mut programs = writers(2);
    programs[0].wait(3);
    assert!(message(programs).ends_with("event 0: waits for a request that was not started"));
    let mut programs = writers(2);
    // A repetition that does not wait for what it starts.
    programs[0].repeat(2, |writer| {
        writer.start_receive(1, 0);
    });
    assert!(message(programs).ends_with("event 1: starts a request that is still open"));
}

#[test]
fn messages_to_oneself_and_to_ranks_of_the_same_node_go_through_memory() {
    let mut programs = writers(2);
    for rank in 0..2 {
        programs[rank as usize].start_receive(1 - rank, 0);
        programs[rank as usize].start_receive(rank, 0);
        programs[rank as usize].start_send(rank, 2000, 0);
        programs[rank as usize].start_send(1 - rank, 4000, 0);
        programs[rank as usize].wait_all();
    }
    let trace = trace(programs);
    let machine = Machine::parse("mesh:2,slots=2,bandwidth=1").unwrap();
    let mapping = Mapping::new(vec![0, 1], &machine).unwrap();
    for model in ["flow", "packet:flit=1"] {
        let options = "memory-bandwidth=2e9,memory-latency=1e-6";
        let separator = if model.contains(':') { "," } else { ":" };
        let model = Model::parse(&format!("{model}{separator}{options}")).unwrap();
        if matches!(model, Model::Flow(_)) {
            // 1 us and 4000 bytes at 2 GB/s.
            about(simulate(&trace, &machine, &mapping, &model).unwrap().seconds, 3e-6);
        } else {
            // A cycle is a second here: less than half of one counts as none.
            assert_eq!(simulate(&trace, &machine, &mapping, &model).unwrap().ticks, 0);
        }
    }
}

#[test]
fn short_computations_add_up() {
    // A million times 7 ns; a cycle of the packet model is 16 ns here.
    for model in ["flow", "packet"] {
        let mut programs = writers(2);
        programs[0].repeat(1_000_000, |writer| writer.compute(7));
        let seconds = run(programs, model).unwrap().seconds;
        assert!((seconds - 7e-3).abs() < 2e-8, "{model} {seconds}");
    }
}

#[test]
fn a_message_that_nobody_waits_for_still_counts() {
    // 65,536 bytes take 65.536 us, and both ranks are done before that.
    for model in ["flow", "packet"] {
        let mut programs = writers(2);
        programs[0].send(1, 65_536, 0);
        programs[1].start_receive(0, 0);
        let report = run(programs, model).unwrap();
        assert!((65e-6..67e-6).contains(&report.seconds), "{model} {}", report.seconds);
        assert!(report.max_utilisation() <= 1.0);
        assert!(report.utilisation_over_time().iter().all(|&(_, most)| most <= 1.0 + 1e-6));
    }
}

#[test]
fn timelines_reach_to_the_end_of_the_run() {
    let mut programs = writers(2);
    programs[0].send(1, 1_000, 0);
    programs[0].compute(1_000_000_000);
    programs[1].receive(0, 0);
    let report = run(programs, "flow").unwrap();
    let bins = report.utilisation_over_time().len() as f64;
    assert!(bins * report.bin_seconds() >= report.seconds, "{bins}");
}

#[test]
fn collectives_in_different_orders_are_found_out() {
    let group = Group::first(2);
    let collective = |operation| Collective { operation, group: group.clone(), calls: 1, bytes: 8 };
    let order = |numbers: [u32; 2]| numbers.map(|number| Event::Collective { number }).to_vec();
    let trace = Trace::new(
        vec![order([0, 1]), order([1, 0])],
        vec![collective(Operation::Broadcast), collective(Operation::Barrier)],
    );
    let trace = trace.unwrap().expanded(CollectiveMode::Direct).unwrap();
    let machine = Machine::parse("mesh:2").unwrap();
    let mapping = Mapping::new(vec![0, 1], &machine).unwrap();
    let flow = Model::parse("flow:eager=0").unwrap();
    let error = simulate(&trace, &machine, &mapping, &flow).unwrap_err();
    assert!(matches!(error, SimulationError::Inconsistent(_)), "{error}");
}

#[test]
fn a_flood_of_messages_is_refused() {
    let mut programs = writers(2);
    programs[0].repeat(u32::MAX, |writer| writer.send(1, 8, 0));
    let trace = trace(programs);
    let machine = Machine::parse("mesh:2").unwrap();
    let network = Network::new(&machine).unwrap();
    let watch = Watch::new(&|_| false);
    let options = FlowOptions::default();
    let limits = (1000, &watch);
    let error = crate::flow::simulate(&trace, &machine, &network, &[0, 1], &options, limits);
    assert_eq!(
        error.unwrap_err().to_string(),
        "more than 1000 messages are in transit or awaited at once, which is the most that fits in \
         memory; set TOPOLOOM_MEMORY to raise this limit"
    );
}
