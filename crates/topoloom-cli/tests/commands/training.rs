//! Training jobs: groups, placements of whole hosts, spares, launch files and pictures.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{json, path, refusal, stdout, topoloom};

/// Sixteen hosts of two slots on four leaves; names do not follow leaves.
fn machine(folder: &TempDir, without: &str) -> String {
    let (_, conf) = path(folder, "topology.conf");
    let leaf = |leaf: u32| {
        let hosts: Vec<String> = (0..4).map(|host| format!("n{:02}", host * 4 + leaf)).collect();
        format!("SwitchName=leaf{leaf} Nodes={}\n", hosts.join(","))
    };
    let leaves: String = (0..4).map(leaf).collect();
    fs::write(&conf, format!("{leaves}SwitchName=spine Switches=leaf[0-3]\n")).unwrap();
    let (_, hosts) = path(folder, "hosts");
    let names = (0..16).map(|host| format!("n{host:02}")).filter(|name| name != without);
    fs::write(&hosts, names.map(|name| format!("{name} slots=2\n")).collect::<String>()).unwrap();
    let (_, machine) = path(folder, &format!("machine-{without}.json"));
    topoloom(&["machine", "import", &conf, &hosts, "-o", &machine]).assert().success();
    machine
}

const JOB: &str = "llm:layers=8,hidden=64,sequence=64,tp=2,pp=3,dp=4,gpus-per-node=2";

fn host_of(mapping: &Value, rank: usize) -> String {
    let host = mapping["host_of_rank"][rank].as_u64().unwrap() as usize;
    mapping["hosts"][host].as_str().unwrap().to_string()
}

fn read(file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn whole_hosts_are_placed_and_never_worse() {
    let folder = TempDir::new().unwrap();
    let machine = machine(&folder, "");
    let (_, mapping) = path(&folder, "mapping.json");
    let map = ["map", "--traffic", JOB, "--machine", &machine, "-o", &mapping, "--json"];
    let record = json(&map);
    assert_eq!(record["objective"], "group-bytes");
    assert!(record["gain"].as_f64().unwrap() >= 0.0);
    let crossing = |groups: &Value, kind: &str| {
        let kind = groups.as_array().unwrap().iter().find(|group| group["name"] == kind).unwrap();
        kind["levels"].as_array().unwrap().last().unwrap()["bytes"].as_f64().unwrap()
    };
    let (before, after) = (&record["baseline_groups"], &record["groups"]);
    assert!(crossing(after, "dp-cp") <= crossing(before, "dp-cp"));
    let placed = read(&mapping);
    for rank in (0..24).step_by(2) {
        assert_eq!(host_of(&placed, rank), host_of(&placed, rank + 1));
    }
    let text = stdout(&["map", "--traffic", JOB, "--machine", &machine]);
    // The first line has the names as they were given.
    assert!(text.lines().skip(1).all(|line| line.chars().count() <= 110), "{text}");
    assert!(text.contains("what groups send in a step"), "{text}");
}

#[test]
fn a_spare_replaces_a_lost_host() {
    let folder = TempDir::new().unwrap();
    let (_, before) = path(&folder, "before.json");
    let whole = machine(&folder, "");
    stdout(&["map", "--traffic", JOB, "--machine", &whole, "-o", &before]);
    let old = read(&before);
    let lost = host_of(&old, 6);
    let less = machine(&folder, &lost);
    let (_, after) = path(&folder, "after.json");
    let output =
        topoloom(&["map", "--traffic", JOB, "--machine", &less, "--keep", &before, "-o", &after])
            .assert()
            .success()
            .get_output()
            .clone();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("{lost} is gone, so 2 ranks move")), "{said}");
    let new = read(&after);
    let moved: Vec<usize> =
        (0..24).filter(|&rank| host_of(&old, rank) != host_of(&new, rank)).collect();
    assert_eq!(moved, [6, 7]);
}

