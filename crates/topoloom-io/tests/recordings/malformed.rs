//! Inconsistent recordings get a message that names the section.

use topoloom_core::Trace;
use topoloom_core::Weight;
use topoloom_core::traffic::Group;
use topoloom_io::{
    FlowKind, MpiCall, RankTime, RecordedFlow, RecordedSeat, Recording, Times, parse_recording,
    parse_traffic, write_recording,
};

use crate::by_hand::{checksum, collective, file, flow, section};

#[test]
fn what_does_not_hold_together_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rec");
    let error = |recording: &Recording| write_recording(&path, recording).unwrap_err().message();
    let ranks = Recording { ranks: 2, ..Recording::default() };
    let sent = |row: &[RecordedFlow]| Recording { flows: vec![row.to_vec()], ..ranks.clone() };
    let one = flow(1, FlowKind::PointToPoint, 1.0, 1.0);
    assert_eq!(error(&Recording::default()), "rank: expected at least 1 rank, found 0");
    assert_eq!(
        error(&sent(&[one, one])),
        "flow: rank 0: receiver 1 is not in order of receiver and kind"
    );
    assert_eq!(
        error(&sent(&[RecordedFlow { bytes: f64::NAN, ..one }])),
        "flow: rank 0: expected a finite value that is not negative, found NaN"
    );
    assert_eq!(
        error(&Recording { flows: vec![vec![]; 3], ..ranks.clone() }),
        "flow: expected flows of 2 ranks, found 3"
    );
    assert_eq!(
        error(&Recording { hosts: vec![String::new()], ..ranks.clone() }),
        "host: expected hosts of 2 ranks, found 0"
    );
    assert_eq!(
        error(&Recording { rank_weights: Some(vec![1.0]), ..ranks.clone() }),
        "load: expected 2 rank weights, found 1"
    );
    assert_eq!(
        error(&Recording { trace: Some(Trace::default()), ..ranks.clone() }),
        "evnt: expected events of 2 ranks, found 0"
    );
    let seats = |cpus: &[u32]| {
        let seat = RecordedSeat { cpus: cpus.to_vec(), ..RecordedSeat::default() };
        vec![RecordedSeat::default(), seat]
    };
    assert_eq!(
        error(&Recording { seats: seats(&[])[..1].to_vec(), ..ranks.clone() }),
        "seat: expected seats of 2 ranks, found 1"
    );
    assert_eq!(
        error(&Recording { seats: seats(&[1, 1]), ..ranks.clone() }),
        "seat: rank 1: the CPUs are not in rising order"
    );
    assert_eq!(
        error(&Recording { nodes: vec![String::new()], ..ranks.clone() }),
        "node: expected descriptions of 0 hosts, found 1"
    );
    let ran = RankTime { wall_nanoseconds: 9, mpi_nanoseconds: 2 };
    let times = Some(Times { ranks: vec![Some(ran), None], calls: vec![] });
    assert_eq!(
        error(&Recording { times, ..ranks.clone() }),
        "time: ranks are in MPI for 2 ns, but in calls for 0 ns"
    );
    let group = Group::first(3);
    assert_eq!(
        error(&Recording {
            collectives: vec![collective(MpiCall::Barrier, group, None, 0)],
            ..ranks
        }),
        "grps: group 0: there is no rank 2, only 0 to 1"
    );
    assert!(!path.exists());
}

/// The message for this content, which is a file called `a`.
fn message(bytes: &[u8]) -> String {
    let error = parse_recording("a", bytes).unwrap_err();
    // The same if only its traffic is read, except for errors in the rest.
    let totals = parse_traffic("a.rec", bytes, Weight::Bytes);
    let beside = ["evnt: rank", "call:", "seat:", "node:", "time:"];
    match beside.iter().any(|section| error.message().starts_with(section)) {
        true => assert!(totals.is_ok()),
        false => assert_eq!(totals.unwrap_err().message(), error.message()),
    }
    error.message()
}

