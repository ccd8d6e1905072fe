//! What is written reads back the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use topoloom_core::cluster::Seating;
use topoloom_core::topology::Place;
use topoloom_core::{Traffic, TrafficBuilder, Weight};
use topoloom_io::{
    FORMATS, MappingFile, Warnings, atomic_write, parse_traffic, read_mapping, read_traffic,
    write_mapping, write_traffic,
};

fn written(name: &str, traffic: &Traffic, weight: Weight) -> (String, Warnings) {
    let ending = name.rsplit('.').next().unwrap();
    let entry = FORMATS.entries.iter().find(|entry| entry.build.endings.contains(&ending));
    let mut bytes = Vec::new();
    let warnings = entry.unwrap().build.write.unwrap()(traffic, weight, &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), warnings)
}

fn there_and_back(name: &str, traffic: &Traffic, weight: Weight) -> Traffic {
    parse_traffic(name, written(name, traffic, weight).0.as_bytes(), weight).unwrap()
}

fn traffic_of(ranks: u32, flows: &[(u32, u32, f64, f64)]) -> Traffic {
    let mut builder = TrafficBuilder::new(ranks);
    for &(from, to, messages, bytes) in flows {
        builder.add(from, to, messages, bytes);
    }
    builder.build()
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        (1..1000u32).prop_map(f64::from),
        (1..1u64 << 53).prop_map(|value| value as f64),
        (1..1_000_000u32).prop_map(|value| f64::from(value) / 1024.0),
        1e-300..1e300f64,
    ]
}

fn any_weight() -> impl Strategy<Value = Weight> {
    prop_oneof![Just(Weight::Bytes), Just(Weight::Messages)]
}

/// Ranks, and up to 40 pairs of them, each with a value.
fn pairs(
    value: impl Strategy<Value = f64> + Clone,
) -> impl Strategy<Value = (u32, Vec<(u32, u32, f64)>)> {
    (1..20u32).prop_flat_map(move |ranks| {
        let pair = (0..ranks, 0..ranks, value.clone());
        (Just(ranks), proptest::collection::vec(pair, 0..40))
    })
}

/// Adds what a file with one number per pair says: each pair once, because pairs add up.
fn one_number_a_pair(ranks: u32, pairs: &[(u32, u32, f64)], weight: Weight) -> Traffic {
    let seen: BTreeMap<_, _> = pairs.iter().map(|&(from, to, value)| ((from, to), value)).collect();
    let messages = |value| if weight == Weight::Bytes { 1.0 } else { value };
    let flows: Vec<_> =
        seen.into_iter().map(|((from, to), value)| (from, to, messages(value), value)).collect();
    traffic_of(ranks, &flows)
}

proptest! {
    #[test]
    fn matrix_market_keeps_the_chosen_weight(
        (ranks, pairs) in pairs(value().boxed()),
        weight in any_weight(),
    ) {
        let traffic = one_number_a_pair(ranks, &pairs, weight);
        prop_assert_eq!(there_and_back("a.mtx", &traffic, weight), traffic);
    }

    #[test]
    fn edge_lists_keep_bytes_messages_and_silent_ranks(
        (ranks, pairs) in pairs(value().boxed()),
        messages in value(),
        weight in any_weight(),
    ) {
        let flows: Vec<_> = pairs.iter().map(|&(a, b, bytes)| (a, b, messages, bytes)).collect();
        let traffic = traffic_of(ranks, &flows);
        prop_assert_eq!(&there_and_back("a.csv", &traffic, weight), &traffic);
        prop_assert_eq!(&there_and_back("a.tsv", &traffic, weight), &traffic);
    }

    #[test]
    fn metis_keeps_symmetric_whole_traffic_and_rank_weights(
        (ranks, pairs) in pairs((1..1u32 << 30).prop_map(f64::from).boxed()),
        weighted in any::<bool>(),
        weight in any_weight(),
    ) {
        let pairs: BTreeMap<_, _> = pairs
            .into_iter()
            .filter(|(a, b, _)| a != b)
            .map(|(a, b, value)| ((a.min(b), a.max(b)), value))
            .collect();
        let mut builder = TrafficBuilder::new(ranks);
        for ((a, b), value) in pairs {
            builder.add_both_ways(a, b, if weight == Weight::Bytes { 1.0 } else { value }, value);
        }
        if weighted {
            builder.set_rank_weights((0..ranks).map(f64::from).collect());
        }
        let traffic = builder.build();
        prop_assert_eq!(written("a.graph", &traffic, weight).1, Warnings::new());
        prop_assert_eq!(there_and_back("a.graph", &traffic, weight), traffic);
    }
}

#[test]
fn each_format_is_written_as_documented() {
    let traffic = traffic_of(3, &[(0, 1, 2.0, 10.0), (1, 0, 2.0, 10.0), (1, 2, 1.0, 4.0)]);
    let file = |name| written(name, &traffic, Weight::Bytes).0;
    assert_eq!(
        file("a.mtx"),
        "%%MatrixMarket matrix coordinate integer general\n\
         % bytes; row = sending rank + 1, column = receiving rank + 1\n\
         3 3 3\n1 2 10\n2 1 10\n2 3 4\n"
    );
    assert_eq!(file("a.csv"), "# ranks: 3\nfrom,to,bytes,messages\n0,1,10,2\n1,0,10,2\n1,2,4,1\n");
    // 4 bytes in one direction are 2 in both.
    assert_eq!(file("a.graph"), "3 2 001\n2 10\n1 10 3 2\n2 2\n");
}

