//! Every variant of every format, with the traffic it means.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use topoloom_core::{LinkId, Topology, Traffic, Vertex, Weight};
use topoloom_io::{
    MappingFile, parse_traffic, read_machine, read_mapping, read_network, read_traffic,
};

/// Sender, receiver, messages, bytes.
type Row = (u32, u32, f64, f64);

/// A file in `tests/good/`, its ranks, and its flows when bytes count.
const BYTES: &[(&str, usize, &[Row])] = &[
    ("coordinate_integer_general.mtx", 3, &[(0, 1, 2.0, 7.0), (1, 2, 1.0, 7.0)]),
    (
        "coordinate_integer_symmetric.mtx",
        3,
        &[(0, 1, 1.0, 5.0), (1, 0, 1.0, 5.0), (2, 2, 1.0, 7.0)],
    ),
    ("coordinate_real_general.mtx", 3, &[(0, 1, 1.0, 0.5), (1, 2, 1.0, 150.0), (2, 1, 1.0, 0.25)]),
    ("coordinate_real_symmetric.mtx", 3, &[(0, 1, 1.0, 0.5), (1, 0, 1.0, 0.5)]),
    ("coordinate_pattern_general.mtx", 3, &[(0, 1, 1.0, 1.0), (2, 0, 1.0, 1.0)]),
    (
        "coordinate_pattern_symmetric.mtx",
        3,
        &[(0, 1, 1.0, 1.0), (1, 0, 1.0, 1.0), (2, 2, 1.0, 1.0)],
    ),
    // Arrays go down the columns.
    ("array_integer_general.mtx", 2, &[(0, 0, 1.0, 1.0), (0, 1, 1.0, 3.0), (1, 0, 1.0, 2.0)]),
    (
        "array_integer_symmetric.mtx",
        2,
        &[(0, 0, 1.0, 1.0), (0, 1, 1.0, 2.0), (1, 0, 1.0, 2.0), (1, 1, 1.0, 3.0)],
    ),
    ("array_real_general.mtx", 2, &[(0, 0, 1.0, 0.5), (1, 0, 1.0, 1.0), (1, 1, 1.0, 2.5)]),
    (
        "array_real_symmetric.mtx",
        3,
        &[
            (0, 1, 1.0, 1.5),
            (0, 2, 1.0, 2.0),
            (1, 0, 1.0, 1.5),
            (1, 2, 1.0, 3.0),
            (2, 0, 1.0, 2.0),
            (2, 1, 1.0, 3.0),
        ],
    ),
    ("no_entries.mtx", 3, &[]),
    ("edges.csv", 3, &[(0, 1, 1.0, 5.0), (1, 2, 1.0, 7.0)]),
    ("edges_with_messages.csv", 3, &[(0, 1, 2.0, 5.0), (1, 2, 3.0, 7.0)]),
    ("edges_any_order.csv", 3, &[(0, 1, 2.0, 5.0), (1, 2, 3.0, 7.0)]),
    ("edges_announced.csv", 4, &[(0, 1, 2.0, 6.0), (1, 2, 1.0, 7.0)]),
    // A third line of 0 bytes would make this 3 x 3 numbers; the header says edge list.
    ("edges_header.csv", 3, &[(0, 1, 1.0, 5.0), (1, 2, 1.0, 7.0)]),
    // As many lines as columns, but a rank would send to itself if this were a matrix.
    ("edges_three_of_three.csv", 3, &[(0, 1, 1.0, 5.0), (1, 2, 1.0, 7.0), (2, 0, 1.0, 9.0)]),
    ("silent.csv", 3, &[]),
    ("matrix.csv", 3, &[(0, 1, 1.0, 5.0), (1, 2, 1.0, 7.0), (2, 0, 1.0, 0.5)]),
    ("matrix_of_one.csv", 1, &[(0, 0, 1.0, 5.0)]),
    ("edges.tsv", 3, &[(0, 1, 2.0, 5.0), (1, 2, 3.0, 7.0)]),
    ("matrix.tsv", 2, &[(0, 1, 1.0, 5.0), (1, 0, 1.0, 7.0)]),
    ("plain.graph", 3, &[(0, 1, 1.0, 1.0), (1, 0, 1.0, 1.0), (1, 2, 1.0, 1.0), (2, 1, 1.0, 1.0)]),
    (
        "edge_weights.graph",
        3,
        &[(0, 1, 1.0, 5.0), (1, 0, 1.0, 5.0), (1, 2, 1.0, 7.0), (2, 1, 1.0, 7.0)],
    ),
    (
        "vertex_weights.graph",
        3,
        &[(0, 1, 1.0, 1.0), (1, 0, 1.0, 1.0), (1, 2, 1.0, 1.0), (2, 1, 1.0, 1.0)],
    ),
    ("both_weights.graph", 3, &[(0, 1, 1.0, 9.0), (1, 0, 1.0, 9.0)]),
    ("sizes.graph", 2, &[(0, 1, 1.0, 1.0), (1, 0, 1.0, 1.0)]),
    ("everything.graph", 2, &[(0, 1, 1.0, 9.0), (1, 0, 1.0, 9.0)]),
    ("isolated.graph", 3, &[]),
    (
        "assignment.dat",
        3,
        &[(0, 1, 1.0, 5.0), (1, 2, 1.0, 0.5), (2, 0, 1.0, 7.0), (2, 2, 1.0, 1.0)],
    ),
];