#[test]
fn seats_and_hosts_and_times_that_cannot_be_are_named() {
    let with = |name: &str, payload: &[u8]| {
        message(&file(0, &[("rank", &[2, 0]), ("host", b"\x01\x01h\x00\x02"), (name, payload)]))
    };
    let seat = |payload: &[u8]| with("seat", payload);
    assert_eq!(seat(&[9]), "seat: expected 9 seats, found 0 more bytes");
    let adjacent = [1, 2, 0, 1, 0, 0, 4, 0, 0, 0, 2];
    assert_eq!(seat(&adjacent), "seat: a range of CPUs begins where the one before ends");
    let too_high = [1, 1, 0, 0xff, 0xff, 0xff, 0x7f, 4, 0, 0, 0, 2];
    assert_eq!(seat(&too_high), "seat: there is no CPU 268435455, only 0 to 65535");
    assert_eq!(seat(&[1, 0, 4, 0, 0, 1, 2]), "seat: there is no seat 1, only 1 of them");
    assert_eq!(seat(&[1, 0, 4, 0, 0, 0, 3]), "seat: expected 1 to 2 ranks in a row, found 3");
    let node = |payload: &[u8]| with("node", payload);
    assert_eq!(node(b"\x02\x03abc"), "node: expected up to 2 bytes, found 3");
    assert_eq!(node(b"\x09\x03abc\x07\x03"), "node: expected 1 to 6 repeated bytes, found 7");
    assert_eq!(
        node(b"\x09\x03abc\x02\x04"),
        "node: expected 2 repeated bytes 2 to 3 bytes back, found 4"
    );
    assert_eq!(
        node(b"\x09\x03abc\x02\x01"),
        "node: expected 2 repeated bytes 2 to 3 bytes back, found 1"
    );
    assert_eq!(node(b"\x01\x01\xff"), "node: text that is not UTF-8");
    assert_eq!(
        node(&[0xff, 0xff, 0xff, 0xff, 1]),
        "node: the descriptions of all hosts have more than 268435456 bytes"
    );
    let time = |payload: &[u8]| with("time", payload);
    assert_eq!(time(&[2]), "time: expected 0 or 1 before a time, found 2");
    assert_eq!(time(&[0, 0, 0]), "time: expected a rank that ran for some time");
    let called = |calls: &[u8]| time(&[&[1, 9, 2, 0][..], calls].concat());
    assert_eq!(called(b"\x01\x01a\x06\x01\x02"), "time: expected a partner 0 to 5, found 6");
    assert_eq!(called(b"\x01\x01a\x00\x00\x02"), "time: expected at least 1 call of a, found 0");
    assert_eq!(
        called(b"\x01\x01a\x00\x01\x03"),
        "time: ranks are in MPI for 2 ns, but in calls for 3 ns"
    );
    assert_eq!(
        called(b"\x02\x01a\x01\x01\x01\x01a\x01\x01\x01"),
        "time: the calls are not in rising order of name and partner"
    );
}

