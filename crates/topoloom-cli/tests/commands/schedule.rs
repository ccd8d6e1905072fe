//! `topoloom schedule`: streams of jobs on a machine.

use std::fs;

use crate::program::{json, refusal, stdout, topoloom};

/// Eight jobs for 16 nodes, of which one has no run time and one is too large.
const MORNING: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../topoloom-io/tests/data/workloads/morning.swf");

fn schedule<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["schedule", "--strategy", "in-order"], more].concat()
}

#[test]
fn a_file_is_scheduled_by_hand_and_what_does_not_fit_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.csv").display().to_string();
    let arguments = schedule(&[
        "--machine",
        "mesh:16",
        "--jobs",
        MORNING,
        "--queue",
        "first-come",
        "--communication",
        "0",
        "--output",
        &out,
        "--json",
    ]);
    topoloom(&arguments).assert().success().stderr(
        "warning: 1 job without a known size or run time: left out\nwarning: 1 of 7 jobs left out: \
        not every policy can fit them on mesh:16\n",
    );
    // Job 2 takes all nodes when job 1 ends at 600; job 3 starts at 900, with 4, 6 and, once 3 and
    // 6 leave their nodes, 7: 2 + 8 + 1 are in use at 900, and 7 asks for 6 while 5 are free.
    let written = fs::read_to_string(&out).unwrap();
    let starts: Vec<&str> =
        written.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
    assert_eq!(starts, ["0", "600", "900", "900", "900", "945"], "{written}");
    let found = json(&arguments);
    assert_eq!(
        (&found["jobs"], &found["left_out"], &found["unknown"]),
        (&6.into(), &1.into(), &1.into())
    );
    // (540 + 810 + 805 + 660 + 645) / 6.
    let wait = found["policies"][0]["wait_seconds"]["mean"].as_f64().unwrap();
    assert!((wait - 3460.0 / 6.0).abs() < 1e-9, "{wait}");
    assert_eq!(found["policies"][0]["external_fragmentation"]["mean"], 0.0);
    assert_eq!(found["complete"], true);
}

#[test]
fn a_schedule_in_the_standard_format_is_a_workload_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.swf").display().to_string();
    let first = schedule(&["--machine", "torus:4x4", "--jobs", MORNING, "--output", &out]);
    stdout(&first);
    let written = fs::read_to_string(&out).unwrap();
    assert!(written.starts_with("; Version: 2.2\n; Computer: torus:4x4, simulated\n"), "{written}");
    // Job 2 waits: column 3.
    let second = written.lines().find(|line| line.starts_with("2 ")).unwrap();
    assert_eq!(second.split(' ').nth(2), Some("540"), "{second}");
    let again = json(&schedule(&["--machine", "torus:4x4", "--jobs", &out, "--json"]));
    assert_eq!(again["jobs"], 6);
}

