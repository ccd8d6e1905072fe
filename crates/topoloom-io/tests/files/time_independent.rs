//! SimGrid's time-independent traces: what is read from them, and that wrong lines are rejected.

use std::fs;
use std::path::{Path, PathBuf};

use topoloom_core::traffic::{Group, Operation};
use topoloom_core::{CollectiveMode, Event, Trace, Weight};
use topoloom_io::{Source, Warnings, parse_time_independent, read_trace, read_trace_with_warnings};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/simgrid-ti")
}

const COLLECTIVES: &str = "time-independent traces do not name the communicator of a collective: \
                           all ranks are assumed to take part";

#[test]
fn a_run_is_read_by_its_main_file_its_folder_or_one_of_its_files() {
    let (trace, warnings) = read_trace_with_warnings(folder().join("run.ti")).unwrap();
    assert_eq!(
        warnings,
        [
            COLLECTIVES,
            // Two calls of MPI_Startall and two of MPI_Start on each rank.
            "16 starts of persistent requests left out: the trace does not say what they send",
            // Of the contiguous type.
            "4 elements of datatypes of unknown size counted as one byte each",
        ]
    );
    assert_eq!(read_trace(folder()).unwrap(), trace);
    let files = folder().join("run.ti_files");
    assert_eq!(read_trace(&files).unwrap(), trace);
    let file = fs::read_dir(files).unwrap().next().unwrap().unwrap().path();
    assert_eq!(read_trace(&file).unwrap(), trace);
    assert!(trace.expanded(CollectiveMode::Direct).is_ok());
}

#[test]
fn messages_are_those_of_the_program() {
    let trace = read_trace(folder().join("run.ti")).unwrap();
    let flows: Vec<_> = trace
        .traffic()
        .flows()
        .map(|flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes))
        .collect();
    // To the next rank: 40 and 33 bytes, 2 x 10, 2 x 48, and 7 in an exchange: 7 messages of 196.
    // Rank 0 to 1 in addition: 800, 4 of an unknown type, 16, 32, 64 and 32. Rank 2 to 3: 200. In
    // the communicators of even and odd ranks 96 from the higher to the lower rank.
    assert_eq!(
        flows,
        [
            (0, 1, 13.0, 196.0 + 948.0),
            (1, 2, 7.0, 196.0),
            (2, 0, 1.0, 96.0),
            (2, 3, 8.0, 196.0 + 200.0),
            (3, 0, 7.0, 196.0),
            (3, 1, 1.0, 96.0),
        ]
    );
    let program = &trace.programs()[3];
    // Rank 3 receives from any sender with any tag; only rank 2 sends it another message.
    let first = program.iter().find(|event| matches!(event, Event::Receive { .. }));
    assert_eq!(first, Some(&Event::Receive { from: 2, tag: 8 }));
    // Twice from any sender: rank 2 has sent both.
    let twice: Vec<_> = program
        .iter()
        .filter(|event| matches!(event, Event::StartReceive { from: 2, tag: 5, .. }))
        .collect();
    assert_eq!(twice.len(), 2);
}

#[test]
fn collectives_have_their_root_and_sizes() {
    let trace = read_trace(folder().join("run.ti")).unwrap();
    let list = |ranks: &[u32]| Group::List(ranks.into());
    let (from_1, from_2, from_3) = (list(&[1, 2, 3, 0]), list(&[2, 3, 0, 1]), list(&[3, 0, 1, 2]));
    let all = || Group::first(4);
    let table = (0..4).flat_map(|from| (0..4).map(move |to| f64::from(4 * (from + 2 * to + 1))));
    let expected = [
        (Operation::Barrier, all(), 0),
        (Operation::Broadcast, from_2.clone(), 88),
        (Operation::Reduce, from_1.clone(), 96),
        (Operation::Allreduce, all(), 52),
        (Operation::AllToAll, all(), 56),
        (Operation::all_to_all_of(table.collect::<Vec<_>>()), all(), 0),
        (Operation::Gather, from_3.clone(), 15),
        // 1 to 4 integers.
        (Operation::Gather, from_1.clone(), 10),
        (Operation::Scatter, from_2, 64),
        // 1 to 4 numbers of 8 bytes.
        (Operation::Scatter, from_1.clone(), 20),
        (Operation::Allgather, all(), 68),
        (Operation::Allgather, all(), 10),
        (Operation::ReduceScatter, all(), 10),
        // A block of 18 integers for each, which is written as 18 zeros.
        (Operation::ReduceScatter, all(), 72),
        // Scans.
        (Operation::Allreduce, all(), 76),
        (Operation::Allreduce, all(), 80),
        // Non-blocking ones.
        (Operation::Allreduce, all(), 84),
        (Operation::Broadcast, from_3, 88),
        // On communicators of two ranks, which the trace does not mention.
        (Operation::Allreduce, all(), 92),
        (Operation::Broadcast, from_1, 100),
    ];
    let found: Vec<_> = trace
        .collectives()
        .iter()
        .map(|one| (one.operation.clone(), one.group.clone(), one.bytes))
        .collect();
    assert_eq!(found, expected);
}

fn parsed(files: &[&str]) -> Result<(Trace, Warnings), String> {
    let names: Vec<String> = (0..files.len()).map(|rank| format!("{rank}.txt")).collect();
    let sources: Vec<Source<'_>> =
        names.iter().zip(files).map(|(name, text)| Source::new(name, text.as_bytes())).collect();
    parse_time_independent("run.ti", &sources).map_err(|error| error.to_string())
}

