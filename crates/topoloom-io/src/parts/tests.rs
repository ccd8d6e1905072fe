//! Files of ranks, written here word by word, and what becomes of them.

use std::fs;
use std::path::Path;

use topoloom_core::Event;
use topoloom_core::traffic::Group;
use topoloom_recorder::layout::{HEADER_BYTES, MAGIC, call, event, header, record};

use super::recordings_in;
use crate::mpi_call::MpiCall;
use crate::recording::{FlowKind, RankState, Recording};

/// What a rank of a job writes.
struct Rank {
    rank: u64,
    size: u64,
    state: u64,
    records: Vec<[u64; 4]>,
    events: Vec<[u64; 4]>,
}

fn rank(rank: u64, size: u64) -> Rank {
    let world = [record::GROUP | record::STRIDED << 8 | rank << 32, 77, size, 1 << 32];
    let communicator = [record::COMMUNICATOR, 0, 0, 0];
    let records = vec![world, communicator];
    Rank { rank, size, state: header::FINALISED, records, events: Vec::new() }
}

impl Rank {
    fn with(mut self, record: [u64; 4]) -> Rank {
        self.records.push(record);
        self
    }

    fn sends(self, to: u64, messages: u64, bytes: u64) -> Rank {
        self.with([record::FLOW | to << 32, messages, bytes, 0])
    }

    fn does(mut self, event: [u64; 4]) -> Rank {
        self.events.push(event);
        self
    }

    fn totals(&self) -> Vec<u8> {
        let mut words = vec![0_u64; HEADER_BYTES / 8];
        words[header::MAGIC] = MAGIC;
        words[header::STATE] = self.state;
        words[header::RANK] = self.rank;
        words[header::SIZE] = self.size;
        words[header::RECORDS] = self.records.len() as u64;
        words[header::EVENTS] = self.events.len() as u64;
        words[header::HAS_EVENTS] = u64::from(!self.events.is_empty());
        // 2 ns a tick.
        words[header::LAST_TICKS] = 1_000_000;
        words[header::LAST_NANOSECONDS] = 2_000_000;
        words.extend(self.records.iter().flatten());
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    fn write(&self, folder: &Path, job: &str) {
        let name = format!("{job}.{}", self.rank);
        fs::write(folder.join(format!("{name}.totals")), self.totals()).unwrap();
        if !self.events.is_empty() {
            let bytes: Vec<u8> =
                self.events.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect();
            fs::write(folder.join(format!("{name}.events")), bytes).unwrap();
        }
    }
}

fn merged(ranks: &[Rank]) -> Recording {
    let folder = tempfile::tempdir().unwrap();
    ranks.iter().for_each(|rank| rank.write(folder.path(), "job.1"));
    let mut recordings = recordings_in(folder.path()).unwrap();
    assert_eq!(recordings.len(), 1);
    recordings.pop().unwrap()
}

#[test]
fn what_a_rank_reads_from_another_was_sent_by_the_other() {
    let get = [record::FLOW | 1 << 8 | 1 << 16 | 1 << 32, 2, 20, 0];
    let recording = merged(&[rank(0, 2).sends(1, 3, 30).with(get), rank(1, 2).sends(0, 1, 5)]);
    let row = |rank: usize| {
        let flows = recording.flows[rank].iter();
        flows.map(|flow| (flow.to, flow.kind, flow.messages, flow.bytes)).collect::<Vec<_>>()
    };
    assert_eq!(row(0), [(1, FlowKind::PointToPoint, 3.0, 30.0)]);
    let expected = [(0, FlowKind::PointToPoint, 1.0, 5.0), (0, FlowKind::OneSided, 2.0, 20.0)];
    assert_eq!(row(1), expected);
    assert_eq!(recording.incomplete, []);
}

#[test]
fn ranks_that_died_or_left_nothing_are_named() {
    let died = Rank { state: header::RUNNING, ..rank(2, 4).sends(0, 1, 1) };
    let recording = merged(&[rank(0, 4), died, rank(3, 4)]);
    let expected = [(1, RankState::Missing), (2, RankState::NeverFinalised)];
    assert_eq!(recording.incomplete, expected);
    assert_eq!(recording.flows[2].len(), 1);
}

#[test]
fn a_file_that_was_cut_off_counts_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let whole = rank(0, 1).sends(0, 1, 1).sends(0, 2, 2).totals();
    // The last record is not whole.
    fs::write(folder.path().join("job.1.0.totals"), &whole[..whole.len() - 8]).unwrap();
    fs::write(folder.path().join("job.1.1.totals"), &whole[..100]).unwrap();
    let recordings = recordings_in(folder.path()).unwrap();
    assert_eq!(recordings[0].flows[0].len(), 1);
}

#[test]
fn jobs_of_one_script_are_recordings_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    rank(0, 1).write(folder.path(), "job.1");
    rank(0, 2).write(folder.path(), "job.2");
    rank(1, 2).write(folder.path(), "job.2");
    let recordings = recordings_in(folder.path()).unwrap();
    let ranks: Vec<u32> = recordings.iter().map(|recording| recording.ranks).collect();
    assert_eq!(ranks, [1, 2]);
}