#[test]
fn tables_fit_a_terminal_of_100_columns() {
    let model = ["--machine", "torus:4x4x4", "--workload", "lublin:jobs=40"];
    for more in [
        &["--seeds", "3"][..],
        &["--compare"],
        &["--compare", "--seeds", "2", "--queue", "first-come,easy,conservative"],
        &[
            "--partition",
            "free-box:shape=advise,fit=best,compact:centres=16",
            "--strategy",
            "in-order,greedy",
        ],
    ] {
        let shown = stdout(&schedule(&[&model, more].concat()));
        for line in shown.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn every_policy_that_suits_the_machine_is_compared_and_others_are_named() {
    let on = |machine: &str| {
        let more = ["--machine", machine, "--workload", "lublin:jobs=30", "--compare", "--json"];
        json(&schedule(&more))
    };
    let names = |found: &serde_json::Value, list: &str| -> Vec<String> {
        let all = found[list].as_array().unwrap().iter();
        all.map(|row| row["partition"].as_str().unwrap().to_string()).collect()
    };
    let torus = on("torus:4x4");
    assert_eq!(names(&torus, "policies"), ["any-nodes", "fixed", "free-box", "compact"]);
    assert_eq!(names(&torus, "not_applicable"), ["switches"]);
    let tree = on("fat-tree:k=4");
    assert_eq!(names(&tree, "policies"), ["any-nodes", "fixed", "compact", "switches"]);
    assert_eq!(names(&tree, "not_applicable"), ["free-box"]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let run = |threads: &str| {
        let arguments = [
            "schedule",
            "--machine",
            "torus:4x4",
            "--workload",
            "lublin:jobs=40",
            "--partition",
            "any-nodes,free-box:shape=advise",
            "--queue",
            "easy,conservative",
            "--seeds",
            "4",
            "--json",
            "--threads",
            threads,
        ];
        stdout(&arguments)
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn better_placements_make_jobs_faster() {
    // Rings of 16 on a plane: with ranks in order, each row ends with a step back.
    let run = |strategy: &str| {
        let found = json(&[
            "schedule",
            "--machine",
            "mesh:8x8",
            "--workload",
            "lublin:jobs=60",
            "--partition",
            "free-box:shape=2d",
            "--pattern",
            "stencil:2D",
            "--communication",
            "0.5",
            "--strategy",
            strategy,
            "--json",
        ]);
        found["policies"][0]["stretch"]["mean"].as_f64().unwrap()
    };
    assert!(run("auto") < run("in-order"));
}

#[test]
fn a_load_moves_arrivals() {
    let makespan = |load: &str| {
        let more =
            ["--machine", "mesh:16", "--workload", "lublin:jobs=50", "--load", load, "--json"];
        let found = json(&schedule(&more));
        found["policies"][0]["makespan_seconds"]["mean"].as_f64().unwrap()
    };
    assert!(makespan("0.1") > 2.0 * makespan("0.5"));
}

#[test]
fn what_cannot_be_scheduled_is_refused_in_words() {
    let said = |more: &[&str]| refusal(&schedule(&[&["--machine", "torus:4x4"], more].concat()));
    assert_eq!(
        said(&["--queue", "lottery"]),
        "unknown queue policy \"lottery\"; known: conservative, easy, first-come"
    );
    assert_eq!(
        said(&["--partition", "switches"]),
        "switches needs groups in groups, such as a tree, a fat tree or a cluster, not torus:4x4"
    );
    assert!(said(&["--partition", "free-box:shape=4d"]).contains("any, cube, 2d, 3d or advise"));
    assert!(said(&["--shape", "2d"]).starts_with("--shape is for the partition policy free-box"));
    assert!(said(&["--pattern", "ring:8"]).contains("expected N, 2D or 3D"));
    assert!(said(&["--workload", "lublin:jobs=0"]).contains("at least 1"));
    assert!(said(&["--workload", "lublin:jobs=4000000000"]).contains("too many"));
    assert!(said(&["--communication", "1.5"]).contains("from 0 to 1"));
    assert!(said(&["--load", "0"]).contains("0.001"));
    assert!(said(&["--objective", "cost-matrix:x"]).contains("x"));
    assert!(said(&["--jobs", "no/such.swf"]).starts_with("no/such.swf: cannot read"));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.csv").display().to_string();
    assert!(said(&["--output", &out, "--seeds", "2"]).starts_with("--output is for one run"));
    assert!(said(&["--time-limit", "0s"]).starts_with("no run was done"));
    // Nothing fits.
    let jobs = folder.path().join("a.swf").display().to_string();
    fs::write(&jobs, "1 0 -1 10 17 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n").unwrap();
    assert!(said(&["--jobs", &jobs]).ends_with("there are no jobs that fit the machine"));
    let tree = ["schedule", "--machine", "tree:4:4,distances=1:2", "--objective", "max-link-load"];
    assert!(refusal(&tree).contains("needs links"), "{}", refusal(&tree));
}
