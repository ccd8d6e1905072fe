//! Files assembled from their bytes.

use std::fs;
use std::sync::Arc;

use topoloom_core::traffic::{Collective, Group, Operation};
use topoloom_core::{Event, Trace};
use topoloom_io::{
    CallTime, FlowKind, MpiCall, PartnerClass, RankState, RankTime, RecordedCollective,
    RecordedFlow, RecordedSeat, Recording, SizeClass, Times, write_recording,
};

/// The checksum bit by bit, as in the documentation.
pub fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}

pub fn section(name: &str, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u64).to_le_bytes();
    let sum = checksum(&[name.as_bytes(), payload].concat()).to_le_bytes();
    [name.as_bytes(), &length, payload, &sum].concat()
}

/// A file of version 1 with these flags and sections, and its end.
pub fn file(flags: u8, sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"topoloom record\n\x01\x00".to_vec();
    bytes.extend([flags, 0]);
    for (name, payload) in sections {
        bytes.extend(section(name, payload));
    }
    bytes.extend(section("end ", &[]));
    bytes
}

pub fn bytes_of(recording: &Recording) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rec");
    write_recording(&path, recording).unwrap();
    fs::read(path).unwrap()
}

pub fn flow(to: u32, kind: FlowKind, messages: f64, bytes: f64) -> RecordedFlow {
    RecordedFlow { to, kind, messages, bytes }
}

pub fn collective(
    call: MpiCall,
    group: Group,
    root: Option<u32>,
    bytes: u64,
) -> RecordedCollective {
    RecordedCollective { call, group, root, calls: 1, bytes, sizes: Vec::new() }
}

/// A recording that contains everything possible.
pub fn everything() -> Recording {
    let group = Group::List(Arc::from([2, 0, 1]));
    let gatherv = RecordedCollective {
        calls: 4,
        sizes: vec![(0, 1, 300.0), (1, 1, 0.5)],
        ..collective(MpiCall::Gatherv, group.clone(), Some(1), 0)
    };
    let joined = |operation, bytes| Collective { operation, group: group.clone(), calls: 1, bytes };
    let join = Event::Collective { number: 0 };
    let programs = vec![
        vec![
            Event::Compute { nanoseconds: 1000 },
            Event::StartSend { to: 1, bytes: 200, tag: 5, request: 0 },
            Event::Wait { request: 0 },
            join,
        ],
        vec![Event::StartReceive { from: 0, tag: 5, request: 3 }, Event::WaitAll, join],
        vec![
            Event::Repeat { times: 2 },
            Event::Send { to: 2, bytes: 0, tag: 0 },
            Event::Receive { from: 2, tag: 0 },
            Event::End,
            join,
        ],
    ];
    let seat = |cpus: &[u32], openmp_threads, threads| RecordedSeat {
        cpus: cpus.to_vec(),
        online: 4,
        openmp_threads,
        threads,
    };
    let call = |name: &str, partner, calls, nanoseconds| CallTime {
        call: name.to_string(),
        partner,
        calls,
        nanoseconds,
    };
    let ran =
        |wall_nanoseconds, mpi_nanoseconds| Some(RankTime { wall_nanoseconds, mpi_nanoseconds });
    Recording {
        ranks: 3,
        info: vec![("command".to_string(), "./a é".to_string())],
        notes: vec!["n".to_string()],
        incomplete: vec![(0, RankState::CutShort), (2, RankState::NeverFinalised)],
        hosts: vec!["h0".to_string(), "h1".to_string()],
        host_of_rank: vec![1, 1, 0],
        seats: vec![
            seat(&[0, 1, 3], Some(2), None),
            seat(&[0, 1, 3], Some(2), None),
            RecordedSeat::default(),
        ],
        launcher_ranks: vec![2, 0, 1],
        nodes: vec!["/a\th0, 12345678\n".to_string(), "/a\th1, 12345678\n".to_string()],
        times: Some(Times {
            ranks: vec![ran(1000, 300), None, ran(200, 0)],
            calls: vec![
                call("MPI_Send", PartnerClass::OtherHost, 2, 100),
                call("MPI_Wait", PartnerClass::NotTold, 1, 200),
            ],
        }),
        rank_weights: Some(vec![1.0, 0.5, 0.0]),
        flows: vec![
            vec![
                flow(1, FlowKind::PointToPoint, 1.0, 200.0),
                flow(1, FlowKind::OneSided, 2.0, 8.0),
                flow(2, FlowKind::Neighbourhood, 1.0, 4.0),
            ],
            vec![],
            vec![flow(2, FlowKind::PointToPoint, 2.0, 0.0)],
        ],
        sizes: vec![SizeClass { kind: FlowKind::PointToPoint, class: 8, messages: 1, bytes: 200 }],
        collectives: vec![collective(MpiCall::Barrier, Group::first(3), None, 0), gatherv],
        trace: Some(Trace::new(programs, vec![joined(Operation::Allreduce, 8)]).unwrap()),
    }
}