/// The same when messages count.
const MESSAGES: &[(&str, usize, &[Row])] = &[
    ("coordinate_integer_general.mtx", 3, &[(0, 1, 7.0, 7.0), (1, 2, 7.0, 7.0)]),
    ("array_integer_general.mtx", 2, &[(0, 0, 1.0, 1.0), (0, 1, 3.0, 3.0), (1, 0, 2.0, 2.0)]),
    ("edges.csv", 3, &[(0, 1, 5.0, 5.0), (1, 2, 7.0, 7.0)]),
    ("edges_with_messages.csv", 3, &[(0, 1, 2.0, 5.0), (1, 2, 3.0, 7.0)]),
    ("matrix.tsv", 2, &[(0, 1, 5.0, 5.0), (1, 0, 7.0, 7.0)]),
    ("both_weights.graph", 3, &[(0, 1, 9.0, 9.0), (1, 0, 9.0, 9.0)]),
];

fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn rows(traffic: &Traffic) -> Vec<Row> {
    traffic.flows().map(|flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes)).collect()
}

#[test]
fn good_files_mean_what_they_should() {
    for (weight, cases) in [(Weight::Bytes, BYTES), (Weight::Messages, MESSAGES)] {
        for (file, ranks, flows) in cases {
            let traffic = read_traffic(tests_folder().join("good").join(file), weight).unwrap();
            assert_eq!(traffic.num_ranks(), *ranks, "{file}");
            assert_eq!(rows(&traffic), *flows, "{file}");
        }
    }
}

