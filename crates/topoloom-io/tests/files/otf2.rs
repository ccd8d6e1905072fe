//! OTF2 archives: what is read from them, and that damaged ones are rejected with their place.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use topoloom_core::traffic::{Collective, Group, Operation};
use topoloom_core::{CollectiveMode, Event, Trace, Weight};
use topoloom_io::{parse_otf2, read_trace};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

#[test]
fn ping_pong_is_read_with_its_sizes_and_times() {
    let trace = read_trace(folder("otf2-ping-pong")).unwrap();
    assert_eq!((trace.num_ranks(), trace.collectives().len()), (2, 0));
    // 16 KiB to 2 MiB, doubled each time, in both directions.
    let bytes: u64 = (0..8).map(|power| 16_384u64 << power).sum();
    assert_eq!(trace.num_messages(), 16);
    assert_eq!(trace.traffic().total(Weight::Bytes), 2.0 * bytes as f64);
    // 2,095,197,216 ticks per second. MPI_Init begins 80,296 ticks after the program; it is left,
    // and MPI_Comm_size and MPI_Comm_rank are called, with 17,826, 5,220 and 23,950 ticks in
    // between. MPI_Recv begins 3,036 ticks after MPI_Send ends, and the next MPI_Send 52,402 after
    // that.
    let nanoseconds = |ticks: f64| (ticks * 1e9 / 2_095_197_216.0).round() as u64;
    assert_eq!(
        trace.programs()[0][..6],
        [
            Event::Compute { nanoseconds: nanoseconds(80_296.0 + 17_826.0 + 5_220.0 + 23_950.0) },
            Event::Send { to: 1, bytes: 16_384, tag: 10 },
            Event::Compute { nanoseconds: nanoseconds(3_036.0) },
            Event::Receive { from: 1, tag: 20 },
            Event::Compute { nanoseconds: nanoseconds(52_402.0) },
            Event::Send { to: 1, bytes: 32_768, tag: 10 },
        ]
    );
    assert_eq!(read_trace(folder("otf2-ping-pong").join("traces.otf2")).unwrap(), trace);
}

#[test]
fn four_ranks_do_what_the_script_says() {
    let trace = read_trace(folder("otf2-four-ranks")).unwrap();
    let compute = |nanoseconds| Event::Compute { nanoseconds };
    let collective = |number| Event::Collective { number };
    // Half a nanosecond per tick: see make.py.
    assert_eq!(
        trace.programs()[2],
        [
            compute(1000),
            Event::StartReceive { from: 1, tag: 5, request: 0 },
            compute(100),
            Event::StartSend { to: 3, bytes: 1002, tag: 5, request: 1 },
            compute(2000),
            Event::Wait { request: 1 },
            Event::Wait { request: 0 },
            // Cancelled and never completed requests have left nothing.
            compute(300),
            Event::StartSend { to: 3, bytes: 64, tag: 6, request: 1 },
            Event::Receive { from: 3, tag: 6 },
            Event::Wait { request: 1 },
            compute(400),
            // Tag 5 of another communicator is another tag.
            Event::Receive { from: 0, tag: (1 << 31) - 1 },
            // 100 ticks to the end of recording, 100 from its beginning to the flush, 1000 after
            // it.
            compute(600),
            collective(0),
            compute(500),
            collective(1),
            compute(500),
            collective(2),
            compute(500),
            collective(3),
            compute(500),
            collective(4),
            compute(500),
            collective(5),
            compute(500),
            collective(0),
            // A rank alone in a communicator does not wait, nor does one that makes a communicator.
            compute(1500),
            collective(6),
            compute(400),
            collective(7),
            compute(300),
        ]
    );
    assert_eq!(trace.programs()[3][12], Event::Send { to: 1, bytes: 300, tag: (1 << 31) - 2 });
}

