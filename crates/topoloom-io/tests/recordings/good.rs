//! What recordings hold, and what they are converted to.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use topoloom_core::traffic::{Collective, Group, Operation, VariableSizes};
use topoloom_core::{TrafficBuilder, Weight, parse_pattern, parse_trace};
use topoloom_io::{
    Input, MpiCall, PartnerClass, RecordedCollective, RecordedSeat, Recording, is_recording,
    is_trace, parse_recording, parse_traffic, read_recording, read_trace, read_traffic,
    recording_has_events, write_trace, write_traffic,
};

use crate::by_hand::{bytes_of, collective, everything, everything_by_hand, file};

#[test]
fn every_byte_is_as_documented() {
    assert_eq!(bytes_of(&everything()), everything_by_hand());
    assert_eq!(parse_recording("a", &everything_by_hand()), Ok(everything()));
}

#[test]
fn the_smallest_file_has_a_number_of_ranks_and_no_flows() {
    let bytes = file(0, &[("rank", &[2, 0])]);
    // 20 for the head, and for each section 16 plus its content.
    assert_eq!(bytes.len(), 20 + 18 + 16);
    let recording = parse_recording("a", &bytes).unwrap();
    let expected = Recording { ranks: 2, flows: vec![vec![], vec![]], ..Recording::default() };
    assert_eq!(recording, expected);
    assert_eq!(recording.traffic(), TrafficBuilder::new(2).build());
    assert_eq!(
        bytes_of(&Recording { ranks: 2, ..Recording::default() }),
        file(0, &[("rank", &[2, 0]), ("flow", &[0, 0])])
    );
}

#[test]
fn sections_may_come_in_any_order_and_unknown_ones_are_skipped() {
    let bytes = file(
        0,
        &[
            ("rank", &[2, 0]),
            ("new0", b"anything"),
            ("coll", &[1, 0, 0, 0, 1, 0, 0]),
            ("grps", &[1, 0, 0, 1, 2]),
        ],
    );
    assert_eq!(parse_recording("a", &bytes).unwrap().collectives.len(), 1);
}

#[test]
fn shares_are_of_all_ranks_and_calls_add_up() {
    let recording = everything();
    let times = recording.times.unwrap();
    // 300 of 1000 + 200 ns.
    assert!((times.mpi_share() - 0.25).abs() < 1e-12);
    assert_eq!(times.ranks[0].unwrap().mpi_share(), Some(0.3));
    let partners = [(PartnerClass::OtherHost, 2, 100), (PartnerClass::NotTold, 1, 200)];
    assert_eq!(times.by_partner(), partners);
    let bound: Vec<bool> = recording.seats.iter().map(RecordedSeat::is_bound).collect();
    // 3 of 4 CPUs; and nothing is known about the last.
    assert_eq!(bound, [true, true, false]);
    let all = RecordedSeat { cpus: vec![0, 1], online: 2, ..RecordedSeat::default() };
    assert!(!all.is_bound());
}

#[test]
fn the_first_20_bytes_say_what_is_in_it() {
    let with = everything_by_hand();
    let without = file(0, &[("rank", &[2, 0])]);
    for (bytes, events) in [(&with[..20], true), (&without[..20], false), (&with[..19], false)] {
        assert_eq!((is_recording(bytes), recording_has_events(bytes)), (true, events));
    }
    assert!(!is_recording(b"topoloom-trace 1\nranks 3\n"));
}

#[test]
fn kinds_add_up_and_calls_become_what_is_nearest() {
    let ring = Group::Strided { first: 1, stride: 1, size: 3 };
    let sized = |call, root, sizes: &[(u32, u32, f64)]| RecordedCollective {
        calls: 2,
        sizes: sizes.to_vec(),
        ..collective(call, ring.clone(), root, 0)
    };
    let pairs: &[(u32, u32, f64)] = &[(0, 2, 7.0), (2, 2, 1.0)];
    let recording = Recording {
        ranks: 4,
        flows: everything().flows,
        collectives: vec![
            collective(MpiCall::Bcast, ring.clone(), Some(1), 10),
            collective(MpiCall::Scan, ring.clone(), None, 20),
            collective(MpiCall::Exscan, ring.clone(), None, 30),
            collective(MpiCall::ReduceScatterBlock, ring.clone(), None, 40),
            collective(MpiCall::Reduce, ring.clone(), Some(0), 50),
            sized(MpiCall::Gatherv, Some(2), pairs),
            sized(MpiCall::Alltoallw, None, pairs),
            sized(MpiCall::Allgatherv, None, &[(0, 0, 6.0), (1, 1, 6.0), (2, 2, 6.0)]),
            sized(MpiCall::ReduceScatter, None, &[(0, 0, 6.0), (1, 1, 9.0)]),
        ],
        ..Recording::default()
    };
    let traffic = recording.traffic();
    let flows: Vec<_> = traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
    assert_eq!(flows, [(0, 1, 3.0, 208.0), (0, 2, 1.0, 4.0), (2, 2, 2.0, 0.0)]);
    let variable = || Operation::AllToAllVariable(VariableSizes::Pairs(pairs.into()));
    let expected = [
        (Operation::Broadcast, Group::List(Arc::from([2, 3, 1])), 1, 10),
        (Operation::Allreduce, ring.clone(), 1, 20),
        (Operation::Allreduce, ring.clone(), 1, 30),
        (Operation::ReduceScatter, ring.clone(), 1, 40),
        (Operation::Reduce, ring.clone(), 1, 50),
        (variable(), ring.clone(), 2, 0),
        (variable(), ring.clone(), 2, 0),
        // 6 bytes of each member in 2 calls; 15 of 3 members are 2.5.
        (Operation::Allgather, ring.clone(), 2, 3),
        (Operation::ReduceScatter, ring, 2, 3),
    ];
    let expected = expected.map(|(operation, group, calls, bytes)| Collective {
        operation,
        group,
        calls,
        bytes,
    });
    assert_eq!(traffic.collectives(), expected);
    assert_eq!(parse_recording("a", &bytes_of(&recording)).unwrap().traffic(), traffic);
}

