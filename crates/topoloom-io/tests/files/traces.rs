//! Topoloom's own traces: what they mean, and that they read back unchanged.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use topoloom_core::trace::NAMES_END;
use topoloom_core::traffic::{Collective, Group, Operation, VariableSizes};
use topoloom_core::{CollectiveMode, Event, Replay, Trace, parse_pattern};
use topoloom_io::{TRACE_FORMATS, parse_trace_file, read_trace, write_trace};

fn good(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good").join(file)
}

#[test]
fn every_event_is_read() {
    let trace = read_trace(good("every_event.trace")).unwrap();
    assert_eq!(trace.num_ranks(), 4);
    assert_eq!(
        trace.programs()[0],
        [
            Event::Compute { nanoseconds: 250_000 },
            Event::StartSend { to: 1, bytes: 64, tag: 7, request: 0 },
            Event::StartReceive { from: 1, tag: 7, request: 1 },
            Event::Wait { request: 0 },
            Event::WaitAll,
            Event::Collective { number: 0 },
            Event::Collective { number: 1 },
            Event::Collective { number: 2 },
            Event::Repeat { times: 10 },
            Event::Send { to: 1, bytes: u64::MAX, tag: 0 },
            Event::Receive { from: 1, tag: 0 },
            Event::End,
        ]
    );
    assert_eq!(
        trace.programs()[1][4],
        Event::StartReceive { from: 0, tag: 7, request: (1 << 31) - 1 }
    );
    assert_eq!(trace.programs()[2].len(), 2);
    let sizes = VariableSizes::Table(Arc::from([0.0, 1.5, 7.0, 0.0]));
    let collective = |operation, group, bytes| Collective { operation, group, calls: 1, bytes };
    assert_eq!(
        trace.collectives(),
        [
            collective(Operation::Barrier, Group::first(4), 0),
            collective(Operation::Broadcast, Group::List(Arc::from([3, 0, 1])), 100),
            collective(
                Operation::AllToAllVariable(sizes),
                Group::Strided { first: 0, stride: 2, size: 2 },
                0
            ),
        ]
    );
}

#[test]
fn ranks_may_share_a_block_or_have_none() {
    let shared = read_trace(good("same_block.trace")).unwrap();
    assert_eq!(shared.num_events(), 4 * 1000);
    assert!(shared.programs().iter().all(|program| *program == shared.programs()[0]));
    let silent = read_trace(good("silent.trace")).unwrap();
    assert_eq!((silent.num_ranks(), silent.num_events()), (3, 0));
}

#[test]
fn the_example_of_the_documentation_can_be_read() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let text = fs::read_to_string(document).unwrap();
    let begin = text.find("```\ntopoloom-trace 1\n").unwrap() + 4;
    let example = &text[begin..begin + text[begin..].find("```").unwrap()];
    let trace = parse_trace_file("example", example.as_bytes()).unwrap();
    assert_eq!((trace.num_ranks(), trace.collectives().len(), trace.num_messages()), (4, 2, 2));
}

#[test]
fn no_good_trace_is_forgotten() {
    let files = fs::read_dir(good("")).unwrap().map(|file| file.unwrap().file_name());
    let traces: BTreeSet<String> = files
        .map(|name| name.into_string().unwrap())
        .filter(|name| name.ends_with(".trace"))
        .collect();
    let expected = ["every_event.trace", "same_block.trace", "silent.trace"];
    assert_eq!(traces, expected.map(String::from).into());
}

#[test]
fn sizes_of_few_pairs_are_written_as_pairs() {
    let pairs = VariableSizes::Pairs(Arc::from([(0, 2, 1.5), (2, 2, 7.0)]));
    let operation = Operation::AllToAllVariable(pairs);
    let trace = Trace::of_collective(
        3,
        Collective { operation, group: Group::first(3), calls: 1, bytes: 0 },
    );
    let mut text = Vec::new();
    TRACE_FORMATS.entries[0].build.write.unwrap()(&trace, &mut text).unwrap();
    let line = "collective 0 alltoallv members=0+1x3 pairs=0>2:1.5,2>2:7\n";
    assert!(str::from_utf8(&text).unwrap().contains(line));
    assert_eq!(there_and_back(&trace), trace);
    // Pairs in any order, without empty ones; and no pairs at all.
    let read = |pairs: &str| {
        let text = format!(
            "topoloom-trace 1\nranks 3\ncollective 0 alltoallv members=0+1x3 pairs={pairs}\n"
        );
        parse_trace_file("a", text.as_bytes()).unwrap().collectives()[0].operation.clone()
    };
    assert_eq!(read("2>2:7,1>1:0,0>2:1.5"), trace.collectives()[0].operation);
    assert_eq!(read(""), Operation::AllToAllVariable(VariableSizes::Pairs(Arc::from([]))));
}

