//! Simulations that are asked to stop.

use std::cell::Cell;

use topoloom_model::{Event, Machine, Mapping, Replay, Trace, parse_pattern};
use topoloom_sim::{Model, Outcome, Stopped, simulate, simulate_until};

const MODELS: [&str; 2] = ["flow", "packet"];

/// Runs until the answer to "stop?" has been no this many times.
fn run_for(trace: &Trace, machine: &Machine, model: &str, answers: u32) -> Outcome {
    let mapping = Mapping::new((0..trace.num_ranks() as u32).collect(), machine).unwrap();
    let asked = Cell::new(0);
    let must_stop = || {
        asked.set(asked.get() + 1);
        asked.get() > answers
    };
    simulate_until(trace, machine, &mapping, &Model::parse(model).unwrap(), &must_stop).unwrap()
}

fn stopped(outcome: Outcome) -> Stopped {
    match outcome {
        Outcome::Stopped(stopped) => stopped,
        Outcome::Finished(report) => panic!("it ran to its end: {} s", report.seconds),
    }
}

fn all_to_all() -> (Trace, Machine) {
    let traffic = parse_pattern("all-to-all:64,bytes=20000").unwrap();
    (Trace::of_traffic(&traffic, Replay::Rounds(8)), Machine::parse("torus:4x4x4").unwrap())
}

#[test]
fn a_run_that_may_not_begin_has_sent_nothing() {
    let (trace, machine) = all_to_all();
    for model in MODELS {
        let expected = Stopped {
            after_seconds: 0.0,
            messages: 0,
            messages_in_all: 64 * 63 * 8,
            bytes: 0.0,
            ranks_finished: 0,
            ranks: 64,
        };
        assert_eq!(stopped(run_for(&trace, &machine, model, 0)), expected, "{model}");
    }
}

#[test]
fn a_run_that_is_stopped_says_how_far_it_came() {
    let (trace, machine) = all_to_all();
    let mapping = Mapping::new((0..64).collect(), &machine).unwrap();
    for model in MODELS {
        let whole = simulate(&trace, &machine, &mapping, &Model::parse(model).unwrap()).unwrap();
        let early = stopped(run_for(&trace, &machine, model, 3));
        let later = stopped(run_for(&trace, &machine, model, 20));
        assert!(early.after_seconds <= later.after_seconds, "{model}");
        assert!(later.after_seconds > 0.0 && later.after_seconds < whole.seconds, "{model}");
        assert!(early.messages <= later.messages && later.messages > 0, "{model}");
        assert!(later.messages < whole.messages, "{model}");
        assert_eq!((later.messages_in_all, later.ranks_finished), (whole.messages, 0), "{model}");
    }
}

#[test]
fn a_run_that_nobody_stops_is_the_same_as_ever() {
    let (trace, machine) = all_to_all();
    let mapping = Mapping::new((0..64).collect(), &machine).unwrap();
    for model in MODELS {
        let expected = simulate(&trace, &machine, &mapping, &Model::parse(model).unwrap()).unwrap();
        let Outcome::Finished(found) = run_for(&trace, &machine, model, u32::MAX) else {
            panic!("{model}: nobody stopped it");
        };
        assert_eq!((found.seconds, found.joules()), (expected.seconds, expected.joules()));
    }
}

#[test]
fn a_program_that_takes_no_simulated_time_is_stopped_too() {
    // A rank that waits for nothing, again and again: nothing happens in the network.
    let program = vec![Event::Repeat { times: 900_000_000 }, Event::WaitAll, Event::End];
    let trace = Trace::new(vec![program], Vec::new()).unwrap();
    let machine = Machine::parse("torus:2").unwrap();
    for model in MODELS {
        let stopped = stopped(run_for(&trace, &machine, model, 2));
        assert_eq!((stopped.after_seconds, stopped.ranks_finished), (0.0, 0), "{model}");
    }
}

#[test]
fn rates_that_take_long_to_find_are_given_up() {
    // All flows begin at once, on links of the same latency: their rates are settled all together,
    // once.
    let traffic = parse_pattern("all-to-all:256,bytes=1000").unwrap();
    let trace = Trace::of_traffic(&traffic, Replay::Burst);
    let machine = Machine::parse("torus:256,latency=0").unwrap();
    // 65,280 events of posting come first, then 65,280 transfers of 16 steps each.
    let stopped = stopped(run_for(&trace, &machine, "flow", 90));
    assert_eq!((stopped.after_seconds, stopped.messages), (0.0, 0));
}
