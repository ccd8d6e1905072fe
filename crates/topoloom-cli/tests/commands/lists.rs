//! Lists, completions, manual pages and the reference page.

use std::path::Path;

use crate::program::{json, stdout};

#[test]
fn completions_and_manual_pages_come_from_the_command_line_itself() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&["completions", shell]).contains("time-limit"), "{shell}");
    }
    assert!(stdout(&["man"]).contains(".TH"));
    let directory = tempfile::tempdir().unwrap();
    stdout(&["man", "--directory", &directory.path().display().to_string()]);
    let page = std::fs::read_to_string(directory.path().join("topoloom-compare.1")).unwrap();
    assert!(page.contains("strategies"));
}

#[test]
fn the_reference_page_is_what_the_registries_say() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let written = std::fs::read_to_string(page).unwrap();
    let generated = stdout(&["list", "--markdown"]);
    assert!(
        written.ends_with(&generated),
        "docs/reference.md is out of date; its end is the output of `topoloom list --markdown`"
    );
}

#[test]
fn list_shows_every_kind_in_text_and_json() {
    let everything = json(&["list", "--json"]);
    let kinds = [
        "topologies",
        "traffic",
        "collectives",
        "strategies",
        "refiners",
        "objectives",
        "routings",
        "simulators",
        "models",
        "layouts",
        "formats",
        "traces",
        "launch",
        "exports",
        "arrangers",
        "measures",
        "queues",
        "partitions",
        "workloads",
    ];
    assert_eq!(everything.as_object().unwrap().len(), kinds.len());
    for kind in kinds {
        assert!(stdout(&["list"]).contains(kind));
        let one = json(&["list", kind, "--json"]);
        assert_eq!(one, everything[kind]);
        for entry in one.as_array().unwrap() {
            assert!(stdout(&["list", kind]).contains(entry["name"].as_str().unwrap()));
        }
    }
    for line in stdout(&["list", "strategies"]).lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}