#[test]
fn damaged_frames_are_named() {
    let good = file(0, &[("rank", &[2, 0]), ("flow", &[0, 0])]);
    let changed = |place: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[place] = byte;
        message(&bytes)
    };
    let error = parse_recording("a.rec", b"topoloom").unwrap_err().to_string();
    assert_eq!(error, "a.rec: not a recording: it does not begin with \"topoloom record\"");
    assert_eq!(message(&good[..19]), "cut short: it ends within its first 20 bytes");
    assert_eq!(changed(16, 2), "written by a later version: version 2, known up to 1");
    assert_eq!(changed(17, 1), "written by a later version: version 257, known up to 1");
    assert_eq!(changed(16, 0), "expected version 1, found 0");
    assert_eq!(changed(18, 2), "unknown flags 0x2; known: 0x1");
    assert_eq!(
        changed(18, 1),
        "evnt: the section is missing, but the header says that it is present"
    );
    assert_eq!(changed(20, b'\n'), "byte 20: expected the name of a section, found \\nank");
    let sum = checksum(b"rank\x03\x00");
    let written = checksum(b"rank\x02\x00");
    assert_eq!(
        changed(32, 3),
        format!("rank: damaged: its checksum is {sum:08x}, but {written:08x} was written")
    );
    assert_eq!(
        changed(31, 0xff),
        format!("rank: cut short: expected {} bytes, found {}", (0xffu64 << 56) + 2, 40)
    );
    // The frame of `rank` ends at byte 38, that of `flow` at byte 56.
    assert_eq!(message(&good[..38]), "cut short: the section end is missing");
    assert_eq!(message(&good[..41]), "cut short: it ends within the section at byte 38");
    assert_eq!(message(&good[..49]), "cut short: it ends within the section at byte 38");
    assert_eq!(message(&good[..51]), "flow: cut short: expected 2 bytes, found 1");
    assert_eq!(message(&good[..54]), "flow: cut short: expected 4 bytes of checksum");
    assert_eq!(
        message(&[&good[..], &[0; 5]].concat()),
        "expected nothing after the section end, found 5 bytes"
    );
    assert_eq!(
        message(&file(0, &[("flow", &[]), ("rank", &[1, 0])])),
        "expected the section rank first, found flow"
    );
    assert_eq!(message(&file(0, &[])), "expected the section rank first, found end");
    for name in ["rank", "what"] {
        let twice = file(0, &[("rank", &[1, 0]), ("what", &[]), (name, &[1, 0])]);
        assert_eq!(message(&twice), format!("{name}: the section appears twice"));
    }
    let mut bytes = file(0, &[("rank", &[1, 0])]);
    bytes.truncate(bytes.len() - 16);
    bytes.extend(section("end ", b"more"));
    assert_eq!(message(&bytes), "end: expected an empty section, found 4 bytes");
    assert_eq!(
        message(&file(0, &[("rank", &[1, 0]), ("evnt", &[0])])),
        "evnt: the section is present, but the header says that it is not"
    );
}

/// Values that overflow when they are added.
const HUGE: [u8; 9] = [1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0x7f];
const MINUS_ONE: [u8; 9] = [1, 0, 0, 0, 0, 0, 0, 0xf0, 0xbf];
const NOT_A_NUMBER: [u8; 9] = [1, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f];
const BEYOND_64_BITS: [u8; 10] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
/// 2^32.
const BEYOND_32_BITS: [u8; 5] = [0x80, 0x80, 0x80, 0x80, 0x10];

/// The error of one section, next to 3 ranks and the groups of 0 to 2 and of 2 and 0.
fn in_section(name: &str, payload: &[u8]) -> String {
    let groups: &[u8] = &[2, 0, 0, 1, 3, 1, 2, 4, 3];
    let mut sections = vec![("rank", &[3, 0][..]), ("grps", groups)];
    sections.retain(|(known, _)| *known != name);
    if name == "rank" {
        sections.insert(0, (name, payload));
    } else {
        sections.push((name, payload));
    }
    message(&file(0, &sections))
}

