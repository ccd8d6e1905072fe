//! Assignment problems of QAPLIB: both matrices are in the traffic file.

use std::fs;

use crate::program::{json, path, refusal, stdout, topoloom};

fn instance(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/qaplib/instances");
    format!("{folder}/{name}")
}

#[test]
fn a_published_solution_costs_what_was_published() {
    let (file, solution) = (instance("nug30.dat"), instance("nug30.sln"));
    let score = json(&["score", "--traffic", &file, "--mapping", &solution, "--json"]);
    assert_eq!(score["cost_matrix"], 6124);
    assert_eq!(score["nodes"], 30);
    assert!(score["lower_bound"].is_null() && score["gap"].is_null(), "bounds of distances");
    let verdict = stdout(&["check", "--traffic", &file, "--mapping", &solution]);
    assert_eq!(verdict, "valid: cost-matrix 6,124\n");
    let text = stdout(&["score", "--traffic", &file, "--mapping", &solution]);
    assert!(text.contains("(30 ranks) on 30 nodes, with the costs of the file\n"), "{text}");
    // Distances mean nothing here.
    assert!(text.contains("6,124") && !text.contains("hop-bytes"), "{text}");
}

#[test]
fn the_costs_of_the_file_are_minimised_without_a_machine() {
    let folder = tempfile::tempdir().unwrap();
    let (_, mapping) = path(&folder, "mapping.json");
    let (_, solution) = path(&folder, "mapping.sln");
    let file = instance("chr25a.dat");
    let map = |output: &str| {
        json(&["map", "--traffic", &file, "--effort", "fast", "--output", output, "--json"])
    };
    let found = map(&mapping);
    assert_eq!(found["objective"], "cost-matrix");
    assert_eq!(found["cost_matrix"], found["objective_cost"]);
    // The optimum is 3796, and ranks in order cost several times as much.
    let cost = found["cost_matrix"].as_f64().unwrap();
    assert!((3796.0..8000.0).contains(&cost), "{cost}");
    map(&solution);
    let text = fs::read_to_string(&solution).unwrap();
    assert!(text.starts_with(&format!("25 {cost}\n")), "{text}");
    for name in [&mapping, &solution] {
        let score = json(&["score", "--traffic", &file, "--mapping", name, "--json"]);
        assert_eq!(score["cost_matrix"], found["cost_matrix"]);
        topoloom(&["check", "--traffic", &file, "--mapping", name]).assert().success();
    }
    let table = stdout(&["compare", "--traffic", &file, "--strategy", "in-order,greedy"]);
    assert!(table.contains("cost-matrix") && !table.contains("hop-bytes"), "{table}");
    let csv = stdout(&["compare", "--traffic", &file, "--strategy", &mapping, "--csv"]);
    let cells = |line: usize| csv.lines().nth(line).unwrap().rsplit(',').next().unwrap();
    assert_eq!((cells(0), cells(1)), ("cost_matrix", &cost.to_string()[..]), "{csv}");
}

#[test]
fn with_a_machine_only_the_traffic_counts_unless_the_costs_are_named() {
    let file = instance("nug30.dat");
    let costs = format!("cost-matrix:{file}");
    let problem = ["--traffic", &file, "--machine", "mesh:5x6", "--mapping", "in-order", "--json"];
    let score = json(&[&["score"], &problem[..]].concat());
    assert!(score.get("cost_matrix").is_none());
    let with_costs = json(&[&["score", "--objective", &costs], &problem[..]].concat());
    assert_eq!(with_costs["hop_bytes"], score["hop_bytes"]);
    let alone = json(&["score", "--traffic", &file, "--mapping", "in-order", "--json"]);
    assert_eq!(with_costs["cost_matrix"], alone["cost_matrix"]);
}

#[test]
fn what_does_not_fit_is_refused_or_told() {
    let folder = tempfile::tempdir().unwrap();
    let (file, short) = path(&folder, "short.dat");
    fs::write(&file, "2\n0 1\n1 0\n0 3\n3\n").unwrap();
    let refused = refusal(&["map", "--traffic", &short]);
    let expected =
        "short.dat:1: expected 8 numbers after the size, for two matrices of 2 x 2, found 7";
    assert!(refused.ends_with(expected), "{refused}");
    fs::write(&file, "2\n0 1\n1 0\n0 3\n-3 0\n").unwrap();
    let refused = refusal(&["map", "--traffic", &short]);
    let expected = "short.dat:5: expected a number that is not negative, found \"-3\"";
    assert!(refused.ends_with(expected), "{refused}");
    let refused = refusal(&["map", "--traffic", "ring:4"]);
    assert!(refused.starts_with("--machine is missing"), "{refused}");
    let costs = format!("cost-matrix:{}", instance("nug30.dat"));
    let ring = ["score", "--traffic", "ring:4", "--machine", "mesh:4", "--objective", &costs];
    let (file_of_nodes, nodes) = path(&folder, "nodes.txt");
    fs::write(file_of_nodes, "0\n1\n2\n3\n").unwrap();
    let refused = refusal(&[&ring[..], &["--mapping", &nodes]].concat());
    assert!(refused.ends_with("nug30.dat has 30 x 30 costs, but mesh:4 has 4 nodes"), "{refused}");
    let (_, solution) = path(&folder, "x.sln");
    let refused =
        refusal(&["map", "--traffic", "ring:4", "--machine", "mesh:4", "--output", &solution]);
    assert!(refused.contains("a solution of QAPLIB needs the costs"), "{refused}");
    // A solution that says something else.
    fs::write(&file, "2\n0 1\n1 0\n0 3\n3 0\n").unwrap();
    fs::write(folder.path().join("x.sln"), "2 7\n1 2\n").unwrap();
    let output =
        topoloom(&["check", "--traffic", &short, "--mapping", &solution]).output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("says that the placement costs 7, but it costs 6"), "{said}");
    fs::write(folder.path().join("x.sln"), "2 6\n1 1\n").unwrap();
    topoloom(&["check", "--traffic", &short, "--mapping", &solution]).assert().code(1);
}