#[test]
fn collectives_have_their_root_first_and_the_bytes_of_one_member() {
    let trace = read_trace(folder("otf2-four-ranks")).unwrap();
    let list = |ranks: &[u32]| Group::List(ranks.into());
    let found: Vec<_> = trace.collectives().iter().map(parts).collect();
    let table =
        [[0.0, 0.0, 0.0, 0.0], [2.0, 3.0, 0.0, 5.0], [5.0, 5.0, 0.0, 10.0], [7.0, 8.0, 0.0, 15.0]];
    let even = Group::Strided { first: 0, stride: 2, size: 2 };
    let expected = [
        (Operation::Broadcast, list(&[2, 3, 0, 1]), 100),
        (Operation::Allreduce, even, 8),
        (Operation::AllToAll, Group::first(4), 32),
        (Operation::Reduce, list(&[2, 0]), 24),
        // 0, 10, 20 and 30 bytes.
        (Operation::Gather, Group::first(4), 15),
        (Operation::all_to_all_of(table.concat()), Group::first(4), 0),
        (Operation::Barrier, Group::first(4), 0),
        (Operation::Allreduce, Group::first(4), 8),
        (Operation::Allreduce, list(&[3, 1]), 8),
        (Operation::Reduce, list(&[1, 3]), 24),
    ];
    assert_eq!(found, expected);
    assert!(trace.collectives().iter().all(|collective| collective.calls == 1));
    assert!(trace.expanded(CollectiveMode::Direct).is_ok());
}

#[test]
fn archives_of_eztrace_are_read_as_otf2_print_shows_them() {
    let trace = read_trace(folder("otf2-eztrace")).unwrap();
    let flows: Vec<_> = trace
        .traffic()
        .flows()
        .map(|flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes))
        .collect();
    // MPI_SEND and MPI_ISEND of otf2-print, added up by the locations that it names.
    assert_eq!(
        flows,
        [
            (0, 1, 3.0, 800.0 + 40.0 + 33.0),
            (1, 2, 2.0, 73.0),
            (2, 0, 1.0, 96.0),
            (2, 3, 2.0, 73.0),
            (3, 0, 2.0, 73.0),
            (3, 1, 1.0, 96.0),
        ]
    );
    // MPI_COLLECTIVE_END by communicator: 8 of all ranks and 2 of each pair. Bytes that go to all
    // members are counted once: "ALLREDUCE ... Sent: 52, Received: 52" are 13 integers.
    let list = |ranks: &[u32]| Group::List(ranks.into());
    let expected = [
        (Operation::Barrier, Group::first(4), 0),
        (Operation::Broadcast, list(&[2, 3, 0, 1]), 88),
        (Operation::Reduce, list(&[1, 2, 3, 0]), 96),
        (Operation::Allreduce, Group::first(4), 52),
        (Operation::AllToAll, Group::first(4), 56),
        (Operation::Gather, list(&[3, 0, 1, 2]), 15),
        (Operation::Scatter, list(&[2, 3, 0, 1]), 64),
        (Operation::Allgather, Group::first(4), 68),
        (Operation::Allreduce, list(&[2, 0]), 92),
        (Operation::Broadcast, list(&[0, 2]), 100),
        (Operation::Allreduce, list(&[3, 1]), 92),
        (Operation::Broadcast, list(&[1, 3]), 100),
    ];
    let found: Vec<_> = trace.collectives().iter().map(parts).collect();
    assert_eq!(found, expected);
    // Its regions are the user's, but their names are MPI calls. Of the 88,538,764 ns from the
    // first event of rank 0 to its last, this many are not between ENTER and LEAVE of such a call.
    let computed: u64 = trace.programs()[0].iter().map(nanoseconds_of).sum();
    assert_eq!(computed, 226_847);
}

fn nanoseconds_of(event: &Event) -> u64 {
    match *event {
        Event::Compute { nanoseconds } => nanoseconds,
        _ => 0,
    }
}

