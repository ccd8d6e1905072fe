//! `topoloom machine`, as a user sees it.

use std::fs;

use crate::program::{json, refusal, stdout, topoloom};

/// Two hosts, each with one package of two caches with two cores each, and with its own switch.
const MACHINE: &str = r#"{"format": "topoloom-machine", "version": 1, "place": "core",
 "costs": {"switch2": 30, "package": 5},
 "hosts": [{"names": "n1", "kind": 0, "group": 1}, {"names": "n2", "kind": 0, "slots": 3, "group": 2}],
 "kinds": [{"node": {"kind": "node", "in": [{"kind": "package", "index": 0, "in": [
   {"kind": "L2", "in": [{"kind": "core", "cpus": "0,4"}, {"kind": "core", "cpus": "1,5"}]},
   {"kind": "L2", "in": [{"kind": "core", "cpus": "2,6"}, {"kind": "core", "cpus": "3,7"}]}]}]}}],
 "network": {"switches": 3, "links": 4, "groups": [{"name": "top", "level": 2},
   {"name": "a", "level": 1, "in": 0}, {"name": "b", "level": 1, "in": 0}]}}"#;

const TOPOLOGY: &str = "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\n\
                        SwitchName=spine Switches=leaf[1-2]\n";

/// A folder with files of these names in it.
fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let paths = files.iter().map(|(name, content)| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.display().to_string()
    });
    let paths = paths.collect();
    (folder, paths)
}

#[test]
fn a_described_machine_is_shown_as_a_tree_and_in_a_sentence() {
    let (_folder, paths) = folder(&[("machine.json", MACHINE)]);
    let text = stdout(&["machine", "show", &paths[0]]);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let text = text.replace('\n', " ");
    assert!(text.contains("2 hosts, each with 1 package x 2 L2 x 2 cores of 2 threads"), "{text}");
    assert!(text.contains("on 3 switches in 2 levels with 4 links; 7 places for ranks"), "{text}");
    assert!(text.contains("└─ 1 host, 3 slots: n2"), "{text}");
    let found = json(&["machine", "show", &paths[0], "--json"]);
    assert_eq!(
        (&found["places"], &found["cores"], &found["threads"]),
        (&7.into(), &8.into(), &16.into())
    );
    let costs: Vec<(&str, u64)> = found["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| (level["name"].as_str().unwrap(), level["cost"].as_u64().unwrap()))
        .collect();
    assert_eq!(costs, [("L2", 2), ("package", 5), ("switch2", 30)]);
}

#[test]
fn other_machines_are_shown_in_a_sentence_too() {
    let text = stdout(&["machine", "show", "torus:4x4x4,slots=2"]);
    assert!(
        text.starts_with("torus:4x4x4,slots=2: 64 nodes with 2 slots each, 128 places"),
        "{text}"
    );
    let found = json(&["machine", "show", "tree:4:8,distances=1:10", "--json"]);
    assert_eq!((&found["nodes"], &found["max_distance"]), (&32.into(), &10.into()));
}

#[test]
fn files_are_joined_and_the_machine_can_be_used() {
    let (folder, paths) =
        folder(&[("topology.conf", TOPOLOGY), ("hosts", "n4 slots=2\nn1 slots=1\n")]);
    let output = folder.path().join("machine.json").display().to_string();
    let found = json(&["machine", "import", &paths[0], &paths[1], "--output", &output, "--json"]);
    assert_eq!(
        (&found["hosts"], &found["places"], &found["switches"]),
        (&2.into(), &3.into(), &3.into())
    );
    let mapping = folder.path().join("mapping.json").display().to_string();
    stdout(&["map", "--traffic", "ring:3", "--machine", &output, "--output", &mapping]);
    let mapped: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&mapping).unwrap()).unwrap();
    assert_eq!(mapped["hosts"], serde_json::json!(["n4", "n1"]));
    assert_eq!(mapped["slots_of_host"], serde_json::json!([2, 1]));
    topoloom(&["check", "--traffic", "ring:3", "--machine", &output, "--mapping", &mapping])
        .assert()
        .success();
    // Directly, without an import, and by its specification.
    let direct = json(&[
        "score",
        "--traffic",
        "ring:4",
        "--machine",
        &paths[0],
        "--mapping",
        "in-order",
        "--json",
    ]);
    assert_eq!(direct["hosts"], 4);
    let spec = format!("cluster:{output}");
    assert_eq!(json(&["machine", "show", &spec, "--json"])["places"], 3);
}

#[test]
fn a_machine_made_before_can_be_taken_in_part() {
    let (_folder, paths) = folder(&[("machine.json", MACHINE)]);
    let part = json(&[
        "machine",
        "import",
        &paths[0],
        "--hosts",
        "n2",
        "--slots",
        "4",
        "--cost",
        "L2=3,package=9",
        "--json",
    ]);
    assert_eq!((&part["hosts"], &part["places"]), (&1.into(), &4.into()));
    assert_eq!(part["levels"][0]["cost"], 3);
    let threads =
        json(&["machine", "import", &paths[0], "--place", "thread", "--slots", "8", "--json"]);
    assert_eq!(threads["places"], 16);
}

#[test]
fn this_node_can_be_described() {
    let found = json(&["machine", "detect", "--json"]);
    assert_eq!(found["hosts"], 1);
    let cpus = std::thread::available_parallelism().unwrap().get() as u64;
    assert_eq!(found["threads"].as_u64(), Some(cpus));
    let several = json(&["machine", "detect", "--hosts", "a,b:1", "--json"]);
    assert_eq!(several["hosts"], 2);
    assert_eq!(several["places_of_host"][1], 1);
}

