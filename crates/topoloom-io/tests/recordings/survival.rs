//! Any traffic survives, and no damage goes unnoticed.

use proptest::prelude::*;
use topoloom_core::traffic::{Collective, Group, Operation};
use topoloom_core::{Traffic, TrafficBuilder, Weight};
use topoloom_io::{
    CallTime, FORMATS, PartnerClass, RankTime, RecordedSeat, Recording, Times, parse_recording,
    parse_traffic,
};

use crate::by_hand::{bytes_of, everything_by_hand};

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..1000u32).prop_map(f64::from),
        (0..1u64 << 63).prop_map(|value| value as f64),
        (0..1_000_000u32).prop_map(|value| f64::from(value) / 1024.0),
        1e-300..1e300f64,
    ]
}

fn group(ranks: u32) -> impl Strategy<Value = Group> {
    let members = Just((0..ranks).collect::<Vec<u32>>()).prop_shuffle();
    (members, 1..=ranks as usize, any::<bool>()).prop_map(|(mut members, size, sorted)| {
        members.truncate(size);
        if sorted {
            members.sort_unstable();
        }
        Group::of_members(members.into())
    })
}

fn model_collective(ranks: u32) -> impl Strategy<Value = Collective> {
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
    let bytes = prop_oneof![0..1000u64, 0..1u64 << 62, Just(u64::MAX), Just(1 << 63)];
    let table = prop::collection::vec(value(), 64);
    (group(ranks), plain, 1..u64::MAX, bytes, table, any::<bool>()).prop_map(
        |(group, plain, calls, bytes, mut table, variable)| {
            if !variable {
                return Collective { operation: plain, group, calls, bytes };
            }
            table.truncate(group.size().pow(2) as usize);
            Collective { operation: Operation::all_to_all_of(table), group, calls, bytes: 0 }
        },
    )
}

fn traffic() -> impl Strategy<Value = Traffic> {
    (1..9u32).prop_flat_map(|ranks| {
        let flows = prop::collection::vec((0..ranks, 0..ranks, value(), value()), 0..20);
        let weights = prop::option::of(prop::collection::vec(value(), ranks as usize));
        let collectives = prop::collection::vec(model_collective(ranks), 0..5);
        (flows, weights, collectives).prop_map(move |(flows, weights, collectives)| {
            let mut builder = TrafficBuilder::new(ranks);
            for (from, to, messages, bytes) in flows {
                builder.add(from, to, messages, bytes);
            }
            if let Some(weights) = weights {
                builder.set_rank_weights(weights);
            }
            collectives.into_iter().for_each(|collective| builder.add_collective(collective));
            builder.build()
        })
    })
}

fn seat() -> impl Strategy<Value = RecordedSeat> {
    let cpus = prop::collection::btree_set(0..300u32, 0..9);
    let threads = || prop::option::of(prop_oneof![0..99u32, Just(u32::MAX)]);
    (cpus, 0..300u32, threads(), threads()).prop_map(|(cpus, online, openmp_threads, threads)| {
        RecordedSeat { cpus: cpus.into_iter().collect(), online, openmp_threads, threads }
    })
}

/// Lines with many repetitions, as in descriptions of hosts.
fn node() -> impl Strategy<Value = String> {
    let line = prop_oneof!["/sys/devices/cpu[0-3]/[a-c]{1,3}\t[0-9]\n", "é?", "[ab]{0,40}"];
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.concat())
}

fn times(ranks: usize) -> impl Strategy<Value = Times> {
    let call = ("MPI_[A-C]", 0..6usize, 1..1000u64, 0..1u64 << 40);
    let ran = prop::collection::vec(prop::option::of(1..1u64 << 40), ranks);
    (prop::collection::vec(call, 0..9), ran).prop_map(|(mut calls, mut ran)| {
        calls.sort();
        calls.dedup_by_key(|(call, class, ..)| (call.clone(), *class));
        // At least one rank ran, and the first one spent all the time in MPI.
        ran[0] = Some(ran[0].unwrap_or(1));
        let mut all: u64 = calls.iter().map(|(.., nanoseconds)| nanoseconds).sum();
        let mut spent = |wall_nanoseconds| RankTime {
            wall_nanoseconds,
            mpi_nanoseconds: std::mem::take(&mut all),
        };
        Times {
            ranks: ran.into_iter().map(|wall| wall.map(&mut spent)).collect(),
            calls: calls
                .into_iter()
                .map(|(call, class, calls, nanoseconds)| CallTime {
                    call,
                    partner: PartnerClass::ALL[class],
                    calls,
                    nanoseconds,
                })
                .collect(),
        }
    })
}