#[test]
fn damaged_numbers_of_ranks_and_hosts_are_named() {
    assert_eq!(in_section("rank", &[]), "rank: ends where a number was expected");
    assert_eq!(in_section("rank", &[0, 0]), "rank: expected at least 1 rank, found 0");
    assert_eq!(
        in_section("rank", &[&BEYOND_32_BITS[..], &[0]].concat()),
        "rank: 4294967296 ranks are too many; at most 268435456 are supported"
    );
    assert_eq!(
        in_section("rank", &[0x80, 0x80, 0x80, 0x80, 1, 0]),
        "rank: 268435456 ranks are too many for a file of 83 bytes"
    );
    assert_eq!(
        in_section("rank", &[&BEYOND_64_BITS[..], &[0]].concat()),
        "rank: a number has more than 64 bits"
    );
    assert_eq!(in_section("rank", &[3, 9]), "rank: expected 9 exceptions, found 0 more bytes");
    assert_eq!(in_section("rank", &[3, 1, 0, 4]), "rank: expected a state 1, 2 or 3, found 4");
    assert_eq!(
        in_section("rank", &[3, 2, 1, 1, 0, 1]),
        "rank: the exceptions are not in rising order of rank"
    );
    assert_eq!(in_section("rank", &[3, 1, 3, 1]), "rank: there is no rank 3, only 0 to 2");
    assert_eq!(in_section("rank", &[3, 0, 7]), "rank: expected its end, found 1 more byte");
    assert_eq!(in_section("info", &[1, 1, b'k']), "info: ends where a number was expected");
    assert_eq!(in_section("info", &[1, 1, 0xff, 0]), "info: text that is not UTF-8");
    assert_eq!(
        in_section("note", &[1, 5, b'n']),
        "note: expected 5 bytes of text, found 1 more byte"
    );
    assert_eq!(in_section("host", &[1, 1, b'h', 0, 2]), "host: ends where a number was expected");
    assert_eq!(
        in_section("host", &[1, 1, b'h', 0, 4]),
        "host: expected 1 to 3 ranks in a row, found 4"
    );
    assert_eq!(
        in_section("host", &[1, 1, b'h', 0, 0]),
        "host: expected 1 to 3 ranks in a row, found 0"
    );
    assert_eq!(in_section("host", &[1, 1, b'h', 1, 3]), "host: there is no host 1, only 1 of them");
    assert_eq!(in_section("load", &[0, 0]), "load: ends where a number was expected");
    assert_eq!(
        in_section("load", &[&HUGE[..], &HUGE, &[0]].concat()),
        "load: the values add up to more than a number can hold"
    );
}

#[test]
fn damaged_flows_are_named() {
    let row = |row: &[&[u8]]| in_section("flow", &[&[0, 1], &row.concat()[..], &[0]].concat());
    assert_eq!(row(&[&[1, 0, 2]]), "flow: ends where a number was expected");
    assert_eq!(row(&[&[3, 0, 2, 2]]), "flow: rank 1: there is no rank 3, only 0 to 2");
    assert_eq!(row(&[&[2, 3, 2, 2]]), "flow: expected a kind 0, 1 or 2, found 3");
    assert_eq!(
        row(&[&BEYOND_32_BITS, &[0, 2, 2]]),
        "flow: receiver 4294967296 has more than 32 bits"
    );
    assert_eq!(
        row(&[&[0, 0, 2], &MINUS_ONE]),
        "flow: expected a finite value that is not negative, found -1"
    );
    assert_eq!(
        row(&[&[0, 0], &NOT_A_NUMBER, &[0]]),
        "flow: expected a finite value that is not negative, found NaN"
    );
    assert_eq!(
        row(&[&[0, 0], &HUGE, &HUGE]),
        "flow: the values add up to more than a number can hold"
    );
    assert_eq!(
        in_section("flow", &[0, 2, 1, 0, 2, 2, 0, 0, 2, 2, 0]),
        "flow: rank 1: receiver 1 is not in order of receiver and kind"
    );
    assert_eq!(
        in_section("flow", &[0, 0x7f, 1, 0, 2, 2, 0]),
        "flow: expected 127 flows, found 5 more bytes"
    );
    assert_eq!(in_section("flow", &[0; 4]), "flow: expected its end, found 1 more byte");
    assert_eq!(in_section("size", &[1, 0, 65, 1, 1]), "size: there is no class 65, only 0 to 64");
    assert_eq!(
        in_section("size", &[1, 0, 0x80, 4, 1, 1]),
        "size: there is no class 512, only 0 to 64"
    );
    assert_eq!(in_section("size", &[2, 0, 1, 1, 1, 0, 1, 1, 1]), "size: class 1 appears twice");
    let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    assert_eq!(
        in_section("size", &[&[2, 0, 1][..], &most, &[1, 0, 2, 1, 1]].concat()),
        "size: the values add up to more than 64 bits"
    );
}

