//! DUMPI traces as text: what is read from them, and that damaged ones are rejected with their
//! line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use topoloom_core::traffic::{Group, Operation};
use topoloom_core::{CollectiveMode, Event, Trace};
use topoloom_io::{Source, Warnings, parse_dumpi, read_trace, read_trace_with_warnings};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/dumpi-text")
}

#[test]
fn four_ranks_do_what_the_script_says() {
    let (trace, warnings) = read_trace_with_warnings(folder()).unwrap();
    assert_eq!(warnings, Warnings::new());
    let compute = |nanoseconds| Event::Compute { nanoseconds };
    let start = |from, tag, request| Event::StartReceive { from, tag, request };
    let send = |bytes, tag, request| Event::StartSend { to: 2, bytes, tag, request };
    let wait = |request| Event::Wait { request };
    // 5 microseconds between calls, and a call of MPI_Comm_rank before the first message.
    assert_eq!(
        trace.programs()[1][..30],
        [
            compute(1_005_000),
            Event::Receive { from: 0, tag: 7 },
            compute(5000),
            // From any sender with any tag: its status says more.
            start(0, 3, 0),
            compute(5000),
            send(40, 3, 1),
            compute(5000),
            wait(1),
            compute(5000),
            wait(0),
            compute(5000),
            // From any sender without a status: the sender is found.
            start(0, 4, 0),
            compute(5000),
            send(33, 4, 1),
            compute(5000),
            wait(0),
            wait(1),
            compute(5000),
            start(0, 5, 1),
            compute(5000),
            send(1, 5, 0),
            // A failed test leaves no event.
            compute(10_000),
            wait(0),
            compute(5000),
            wait(1),
            // Cancelled requests and messages without a receiver leave only their time.
            compute(5000),
            compute(20_000),
            send(7, 9, 1),
            Event::Receive { from: 0, tag: 9 },
            wait(1),
        ]
    );
    assert!(trace.expanded(CollectiveMode::Direct).is_ok());
    let file = folder().join("dumpi-2026.11.15.10.00.00-0002.txt");
    assert_eq!(read_trace(&file).unwrap(), trace);
}

#[test]
fn messages_are_those_of_the_script() {
    let trace = read_trace(folder()).unwrap();
    let traffic = trace.traffic();
    let flows: BTreeMap<_, _> = traffic
        .flows()
        .map(|flow| ((flow.from.0, flow.to.0), (flow.messages, flow.bytes)))
        .collect();
    // To the next rank 40, 33, 1 and 7 bytes and twice 8 of a persistent request. Rank 0 to 1: 800
    // more. Rank 2 to 3: 4 x 2 x 3 integers, and 2 elements of the listed 50 bytes. Among even and
    // odd ranks 96 from the higher to the lower one.
    let ring = 40.0 + 33.0 + 1.0 + 7.0 + 2.0 * 8.0;
    let expected = [
        ((0, 1), (7.0, ring + 800.0)),
        ((1, 2), (6.0, ring)),
        ((2, 0), (1.0, 96.0)),
        ((2, 3), (8.0, ring + 96.0 + 100.0)),
        ((3, 0), (6.0, ring)),
        ((3, 1), (1.0, 96.0)),
    ];
    assert_eq!(flows, BTreeMap::from(expected));
    // Tag 7 of another communicator is another tag.
    let sent = |event: &&Event| matches!(event, Event::Send { to: 0, .. });
    let send = trace.programs()[2].iter().find(sent).unwrap();
    let last = (1 << 31) - 1;
    assert_eq!(*send, Event::Send { to: 0, bytes: 96, tag: last });
}

#[test]
fn collectives_are_those_of_their_communicators() {
    let trace = read_trace(folder()).unwrap();
    let list = |ranks: &[u32]| Group::List(ranks.into());
    let all = || Group::first(4);
    let pair = |first| Group::Strided { first, stride: 1, size: 2 };
    let table = (0..4).flat_map(|from| (0..4).map(move |to| f64::from(4 * (from + 2 * to + 1))));
    let expected = [
        (Operation::Barrier, all(), 0),
        (Operation::Broadcast, list(&[2, 3, 0, 1]), 88),
        (Operation::Reduce, list(&[1, 2, 3, 0]), 96),
        (Operation::Allreduce, all(), 52),
        (Operation::AllToAll, all(), 56),
        (Operation::all_to_all_of(table.collect::<Vec<_>>()), all(), 0),
        (Operation::Gather, list(&[3, 0, 1, 2]), 15),
        (Operation::Gather, list(&[1, 2, 3, 0]), 10),
        (Operation::Scatter, list(&[2, 3, 0, 1]), 64),
        (Operation::Allgather, all(), 68),
        (Operation::ReduceScatter, all(), 10),
        (Operation::Allreduce, all(), 76),
        // On the copies of the parts, in which the higher rank is first and the other is the root.
        (Operation::Broadcast, list(&[0, 2]), 100),
        // On the rows of the grid.
        (Operation::Allreduce, pair(0), 104),
        (Operation::Broadcast, list(&[1, 3]), 100),
        (Operation::Allreduce, pair(2), 104),
    ];
    let found: Vec<_> = trace
        .collectives()
        .iter()
        .map(|one| (one.operation.clone(), one.group.clone(), one.bytes))
        .collect();
    assert_eq!(found, expected);
    let calls = |trace: &Trace| {
        let twice = |event: &&Event| **event == Event::Collective { number: 3 };
        trace.programs()[0].iter().filter(twice).count()
    };
    assert_eq!(calls(&trace), 2);
}

