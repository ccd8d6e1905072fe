//! Strategies compared, as a user sees them.

use crate::program::{json, refusal, stdout, with};

#[test]
fn compare_lists_every_strategy_best_first() {
    let rows = json(&with("compare", &["--json", "--strategy", "all"]));
    let rows = rows.as_array().unwrap();
    let known = json(&["list", "strategies", "--json"]);
    assert_eq!(rows.len(), known.as_array().unwrap().len());
    let costs: Vec<f64> = rows.iter().filter_map(|row| row["hop_bytes"].as_f64()).collect();
    assert!(costs.is_sorted());
    assert_eq!(rows[0]["hop_bytes"], rows[0]["lower_bound"], "LU.C.64 has a perfect placement");
    let ran = rows.iter().filter(|row| row["not_applicable"].is_null());
    for row in ran {
        for field in ["strategy", "seconds", "seed", "evaluations", "complete", "gap", "routing"] {
            assert!(!row[field].is_null(), "{field}");
        }
    }
}

#[test]
fn compare_fits_a_terminal_of_100_columns() {
    for machine in ["torus:16x16x16", "mesh:16x16x16,slots=2", "hypercube:12"] {
        let text = stdout(&[
            "compare",
            "--traffic",
            "lu:class=D,ranks=4096",
            "--machine",
            machine,
            "--strategy",
            "in-order,hilbert,minmd,genetic:population=10,generations=1",
        ]);
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 100, "{longest} columns:\n{text}");
    }
}

#[test]
fn a_strategy_that_does_not_fit_is_listed_with_its_reason() {
    let arguments = [
        "compare",
        "--traffic",
        "stencil:10x10",
        "--machine",
        "torus:100",
        "--strategy",
        "a-star,in-order",
    ];
    let rows = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(rows[0]["strategy"], "in-order");
    assert_eq!(
        rows[1]["not_applicable"],
        "it is for at most 64 slots, not 100 (a-star:max-slots=...)"
    );
    let csv = stdout(&[&arguments[..], &["--csv"]].concat());
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("strategy,hop_bytes,") && lines[1].starts_with("in-order,"));
    assert!(stdout(&arguments).contains("a-star is not applicable: it is for at most 64 slots"));
}

#[test]
fn repeated_runs_are_tested_against_the_best_strategy() {
    let arguments = [
        "compare",
        "--traffic",
        "stencil:4x4",
        "--machine",
        "mesh:4x4",
        "--objective",
        "traffic-distribution",
        "--strategy",
        "random,consecutive,a-star:max-slots=9",
        "--repeat",
        "6",
        "--seed",
        "3",
    ];
    let rows = json(&[&arguments[..], &["--json"]].concat());
    // A stencil placed row by row is the mesh itself: 48 flows, each with one hop and a difference
    // of one.
    let first = &rows[0];
    assert_eq!(first["strategy"], "consecutive");
    assert_eq!(
        (&first["repeat"], &first["best"], &first["mean"]),
        (&6.into(), &96.into(), &96.into())
    );
    assert_eq!(first["deviation"], 0);
    assert!(first["p_value"].is_null() && first["significant"].is_null());
    let second = &rows[1];
    assert_eq!(second["strategy"], "random");
    // The first gives the same placement with every seed, and all six runs of the other cost more:
    // 2 / 2^6.
    assert_eq!(second["p_value"], 0.03125);
    assert_eq!(second["significant"], true);
    // The record is that of the best run.
    let seed = second["seed"].as_u64().unwrap();
    assert!((3..9).contains(&seed), "{seed}");
    assert!(rows[2]["not_applicable"].is_string());

    let csv = stdout(&[&arguments[..], &["--csv"]].concat());
    let header = csv.lines().next().unwrap();
    assert!(header.ends_with(",not_applicable,repeat,best,mean,deviation,p_value,significant"));
    let text = stdout(&arguments);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(
        text.contains("traffic-distribution over 6 runs per strategy, sorted by mean"),
        "{text}"
    );
    let once: Vec<&str> =
        arguments.iter().filter(|word| !["--repeat", "6"].contains(word)).copied().collect();
    assert!(!stdout(&[&once[..], &["--csv"]].concat()).contains("deviation"));
}

#[test]
fn refiners_follow_a_strategy() {
    let cost = |strategy: &str| {
        json(&[
            "map",
            "--traffic",
            "stencil:8x8",
            "--machine",
            "torus:4x4x4",
            "--strategy",
            strategy,
            "--json",
        ])["hop_bytes"]
            .as_f64()
            .unwrap()
    };
    assert!(cost("hilbert | bokhari") < cost("hilbert"));
}

#[test]
fn a_time_limit_keeps_the_best_so_far_and_says_so() {
    let found = json(&[
        "map",
        "--traffic",
        "stencil:32x32",
        "--machine",
        "torus:16x8x8",
        "--strategy",
        "random-sampling:samples=100000000",
        "--time-limit",
        "50ms",
        "--json",
    ]);
    assert_eq!(found["complete"], false);
    assert!(found["evaluations"].as_u64().unwrap() < 100_000_000);
}

#[test]
fn a_list_of_strategies_has_the_same_option_everywhere_and_its_older_name_still_works() {
    let problem = ["compare", "--traffic", "ring:4", "--machine", "mesh:4", "--json"];
    let names = |option: &str| -> Vec<String> {
        let rows = json(&[&problem[..], &[option, "in-order,random"]].concat());
        let name = |row: &serde_json::Value| row["strategy"].as_str().unwrap().to_string();
        rows.as_array().unwrap().iter().map(name).collect()
    };
    assert_eq!(names("--strategy"), names("--strategies"));
    for command in ["map", "compare", "report", "plot", "advise", "schedule", "tune", "arrange"] {
        let help = stdout(&[command, "--help"]);
        assert!(help.contains("--strategy <"), "{command}: {help}");
        let older = help.contains("--strategies");
        assert_eq!(older, ["compare", "report"].contains(&command), "{command}: {help}");
    }
}

#[test]
fn mapping_files_are_compared_with_strategies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.txt");
    std::fs::write(&path, "3\n2\n1\n0\n").unwrap();
    let path = path.to_str().unwrap();
    let problem = ["compare", "--traffic", "ring:4", "--machine", "mesh:4", "--json", "--strategy"];
    let rows = json(&[&problem[..], &[&format!("in-order,{path},random")]].concat());
    let mine = rows.as_array().unwrap().iter().find(|row| row["strategy"] == *path).unwrap();
    assert_eq!(mine["hop_bytes"], 12.0);
    let wrong = folder.path().join("short.txt");
    std::fs::write(&wrong, "3\n2\n").unwrap();
    let error = refusal(&[&problem[..], &[wrong.to_str().unwrap()]].concat());
    assert!(error.contains("short.txt: not a valid mapping: 2 ranks"), "{error}");
}