#[test]
fn hosts_of_a_job_without_a_name_are_put_together_and_two_jobs_of_one_host_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let on_host = |rank: Rank, host: &str, job: &str| {
        let mut bytes = rank.totals();
        bytes[header::HOST_BYTES][..host.len()].copy_from_slice(host.as_bytes());
        let name = format!("job-2-{job}.1.{}.totals", rank.rank);
        fs::write(folder.path().join(name), bytes).unwrap();
    };
    // Processes 10 on host a and 20 on host b started one job, 11 on host a half of another.
    on_host(rank(0, 2), "a", "10");
    on_host(rank(1, 2), "b", "20");
    on_host(rank(1, 2), "a", "11");
    let recordings = recordings_in(folder.path()).unwrap();
    let missing: Vec<usize> =
        recordings.iter().map(|recording| recording.incomplete.len()).collect();
    assert_eq!(missing, [0, 1]);
    assert_eq!(recordings[0].hosts, ["a", "b"]);
}

/// Records 2 and further: the members 3, 0 and 2 of four ranks, as `own` knows them, and an
/// Alltoallv of two calls in which it sends 5 bytes to member 1 in all.
fn in_a_group(own: u64, rank_in_world: u64, lists: bool) -> Rank {
    let how = if lists { record::LISTED << 8 } else { 0 };
    let mut of = rank(rank_in_world, 4).with([record::GROUP | how | own << 32, 99, 3, 0]);
    if lists {
        // Members 3, 0, 2, two in a word.
        of = of.with([3, 2, 0, 0]);
    }
    let collective = of.records.len() as u64;
    of.with([record::COLLECTIVE | call::ALLTOALLV << 8, 2, 0, 2]).with([
        record::PART | 1 << 32,
        collective,
        5,
        0,
    ])
}

#[test]
fn one_member_lists_all_and_calls_are_those_of_whoever_saw_most() {
    let listed =
        merged(&[in_a_group(1, 0, false), in_a_group(2, 2, false), in_a_group(0, 3, true)]);
    // Without the one who lists, all of them know; without any, nobody does.
    let parts = [in_a_group(1, 0, false), in_a_group(2, 2, false), in_a_group(0, 3, false)];
    let known_together = merged(&parts);
    for recording in [&listed, &known_together] {
        let [of] = &recording.collectives[..] else { panic!("{:?}", recording.collectives) };
        assert_eq!((of.call, of.root, of.calls), (MpiCall::Alltoallv, None, 2));
        assert_eq!(of.group, Group::List([3, 0, 2].into()));
        assert_eq!(of.sizes, [(0, 1, 5.0), (1, 1, 5.0), (2, 1, 5.0)]);
    }
    let unknown = merged(&parts[..2]);
    assert_eq!(unknown.collectives, []);
    assert!(unknown.notes[0].starts_with("collectives of 1 communicators are left out"));
}

fn message(code: u64, peer: u64, tag: u32, bytes: u64, request: u64) -> [u64; 4] {
    [code | request << 32, peer | u64::from(tag) << 32, bytes, 0]
}

#[test]
fn events_are_a_trace_with_the_time_between_them() {
    let barrier = |turn: u64| [event::COLLECTIVE | turn << 32, call::BARRIER, 0, 10];
    let anyone = u64::from(event::NO_PEER);
    let first = rank(0, 2)
        .does(message(event::SEND, 1, 7, 100, 0))
        .does(barrier(0))
        // Taken back: its time stays.
        .does([event::NOTHING, 0, 0, 5]);
    let second = rank(1, 2)
        .does(message(event::START_RECEIVE, anyone, 7, 0, 0))
        .does(message(event::START_RECEIVE, 0, 7, 0, 1))
        .does(barrier(0))
        .does([event::WAIT, 0, 0, 0])
        .does([event::WAIT | 1 << 32, 0, 0, 0]);
    let recording = merged(&[first, second]);
    let trace = recording.trace.as_ref().unwrap();
    let computes = |nanoseconds| Event::Compute { nanoseconds };
    let joins = Event::Collective { number: 0 };
    let sends = Event::Send { to: 1, bytes: 100, tag: 7 };
    assert_eq!(trace.program(0), [sends, computes(20), joins, computes(10)]);
    let receives = Event::StartReceive { from: 0, tag: 7, request: 1 };
    assert_eq!(trace.program(1), [receives, computes(20), joins, Event::Wait { request: 1 }]);
    assert_eq!(recording.notes, ["1 events are left out, of messages whose partner is not known"]);
}

#[test]
fn ranks_that_disagree_about_a_collective_have_no_events() {
    let calls = |call: u64| [event::COLLECTIVE, call, 0, 0];
    let recording =
        merged(&[rank(0, 2).does(calls(call::BARRIER)), rank(1, 2).does(calls(call::SCAN))]);
    assert_eq!(recording.trace, None);
    let note = "there are no events: rank 1 calls Scan of 0 bytes where another member calls \
                Barrier of 0 bytes";
    assert_eq!(recording.notes, [note]);
}