#[test]
fn no_good_file_is_forgotten() {
    let present: BTreeSet<String> = fs::read_dir(tests_folder().join("good"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("mapping"))
        .filter(|name| !name.ends_with(".net") && !name.ends_with(".trace"))
        .collect();
    assert_eq!(present, BYTES.iter().map(|(file, ..)| file.to_string()).collect());
}

#[test]
fn vertex_weights_are_rank_weights() {
    for (file, expected) in [
        ("plain.graph", None),
        ("vertex_weights.graph", Some(&[4.0, 5.0, 6.0][..])),
        ("everything.graph", Some(&[4.0, 5.0][..])),
    ] {
        let path = tests_folder().join("good").join(file);
        assert_eq!(read_traffic(&path, Weight::Bytes).unwrap().rank_weights(), expected, "{file}");
    }
}

#[test]
fn a_list_of_messages_alone_is_read_when_messages_count() {
    let traffic = parse_traffic("a.csv", b"from,to,messages\n0,1,5\n", Weight::Messages).unwrap();
    assert_eq!(rows(&traffic), [(0, 1, 5.0, 5.0)]);
}

#[test]
fn content_decides_before_the_ending() {
    for (name, content) in [
        ("a.csv", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n"),
        ("a.mtx", "0,5\n0,0\n"),
        ("a", "# a comment\nfrom\tto\tbytes\n0\t1\t5\n"),
        ("a.dat", "0\t1\t5\n"),
    ] {
        let traffic = parse_traffic(name, content.as_bytes(), Weight::Bytes).unwrap();
        assert_eq!(rows(&traffic), [(0, 1, 1.0, 5.0)], "{name}");
    }
    let traffic = parse_traffic("a.txt", b"% two\n2 1\n2\n1\n", Weight::Bytes).unwrap();
    assert_eq!(traffic.num_flows(), 2);
}

#[test]
fn the_ending_decides_when_the_content_fits_two_formats() {
    // Three vertices without edges, or one edge.
    let content = b"3\t0\t0\n\n\n\n";
    assert_eq!(parse_traffic("a.graph", content, Weight::Bytes).unwrap().num_ranks(), 3);
    assert_eq!(parse_traffic("a.TSV", content, Weight::Bytes).unwrap().num_ranks(), 4);
}

#[test]
fn recorded_traffic_is_read_whole() {
    // Counted and added up with another program.
    for (file, weight, flows, total) in [
        ("lulesh-64.bytes.mtx", Weight::Bytes, 992, 135_920_072_376.0),
        ("npb-cg-c-64.messages.mtx", Weight::Messages, 368, 1_263_550.0),
    ] {
        let traffic = read_traffic(tests_folder().join("data").join(file), weight).unwrap();
        assert_eq!((traffic.num_ranks(), traffic.num_flows()), (64, flows), "{file}");
        assert_eq!(traffic.total(weight), total, "{file}");
    }
}

#[test]
fn mappings_are_read_from_json_and_text() {
    let read = |file| read_mapping(tests_folder().join("good").join(file)).unwrap();
    let expected = MappingFile {
        traffic: None,
        machine: Some("mesh:2".to_string()),
        node_of_rank: vec![0, 1],
        slot_of_rank: Some(vec![1, 0]),
        strategy: Some("auto".to_string()),
        objective: Some("hop-bytes".to_string()),
        seed: Some(1),
        cost: None,
        imbalance: None,
        seating: None,
    };
    assert_eq!(read("mapping.json"), expected);
    assert_eq!(read("mapping_without_ranks.json").node_of_rank, [0, 1]);
    let shared = read("mapping_imbalance.json");
    assert_eq!((shared.ranks(), shared.imbalance, shared.seed), (3, Some(0.03), None));
    let text = MappingFile { node_of_rank: vec![1, 0], ..MappingFile::default() };
    assert_eq!(read("mapping.txt"), text);
    let solution = read("mapping.sln");
    assert_eq!((solution.node_of_rank, solution.cost), (vec![1, 2, 0], Some(57.0)));
}

#[test]
fn networks_are_read_with_and_without_switches() {
    let file = |name: &str| tests_folder().join("good").join(name);
    let links = |name: &str| {
        let network = read_network(file(name)).unwrap();
        let links: Vec<_> = (0..network.num_links())
            .map(|id| network.link(LinkId(id)).unwrap())
            .map(|link| (link.from.0, link.to.0, link.properties.bytes_per_second))
            .collect();
        (network.num_nodes(), links)
    };
    let (nodes, ends) = links("ring.net");
    assert_eq!(nodes, 3);
    let usual = 10e9;
    let expected = [(0, 1), (0, 2), (0, 2), (1, 0), (1, 2), (2, 1), (2, 0), (2, 0)]
        .map(|(a, b)| (a, b, usual));
    assert_eq!(ends, expected);
    let expected = [(0, 2, 1e9), (1, 2, 5e9), (2, 0, 1e9), (2, 1, 5e9)];
    assert_eq!(links("switched.net"), (2, expected.to_vec()));
    let slow = read_network(file("switched.net")).unwrap().link(LinkId(1)).unwrap().properties;
    assert_eq!((slow.latency_seconds, slow.joules_per_byte), (1e-6, 2e-12));
    assert_eq!(links("single.net"), (1, vec![]));
}

#[test]
fn a_machine_is_read_from_the_file_that_it_names() {
    let spec = format!("graph:{},slots=2", tests_folder().join("good/switched.net").display());
    let machine = read_machine(&spec).unwrap();
    assert_eq!((machine.spec(), machine.num_slots()), (&*spec, 4));
    assert_eq!(machine.topology().distance(Vertex(0), Vertex(1)), 2);
    assert_eq!(machine.routing().name(), "ecmp");
    assert_eq!(read_machine("torus:4").unwrap().num_nodes(), 4);
    let message = |text: &str| read_machine(text).unwrap_err().to_string();
    assert_eq!(message("graph"), "graph: expected a file such as graph:network.txt");
    assert_eq!(
        message("graph:none.txt,slot=2"),
        "graph: unknown option \"slot\"; known: slots, node, place, adapter-bandwidth, adapter-latency; did you mean slots?"
    );
    assert_eq!(message("torus:x"), "torus: expected a shape such as 4x4x4, found \"x\"");
}
