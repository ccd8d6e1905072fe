//! `topoloom arrange` and `reproduce heterogeneous`, as a user sees them.

use std::fs;

use serde_json::Value;

use crate::program::{json, refusal, stdout, topoloom};

/// Total cost under the first measure, by strategy.
fn cost(record: &Value, strategy: &str) -> f64 {
    let arrangements = record["arrangements"].as_array().unwrap();
    let found = arrangements.iter().find(|found| found["strategy"] == strategy).unwrap();
    found["costs"][0]["total"].as_f64().unwrap()
}

/// The cost is at least a quarter lower on the clusters of tables 3.9 and 3.11, 90 processors each.
#[test]
fn ninety_processors_cost_a_quarter_less() {
    for example in ["example:thesis-3.9", "example:thesis-3.11"] {
        let record = json(&["arrange", "--platform", example, "--compare", "--json"]);
        let unarranged = cost(&record, "none");
        assert!(cost(&record, "bandwidth") < 0.75 * unarranged, "{example}");
        assert!(cost(&record, "auto") <= cost(&record, "bandwidth"), "{example}");
    }
}

/// Table 4.2, and the gain from a single column of parts.
#[test]
fn mpdata_on_twelve_nodes_is_better_than_the_thesis_thought() {
    let arrange = |strategy: &str, side: &str| {
        let record = json(&[
            "arrange",
            "--platform",
            "example:thesis-4.1",
            "--application",
            "mpdata",
            "--strategy",
            strategy,
            "--min-side",
            side,
            "--json",
        ]);
        (cost(&record, strategy).round(), record)
    };
    assert!(arrange("asymmetric", "2").0 <= 2_143_978.0);
    assert_eq!(arrange("auto", "2").0, 2_143_736.0);
    let (found, record) = arrange("auto", "1");
    assert_eq!(found, 924_882.0);
    assert_eq!(record["arrangements"][1]["columns"].as_array().unwrap().len(), 1);
    let wrapped = json(&[
        "arrange",
        "--platform",
        "example:thesis-4.1",
        "--application",
        "mpdata",
        "--wrap",
        "--shape",
        "6x2",
        "--json",
    ]);
    assert_eq!(wrapped["measure"], "asymmetric:bytes=1,wrap");
    assert_eq!(wrapped["arrangements"][1]["columns"].as_array().unwrap().len(), 2);
    assert!(cost(&wrapped, "auto") > 2_143_736.0);
}

