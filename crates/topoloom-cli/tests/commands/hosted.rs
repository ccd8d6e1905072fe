//! Hosts with something inside on networks with a name, and what `map` decides by a simulated run.

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{path, topoloom};

/// Two packages of four cores.
const NODE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/node.xml");

fn json(line: &[&str]) -> Value {
    let output = topoloom(line).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_network_takes_a_node_and_its_ranks_share_an_adapter() {
    for network in
        ["torus:2x2x2", "fat-tree:k=4", "dragonfly:groups=3,routers=2,nodes=2", "hypercube:3"]
    {
        let machine = format!("{network},node={NODE}");
        let traffic = "stencil:8x8,bytes=1000";
        let line = [
            "score",
            "--traffic",
            traffic,
            "--machine",
            &machine,
            "--mapping",
            "in-order",
            "--json",
        ];
        let score = json(&line);
        // 8 ranks of a host are a row of the grid: 16 messages leave it, all over its adapter.
        assert_eq!(score["max_link_load"].as_f64(), Some(16_000.0), "{network}");
        assert!(score["busiest_link"].as_str().unwrap().contains("->"), "{network}");
        assert!(score["max_inner_load"].as_f64().unwrap() > 0.0, "{network}");
    }
}

#[test]
fn options_of_nodes_are_checked() {
    let wrong = |machine: String, expected: &str| {
        let output = topoloom(&["machine", "show", &machine]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    };
    wrong(format!("torus:2x2,slots=2,node={NODE}"), "expected no slots");
    wrong("torus:2x2,place=core".to_string(), "\"place\" needs a node=FILE");
    wrong(format!("tree:2:2,distances=1:2,node={NODE}"), "has no links");
    wrong(format!("torus:2x2,node={NODE},place=gpu"), "has no place for a rank");
    wrong(format!("torus:2x2,node={NODE},adapter-bandwidth=0"), "a positive number");
    wrong("torus:2x2,node=no-such-file.xml".to_string(), "no-such-file.xml");
}

#[test]
fn a_file_of_a_node_may_have_commas_and_equals_signs_in_its_name() {
    let folder = TempDir::new().unwrap();
    let (file, name) = path(&folder, "a,b=c.xml");
    std::fs::copy(NODE, &file).unwrap();
    let machine = format!("torus:2x2,node=\"{name}\"");
    assert_eq!(json(&["machine", "show", &machine, "--json"])["places"], 32);
}

#[test]
fn map_keeps_what_is_faster_in_a_simulated_run() {
    let machine = format!("torus:2x2x2,node={NODE}");
    let line = ["map", "--traffic", "stencil:4x4x4,bytes=9999", "--machine", &machine, "--json"];
    let found = json(&line);
    assert!(found["simulated_gain"].as_f64().unwrap() > -0.01, "{found}");
    // With an objective of the user's choice, the cost alone decides.
    let line = [&line[..], &["--objective", "hop-bytes"]].concat();
    assert!(json(&line).get("simulated_gain").is_none());
}