/// The bytes of [`everything`], by hand.
pub fn everything_by_hand() -> Vec<u8> {
    let half = [1, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]; // 0.5 is 0x3fe0000000000000
    let load = [&[2][..], &half, &[0]].concat();
    let time = [
        &[1, 0xe8, 7, 0xac, 2, 0, 1, 0xc8, 1, 0, 2][..],
        b"\x08MPI_Send\x02\x02\x64\x08MPI_Wait\x05\x01\xc8\x01",
    ]
    .concat();
    let coll = [
        // Group 0, Barrier, no root, 1 call of 0 bytes, no sizes.
        &[2, 0, 0, 0, 1, 0, 0][..],
        // Group 1, Gatherv to member 1, 4 calls, two sizes: 600 is 0x258.
        &[1, 3, 2, 4, 0, 2, 0, 1, 0xd8, 0x04, 1, 1],
        &half,
    ]
    .concat();
    file(
        1,
        &[
            ("rank", &[3, 2, 0, 3, 2, 1]),
            ("info", b"\x01\x07command\x06./a \xc3\xa9"),
            ("note", b"\x01\x01n"),
            ("host", b"\x02\x02h0\x02h1\x01\x02\x00\x01"),
            // Two different ones: 0 and one more, then 3; 4 usable, 2 threads of OpenMP; and nothing.
            ("seat", &[2, 2, 0, 1, 1, 0, 4, 3, 0, 0, 0, 0, 0, 0, 2, 1, 1]),
            ("lnch", &[2, 0, 1]),
            // 16 bytes each: 21 new ones, and 11 that repeat those 16 bytes before.
            ("node", b"\x10\x10\x15/a\th0, 12345678\n/a\th1\x0b\x10"),
            // 1000 is 0xe8 0x07, 300 is 0xac 0x02, 200 is 0xc8 0x01.
            ("time", &time),
            ("load", &load),
            // 400 is 0x190: 0x90 0x03.
            ("flow", &[3, 1, 0, 2, 0x90, 3, 0, 1, 4, 16, 1, 2, 2, 8, 0, 1, 2, 0, 4, 0]),
            // 200 is 0xc8 0x01.
            ("size", &[1, 0, 8, 1, 0xc8, 1]),
            // Three from 0 on by 1; and 2, 0, 1: +2, -2, +1 as 4, 3, 2.
            ("grps", &[2, 0, 0, 1, 3, 1, 3, 4, 3, 2]),
            ("coll", &coll),
            ("call", &[1, 1, 11, 0, 1, 16, 0]),
            (
                "evnt",
                &[
                    // 1000 is 0xe8 0x07.
                    13, 0, 0xe8, 7, 3, 1, 0xc8, 1, 5, 0, 5, 0, 7, 0, //
                    7, 4, 0, 5, 3, 6, 7, 0, //
                    12, 8, 2, 1, 2, 0, 0, 2, 2, 0, 9, 7, 0,
                ],
            ),
        ],
    )
}