fn parts(collective: &Collective) -> (Operation, Group, u64) {
    (collective.operation.clone(), collective.group.clone(), collective.bytes)
}

/// The receiver and size of each send of a rank, and the sender of each receive.
type Messages = BTreeMap<u32, (Vec<(u32, u64)>, Vec<u32>)>;

/// The messages that another reader lists, by rank.
fn listed(archive: &str) -> Messages {
    let text = fs::read_to_string(folder(archive).join("otf2-print.txt")).unwrap();
    let mut messages = Messages::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(kind), Some(location)) = (words.next(), words.next()) else { continue };
        let number = |begin: &str, end: char| -> u64 {
            line.split_once(begin).unwrap().1.split(end).next().unwrap().trim().parse().unwrap()
        };
        // In both archives ranks and locations have the same numbers.
        let partner = || number("<", '>') as u32;
        let bytes = || number("Length: ", ',');
        match kind {
            "MPI_SEND" | "MPI_ISEND" => {
                let of_rank = messages.entry(location.parse().unwrap()).or_default();
                of_rank.0.push((partner(), bytes()));
            }
            "MPI_RECV" | "MPI_IRECV" => {
                messages.entry(location.parse().unwrap()).or_default().1.push(partner());
            }
            _ => {}
        }
    }
    messages
}

fn messages_of(trace: &Trace) -> Messages {
    let mut messages = Messages::new();
    for (rank, program) in trace.programs().iter().enumerate() {
        let (sent, received) = messages.entry(rank as u32).or_default();
        for event in program {
            match *event {
                Event::Send { to, bytes, .. } | Event::StartSend { to, bytes, .. } => {
                    sent.push((to, bytes));
                }
                Event::Receive { from, .. } | Event::StartReceive { from, .. } => {
                    received.push(from);
                }
                _ => {}
            }
        }
    }
    messages
}

#[test]
fn another_reader_finds_the_same_messages() {
    for archive in ["otf2-ping-pong", "otf2-four-ranks"] {
        let trace = read_trace(folder(archive)).unwrap();
        assert_eq!(messages_of(&trace), listed(archive), "{archive}");
    }
}