/// Recordings with data about ranks and hosts.
fn of_hosts() -> impl Strategy<Value = Recording> {
    let sizes = (1..9usize, 1..4usize);
    sizes.prop_flat_map(|(ranks, hosts)| {
        let seats = prop::option::of(prop::collection::vec(seat(), ranks));
        let nodes = prop::option::of(prop::collection::vec(node(), hosts));
        let times = prop::option::of(times(ranks));
        let launched =
            prop::option::of(Just((0..ranks as u32).collect::<Vec<u32>>()).prop_shuffle());
        let of_rank = prop::collection::vec(0..hosts as u32, ranks);
        let all = (seats, launched, nodes, times, of_rank);
        all.prop_map(move |(seats, launched, nodes, times, host_of_rank)| Recording {
            ranks: ranks as u32,
            hosts: (0..hosts).map(|host| format!("h{host}")).collect(),
            host_of_rank,
            seats: seats.unwrap_or_default(),
            launcher_ranks: launched.unwrap_or_default(),
            nodes: nodes.unwrap_or_default(),
            times,
            flows: vec![Vec::new(); ranks],
            ..Recording::default()
        })
    })
}

#[test]
fn a_thousand_hosts_that_are_the_same_take_little_room() {
    // 64 CPUs with 17 lines each, as a node of two caches is described.
    let mut same = String::new();
    for cpu in 0..64 {
        for line in 0..17 {
            same +=
                &format!("/sys/devices/system/cpu/cpu{cpu}/topology/file{line}\t{cpu},{line}\\n\n");
        }
    }
    let host = |number: usize| format!("/proc/sys/kernel/hostname\tn{number:04}\\n\n{same}");
    let recording = Recording {
        ranks: 1000,
        hosts: (0..1000).map(|number| format!("n{number:04}")).collect(),
        host_of_rank: (0..1000).collect(),
        nodes: (0..1000).map(host).collect(),
        flows: vec![Vec::new(); 1000],
        ..Recording::default()
    };
    let bytes = bytes_of(&recording);
    // One description as text has about 56,000 bytes.
    assert!(same.len() > 50_000 && bytes.len() < 60_000, "{} {}", same.len(), bytes.len());
    assert_eq!(parse_recording("a", &bytes).unwrap(), recording);
}

proptest! {
    #[test]
    fn what_is_known_of_hosts_survives_being_written(recording in of_hosts()) {
        let bytes = bytes_of(&recording);
        prop_assert_eq!(&parse_recording("a", &bytes).unwrap(), &recording);
        // Readers that want only traffic ignore it.
        prop_assert_eq!(parse_traffic("a", &bytes, Weight::Bytes).unwrap(), recording.traffic());
    }

    #[test]
    fn any_traffic_survives_being_written(traffic in traffic()) {
        let format = FORMATS.entries.iter().find(|entry| entry.name == "recording").unwrap();
        let mut bytes = Vec::new();
        format.build.write.unwrap()(&traffic, Weight::Bytes, &mut bytes).unwrap();
        prop_assert_eq!(&parse_traffic("a", &bytes, Weight::Bytes).unwrap(), &traffic);
        // Written again, not a byte changes.
        let recording = parse_recording("a", &bytes).unwrap();
        prop_assert_eq!(bytes_of(&recording), bytes);
    }

    #[test]
    fn a_file_that_is_cut_is_refused(length in 0..everything_by_hand().len()) {
        prop_assert!(parse_recording("a", &everything_by_hand()[..length]).is_err());
    }

    #[test]
    fn a_bit_that_changed_is_found(place in 20..everything_by_hand().len(), bit in 0..8) {
        let mut bytes = everything_by_hand();
        bytes[place] ^= 1u8 << bit;
        prop_assert!(parse_recording("a", &bytes).is_err());
    }
}
