//! Any traffic survives, and no damage stays unseen.

use proptest::prelude::*;
use topoloom_core::traffic::{Collective, Group, Operation};
use topoloom_core::{Traffic, TrafficBuilder, Weight};
use topoloom_io::{FORMATS, parse_recording, parse_traffic};

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

proptest! {
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