#[test]
fn equal_neighbours_are_written_once() {
    let wait = vec![Event::WaitAll];
    let programs = vec![wait.clone(), wait.clone(), Vec::new(), wait.clone()];
    let trace = Trace::new(programs, Vec::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    write_trace(&path, &trace).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "topoloom-trace 1\nranks 4\nrank 0-1\nW\nrank 3\nW\n");
    assert_eq!(read_trace(&path).unwrap(), trace);
}

#[test]
fn replayed_traffic_survives_with_its_collectives() {
    for pattern in ["stencil:4x4,bytes=100", "lu:class=S,ranks=4", "ft:class=S,ranks=8"] {
        let traffic = parse_pattern(pattern).unwrap();
        let trace = Trace::of_traffic(&traffic, Replay::Rounds(3));
        assert_eq!(there_and_back(&trace), trace, "{pattern}");
    }
    let operation = Operation::Allreduce;
    let group = Group::List(Arc::from([3, 1, 4]));
    let collective = Collective { operation, group, calls: 1, bytes: 1 << 20 };
    let trace = Trace::of_collective(5, collective);
    let expanded = trace.expanded(CollectiveMode::Direct).unwrap();
    assert_eq!(there_and_back(&expanded), expanded);
}

#[test]
fn a_trace_is_known_by_its_content_first() {
    let folder = tempfile::tempdir().unwrap();
    let content = fs::read(good("silent.trace")).unwrap();
    let message = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        let result = read_trace(&path).map(|trace| trace.num_ranks().to_string());
        let text = result.unwrap_or_else(|error| error.message());
        text.replace(folder.path().to_str().unwrap(), "")
    };
    assert_eq!(message("a.txt", &content), "3");
    assert_eq!(message("a.trace", b"ranks 3"), "expected a first line \"topoloom-trace 1\"");
    assert_eq!(message("empty.trace", b" \n"), "the file is empty");
    let unknown = "unknown trace format; known endings: .trace, .otf2, .ti, .dumpi, .rec, .json";
    assert_eq!(message("a.csv", b"0,1,5"), unknown);
    let error = write_trace(Path::new("a.otf2"), &Trace::default()).unwrap_err();
    assert_eq!(error.to_string(), "a.otf2: unknown ending for a trace; known: .trace, .rec");
}

#[test]
fn a_folder_must_hold_one_archive() {
    let folder = tempfile::tempdir().unwrap();
    let message = || read_trace(folder.path()).unwrap_err().message();
    let nothing = "expected a file that ends in .otf2 or one file per rank, found none";
    assert_eq!(message(), nothing);
    fs::write(folder.path().join("a.otf2"), "").unwrap();
    assert_eq!(message(), "the file is empty");
    fs::write(folder.path().join("b.otf2"), "").unwrap();
    assert_eq!(message(), "expected one file that ends in .otf2, found 2");
}

#[test]
fn every_format_has_a_summary_and_an_example_with_its_ending() {
    for entry in TRACE_FORMATS.entries {
        let (_, ending) = entry.example.rsplit_once('.').unwrap();
        assert!(entry.build.endings.contains(&ending), "{}", entry.name);
        assert!(!entry.summary.is_empty());
    }
}

fn there_and_back(trace: &Trace) -> Trace {
    let write = TRACE_FORMATS.entries[0].build.write.unwrap();
    let mut bytes = Vec::new();
    write(trace, &mut bytes).unwrap();
    parse_trace_file("a.trace", &bytes).unwrap()
}

fn whole() -> impl Strategy<Value = u64> {
    prop_oneof![0..1000u64, any::<u64>(), Just(u64::MAX)]
}

