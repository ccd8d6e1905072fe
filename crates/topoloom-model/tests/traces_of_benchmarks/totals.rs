//! A trace adds up to the traffic that is computed from formulas for the whole run.

use std::collections::BTreeMap;

use topoloom_model::traffic::{Collective, Operation};
use topoloom_model::{Flow, Traffic, Weight, parse_pattern, parse_trace};

use crate::runs::{NAMES, legal, trace};

/// By operation, members and bytes: how often it is called and, if sizes differ by pair, the bytes
/// of all pairs in all calls.
type Calls = BTreeMap<(&'static str, Vec<u32>, u64), (u64, Vec<f64>)>;

fn calls(traffic: &Traffic) -> Calls {
    let mut all = Calls::new();
    for Collective { operation, group, calls, bytes } in traffic.collectives() {
        let members = (0..group.size()).map(|number| group.member(number)).collect();
        let (sum, pairs) = all.entry((operation.mpi_name(), members, *bytes)).or_default();
        *sum += calls;
        if let Operation::AllToAllVariable(sizes) = operation {
            let members = group.size();
            pairs.resize((members * members) as usize, 0.0);
            sizes.for_each(members, |from, to, bytes| {
                pairs[(from * members + to) as usize] += bytes;
            });
        }
    }
    all
}

fn check(text: &str) {
    let (found, expected) = (trace(text).traffic(), parse_pattern(text).unwrap());
    assert_eq!(found.num_ranks(), expected.num_ranks(), "{text}");
    let (flows, wanted): (Vec<Flow>, Vec<Flow>) =
        (found.flows().collect(), expected.flows().collect());
    assert_eq!(flows, wanted, "{text}");
    assert_eq!(calls(&found), calls(&expected), "{text}");
}

#[test]
fn every_pair_and_every_collective_comes_out() {
    for name in NAMES {
        for text in legal(name, "S", 128) {
            check(&text);
        }
        for text in legal(name, "W", 64) {
            check(&text);
        }
    }
}

#[test]
fn fewer_iterations_come_out_as_well() {
    for name in NAMES.into_iter().filter(|&name| name != "ep") {
        for text in legal(name, "S", 64) {
            check(&format!("{text},iterations=1"));
            check(&format!("{text},iterations=2"));
        }
    }
}

#[test]
fn more_ranks_than_planes_and_points_come_out() {
    // FT in slices; MG with sleeping ranks on several levels; CG with twice as many columns as
    // rows.
    for text in [
        "ft:class=W,ranks=1024",
        "ft:class=S,ranks=4096",
        "mg:class=S,ranks=512",
        "mg:class=S,ranks=4096",
        "cg:class=S,ranks=512",
        "lu:class=W,ranks=121",
        "bt:class=A,ranks=300",
        "sp:class=A,ranks=441",
    ] {
        check(text);
    }
}

#[test]
fn traces_are_refused_where_traffic_is_and_speed_changes_no_traffic() {
    for name in NAMES {
        for ranks in 1..=130 {
            let text = format!("{name}:class=S,ranks={ranks}");
            match parse_pattern(&text) {
                Ok(_) => continue,
                Err(error) => assert_eq!(parse_trace(&text).unwrap_err(), error),
            }
        }
        let text = format!("{name}:class=S,ranks=16");
        let fast = format!("{text},gflops=2");
        assert_eq!(parse_pattern(&fast).unwrap(), parse_pattern(&text).unwrap());
        check(&fast);
    }
}

#[test]
fn totals_of_whole_runs_are_those_recorded() {
    // Recorded runs of NPB 3.4 (for class D, computed): directed pairs, messages, bytes. Self
    // messages count.
    for (text, pairs, messages, bytes) in [
        ("lu:class=A,ranks=64", 224, 3_542_924, 3_411_115_904),
        ("lu:class=C,ranks=64", 224, 9_052_876, 22_128_532_608),
        ("lu:class=D,ranks=1024", 3968, 486_121_788, 748_096_551_296),
        ("bt:class=W,ranks=64", 384, 617_856, 1_601_187_840),
        ("bt:class=C,ranks=64", 384, 617_856, 51_169_708_800),
        ("bt:class=D,ranks=1024", 6144, 49_354_752, 1_755_300_986_880),
        ("sp:class=W,ranks=64", 384, 1_232_256, 4_242_610_176),
        ("sp:class=C,ranks=64", 384, 1_232_256, 90_636_161_280),
        ("cg:class=A,ranks=64", 256, 269_312, 1_492_271_104),
        ("cg:class=S,ranks=128", 640, 700_416, 189_906_944),
        ("cg:class=C,ranks=64", 256, 1_279_232, 75_884_703_744u64),
        ("mg:class=A,ranks=64", 408, 43_296, 315_818_496),
        ("mg:class=S,ranks=128", 920, 46_112, 9_577_984),
        ("mg:class=C,ranks=64", 408, 201_120, 4_533_555_712),
        ("mg:class=D,ranks=1024", 8664, 7_386_528, 115_003_686_400),
    ] {
        let trace = trace(text);
        assert_eq!(trace.num_messages(), messages, "{text}");
        let traffic = trace.traffic();
        assert_eq!(traffic.num_flows(), pairs, "{text}");
        assert_eq!(traffic.total(Weight::Bytes), bytes as f64, "{text}");
    }
}

#[test]
fn whole_runs_are_some_thousand_events_a_rank_at_most() {
    for (text, most) in [
        ("lu:class=A,ranks=64", 200),
        ("lu:class=E,ranks=1024", 200),
        ("bt:class=A,ranks=64", 700),
        ("sp:class=D,ranks=1024", 2500),
        ("cg:class=C,ranks=64", 300),
        ("mg:class=D,ranks=1024", 2000),
        ("ft:class=D,ranks=2048", 30),
        ("is:class=A,ranks=64", 70),
        ("ep:class=E,ranks=64", 10),
    ] {
        let longest = trace(&format!("{text},gflops=1")).programs().iter().map(Vec::len).max();
        assert!(longest.unwrap() <= most, "{text}: {longest:?}");
    }
}

#[test]
fn traces_that_memory_does_not_hold_are_refused() {
    // Each of 16777216 ranks of CG has 12 partners along its row.
    let error = parse_trace("cg:class=E,ranks=16777216").unwrap_err();
    assert!(error.to_string().ends_with("events; at most 134217728 are possible"), "{error}");
    // A table of all pairs for each of 1001 exchanges.
    let error = parse_trace("is:class=W,ranks=512,iterations=1000").unwrap_err();
    assert_eq!(error.to_string(), "is: a trace of 512 ranks has at most 511 iterations");
}