#[test]
fn ten_thousand_ranks_of_six_partners_take_few_bytes() {
    let traffic = parse_pattern("stencil:20x25x20,periodic,bytes=65536").unwrap();
    assert_eq!((traffic.num_ranks(), traffic.num_flows()), (10_000, 60_000));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rec");
    assert!(write_traffic(&path, &traffic, Weight::Bytes).unwrap().is_empty());
    let length = fs::metadata(&path).unwrap().len();
    assert!(length < 600_000, "{length} bytes");
    assert_eq!(read_traffic(&path, Weight::Bytes).unwrap(), traffic);
}

#[test]
fn collectives_are_written_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rec");
    for pattern in ["ft:class=S,ranks=8", "is:class=S,ranks=4", "ep:class=S,ranks=1"] {
        let traffic = parse_pattern(pattern).unwrap();
        assert!(write_traffic(&path, &traffic, Weight::Bytes).unwrap().is_empty());
        assert_eq!(read_traffic(&path, Weight::Messages).unwrap(), traffic, "{pattern}");
    }
    let traffic = parse_pattern("ft:class=S,ranks=8").unwrap();
    let warnings = write_traffic(&path.with_extension("csv"), &traffic, Weight::Bytes).unwrap();
    assert!(warnings[0].ends_with("the file holds only messages between pairs"), "{warnings:?}");
}

#[test]
fn a_trace_is_written_with_its_events_and_its_totals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rec");
    for pattern in ["lu:class=S,ranks=4", "ft:class=S,ranks=8", "is:class=S,ranks=4"] {
        let trace = parse_trace(pattern).unwrap().unwrap();
        write_trace(&path, &trace).unwrap();
        let input = Input::open(&path).unwrap();
        assert!(is_trace(&input) && is_recording(input.beginning()));
        assert_eq!(read_trace(&path).unwrap(), trace, "{pattern}");
        assert_eq!(read_traffic(&path, Weight::Bytes).unwrap(), trace.traffic(), "{pattern}");
    }
}

#[test]
fn a_recording_without_events_is_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.rec", "a.dat"] {
        let path = folder.path().join(name);
        fs::write(&path, file(0, &[("rank", &[2, 0])])).unwrap();
        let input = Input::open(&path).unwrap();
        assert!(is_recording(input.beginning()) && !is_trace(&input));
        let error = read_trace(&path).unwrap_err();
        assert_eq!(error.message(), "recorded without a trace: it has totals, not events");
        assert_eq!(read_traffic(&path, Weight::Bytes).unwrap().num_ranks(), 2);
    }
}

#[test]
fn totals_do_not_come_from_events() {
    // The events send 200 bytes; the flows also have one-sided communication.
    let bytes = bytes_of(&everything());
    let traffic = parse_traffic("a.rec", &bytes, Weight::Bytes).unwrap();
    assert_eq!(traffic.total(Weight::Bytes), 212.0);
    assert_eq!(everything().trace.unwrap().traffic().total(Weight::Bytes), 200.0);
}

fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rec");
    let written = |traffic: &str| {
        write_traffic(&path, &parse_pattern(traffic).unwrap(), Weight::Bytes).unwrap();
        fs::read(&path).unwrap()
    };
    vec![
        ("everything.rec", everything_by_hand()),
        ("smallest.rec", file(0, &[("rank", &[2, 0])])),
        ("stencil.rec", written("stencil:3x3,bytes=100")),
        ("integer_sort.rec", written("is:class=S,ranks=4")),
    ]
}

#[test]
fn the_seeds_of_the_fuzzer_are_what_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/recording");
    for (name, bytes) in seeds() {
        let path = folder.join(name);
        // To make them again, remove the old ones.
        if !path.exists() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
        read_recording(&path).unwrap();
    }
}