/// The files of an archive, for modification.
struct Archive {
    anchor: Vec<u8>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Archive {
    fn new(name: &str) -> Archive {
        let folder = folder(name);
        let read = |file: &Path| fs::read(file).unwrap();
        let mut files = BTreeMap::from([("traces.def".into(), read(&folder.join("traces.def")))]);
        for file in fs::read_dir(folder.join("traces")).unwrap() {
            let path = file.unwrap().path();
            let name = format!("traces/{}", path.file_name().unwrap().to_str().unwrap());
            files.insert(name, read(&path));
        }
        Archive { anchor: read(&folder.join("traces.otf2")), files }
    }

    fn read(&self) -> Result<Trace, String> {
        let file = |name: &str| -> io::Result<Vec<u8>> {
            self.files.get(name).cloned().ok_or(io::ErrorKind::NotFound.into())
        };
        parse_otf2("a/traces.otf2", &self.anchor, &file).map_err(|error| error.to_string())
    }

    /// The error with a file's bytes at a place replaced by others.
    fn with(&self, file: &str, place: usize, bytes: &[u8]) -> String {
        let mut changed = Archive { anchor: self.anchor.clone(), files: self.files.clone() };
        let content = match file {
            "traces.otf2" => &mut changed.anchor,
            file => changed.files.get_mut(file).unwrap(),
        };
        content[place..place + bytes.len()].copy_from_slice(bytes);
        changed.read().unwrap_err()
    }

    fn without(&self, file: &str) -> Result<Trace, String> {
        let mut changed = Archive { anchor: self.anchor.clone(), files: self.files.clone() };
        changed.files.remove(file).unwrap();
        changed.read()
    }
}

#[test]
fn what_is_wrong_with_an_anchor_is_said() {
    let archive = Archive::new("otf2-ping-pong");
    assert!(archive.read().is_ok());
    let error = |place, bytes| archive.with("traces.otf2", place, bytes);
    assert_eq!(
        error(0, &[9]),
        "a/traces.otf2: byte 0: expected the beginning of a chunk (3), found 9"
    );
    let expected = "byte 1: expected the order of bytes (0x42 or 0x23), found 0x00";
    assert_eq!(error(1, &[0]), format!("a/traces.otf2: {expected}"));
    assert_eq!(error(2, b"OTF3"), "a/traces.otf2: byte 2: expected \"OTF2\"");
    let expected = "byte 8: format 9 is newer than this program, which reads up to 3";
    assert_eq!(error(8, &[9]), format!("a/traces.otf2: {expected}"));
    let expected = "byte 12: expected chunks of at least 32 bytes, found 0";
    assert_eq!(error(12, &[0; 8]), format!("a/traces.otf2: {expected}"));
    assert_eq!(error(28, &[2]), "a/traces.otf2: byte 28: SIONlib archives are not supported");
    assert_eq!(error(29, &[2]), "a/traces.otf2: byte 29: compressed archives are not supported");
}

#[test]
fn missing_files_are_named_unless_they_need_not_be_there() {
    let archive = Archive::new("otf2-four-ranks");
    let whole = archive.read().unwrap();
    // It has no local numbers.
    assert_eq!(archive.without("traces/1.def"), Ok(whole));
    let error = archive.without("traces.def").unwrap_err();
    assert_eq!(error, "a/traces.def: cannot read: entity not found");
    let error = archive.without("traces/2.evt").unwrap_err();
    assert_eq!(error, "a/traces/2.evt: cannot read: entity not found");
}

#[test]
fn what_is_wrong_with_events_is_said_with_the_byte() {
    let archive = Archive::new("otf2-four-ranks");
    let events = &archive.files["traces/0.evt"];
    let place = |bytes: &[u8]| {
        let found = events.windows(bytes.len()).position(|window| window == bytes);
        found.unwrap() + 2
    };
    let error = |place, bytes| {
        let error = archive.with("traces/0.evt", place, bytes);
        error.strip_prefix(&format!("a/traces/0.evt: byte {place}: ")).unwrap_or(&error).to_string()
    };
    // The blocking message to rank 1: a kind, a length, and then the receiver as 1 byte.
    let send = place(&[14, 7, 1, 1]);
    assert_eq!(error(send, &[1, 9]), "communicator 0 has no member 9");
    assert_eq!(error(send, &[5]), "expected a number of up to 4 bytes, found 5 bytes");
    // The message in a separate communicator, which comes after the receiver.
    let apart = place(&[14, 9, 1, 2]);
    let unknown = "communicator 9 is not defined as a group of MPI's ranks";
    assert_eq!(error(apart, &[1, 2, 1, 9]), unknown);
    // The broadcast: operation 1, communicator 0, root 2.
    let broadcast = place(&[23, 7, 1, 0]);
    assert_eq!(error(broadcast, &[40]), "collective operation 40 is not known");
    assert_eq!(error(broadcast, &[0, 0, 1, 2]), {
        let other = "call 0 of communicator 0 is Bcast of root 2 here and Barrier of root 0";
        format!("a/traces/1.evt: byte {}: {other} on another rank", broadcast_of_rank_1(&archive))
    });
    assert_eq!(error(broadcast, &[1, 0, 1, 4]), "communicator 0 has no member 4");
}

fn broadcast_of_rank_1(archive: &Archive) -> usize {
    let events = &archive.files["traces/1.evt"];
    events.windows(4).position(|window| window == [23, 7, 1, 0]).unwrap() + 2
}

#[test]
fn a_collective_that_a_member_leaves_out_is_named() {
    let mut archive = Archive::new("otf2-four-ranks");
    // The barrier of rank 3 becomes the end of a handle.
    let events = archive.files.get_mut("traces/3.evt").unwrap();
    let barrier = events.windows(4).position(|window| window == [23, 5, 0, 0]).unwrap();
    events[barrier + 2] = 18;
    let error = archive.read().unwrap_err();
    // The allreduce after it is then where the barrier should be.
    assert!(error.contains("is Allreduce of root 0 here and Barrier of root 0"), "{error}");
    let events = archive.files.get_mut("traces/3.evt").unwrap();
    let allreduce = events.windows(4).position(|window| window == [86, 9, 11, 0]).unwrap();
    events[allreduce + 2] = 18;
    let expected = "only 3 of 4 members of communicator 0 take part in a Barrier";
    assert_eq!(archive.read(), Err(format!("a/traces.otf2: {expected}")));
}

#[test]
fn archives_that_are_cut_off_anywhere_are_refused_with_the_place() {
    for name in ["otf2-ping-pong", "otf2-four-ranks"] {
        let archive = Archive::new(name);
        for (file, content) in &archive.files {
            // The last byte is after the end mark.
            for length in (0..content.len() - 2).step_by(1 + content.len() / 2000) {
                let mut cut =
                    Archive { anchor: archive.anchor.clone(), files: archive.files.clone() };
                cut.files.get_mut(file).unwrap().truncate(length);
                let error = cut.read().unwrap_err();
                assert!(error.starts_with(&format!("a/{file}: byte ")), "{length}: {error}");
            }
        }
        for length in 0..30 {
            let mut cut = Archive { anchor: archive.anchor.clone(), files: archive.files.clone() };
            cut.anchor.truncate(length);
            assert!(cut.read().unwrap_err().starts_with("a/traces.otf2: byte "));
        }
    }
}

#[test]
fn no_changed_byte_makes_the_reader_panic() {
    let mut refused = 0;
    for name in ["otf2-ping-pong", "otf2-four-ranks"] {
        let mut archive = Archive::new(name);
        let files: Vec<String> = archive.files.keys().cloned().collect();
        for file in files {
            let length = archive.files[&file].len();
            // Long files consist mostly of function names. The fuzzers change every byte.
            for place in (0..length).step_by(1 + length / 500) {
                let original = archive.files[&file][place];
                for changed in [0, 2, 0xff, original ^ 1, original ^ 0x80] {
                    archive.files.get_mut(&file).unwrap()[place] = changed;
                    if let Err(error) = archive.read() {
                        refused += 1;
                        assert!(error.starts_with("a/traces"), "{error}");
                    }
                }
                archive.files.get_mut(&file).unwrap()[place] = original;
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

/// SplitMix64: the same damage in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}

/// Removes, repeats or overwrites some bytes.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let start = random.below(bytes.len());
    let end = (start + 1 + random.below(12)).min(bytes.len());
    match random.below(3) {
        0 => drop(bytes.drain(start..end)),
        1 => {
            let copy = bytes[start..end].to_vec();
            bytes.splice(start..start, copy);
        }
        _ => bytes[start..end].fill_with(|| [0, 1, 3, 9, 0x7f, 0xfe, 0xff][random.below(7)]),
    }
}

#[test]
fn no_damage_to_several_files_makes_the_reader_panic() {
    let mut refused = 0;
    for seed in 0..4000 {
        let mut random = Random(seed);
        let mut archive = Archive::new(["otf2-ping-pong", "otf2-four-ranks"][random.below(2)]);
        for _ in 0..=random.below(3) {
            let number = random.below(archive.files.len() + 1);
            let file = archive.files.values_mut().nth(number).unwrap_or(&mut archive.anchor);
            damage(file, &mut random);
        }
        if let Err(error) = archive.read() {
            refused += 1;
            assert!(error.starts_with("a/traces"), "{error}");
        }
    }
    assert!(refused > 1000, "{refused}");
}
