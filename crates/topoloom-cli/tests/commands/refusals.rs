//! What is refused, and the words of the errors.

use crate::program::{path, refusal, topoloom};

#[test]
fn what_needs_links_or_dimensions_says_so() {
    let on_tree = ["map", "--traffic", "ring:4", "--machine", "tree:2:2,distances=1:5"];
    assert_eq!(
        refusal(&[&on_tree[..], &["--objective", "max-link-load"]].concat()),
        "auto is not applicable: max-link-load needs links, and tree:2:2,distances=1:5 has none"
    );
    assert_eq!(
        refusal(&[&on_tree[..], &["--objective", "energy"]].concat()),
        "auto is not applicable: energy needs links, and tree:2:2,distances=1:5 has none"
    );
    let on_fat_tree = ["map", "--traffic", "ring:4", "--machine", "fat-tree:k=2"];
    assert_eq!(
        refusal(&[&on_fat_tree[..], &["--routing", "dimension-order"]].concat()),
        "dimension-order: the machine has no dimensions; expected ecmp or minimal-adaptive"
    );
}

#[test]
fn wrong_names_and_shapes_get_a_helpful_answer() {
    let score = |traffic: &str, machine: &str, mapping: &str| {
        refusal(&["score", "--traffic", traffic, "--machine", machine, "--mapping", mapping])
    };
    assert_eq!(
        score("ring:4", "tours:4", "in-order"),
        "unknown topology \"tours\"; known: cluster, dragonfly, fat-tree, graph, haec, hypercube, mesh, platform, torus, tree, twisted-torus; did you mean torus?"
    );
    assert_eq!(
        score("ring:4", "torus:4y4", "in-order"),
        "torus: expected a shape such as 4x4x4, found \"4y4\""
    );
    assert_eq!(
        score("ring:4", "torus:4,slot=2", "in-order"),
        "torus: unknown option \"slot\"; known: bandwidth, latency, energy, idle-power, double-links, slots, node, place, adapter-bandwidth, adapter-latency; did you mean slots?"
    );
    assert_eq!(
        score("ring:520", "torus:8x8x8", "in-order"),
        "520 ranks do not fit 512 slots (torus:8x8x8, 1 per node); give --imbalance to put several \
         in one slot"
    );
    assert!(
        score("rong:4", "torus:4", "in-order")
            .starts_with("unknown traffic pattern \"rong\"; known: ")
    );
    assert!(
        score("ring:4", "torus:4", "hilbrt").starts_with("unknown strategy \"hilbrt\"; known: ")
    );
    assert!(score("none.mtx", "torus:4", "in-order").starts_with("none.mtx: cannot read"));
    assert!(score("lu:class=C,ranks=7", "torus:7", "in-order").contains("nearby: 6, 8"));
    assert_eq!(
        refusal(&[
            "score",
            "--traffic",
            "ring:4",
            "--machine",
            "torus:4",
            "--mapping",
            "in-order",
            "--routing",
            "dimension-order:zyx"
        ]),
        "dimension-order: expected each of the letters x once, found \"zyx\""
    );
    for wrong in [
        &["map", "--traffic", "ring:4"][..],
        &["map", "--traffic", "ring:4", "--machine", "torus:4", "--time-limit", "soon"],
        &["map", "--traffic", "ring:4", "--machine", "torus:4", "--weight", "stones"],
        &["map", "--traffic", "ring:4", "--machine", "torus:4", "--threads", "0"],
        &["map", "--traffic", "ring:4", "--machine", "torus:4", "--objective", "fun"],
        &["frobnicate"],
        &["reproduce", "poetry"],
    ] {
        topoloom(wrong).assert().code(2).stdout("");
    }
}

#[test]
fn nothing_is_written_when_the_search_cannot_run() {
    let directory = tempfile::tempdir().unwrap();
    let (file, mapping) = path(&directory, "mapping.json");
    refusal(&["map", "--traffic", "ring:9", "--machine", "torus:4", "--output", &mapping]);
    refusal(&[
        "map",
        "--traffic",
        "ring:100",
        "--machine",
        "torus:100",
        "--strategy",
        "a-star",
        "--output",
        &mapping,
    ]);
    assert!(!file.exists());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_search() {
    let directory = tempfile::tempdir().unwrap();
    let (_, missing) = path(&directory, "none/mapping.json");
    let (file, traffic) = path(&directory, "traffic.csv");
    std::fs::write(&file, "0,1,5\n1,0,5\n").unwrap();
    // A search that would not end: the error comes before it.
    let map = |output: &str| {
        let problem = ["map", "--machine", "torus:4", "--traffic", &traffic, "--output", output];
        refusal(&[&problem[..], &["--strategy", "random-sampling:samples=1000000000000"]].concat())
    };
    assert!(map(&missing).contains("there is no folder"));
    assert!(map(&traffic).ends_with("would overwrite an input file"));
    assert!(map(&directory.path().display().to_string()).ends_with("expected a file name"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "0,1,5\n1,0,5\n");
}
