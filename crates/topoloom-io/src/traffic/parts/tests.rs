//! Files of ranks, written here word by word, and the recordings made from them.

use std::fs;
use std::path::{Path, PathBuf};

use topoloom_core::Event;
use topoloom_core::traffic::Group;
use topoloom_recorder::layout::{HEADER_BYTES, MAGIC, call, event, header, partner, record};

use super::groups::groups;
use super::in_memory;
use super::part::Part;
use crate::text::error::ReadError;
use crate::traces::mpi_call::MpiCall;
use crate::traffic::recording::{
    FlowKind, PartnerClass, RankState, RankTime, RecordedSeat, Recording, read_recording,
};

/// What a rank of a job writes.
struct Rank {
    rank: u64,
    size: u64,
    state: u64,
    records: Vec<[u64; 4]>,
    events: Vec<[u64; 4]>,
    starter: u64,
    has_times: bool,
    /// At the beginning and at the end.
    threads: (u64, u64),
}

fn rank(rank: u64, size: u64) -> Rank {
    let world = [record::GROUP | record::STRIDED << 8 | rank << 32, 77, size, 1 << 32];
    let communicator = [record::COMMUNICATOR, 0, 0, 0];
    let records = vec![world, communicator];
    let events = Vec::new();
    let (starter, has_times, threads) = (0, false, (0, 0));
    Rank { rank, size, state: header::FINALISED, records, events, starter, has_times, threads }
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
        words[header::STARTER] = self.starter;
        words[header::HAS_TIMES] = u64::from(self.has_times);
        words[header::ONLINE] = 16;
        (words[header::THREADS_AT_BEGIN], words[header::THREADS_AT_END]) = self.threads;
        // 2 ns per tick.
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

/// The recordings of the jobs in a folder, after they were written and read again.
fn recordings_in(folder: &Path) -> Result<Vec<Recording>, ReadError> {
    let written = tempfile::tempdir().unwrap();
    let path = written.path().join("x.rec");
    super::recordings_in(folder)?
        .into_iter()
        .map(|mut joined| {
            joined.write(&path).unwrap();
            let recording = read_recording(&path)?;
            let events = recording.trace.as_ref().map(|trace| trace.num_events() as u64);
            assert_eq!(joined.num_events(), events);
            Ok(recording)
        })
        .collect()
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
    // The last record is incomplete.
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
    // Processes 10 on host a and 20 on host b started one job, and 11 on host a started half of
    // another.
    on_host(rank(0, 2), "a", "10");
    on_host(rank(1, 2), "b", "20");
    on_host(rank(1, 2), "a", "11");
    let recordings = recordings_in(folder.path()).unwrap();
    let missing: Vec<usize> =
        recordings.iter().map(|recording| recording.incomplete.len()).collect();
    assert_eq!(missing, [0, 1]);
    assert_eq!(recordings[0].hosts, ["a", "b"]);
}

/// The ranks of each recording that is found. The files are those of these ranks of 4, by helper
/// and starter, all on one host.
fn ranks_of_recordings(runs: &[(u64, u64, &[u64])]) -> Vec<Vec<u32>> {
    let folder = tempfile::tempdir().unwrap();
    for &(helper, starter, ranks) in runs {
        for &number in ranks {
            let of_rank = Rank { starter, ..rank(number, 4) };
            of_rank.write(folder.path(), &format!("job-4-{helper}.1"));
        }
    }
    let recordings = recordings_in(folder.path()).unwrap();
    let present = |recording: &Recording| {
        let missing: Vec<u32> = recording.incomplete.iter().map(|&(rank, _)| rank).collect();
        (0..4).filter(|rank| !missing.contains(rank)).collect()
    };
    recordings.iter().map(present).collect()
}

#[test]
fn helpers_of_one_launcher_on_one_host_have_one_job() {
    let all = vec![vec![0, 1, 2, 3]];
    assert_eq!(ranks_of_recordings(&[(10, 9, &[0, 2]), (11, 9, &[1, 3])]), all);
    // Also if the starter is not known.
    assert_eq!(ranks_of_recordings(&[(10, 0, &[0, 2]), (11, 0, &[1, 3])]), all);
}

#[test]
fn jobs_side_by_side_on_one_host_stay_two() {
    let two = vec![vec![0, 1, 2, 3]; 2];
    assert_eq!(ranks_of_recordings(&[(10, 9, &[0, 1, 2, 3]), (11, 9, &[0, 1, 2, 3])]), two);
    // In halves: the halves that the same launcher has started belong together.
    let halves: [(u64, u64, &[u64]); 4] =
        [(10, 8, &[0, 1]), (11, 9, &[2, 3]), (12, 9, &[0, 1]), (13, 8, &[2, 3])];
    assert_eq!(ranks_of_recordings(&halves), two);
    // A complete job takes no part of another.
    let whole_and_half = ranks_of_recordings(&[(10, 8, &[0, 1, 2, 3]), (11, 8, &[2, 3])]);
    assert_eq!(whole_and_half, [vec![0, 1, 2, 3], vec![2, 3]]);
}

fn named_call(number: u64, name: &str) -> Vec<[u64; 4]> {
    let mut bytes = (record::CALL | number << 8 | (name.len() as u64) << 32).to_ne_bytes().to_vec();
    bytes.extend(name.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    let words: Vec<u64> =
        bytes.chunks(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect();
    words.chunks(4).map(|words| words.try_into().unwrap()).collect()
}

#[test]
fn times_are_told_by_call_and_by_where_the_partner_is() {
    let everybody = u64::from(partner::EVERYBODY);
    let nobody = u64::from(partner::NOT_TOLD);
    let time = |call: u64, peer: u64, calls, ticks| {
        [record::TIME | call << 8 | peer << 32, calls, ticks, 0]
    };
    // A name that takes two records, which must not be read as others.
    let long = "MPI_Dist_graph_create_adjacent";
    let mut first = rank(0, 4);
    first.has_times = true;
    for words in named_call(0, "MPI_Recv") {
        first = first.with(words);
    }
    for words in named_call(1, long) {
        first = first.with(words);
    }
    // Ranks 0 and 1 are on one host, 2 and 3 on another; 2 ns per tick.
    first = first
        .with(time(0, 0, 1, 1))
        .with(time(0, 1, 2, 10))
        .with(time(0, 2, 3, 100))
        .with(time(0, 3, 4, 1000))
        .with(time(0, nobody, 1, 5))
        .with(time(1, everybody, 1, 50));
    let mut second = rank(1, 4);
    second.has_times = true;
    for words in named_call(0, long) {
        second = second.with(words);
    }
    second = second.with(time(0, everybody, 1, 7));
    let folder = tempfile::tempdir().unwrap();
    for (of_rank, host) in [(first, "a"), (second, "a"), (rank(2, 4), "b"), (rank(3, 4), "b")] {
        let mut bytes = of_rank.totals();
        bytes[header::HOST_BYTES][..1].copy_from_slice(host.as_bytes());
        fs::write(folder.path().join(format!("job.1.{}.totals", of_rank.rank)), bytes).unwrap();
    }
    let recordings = recordings_in(folder.path()).unwrap();
    let times = recordings[0].times.as_ref().unwrap();
    let calls: Vec<_> = times
        .calls
        .iter()
        .map(|call| (&*call.call, call.partner, call.calls, call.nanoseconds))
        .collect();
    let expected = [
        (long, PartnerClass::Everybody, 2, 114),
        ("MPI_Recv", PartnerClass::Itself, 1, 2),
        ("MPI_Recv", PartnerClass::SameHost, 2, 20),
        ("MPI_Recv", PartnerClass::OtherHost, 7, 2200),
        ("MPI_Recv", PartnerClass::NotTold, 1, 10),
    ];
    assert_eq!(calls, expected);
    // 1,000,000 ticks in all.
    let ran = |mpi_nanoseconds| Some(RankTime { wall_nanoseconds: 2_000_000, mpi_nanoseconds });
    assert_eq!(times.ranks, [ran(2332), ran(14), None, None]);
}

#[test]
fn seats_and_what_hosts_say_are_kept() {
    let range = |first: u64, last: u64| first | last << 32;
    let first = Rank { threads: (3, 6), ..rank(0, 3) }
        .with([record::CPUS, range(0, 3), range(8, 8), range(10, 11)])
        .with([record::CPUS, range(64, 65), 1, 1]);
    // Killed before its threads were counted again.
    let second = Rank { threads: (3, 0), ..rank(1, 3) }.with([record::CPUS, range(2, 2), 1, 1]);
    let folder = tempfile::tempdir().unwrap();
    first.write(folder.path(), "job.1");
    second.write(folder.path(), "job.1");
    fs::write(folder.path().join("x.node"), "/proc/sys/kernel/hostname\tx\\n\n/a\tb\n").unwrap();
    let recording = recordings_in(folder.path()).unwrap().pop().unwrap();
    let seats = &recording.seats;
    assert_eq!(seats[0].cpus, [0, 1, 2, 3, 8, 10, 11, 64, 65]);
    assert_eq!((seats[0].online, seats[0].threads, seats[0].is_bound()), (16, Some(4), true));
    assert_eq!((&seats[1].cpus[..], seats[1].threads), (&[2][..], None));
    assert_eq!(seats[2], RecordedSeat::default());
    // The files name no host, and a host without a name has no description.
    assert_eq!((&recording.hosts[..], &recording.nodes[..]), (&[String::new()][..], &[][..]));
}

/// Records 2 and following: the members 3, 0 and 2 of four ranks, as `own` knows them, and an
/// Alltoallv of two calls in which it sends 5 bytes in total to member 1.
fn in_a_group(own: u64, rank_in_world: u64, lists: bool) -> Rank {
    let how = if lists { record::LISTED << 8 } else { 0 };
    let mut of = rank(rank_in_world, 4).with([record::GROUP | how | own << 32, 99, 3, 0]);
    if lists {
        // Members 3, 0, 2, two per word.
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
    // Without the member that lists them, all together know them; if another is missing, nobody
    // does.
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
    assert!(unknown.notes[0].starts_with("collectives of 1 communicator left out"));
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
        // Cancelled: its time stays.
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
    assert_eq!(trace.programs()[0], [sends, computes(20), joins, computes(10)]);
    let receives = Event::StartReceive { from: 0, tag: 7, request: 1 };
    assert_eq!(trace.programs()[1], [receives, computes(20), joins, Event::Wait { request: 1 }]);
    assert_eq!(recording.notes, ["1 event left out: the partner of the message is not known"]);
}

#[test]
fn ranks_that_disagree_about_a_collective_have_no_events() {
    let calls = |call: u64| [event::COLLECTIVE, call, 0, 0];
    let recording =
        merged(&[rank(0, 2).does(calls(call::BARRIER)), rank(1, 2).does(calls(call::SCAN))]);
    assert_eq!(recording.trace, None);
    let note = "there are no events: rank 1 calls Scan of 0 bytes, but another member calls \
                Barrier of 0 bytes";
    assert_eq!(recording.notes, [note]);
}

/// The same pseudo-random numbers below `end` every time.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |end| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    }
}

/// Ranks with messages, requests and collectives of all sorts, which they make in the same order.
fn busy_ranks(ranks: u64, seed: u64) -> Vec<Rank> {
    let mut shared = numbers(seed);
    let calls: Vec<[u64; 3]> = (0..200)
        .map(|_| match shared(4) {
            0 => [call::BARRIER, 0, 0],
            1 => [call::ALLREDUCE, 0, 8 * shared(3)],
            2 => [call::BCAST, 1 + shared(ranks), 8],
            // Sizes that recur in other calls.
            _ => [call::ALLTOALLV, 0, shared(3)],
        })
        .collect();
    let of_rank = |number: u64| {
        let mut own = numbers(seed ^ number << 20);
        let mut all = rank(number, ranks);
        for (turn, &[what, root, bytes]) in (0_u64..).zip(&calls) {
            for _ in 0..own(5) {
                let (peer, tag) = (own(ranks + 1), own(4) as u32);
                let peer = if peer == ranks { u64::from(event::NO_PEER) } else { peer };
                let code = event::SEND + own(4);
                let request = if code >= event::START_SEND { own(3) } else { 0 };
                all = all.does(message(code, peer, tag, own(1000), request));
                all.events.last_mut().unwrap()[3] = own(3) * 10;
                if code >= event::START_SEND {
                    all = all.does([event::WAIT | request << 32, 0, 0, own(2)]);
                }
            }
            let is_irregular = what == call::ALLTOALLV;
            let of_one = if is_irregular { 0 } else { bytes };
            all = all.does([event::COLLECTIVE | turn << 32, what | root << 32, of_one, own(9)]);
            for other in (0..ranks).filter(|_| is_irregular) {
                all = all.does([event::PART, other, 1 + bytes + other, 0]);
            }
        }
        all
    };
    (0..ranks).map(of_rank).collect()
}

#[test]
fn events_that_pass_from_file_to_file_are_those_that_were_all_in_memory() {
    for seed in 1..=4 {
        let folder = tempfile::tempdir().unwrap();
        let ranks = busy_ranks(3, seed);
        ranks.iter().for_each(|rank| rank.write(folder.path(), "job.1"));
        let parts: Vec<(Part, PathBuf)> = ranks
            .iter()
            .map(|rank| {
                let path = folder.path().join(format!("job.1.{}.events", rank.rank));
                (Part::read(&rank.totals()).unwrap(), path)
            })
            .collect();
        let groups = groups(parts.iter().map(|(part, _)| part));
        let expected = in_memory::trace(3, &parts, &groups);
        let found = recordings_in(folder.path()).unwrap().pop().unwrap().trace.unwrap();
        assert_eq!(found.collectives(), expected.collectives());
        assert!(found == expected, "events differ, seed {seed}");
        // Barriers, sizes of Allreduce, roots of Bcast and patterns of Alltoallv: each once.
        assert!(found.collectives().len() <= 1 + 3 + 3 + 3);
    }
}

#[test]
fn calls_whose_sizes_differ_in_one_pair_are_two() {
    let gives = |to: [u64; 2]| {
        let mut all = rank(0, 2);
        for (turn, bytes) in (0..).zip(to) {
            all = all.does([event::COLLECTIVE | turn << 32, call::ALLTOALLV, 0, 0]);
            all = all.does([event::PART, 1, bytes, 0]);
        }
        let turns = |turn: u64| [event::COLLECTIVE | turn << 32, call::ALLTOALLV, 0, 0];
        let other = rank(1, 2).does(turns(0)).does(turns(1));
        merged(&[all, other]).trace.unwrap().collectives().len()
    };
    assert_eq!((gives([5, 5]), gives([5, 6])), (1, 2));
}

#[test]
fn a_rank_whose_events_are_cut_off_says_so_and_the_others_keep_theirs() {
    let send = |peer| message(event::SEND, peer, 0, 8, 0);
    let folder = tempfile::tempdir().unwrap();
    let ranks = [rank(0, 3).does(send(1)).does(send(1)), rank(1, 3).does(send(2)), rank(2, 3)];
    ranks.iter().for_each(|rank| rank.write(folder.path(), "job.1"));
    // One and a half of two records, and none of one.
    let cut = folder.path().join("job.1.0.events");
    fs::write(&cut, &fs::read(&cut).unwrap()[..48]).unwrap();
    fs::remove_file(folder.path().join("job.1.1.events")).unwrap();
    let recording = recordings_in(folder.path()).unwrap().pop().unwrap();
    let cut_short = RankState::CutShort;
    assert_eq!(recording.incomplete, [(0, cut_short), (1, cut_short)]);
    assert_eq!(recording.trace.unwrap().num_events(), 1);
}

#[test]
fn what_damage_makes_impossible_is_left_out_and_the_rest_stays() {
    // A root that is not a member, and one of a call that has none.
    let rooted = |call: u64, root: u64| [record::COLLECTIVE | call << 8 | root << 32, 0, 8, 1];
    let joins = |call: u64, root: u64| [event::COLLECTIVE, call | root << 32, 8, 0];
    let damaged = rank(0, 2)
        .sends(1, 3, 30)
        .with(rooted(call::BCAST, 9))
        .with(rooted(call::ALLREDUCE, 1))
        .with(rooted(call::BCAST, 2))
        .does(joins(call::BCAST, 9))
        .does(joins(call::ALLREDUCE, 1))
        .does([event::WAIT | u64::from(u32::MAX) << 32, 0, 0, 0])
        .does(message(event::START_SEND, 1, 0, 1, u64::from(u32::MAX)));
    let mut totals = damaged.totals();
    // Classes of sizes that add up to more than 64 bits.
    for place in [header::SIZES, header::SIZES + 2] {
        totals[8 * place..8 * place + 8].copy_from_slice(&u64::MAX.to_ne_bytes());
    }
    let folder = tempfile::tempdir().unwrap();
    damaged.write(folder.path(), "job.1");
    fs::write(folder.path().join("job.1.0.totals"), totals).unwrap();
    rank(1, 2).write(folder.path(), "job.1");
    let recording = recordings_in(folder.path()).unwrap().pop().unwrap();
    assert_eq!(recording.flows[0].len(), 1);
    assert_eq!((recording.collectives.len(), recording.sizes.len()), (1, 0));
    assert_eq!(recording.trace.unwrap().num_events(), 0);
    let has = |text: &str| recording.notes.iter().any(|note| note.contains(text));
    assert!(has("2 collectives left out") && has("sizes of messages are left out"));
}

#[test]
fn files_that_were_damaged_anywhere_become_recordings_that_can_be_written_and_read() {
    let mut random = numbers(7);
    let ranks = busy_ranks(2, 3).into_iter().map(|rank| {
        let events = Rank { events: rank.events[..60].to_vec(), ..rank };
        let name = named_call(0, "MPI_Recv")[0];
        let timed = Rank { has_times: true, ..events };
        timed
            .sends(1, 3, 30)
            .with([record::COLLECTIVE | call::BCAST << 8 | 1 << 32, 0, 8, 2])
            .with([record::COLLECTIVE | call::ALLTOALLV << 8, 0, 0, 2])
            .with([record::PART | 1 << 32, 4, 5, 0])
            .with([record::CPUS, 3 << 32, 1, 1])
            .with(name)
            .with([record::TIME | 1 << 32, 2, 10, 0])
    });
    let ranks: Vec<Rank> = ranks.collect();
    for _ in 0..150 {
        let folder = tempfile::tempdir().unwrap();
        for rank in &ranks {
            rank.write(folder.path(), "job.1");
        }
        for ending in ["totals", "events"] {
            let path = folder.path().join(format!("job.1.{}.{ending}", random(2)));
            let mut bytes = fs::read(&path).unwrap();
            for _ in 0..random(6) {
                // The places that are not empty: much of the header is.
                let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] != 0).collect();
                let at = places[random(places.len() as u64) as usize] + random(8) as usize;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = [0, 1, 255, random(256) as u8][random(4) as usize];
                }
            }
            // Numbers of ranks that are valid, but take long.
            for byte in bytes.iter_mut().take(8 * (header::SIZE + 1)).skip(8 * header::SIZE + 1) {
                *byte = if ending == "totals" { 0 } else { *byte };
            }
            let cut =
                if random(4) == 0 { random(bytes.len() as u64) as usize } else { bytes.len() };
            fs::write(&path, &bytes[..cut]).unwrap();
        }
        recordings_in(folder.path()).unwrap();
    }
}

#[test]
fn counts_of_damaged_files_that_add_up_to_too_much_stop_at_the_largest_number() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..2 {
        let mut totals = rank(number, 2).totals();
        totals[8 * header::OUTSIDE..][..8].copy_from_slice(&u64::MAX.to_ne_bytes());
        fs::write(folder.path().join(format!("job.{number}.totals")), totals).unwrap();
    }
    let recordings = recordings_in(folder.path()).unwrap();
    let said = format!("{} messages to processes outside", u64::MAX);
    assert!(recordings[0].notes.iter().any(|note| note.starts_with(&said)));
}
