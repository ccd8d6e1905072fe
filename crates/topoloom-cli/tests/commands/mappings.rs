//! Finding, writing, checking and scoring placements.

use serde_json::Value;

use crate::program::{json, path, refusal, stdout, topoloom, with};

#[test]
fn a_cost_matrix_is_read_from_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let (file, costs) = path(&directory, "costs.csv");
    let objective = format!("cost-matrix:{costs}");
    let map = |machine| {
        ["map", "--traffic", "ring:3", "--machine", machine, "--objective", &objective, "--json"]
    };
    let refused = |machine| refusal(&map(machine));
    assert!(refused("mesh:3").ends_with("costs.csv: cannot read: No such file or directory"));
    std::fs::write(&file, "0,1,2\n1,0\n2,4,0\n").unwrap();
    assert!(refused("mesh:3").ends_with("costs.csv:2: expected 3 columns, found 2"));
    std::fs::write(&file, "0,1,2\n1,0,4\n2,4,0\n").unwrap();
    let wrong_size = refused("mesh:4");
    assert!(wrong_size.starts_with("auto is not applicable: cost-matrix of "), "{wrong_size}");
    assert!(wrong_size.ends_with("costs.csv has 3 x 3 costs, but mesh:4 has 4 nodes"));
    assert_eq!(json(&map("mesh:3"))["objective"], "cost-matrix");
}