#[test]
fn what_is_written_serves_the_other_commands() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let arrange = [
        "arrange",
        "--platform",
        "example:thesis-3.3",
        "--blocks",
        "60",
        "--output",
        &path("arranged.json"),
        "--svg",
        &path("arranged.svg"),
        "--mapping",
        &path("mapping.json"),
    ];
    let text = stdout(&arrange);
    assert!(text.contains("as partitioned") && text.contains("written to"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let picture = fs::read_to_string(path("arranged.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("Chimint"));
    let machine = "platform:example:thesis-3.3";
    let score = json(&[
        "score",
        "--traffic",
        &path("arranged.json"),
        "--machine",
        machine,
        "--mapping",
        &path("mapping.json"),
        "--json",
    ]);
    assert_eq!(score["ranks"], 16);
    let simulated = json(&[
        "simulate",
        "--trace",
        &path("arranged.json"),
        "--machine",
        machine,
        "--mapping",
        "in-order",
        "--model",
        "flow",
        "--json",
    ]);
    assert!(simulated["seconds"].as_f64().unwrap() > 0.0 && simulated["unreceived"] == 0);
    // A second run writes the same bytes.
    let before = fs::read(path("arranged.json")).unwrap();
    stdout(&[&arrange[..], &["--threads", "1"]].concat());
    assert_eq!(fs::read(path("arranged.json")).unwrap(), before);
    assert_eq!(fs::read_to_string(path("arranged.svg")).unwrap(), picture);
}

#[test]
fn mistakes_are_named() {
    let platform = ["arrange", "--platform", "example:thesis-3.3"];
    let refused = |more: &[&str]| refusal(&[&platform[..], more].concat());
    assert!(refused(&["--wrap"]).contains("--wrap is for --application mpdata"));
    let text = refused(&["--application", "mpdata", "--flow", "ring"]);
    assert!(text.contains("--flow is for --application summa"), "{text}");
    let text = refused(&["--application", "mpdata", "--shape", "3x5"]);
    assert!(text.contains("expected 16 parts"), "{text}");
    assert!(refused(&["--strategy", "luck"]).contains("unknown arrangement strategy"));
    assert!(refused(&["--measure", "luck"]).contains("unknown measure"));
    assert!(refused(&["--blocks", "3"]).contains("16 processors"));
    assert!(refused(&["--strategy", "asymmetric"]).contains("not applicable"));
    let text = refusal(&["arrange", "--platform", "example:nowhere"]);
    assert!(text.contains("known: thesis-3.3"), "{text}");
    assert!(refusal(&["arrange"]).contains("--platform"));
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/arranged.json").display().to_string();
    assert!(refused(&["--output", &missing]).contains("there is no folder"));
}

/// With a time limit, the result is the best so far.
#[test]
fn a_time_limit_gives_what_there_is() {
    let output = topoloom(&[
        "arrange",
        "--platform",
        "example:thesis-3.9",
        "--effort",
        "strong",
        "--time-limit",
        "50ms",
        "--json",
    ])
    .output()
    .unwrap();
    assert!(output.status.success());
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(cost(&record, "auto") < 0.75 * cost(&record, "none"));
}

/// Algorithm 3 on processors of unequal speed.
#[test]
fn parts_by_speed_are_in_balance_and_equal_parts_are_not() {
    let run = |parts: &str| {
        json(&[
            "arrange",
            "--platform",
            "example:thesis-3.3",
            "--application",
            "mpdata",
            "--parts",
            parts,
            "--strategy",
            "asymmetric",
            "--json",
        ])
    };
    let by_speed = run("by-speed");
    assert_eq!(by_speed["parts"], "by-speed");
    assert!(by_speed["imbalance"].as_f64().unwrap() < 1.02, "{}", by_speed["imbalance"]);
    assert!(cost(&by_speed, "asymmetric") < 0.8 * cost(&by_speed, "none"));
    // The slowest is less than half as fast as the average.
    assert!(run("equal")["imbalance"].as_f64().unwrap() > 1.5);
}

/// Published numbers that we reproduce, and those for which the rows of the thesis do not add up.
#[test]
fn the_tables_of_the_thesis_come_out() {
    let records = json(&["reproduce", "heterogeneous", "--json"]);
    let records = records.as_array().unwrap();
    let find = |table: &str, what: &str| {
        let line = records.iter().find(|line| line["table"] == table && line["what"] == what);
        let line = line.unwrap_or_else(|| panic!("{table}: {what}"));
        (line["published"].as_f64().unwrap_or(f64::NAN), line["ours"].as_f64().unwrap())
    };
    for table in ["3.4", "3.5", "3.6", "3.7"] {
        let (published, ours) = find(table, "total");
        assert!((published - ours).abs() < 0.05, "{table}: {published} {ours}");
    }
    assert_eq!(find("3.4", "sum of the rows").0.round(), 1976.0);
    assert_eq!(find("3.5", "sum of the rows").0.round(), 1884.0);
    // By hand: columns 12 + 24 + 27 or 12 + 24 + 18, and 32 rows that cross twice at most.
    assert_eq!(find("3.2", "worst case"), (127.0, 127.0));
    assert_eq!(find("3.2", "optimal"), (104.0, 118.0));
    assert_eq!(find("3.2", "optimal, rows from the best beginning"), (104.0, 104.0));
    let (published, ours) = find("4.2", "2x6, column by column");
    assert_eq!(published, ours.floor());
    // A multiplication with rings is faster once it is arranged.
    for table in ["3.10", "3.12"] {
        let seconds = |name: &str| find(table, &format!("{name}: seconds (ring)")).1;
        assert!(seconds("bandwidth") < seconds("FPM-BR"), "{table}");
        assert!(seconds("shared-links") < 0.8 * seconds("FPM-BR"), "{table}");
    }
    // The hop-count arrangement of table 3.10 fills the slowest link, if messages share it.
    let seconds = |name: &str, how: &str| find("3.10", &format!("{name}: seconds (ring{how})")).1;
    assert!(seconds("hop-count", "") > 1.3 * seconds("FPM-BR", ""));
    let not_shared = ", links not shared";
    assert!(seconds("hop-count", not_shared) < seconds("FPM-BR", not_shared));
    assert!(seconds("bandwidth", not_shared) < 0.9 * seconds("FPM-BR", not_shared));
    let remark = |text: &str| {
        records
            .iter()
            .any(|line| line["remark"].as_str().is_some_and(|remark| remark.contains(text)))
    };
    assert!(remark("add up to 1976.23, not to the printed total of 1948.15"));
}