#[test]
fn one_file_may_have_the_lines_of_all_ranks() {
    let text =
        "# both\n0 init\n1 init\n0 compute 1.5e3\n0 send 1 0 1e3\n1 recv 0 0 1000\n1 sleep 1e-6\n";
    let (trace, warnings) = parsed(&[text]).unwrap();
    assert_eq!(warnings, Warnings::new());
    // One flop per nanosecond; elements without a type are bytes.
    assert_eq!(
        trace.programs()[0],
        [Event::Compute { nanoseconds: 1500 }, Event::Send { to: 1, bytes: 1000, tag: 0 }]
    );
    assert_eq!(
        trace.programs()[1],
        [Event::Receive { from: 0, tag: 0 }, Event::Compute { nanoseconds: 1000 }]
    );
    // Doubles if "init" says so; names in another case come from older versions.
    let (trace, _) = parsed(&[
        "0 init 1\n0 send 1 0 10\n0 allReduce 2 30",
        "1 init 1\n1 recv 0 0 10\n1 allReduce 2 30",
    ])
    .unwrap();
    assert_eq!(trace.traffic().total(Weight::Bytes), 80.0);
    assert_eq!(trace.collectives()[0].bytes, 16);
    assert_eq!(trace.programs()[0][2], Event::Compute { nanoseconds: 30 });
}

#[test]
fn waits_are_for_the_oldest_request_that_fits() {
    let receiver = "1 init\n1 irecv 0 3 1\n1 irecv 0 3 1\n1 wait 0 1 3\n1 compute 7\n1 wait 0 1 3\n1 wait 0 1 3\n1 waitall 2";
    let (trace, _) = parsed(&["0 init\n0 send 1 3 1\n0 send 1 3 1", receiver]).unwrap();
    let start = |request| Event::StartReceive { from: 0, tag: 3, request };
    let wait = |request| Event::Wait { request };
    let compute = Event::Compute { nanoseconds: 7 };
    // The third wait is for a request that a test may have completed.
    let expected = [start(0), start(1), wait(0), compute, wait(1), Event::WaitAll];
    assert_eq!(trace.programs()[1], expected);
}

#[test]
fn what_is_wrong_with_a_line_is_said() {
    let line = |line: &str| {
        let error = parsed(&[&format!("0 init\n{line}"), "1 init"]).unwrap_err();
        error.strip_prefix("0.txt:2: ").unwrap_or(&error).to_string()
    };
    assert_eq!(line("0 dance 1"), "\"dance\" is not a known action");
    assert_eq!(line("0"), "expected what the rank does, found nothing");
    assert_eq!(line("x send"), "expected a whole number, found \"x\"");
    assert_eq!(line("1 compute 1"), "expected rank 0, the rank of this file, found 1");
    assert_eq!(line("0 send 1 2"), "expected at least 3 numbers after \"send\", found 2");
    assert_eq!(line("0 send 2 0 8"), "there is no rank 2, only 0 to 1");
    assert_eq!(line("0 send one 0 8"), "expected a whole number, found \"one\"");
    assert_eq!(line("0 send 1 9999999999 8"), "the tag 9999999999 is too large");
    assert_eq!(line("0 send 1 0 -8"), "expected a number that is not negative, found \"-8\"");
    assert_eq!(line("0 compute NaN"), "expected a finite number, found \"NaN\"");
    assert_eq!(line("0 bcast 8 5"), "there is no rank 5, only 0 to 1");
    assert_eq!(line("0 bcast 8 -1"), "expected a root, found none");
    assert_eq!(
        line("0 alltoallv 2 1 1 2 1"),
        "expected at least 6 numbers after \"alltoallv\", found 5"
    );
    let whole = |files: &[&str]| parsed(files).unwrap_err();
    assert_eq!(
        whole(&["0 send 1 0 1", "1 init"]),
        "0.txt:1: expected \"init\" as the first thing that a rank does"
    );
    assert_eq!(whole(&["0 init", "\n"]), "1.txt: expected lines of rank 1, found none");
    assert_eq!(
        whole(&["0 init\n0 barrier", "1 init\n1 bcast 3 0"]),
        "1.txt:2: collective 0 is Bcast of root 0 here and Barrier of root 0 on another rank; such \
         traces do not name the communicator of a collective"
    );
    let alone = "run.ti: only 1 of 2 members take part in a Barrier";
    assert_eq!(whole(&["0 init\n0 barrier", "1 init"]), alone);
    assert_eq!(
        whole(&["0 init\n2 init\n0 finalize"]),
        "run.ti: expected lines of rank 1, found none"
    );
    let beyond = "0.txt: expected lines of ranks 0 to 4000000000, found 2 lines";
    assert_eq!(whole(&["0 init\n4000000000 init"]), beyond);
    assert_eq!(whole(&[]), "run.ti: expected 1 to 268435456 ranks, found 0");
}

#[test]
fn files_that_a_main_file_names_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("run.ti");
    fs::write(&main, "elsewhere/of_run/a.txt\n").unwrap();
    let error = read_trace(&main).unwrap_err();
    assert_eq!(error.line, Some(1));
    assert_eq!(error.message(), "there is no file \"elsewhere/of_run/a.txt\" beside this one");
    // SimGrid ran two folders up.
    fs::create_dir(folder.path().join("of_run")).unwrap();
    fs::write(folder.path().join("of_run/a.txt"), "0 init\n0 compute 1\n").unwrap();
    assert_eq!(read_trace(&main).unwrap().num_ranks(), 1);
}