#[test]
fn groups_that_must_stay_together_do_or_the_reason_is_said() {
    let folder = TempDir::new().unwrap();
    let machine = machine(&folder, "");
    let line = |together: &'static str| {
        let job = "llm:layers=8,hidden=64,sequence=64,tp=2,pp=4,dp=4,gpus-per-node=2";
        ["map", "--traffic", job, "--machine", &machine, "--together", together, "--json"]
            .map(str::to_string)
            .to_vec()
    };
    let words = |line: &Vec<String>| -> Vec<String> { line.clone() };
    let inside = words(&line("dp/switch1"));
    let record = json(&inside.iter().map(String::as_str).collect::<Vec<_>>());
    let groups = record["groups"].as_array().unwrap();
    let data = groups.iter().find(|group| group["name"] == "dp-cp").unwrap();
    assert_eq!(data["levels"].as_array().unwrap().last().unwrap()["bytes"], 0);
    let refused = |together: &'static str| {
        let line = words(&line(together));
        refusal(&line.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(refused("pp/node").contains("cannot stay inside hosts of 2 places"));
    assert!(refused("dp/nowhere").contains("unknown level"));
    assert!(refused("dp").contains("such as ep/nvlink"));
    let other = refusal(&[
        "map",
        "--traffic",
        JOB,
        "--machine",
        &machine,
        "--together",
        "tp/node",
        "--strategy",
        "rcm",
    ]);
    assert!(other.contains("need --strategy auto or node-order"), "{other}");
}

#[test]
fn groups_are_listed_drawn_and_advised_on() {
    let folder = TempDir::new().unwrap();
    let machine = machine(&folder, "");
    let groups = json(&["traffic", "groups", "llm:layers=2,hidden=64,tp=4,pp=2,dp=2", "--json"]);
    assert_eq!(groups["tp"][1], serde_json::json!([4, 5, 6, 7]));
    assert_eq!(groups["pp"][0], serde_json::json!([0, 8]));
    // Groups need no model.
    let bare = "llm:tp=2,pp=2,dp=4,ep=4,etp=1";
    assert_eq!(
        json(&["traffic", "groups", bare, "--json"])["ep"][1],
        serde_json::json!([4, 5, 6, 7])
    );
    assert!(stdout(&["traffic", "groups", bare]).contains("Give model="));
    let text = refusal(&["traffic", "groups", "ring:4"]);
    assert!(text.contains("the traffic has no groups"), "{text}");
    let (_, picture) = path(&folder, "groups.svg");
    let plot = ["plot", "groups", "--traffic", JOB, "--machine", &machine, "-o", &picture];
    topoloom(&plot).assert().success();
    let drawn = fs::read_to_string(&picture).unwrap();
    assert!(drawn.contains("n03: dp-cp group") && drawn.contains("no ranks"), "{drawn}");
    let wrong = refusal(&[&plot[..], &["--groups", "xp"]].concat());
    assert!(wrong.contains("unknown groups \"xp\"; known: tp, cp,"), "{wrong}");
    let text = stdout(&["advise", "--traffic", JOB, "--machine", &machine]);
    assert!(text.contains("segments of 4") && text.contains("order tp-cp-ep-pp-dp"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn the_report_has_a_section_on_groups() {
    let folder = TempDir::new().unwrap();
    let machine = machine(&folder, "");
    let (_, page) = path(&folder, "report.html");
    topoloom(&["report", "--traffic", JOB, "--machine", &machine, "-o", &page]).assert().success();
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.contains("id=\"groups\"") && page.contains("What groups send"));
}

#[test]
fn models_and_layouts_are_listed_and_every_layout_is_traffic() {
    let layouts = json(&["list", "layouts", "--json"]);
    assert!(layouts.as_array().unwrap().len() >= 10);
    for layout in layouts.as_array().unwrap() {
        let example = layout["example"].as_str().unwrap();
        if !layout["name"].as_str().unwrap().contains("16384") {
            let shown = json(&["traffic", "show", example, "--json"]);
            assert!(shown["groups"].as_array().unwrap().len() == 7, "{example}");
        }
    }
    assert!(stdout(&["list", "models"]).contains("deepseek-v3"));
}