#[test]
fn what_does_not_fit_together_is_refused_in_words() {
    let (folder, paths) = folder(&[("machine.json", MACHINE), ("topology.conf", TOPOLOGY)]);
    let import = |more: &[&str]| {
        let output = folder.path().join("out.json").display().to_string();
        let text = refusal(&[&["machine", "import"], more, &["--output", &output]].concat());
        assert!(!folder.path().join("out.json").exists());
        text
    };
    assert_eq!(import(&[&paths[0], "--hosts", "n9"]), "n9: not a host of the machine");
    assert_eq!(import(&[&paths[1], "--hosts", "n[1-9]"]), "n5: not in the network");
    assert_eq!(
        import(&[&paths[1], "--slots", "2,3"]),
        "expected one number of slots, or one for each of 4 hosts, found 2"
    );
    assert!(
        import(&[&paths[1], "--hosts", "n1", "--cost", "L9=1"])
            .starts_with("--cost: unknown level \"L9\"")
    );
    assert!(
        import(&[&paths[0], "--slots", "9"])
            .starts_with("host n1 has 4 places for ranks (core), but 9 slots")
    );
    // What helps is an option, which the libraries do not know.
    let many = import(&[&paths[0], "--slots", "9"]);
    assert!(many.ends_with("or a smaller place such as a thread (--place thread)"), "{many}");
    let target = folder.path().join("t.tgt").display().to_string();
    fs::write(&target, "torus2D 4 4\n").unwrap();
    let refused = import(&[&target]);
    assert!(refused.contains("t.tgt: a target of Scotch has no hosts"), "{refused}");
    let shown = json(&["machine", "show", &target, "--json"]);
    assert_eq!((&shown["nodes"], &shown["links"]), (&16.into(), &64.into()));
    assert!(import(&[&paths[0], &paths[1]]).contains("a machine file is complete"));
    assert!(import(&["missing.xml"]).starts_with("missing.xml: cannot read"));
    assert!(import(&[&paths[0], "--place", "gpu"]).contains("no gpu"));
    assert!(import(&[&paths[1], "--node", "n1"]).starts_with("--node: expected HOSTS=FILE"));
}

#[test]
fn wrong_machine_files_are_refused_with_their_line() {
    let wrong = |from: &str, to: &str| {
        let (_folder, paths) = folder(&[("machine.json", &MACHINE.replacen(from, to, 1))]);
        let text = refusal(&["machine", "show", &paths[0]]);
        text[text.find("machine.json").unwrap()..].to_string()
    };
    assert_eq!(
        wrong("\"place\": \"core\"", "\"place\": \"chair\"").split(';').next(),
        Some("machine.json: unknown part of a node \"chair\"")
    );
    assert!(wrong("\"version\": 1", "\"version\": 7").contains("version 7 is not known; known: 1"));
    assert!(wrong("\"slots\": 3", "\"slots\": -3").starts_with("machine.json:3: "));
    assert!(
        wrong("\"kind\": 0, \"slots\"", "\"kind\": 4, \"slots\"")
            .contains("host n2: there is no kind of node 4")
    );
    assert!(wrong("\"names\": \"n1\"", "\"names\": \"n2\"").contains("host n2 appears twice"));
    assert!(wrong("\"names\": \"n1\"", "\"names\": \"n[1\"").contains("\"[\" without \"]\""));
    assert!(wrong("\"cpus\": \"0,4\"", "\"cpus\": \"0-\"").contains("expected CPUs such as 0-3,8"));
    assert!(wrong("\"level\": 2", "\"level\": 1").contains("group of switches a"));
    assert!(wrong("\"costs\": {", "\"costs\": {\"L7\": 1, ").contains("unknown level \"L7\""));
    assert!(wrong("\"index\": 0", "\"indx\": 0").contains("unknown field"));
}

/// A file of a cluster for training among the samples of the readers.
macro_rules! ai_sample {
    ($name:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../topoloom-io/tests/machines/ai/", $name)
    };
}

#[test]
fn a_cluster_for_training_is_joined_from_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("machine.json").display().to_string();
    let (model, node) =
        (ai_sample!("topograph/nvl72.yaml"), ai_sample!("nccl/azure-ndv4-topo.xml"));
    let arguments = ["machine", "import", model, node, "--place", "gpu", "--output", &machine];
    topoloom(&arguments).assert().success();
    let found = json(&["machine", "show", &machine, "--json"]);
    // Four racks of 18 nodes with 8 GPUs each.
    assert_eq!((&found["places"], &found["gpus"]), (&576.into(), &576.into()));
    let levels: Vec<&str> = found["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| level["name"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["numa", "node", "nvlink", "switch2", "switch3"]);
}

#[test]
fn nvlink_domains_join_a_network() {
    const UUID: &str = "9f0c1e5a-0000-4000-8000-00000000000";
    let fabric: String = (1..=4).map(|n| format!("n{n}: {UUID}{}, 1\n", (n + 1) / 2)).collect();
    let (_folder, paths) = folder(&[("topology.conf", TOPOLOGY), ("fabric.csv", &fabric)]);
    let text = stdout(&["machine", "import", &paths[1], &paths[0], "--slots", "4"]);
    assert!(text.contains("2 x nvlink in all"), "{text}");
    let alone = stdout(&["machine", "show", &paths[1]]);
    assert!(alone.contains("2 x nvlink"), "{alone}");
    let simai = ai_sample!("simai/Spectrum-X_32g_8gps_400Gbps_H100.topo");
    let text = stdout(&["machine", "import", simai]).replace('\n', " ");
    assert!(text.contains("32 places for ranks, one gpu each"), "{text}");
    let wrong = refusal(&["machine", "import", ai_sample!("nccl/azure-ncv4-graph.xml")]);
    assert!(wrong.contains("azure-ncv4-graph.xml:1: a graph of NCCL"), "{wrong}");
}