#[test]
fn damaged_groups_and_collectives_are_named() {
    let groups = |payload: &[u8]| in_section("grps", payload);
    assert_eq!(groups(&[1, 2, 0, 0]), "grps: group 0: expected a form 0 or 1, found 2");
    assert_eq!(groups(&[1, 0, 0, 1, 4]), "grps: group 0: there is no rank 3, only 0 to 2");
    assert_eq!(groups(&[1, 0, 0, 1, 0]), "grps: group 0: expected at least 1 member, found 0");
    assert_eq!(groups(&[1, 0, 1, 0, 2]), "grps: group 0: rank 1 is a member twice");
    assert_eq!(groups(&[1, 1, 2, 2, 0]), "grps: group 0: rank 1 is a member twice");
    assert_eq!(groups(&[1, 1, 2, 2, 6]), "grps: group 0: there is no rank 4, only 0 to 2");
    assert_eq!(groups(&[1, 1, 2, 2, 3]), "grps: group 0: there is no rank -1");
    assert_eq!(groups(&[1, 1, 9, 2, 3]), "grps: expected 9 members, found 2 more bytes");
    assert_eq!(groups(&[2, 1, 1, 2]), "grps: expected 2 groups, found 3 more bytes");
    let whole = [&[1, 0, 0][..], &[0xff, 0xff, 0xff, 0xff, 0x0f], &[2]].concat();
    assert_eq!(groups(&whole), "grps: group 0: there is no rank 4294967295, only 0 to 2");

    let one = |payload: &[u8]| in_section("coll", &[&[1], payload].concat());
    assert_eq!(one(&[2, 0, 0, 1, 0, 0]), "coll: there is no group 2, only 2 of them");
    assert_eq!(one(&[0, 17, 0, 1, 0, 0]), "coll: there is no call 17, only 0 to 16");
    assert_eq!(one(&[0, 1, 0, 1, 0, 0]), "coll: collective 0: Bcast needs a root");
    assert_eq!(one(&[0, 0, 1, 1, 0, 0]), "coll: collective 0: Barrier has no root");
    assert_eq!(
        one(&[1, 1, 3, 1, 0, 0]),
        "coll: collective 0: the root is member 2, but there are only 2"
    );
    assert_eq!(
        one(&[0, 0, 0, 0, 0, 0]),
        "coll: collective 0: expected at least 1 call of Barrier, found 0"
    );
    assert_eq!(
        one(&[0, 9, 0, 1, 2, 0]),
        "coll: collective 0: Alltoallv has sizes instead of bytes of one call"
    );
    assert_eq!(one(&[0, 8, 0, 1, 2, 1, 0, 0, 2]), "coll: collective 0: Alltoall has no sizes");
    assert_eq!(
        one(&[0, 9, 0, 1, 0, 1, 0, 3, 2]),
        "coll: collective 0: there is no member 3, only 0 to 2"
    );
    assert_eq!(
        one(&[0, 9, 0, 1, 0, 2, 0, 1, 2, 0, 1, 2]),
        "coll: collective 0: the size from 0 to 1 appears twice"
    );
    assert_eq!(
        one(&[0, 3, 1, 1, 0, 1, 0, 1, 2]),
        "coll: collective 0: Gatherv has no size from member 0 to 1"
    );
    assert_eq!(
        one(&[0, 5, 1, 1, 0, 1, 1, 0, 2]),
        "coll: collective 0: Scatterv has no size from member 1 to 0"
    );
    for call in [7, 13] {
        let name = MpiCall::from_number(call.into()).unwrap().name();
        assert_eq!(
            one(&[0, call, 0, 1, 0, 1, 1, 0, 2]),
            format!("coll: collective 0: {name} has no size from member 1 to 0")
        );
    }
    assert_eq!(one(&[0, 9, 0, 1, 0, 9]), "coll: expected 9 sizes, found 0 more bytes");
    let half: &[u8] = &[1, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f];
    assert_eq!(
        one(&[&[0, 11, 0, 1][..], half, &[0]].concat()),
        "coll: expected whole bytes of a call of up to 64 bits, found 0.5"
    );
    assert_eq!(
        one(&[&[0, 9, 0, 1, 0, 2, 0, 0][..], &HUGE, &[0, 1], &HUGE].concat()),
        "coll: collective 0: the values add up to more than a number can hold"
    );
}