#[test]
fn fractions_make_a_real_matrix() {
    let traffic = traffic_of(2, &[(0, 1, 1.0, 0.5), (1, 0, 1.0, 3.0), (1, 1, 1.0, 0.0)]);
    let (text, _) = written("a.mtx", &traffic, Weight::Bytes);
    assert!(text.starts_with("%%MatrixMarket matrix coordinate real general\n"), "{text}");
    // The empty message has no bytes to write.
    assert!(text.ends_with("\n2 2 2\n1 2 0.5\n2 1 3\n"), "{text}");
}

#[test]
fn metis_warns_about_directions_halves_and_self_messages() {
    let flows = [(0, 1, 1.0, 5.0), (1, 2, 1.0, 4.0), (2, 1, 1.0, 4.0), (2, 2, 1.0, 9.0)];
    let (text, warnings) = written("a.graph", &traffic_of(3, &flows), Weight::Bytes);
    // 5 / 2, rounded up.
    assert_eq!(text, "3 2 001\n2 3\n1 3 3 4\n2 4\n");
    assert_eq!(
        warnings,
        [
            "METIS graphs have no direction: 1 pair averaged",
            "METIS graphs have whole weights: 1 weight rounded",
            "METIS graphs have no edges from a vertex to itself: 1 such flow dropped",
        ]
    );
}

#[test]
fn lost_rank_weights_and_collectives_are_announced() {
    use topoloom_core::traffic::{Collective, Group, Operation};
    let mut builder = TrafficBuilder::new(2);
    builder.set_rank_weights(vec![1.0, 2.0]);
    let (operation, group) = (Operation::Barrier, Group::first(2));
    builder.add_collective(Collective { operation, group, calls: 1, bytes: 0 });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    assert_eq!(
        write_traffic(&path, &builder.build(), Weight::Bytes).unwrap(),
        [
            "an edge list has no place for rank weights: they were left out",
            "1 collective operation left out: the file holds only messages between pairs",
        ]
    );
}

#[test]
fn the_ending_picks_the_format_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let traffic = traffic_of(2, &[(0, 1, 1.0, 6.0), (1, 0, 1.0, 6.0)]);
    for name in ["a.mtx", "a.csv", "a.tsv", "a.graph", "a.MTX"] {
        let path = folder.path().join(name);
        assert_eq!(write_traffic(&path, &traffic, Weight::Bytes).unwrap(), Warnings::new());
        assert_eq!(read_traffic(&path, Weight::Bytes).unwrap(), traffic, "{name}");
    }
    let error = write_traffic(Path::new("a.xls"), &traffic, Weight::Bytes).unwrap_err();
    let expected =
        "a.xls: unknown ending for a traffic file; known: .mtx, .csv, .tsv, .graph, .rec";
    assert_eq!(error.to_string(), expected);
    let error = write_traffic(Path::new("missing/a.csv"), &traffic, Weight::Bytes).unwrap_err();
    let expected = "missing/a.csv: cannot write: No such file or directory";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, "old").unwrap();
    let error = atomic_write(&path, |writer| -> std::io::Result<()> {
        writer.write_all(b"half")?;
        Err(std::io::Error::other("the disk is gone"))
    });
    assert!(error.unwrap_err().to_string().ends_with("a.csv: cannot write: the disk is gone"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

fn place(host: u32, core: Option<u32>, cores: &[u32], cpus: &[u32]) -> Place {
    Place { host, core, cores: cores.to_vec(), cpus: cpus.to_vec(), gpu: None }
}

#[test]
fn mappings_survive_json_and_keep_their_nodes_in_text() {
    let folder = tempfile::tempdir().unwrap();
    let mapping = MappingFile {
        machine: Some("torus:2x2".to_string()),
        traffic: Some("run.rec".to_string()),
        node_of_rank: vec![3, 1, 2],
        slot_of_rank: Some(vec![3, 1, 2]),
        strategy: Some("auto".to_string()),
        objective: Some("hop-bytes".to_string()),
        seed: Some(u64::MAX),
        cost: None,
        imbalance: Some(0.03),
        seating: Some(Seating {
            hosts: vec!["a".to_string(), "b".to_string()],
            slots_of_host: vec![2, 1],
            seats: vec![
                place(0, Some(1), &[1], &[1, 3]),
                place(1, None, &[0, 1], &[0, 1, 2, 3]),
                place(0, Some(0), &[], &[0, 4]),
            ],
        }),
    };
    let json = folder.path().join("mapping.json");
    write_mapping(&json, &mapping).unwrap();
    assert_eq!(read_mapping(&json).unwrap(), mapping);
    let text = fs::read_to_string(&json).unwrap();
    assert!(text.contains("\n  \"node_of_rank\": [3,1,2],\n"), "{text}");

    let plain = folder.path().join("mapping.txt");
    write_mapping(&plain, &mapping).unwrap();
    assert_eq!(fs::read_to_string(&plain).unwrap(), "3\n1\n2\n");
    let read = read_mapping(&plain).unwrap();
    assert_eq!((read.node_of_rank, read.slot_of_rank), (vec![3, 1, 2], None));
}