fn parsed(files: &[&str]) -> Result<(Trace, Warnings), String> {
    let names: Vec<String> = (0..files.len()).map(|rank| format!("a-{rank}.txt")).collect();
    let sources: Vec<Source<'_>> =
        names.iter().zip(files).map(|(name, text)| Source::new(name, text.as_bytes())).collect();
    parse_dumpi("folder", &sources).map_err(|error| error.to_string())
}

/// A call with these arguments.
fn call(name: &str, arguments: &str) -> String {
    let end = if arguments.is_empty() { "" } else { "\n" };
    format!(
        "{name} entering at walltime 1.000000000, cputime 0.1 seconds in thread 0.\n{arguments}{end}\
         {name} returning at walltime 1.000000000, cputime 0.1 seconds in thread 0.\n"
    )
}

const SEND: &str = "int count=3\nMPI_Datatype datatype=9 (MPI_INT)\nint dest=1\nint tag=5\n\
                    MPI_Comm comm=2 (MPI_COMM_WORLD)";

#[test]
fn what_a_trace_does_not_say_is_warned_of() {
    let finalize = call("MPI_Finalize", "");
    let sends = call("MPI_Send", &SEND.replace("9 (MPI_INT)", "40 (user-defined-datatype)"));
    let put = call("MPI_Put", "int win=1 (user-defined-win)");
    // "No sender" in the numbers of MPICH, which mean "any sender" here.
    let nobody = "int count=3\nMPI_Datatype datatype=9 (MPI_INT)\nint source=-1 (MPI_ANY_SOURCE)\n\
                  int tag=6\nMPI_Comm comm=2 (MPI_COMM_WORLD)\nMPI_Status status=<IGNORED>";
    let created = "MPI_Comm oldcomm=2 (MPI_COMM_WORLD)\nMPI_Group group=3 (user-defined-group)\n\
                   MPI_Comm newcomm=4 (user-defined-comm)";
    let first = sends + &put + &call("MPI_Recv", nobody) + &call("MPI_Comm_create", created);
    let (trace, warnings) = parsed(&[&first, &finalize]).unwrap();
    assert_eq!(trace.programs()[0], [Event::Send { to: 1, bytes: 3, tag: 5 }]);
    assert_eq!(
        warnings,
        [
            "1 one-sided operation left out",
            "3 elements of datatypes of unknown size counted as one byte each",
            "1 receive from any rank, or from no rank, left out: no message came",
            "groups are not followed: the members of a communicator of MPI_Comm_create are assumed \
             to be in the order of its parent communicator",
        ]
    );
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let finalize = call("MPI_Finalize", "");
    let error = |first: &str| parsed(&[first, &finalize]).unwrap_err();
    let send = |from: &str, to: &str| error(&call("MPI_Send", &SEND.replace(from, to)));
    assert_eq!(
        send("int count=3\n", ""),
        "a-0.txt:1: expected an argument count of MPI_Send, found none"
    );
    assert_eq!(
        send("count=3", "count=three"),
        "a-0.txt:1: expected a whole number as count of MPI_Send, found \"three\""
    );
    assert_eq!(send("dest=1", "dest=2"), "a-0.txt:1: there is no rank 2 in it, only 0 to 1");
    assert_eq!(send("comm=2", "comm=9"), "a-0.txt:1: communicator 9 was not made before");
    let merged = call(
        "MPI_Intercomm_merge",
        "MPI_Comm comm=5 (user-defined-comm)\nMPI_Comm newcomm=6 (user-defined-comm)",
    );
    assert_eq!(
        error(&(merged + &call("MPI_Send", &SEND.replace("comm=2", "comm=6")))),
        "a-0.txt:5: communicators of MPI_Intercomm_merge are not supported"
    );
    assert_eq!(
        error(&call("MPI_Wait", "MPI_Request request=4\nMPI_Status status=<IGNORED>")),
        "a-0.txt:1: expected a list of numbers as request of MPI_Wait, found \"4\""
    );
    assert_eq!(
        error(&call("MPI_Wait", "MPI_Request request=[4]\nMPI_Status status=[{bytes=3}]")),
        "a-0.txt:1: expected statuses as status of MPI_Wait, found \"[{bytes=3}]\""
    );
    assert_eq!(
        error(&finalize.replace("entering at walltime 1.0", "entering at walltime one.0")),
        "a-0.txt:1: expected a time in seconds, found \"one.000000000\""
    );
    let half: String = finalize.lines().take(1).map(|line| format!("{line}\n")).collect();
    assert_eq!(error(&half), "a-0.txt:1: the file ends before MPI_Finalize does");
    assert_eq!(error(&half.repeat(2)), "a-0.txt:2: MPI_Finalize begins before MPI_Finalize ends");
    assert_eq!(
        error(finalize.lines().last().unwrap()),
        "a-0.txt:1: MPI_Finalize ends without having begun"
    );
    assert_eq!(error("version=1.1.0\n"), "a-0.txt: expected calls of MPI, found none");
    let barrier = call("MPI_Barrier", "MPI_Comm comm=2 (MPI_COMM_WORLD)");
    assert_eq!(error(&barrier), "folder: only 1 of 2 members take part in a Barrier");
    assert_eq!(parsed(&[]), Err("folder: expected 1 to 268435456 ranks, found 0".to_string()));
}