fn group(ranks: u32) -> impl Strategy<Value = Group> {
    let strided = (0..ranks, 1..4u32).prop_flat_map(move |(first, stride)| {
        (1..=(ranks - first).div_ceil(stride)).prop_map(move |size| Group::Strided {
            first,
            stride,
            size,
        })
    });
    let list = Just((0..ranks).collect::<Vec<u32>>())
        .prop_shuffle()
        .prop_flat_map(|ranks| (1..=ranks.len(), Just(ranks)))
        .prop_map(|(size, ranks)| Group::List(Arc::from(&ranks[..size])));
    prop_oneof![strided, list]
}

fn collective(ranks: u32) -> impl Strategy<Value = Collective> {
    let size = prop_oneof![(0..100u32).prop_map(f64::from), 0.0..1e300];
    let plain = prop::sample::select(vec![
        Operation::Barrier,
        Operation::Broadcast,
        Operation::Reduce,
        Operation::Allreduce,
        Operation::AllToAll,
        Operation::Allgather,
        Operation::ReduceScatter,
        Operation::Gather,
        Operation::Scatter,
    ]);
    let sizes = prop::collection::vec(size, 36);
    (group(ranks), whole(), plain, sizes, any::<bool>()).prop_map(
        |(group, bytes, plain, mut sizes, variable)| {
            sizes.truncate(group.size().pow(2) as usize);
            let operation = match variable {
                true if bytes % 2 == 0 => {
                    Operation::AllToAllVariable(pairs_of(&sizes, group.size()))
                }
                true => Operation::all_to_all_of(sizes),
                false => plain,
            };
            Collective { operation, group, calls: 1, bytes }
        },
    )
}

fn pairs_of(table: &[f64], members: u32) -> VariableSizes {
    let mut pairs = Vec::new();
    VariableSizes::Table(table.into())
        .for_each(members, |from, to, bytes| pairs.push((from, to, bytes)));
    VariableSizes::Pairs(pairs.into())
}

/// Anything except repetitions and collectives, which do not fit everywhere.
fn event(ranks: u32) -> impl Strategy<Value = Event> {
    let tag = || prop_oneof![Just(0), 0..NAMES_END];
    let request = || 0..NAMES_END;
    prop_oneof![
        whole().prop_map(|nanoseconds| Event::Compute { nanoseconds }),
        (0..ranks, whole(), tag()).prop_map(|(to, bytes, tag)| Event::Send { to, bytes, tag }),
        (0..ranks, tag()).prop_map(|(from, tag)| Event::Receive { from, tag }),
        (0..ranks, whole(), tag(), request())
            .prop_map(|(to, bytes, tag, request)| Event::StartSend { to, bytes, tag, request }),
        (0..ranks, tag(), request()).prop_map(|(from, tag, request)| Event::StartReceive {
            from,
            tag,
            request
        }),
        request().prop_map(|request| Event::Wait { request }),
        Just(Event::WaitAll),
    ]
}

/// Programs with repetitions around parts of them, and every member in every collective.
fn trace() -> impl Strategy<Value = Trace> {
    (1..7u32).prop_flat_map(|ranks| {
        let part = (prop::collection::vec(event(ranks), 0..6), any::<u32>(), any::<bool>());
        let program = prop::collection::vec(part, 0..4);
        let programs = prop::collection::vec(program, ranks as usize);
        (programs, prop::collection::vec(collective(ranks), 0..4)).prop_map(
            |(parts, collectives)| {
                let mut programs: Vec<Vec<Event>> =
                    parts.into_iter().map(|parts| joined(&parts)).collect();
                for (number, collective) in collectives.iter().enumerate() {
                    for member in 0..collective.group.size() {
                        let rank = collective.group.member(member) as usize;
                        programs[rank].push(Event::Collective { number: number as u32 });
                    }
                }
                Trace::new(programs, collectives).unwrap()
            },
        )
    })
}

fn joined(parts: &[(Vec<Event>, u32, bool)]) -> Vec<Event> {
    let mut program = Vec::new();
    for (events, times, repeated) in parts {
        if *repeated {
            program.push(Event::Repeat { times: (*times).max(1) });
        }
        program.extend(events);
        if *repeated {
            program.push(Event::End);
        }
    }
    program
}

proptest! {
    #[test]
    fn any_trace_survives_being_written(trace in trace()) {
        prop_assert_eq!(there_and_back(&trace), trace);
    }
}