#[test]
fn a_mapping_is_written_checked_and_scored() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["mapping.json", "mapping.txt"] {
        let (file, mapping) = path(&directory, name);
        let found = json(&with("map", &["--strategy", "bokhari", "--output", &mapping, "--json"]));
        assert!(file.exists());
        assert_eq!(found["strategy"], "bokhari");
        assert_eq!(found["complete"], true);
        let scored = json(&with("score", &["--mapping", &mapping, "--json"]));
        assert_eq!(scored["hop_bytes"], found["hop_bytes"]);
        let verdict = stdout(&with("check", &["--mapping", &mapping]));
        // 22,128,532,608 bytes, each over one hop.
        assert_eq!(verdict, "valid: hop-bytes 22,128,532,608, maximum dilation 1\n");
    }
    let text = std::fs::read_to_string(directory.path().join("mapping.txt")).unwrap();
    assert_eq!(text.lines().count(), 64);
    let file: Value = serde_json::from_str(
        &std::fs::read_to_string(directory.path().join("mapping.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(file["format"], "topoloom-mapping");
    assert_eq!(file["version"], 1);
    assert_eq!(file["machine"], "haec:4x4x4");
    assert_eq!(file["ranks"], 64);
    assert_eq!(file["slot_of_rank"].as_array().unwrap().len(), 64);
    assert_eq!(file["seed"], 1);
}

#[test]
fn check_says_why_a_mapping_is_not_valid() {
    let directory = tempfile::tempdir().unwrap();
    let (file, mapping) = path(&directory, "wrong.txt");
    let arguments = ["check", "--traffic", "ring:3", "--machine", "torus:4", "--mapping", &mapping];
    std::fs::write(&file, "0\n1\n1\n").unwrap();
    topoloom(&arguments)
        .assert()
        .code(1)
        .stdout("not valid: node 1 holds 2 ranks, but has room for 1\n");
    std::fs::write(&file, "0\n1\n9\n").unwrap();
    topoloom(&arguments)
        .assert()
        .code(1)
        .stdout("not valid: rank 2 is on node 9, but the machine has nodes 0 to 3\n");
    std::fs::write(&file, "0\n1\n").unwrap();
    topoloom(&arguments).assert().code(1).stdout("not valid: 2 nodes for 3 ranks\n");
    std::fs::write(&file, "0\none\n2\n").unwrap();
    assert_eq!(refusal(&arguments), format!("{mapping}:2: expected a node number, found \"one\""));
    std::fs::remove_file(&file).unwrap();
    assert!(refusal(&arguments).starts_with(&format!("{mapping}: cannot read")));
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let run = |threads: &str, seed: &str| {
        let (file, mapping) = path(&directory, &format!("{threads}-{seed}.json"));
        stdout(&[
            "map",
            "--traffic",
            "random:ranks=60,degree=4,seed=3",
            "--machine",
            "torus:4x4x4",
            "--threads",
            threads,
            "--seed",
            seed,
            "--output",
            &mapping,
        ]);
        std::fs::read_to_string(file).unwrap()
    };
    assert_eq!(run("1", "7"), run("3", "7"));
    assert_ne!(run("1", "7"), run("1", "8"));
}

#[test]
fn above_a_bound_of_zero_there_is_no_gap_to_tell() {
    // Two silent pairs that could each share a node, placed apart: no bound except 0 is proven.
    let directory = tempfile::tempdir().unwrap();
    let (file, mapping) = path(&directory, "apart.txt");
    std::fs::write(&file, "0\n1\n").unwrap();
    let score = |mapping: &str| {
        json(&[
            "score",
            "--traffic",
            "ring:2",
            "--machine",
            "mesh:2,slots=2",
            "--mapping",
            mapping,
            "--json",
        ])
    };
    assert_eq!(score(&mapping)["hop_bytes"], 2);
    assert_eq!(score(&mapping)["gap"], Value::Null);
    assert_eq!(score("in-order")["gap"], 0);
}

#[test]
fn a_mapping_file_names_what_was_optimised() {
    let objective =
        |more: &[&str]| json(&with("map", &[&["--json"], more].concat()))["objective"].clone();
    assert_eq!(objective(&["--strategy", "bokhari:runs=1"]), "cardinality");
    assert_eq!(objective(&["--strategy", "hilbert"]), "hop-bytes");
    assert_eq!(
        objective(&["--strategy", "bokhari:runs=1", "--objective", "max-dilation"]),
        "max-dilation"
    );
}

#[test]
fn an_imbalance_lets_ranks_share_slots_and_stands_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let (file, mapping) = path(&directory, "mapping.json");
    let problem = ["--traffic", "stencil:16x16", "--machine", "tree:4:4:4,distances=1:10:100"];
    let map = |more: &[&'static str]| {
        let command = [&["map"], &problem[..], more, &["--output", &mapping]].concat();
        command.iter().map(|word| word.to_string()).collect::<Vec<_>>()
    };
    let command = map(&["--imbalance", "0.03", "--effort", "fast", "--json"]);
    let found = json(&command.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(found["max_link_load"], Value::Null);
    assert_eq!(found["routing"], "none");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(written["imbalance"], 0.03);
    // The file says what is allowed, so no option is needed.
    let scored = json(&[&["score"], &problem[..], &["--mapping", &mapping, "--json"]].concat());
    assert_eq!(scored["hop_bytes"], found["hop_bytes"]);
    let check = [&["check"], &problem[..], &["--mapping", &mapping]].concat();
    assert!(stdout(&check).starts_with("valid: "));
    // 4 ranks per slot; a list of nodes needs the option.
    let (list, nodes) = path(&directory, "nodes.txt");
    let text: String = (0..256).map(|rank| format!("{}\n", rank / 4)).collect();
    std::fs::write(&list, text.replacen("1\n", "0\n", 1)).unwrap();
    let check = [&["check"], &problem[..], &["--mapping", &nodes]].concat();
    topoloom(&check).assert().code(1);
    topoloom(&[&check[..], &["--imbalance", "0.03"]].concat())
        .assert()
        .code(1)
        .stdout("not valid: node 0 holds 5, but at most 4 is allowed\n");
    topoloom(&[&check[..], &["--imbalance", "0.25"]].concat()).assert().success();
    let score = [&["score"], &problem[..], &["--mapping", &nodes, "--imbalance", "0.25"]].concat();
    assert!(stdout(&score).contains("hop-bytes"));

    let refuse = |more: &[&str]| refusal(&[&["map"], &problem[..], more].concat());
    assert!(refuse(&[]).starts_with("256 ranks do not fit 64 slots"));
    assert!(refuse(&["--imbalance", "0.03", "--strategy", "bokhari"]).starts_with(
        "bokhari is not applicable: it puts one rank in each slot; if an imbalance lets"
    ));
    assert!(
        refuse(&["--imbalance", "0.03", "--strategy", "in-order | bokhari"])
            .contains("bokhari puts")
    );
    assert_eq!(
        refuse(&["--imbalance", "0.03", "--routing", "dimension-order"]),
        "tree:4:4:4,distances=1:10:100 has no links, so no routing can be chosen"
    );
    for wrong in ["-1", "nan", "inf", "much"] {
        assert!(refuse(&["--imbalance", wrong]).contains("imbalance"), "{wrong}");
    }
    assert!(refuse(&["--effort", "huge"]).contains("known: fast, eco, strong"));
}

/// The output is pinned; check it when it changes.
#[test]
fn a_score_looks_like_this() {
    let text = stdout(&[
        "score",
        "--traffic",
        "cg:class=S,ranks=8",
        "--machine",
        "torus:2x2,slots=2",
        "--mapping",
        "in-order",
    ]);
    let (head, _) = text.split_once("  time").unwrap();
    let (_, tail) = text.split_once("  hop-bytes").unwrap();
    let golden = include_str!("../golden/score.txt");
    assert_eq!(format!("{head}...\n  hop-bytes{tail}"), golden);
}