#[test]
fn damaged_events_are_named() {
    let with = |call: &[u8], events: &[u8]| {
        let groups: &[u8] = &[1, 0, 0, 1, 2];
        let sections: &[(&str, &[u8])] =
            &[("rank", &[3, 0]), ("grps", groups), ("call", call), ("evnt", events)];
        message(&file(1, sections))
    };
    let barrier: &[u8] = &[1, 0, 0, 0, 1, 0, 0];
    let events =
        |of_first: &[u8]| with(barrier, &[&[of_first.len() as u8], of_first, &[0, 0]].concat());
    assert_eq!(events(&[6, 10]), "evnt: rank 0, event 1: expected a code 0 to 9, found 10");
    assert_eq!(events(&[1, 3, 0, 0]), "evnt: rank 0, event 0: there is no rank 3, only 0 to 2");
    assert_eq!(events(&[8, 2]), "evnt: rank 0, event 0: a repetition that does not end");
    assert_eq!(events(&[7, 1]), "evnt: rank 0, event 0: the rank is not a member of collective 1");
    assert_eq!(
        with(barrier, &[0, 0, 2, 7, 0]),
        "evnt: rank 2, event 0: the rank is not a member of collective 0"
    );
    assert_eq!(
        with(&[1, 0, 0, 0, 2, 0, 0], &[0, 0, 0]),
        "call: collective 0: expected 1 call, found 2"
    );
    assert_eq!(
        with(&[1, 0, 1, 9, 1, 0, 0], &[0, 0, 0]),
        "call: collective 0: the root is member 8, but there are only 2"
    );
}

#[test]
fn damaged_lengths_of_events_are_named() {
    let error = |events: &[u8]| {
        let sections: &[(&str, &[u8])] = &[("rank", &[3, 0]), ("evnt", events)];
        parse_recording("a", &file(1, sections)).unwrap_err().message()
    };
    assert_eq!(error(&[1, 1, 0, 0]), "evnt: ends where a number was expected");
    assert_eq!(error(&[9, 6, 0, 0]), "evnt: expected 9 bytes of events, found 3 more bytes");
    assert_eq!(error(&[0, 0]), "evnt: ends where a number was expected");
    assert_eq!(error(&[0, 0, 0, 0]), "evnt: expected its end, found 1 more byte");
    assert_eq!(
        error(&[&[7, 5][..], &BEYOND_32_BITS, &[6, 0, 0]].concat()),
        "evnt: request 4294967296 has more than 32 bits"
    );
}

#[test]
fn groups_of_all_roots_are_not_more_than_memory_holds() {
    // 60,000 ranks and as many broadcasts, each from another root: 3.6 billion members in all.
    let ranks = 60_000u32;
    let world = Group::first(ranks);
    let collectives =
        (0..ranks).map(|root| collective(MpiCall::Bcast, world.clone(), Some(root), 8));
    let recording = Recording { ranks, collectives: collectives.collect(), ..Recording::default() };
    let folder = tempfile::tempdir().unwrap();
    let error = write_recording(folder.path().join("a.rec"), &recording).unwrap_err();
    assert_eq!(error.message(), "coll: the groups of all roots have more than 134217728 members");
}
