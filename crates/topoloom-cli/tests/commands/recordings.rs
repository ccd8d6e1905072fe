//! The recorder's own files on the command line.

use serde_json::Value;
use tempfile::TempDir;
use topoloom::io::{FlowKind, RecordedFlow, Recording, read_recording, write_recording};

use crate::program::{json, refusal, topoloom};

/// What a command that succeeds prints on standard error.
fn run(arguments: &[&str]) -> String {
    let output = topoloom(arguments).assert().success().get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

fn name(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

fn total(traffic: &str, collectives: &str) -> Value {
    let score = ["score", "--machine", "mesh:4", "--mapping", "in-order", "--json"];
    json(&[&score[..], &["--traffic", traffic, "--collectives", collectives]].concat())["total_weight"]
        .clone()
}

#[test]
fn a_recording_keeps_collectives_until_it_is_said_what_becomes_of_them() {
    let folder = TempDir::new().unwrap();
    let (kept, expanded) = (name(&folder, "kept.rec"), name(&folder, "expanded.rec"));
    let ft = "ft:class=S,ranks=4";
    let messages = run(&["generate", ft, "--output", &kept]);
    assert!(!messages.contains("warning"), "{messages}");
    assert!(messages.contains("collectives"), "{messages}");
    assert_eq!(total(&kept, "direct"), total(ft, "direct"));
    run(&["generate", &kept, "--output", &expanded, "--collectives", "direct"]);
    assert_eq!(total(&expanded, "none"), total(ft, "direct"));
    // A pattern's totals are written without its events, although these are known.
    assert!(read_recording(&kept).unwrap().trace.is_none());
}

#[test]
fn events_come_along_where_there_are_some() {
    let folder = TempDir::new().unwrap();
    let (text, with, again, back) = (
        name(&folder, "a.trace"),
        name(&folder, "a.rec"),
        name(&folder, "b.rec"),
        name(&folder, "b.trace"),
    );
    run(&["generate", "cg:class=S,ranks=4", "--output", &text]);
    run(&["generate", &text, "--output", &with]);
    run(&["generate", &with, "--output", &again]);
    run(&["generate", &again, "--output", &back]);
    assert_eq!(std::fs::read(&text).unwrap(), std::fs::read(&back).unwrap());
    assert_eq!(std::fs::read(&with).unwrap(), std::fs::read(&again).unwrap());
    let simulated = |option: &str, file: &str| {
        let arguments = ["simulate", option, file, "--machine", "mesh:4", "--mapping", "in-order"];
        let report = json(&[&arguments[..], &["--json"]].concat());
        assert_eq!(report["replay"], "trace");
        report["seconds"].clone()
    };
    assert_eq!(simulated("--trace", &with), simulated("--trace", &text));
    assert_eq!(simulated("--traffic", &with), simulated("--trace", &text));
    assert_eq!(total(&with, "none"), total("cg:class=S,ranks=4", "none"));
}

#[test]
fn totals_are_read_as_such_and_never_from_events() {
    let folder = TempDir::new().unwrap();
    let (text, file) = (name(&folder, "a.trace"), name(&folder, "a.rec"));
    std::fs::write(&text, "topoloom-trace 1\nranks 2\nrank 0\ns 1 100\nrank 1\nr 0\n").unwrap();
    run(&["generate", &text, "--output", &file]);
    let mut recording: Recording = read_recording(&file).unwrap();
    let put = RecordedFlow { to: 0, kind: FlowKind::OneSided, messages: 1.0, bytes: 11.0 };
    recording.flows[1].push(put);
    recording.notes.push("as it was".to_string());
    write_recording(&file, &recording).unwrap();
    assert_eq!(total(&file, "none"), 111);
    // Nothing is lost when it is written as a recording again.
    let copy = name(&folder, "b.rec");
    run(&["generate", &file, "--output", &copy]);
    assert_eq!(read_recording(&copy).unwrap(), recording);
    let edges = name(&folder, "b.csv");
    run(&["generate", &file, "--output", &edges]);
    assert_eq!(total(&edges, "none"), 111);
}

#[test]
fn totals_alone_cannot_be_replayed_event_by_event() {
    let folder = TempDir::new().unwrap();
    let (file, text) = (name(&folder, "a.rec"), name(&folder, "a.trace"));
    run(&["generate", "ring:4", "--output", &file]);
    let without = format!("{file}: recorded without a trace: it has totals, not events");
    let simulate = ["simulate", "--machine", "mesh:4", "--mapping", "in-order", "--json"];
    assert_eq!(refusal(&[&simulate[..], &["--trace", &file]].concat()), without);
    assert_eq!(refusal(&["generate", &file, "--output", &text]), without);
    let report = json(&[&simulate[..], &["--traffic", &file]].concat());
    assert_eq!(report["replay"], "burst");
}
