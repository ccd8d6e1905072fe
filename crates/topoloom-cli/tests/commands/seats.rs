//! Placements on the seats of a job, and on seats that rules choose.

use std::fs;

use serde_json::Value;
use topoloom::io::{FlowKind, RecordedFlow, RecordedSeat, Recording, write_recording};

use crate::program::{json, refusal, stdout};

/// What a host with two cores reports about itself.
fn node(name: &str) -> String {
    let mut text =
        format!("/proc/sys/kernel/hostname\t{name}\\n\n/sys/devices/system/cpu/online\t0-1\\n\n");
    for cpu in 0..2 {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
        for (file, value) in [("physical_package_id", 0), ("core_id", cpu), ("core_cpus_list", cpu)]
        {
            text += &format!("{folder}/{file}\t{value}\\n\n");
        }
    }
    text
}

/// Four ranks, two on each of two hosts, with these CPUs; 0 and 2, and 1 and 3, send much to each
/// other.
fn recording(cpus: [&[u32]; 4]) -> Recording {
    let flow = |to| RecordedFlow { to, kind: FlowKind::PointToPoint, messages: 1.0, bytes: 1e6 };
    let seat = |cpus: &[u32]| RecordedSeat {
        cpus: cpus.to_vec(),
        online: 2,
        openmp_threads: None,
        threads: None,
    };
    Recording {
        ranks: 4,
        hosts: vec!["a".to_string(), "b".to_string()],
        host_of_rank: vec![0, 0, 1, 1],
        flows: vec![vec![flow(2)], vec![flow(3)], vec![flow(0)], vec![flow(1)]],
        seats: cpus.map(seat).to_vec(),
        nodes: vec![node("a"), node("b")],
        ..Recording::default()
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn record(&self, recording: &Recording) -> String {
        let path = self.path("run.rec");
        write_recording(&path, recording).unwrap();
        path
    }

    /// The mapping that `map` writes with these options.
    fn mapped(&self, options: &[&str]) -> Value {
        let output = self.path("mapping.json");
        stdout(&[&["map", "--output", &output][..], options].concat());
        serde_json::from_str(&fs::read_to_string(output).unwrap()).unwrap()
    }
}

fn seats_of(mapping: &Value) -> Vec<(u64, String)> {
    let hosts = mapping["host_of_rank"].as_array().unwrap();
    let cpus = mapping["cpus_of_rank"].as_array().unwrap();
    let seat = |(host, cpus): (&Value, &Value)| {
        (host.as_u64().unwrap(), cpus.as_str().unwrap().to_string())
    };
    hosts.iter().zip(cpus).map(seat).collect()
}

#[test]
fn ranks_of_a_recording_exchange_the_seats_that_they_have() {
    let folder = Folder::new();
    let traffic = folder.record(&recording([&[0], &[1], &[0], &[1]]));
    let mapping = folder.mapped(&["--traffic", &traffic]);
    let mut seats = seats_of(&mapping);
    assert_eq!((seats[0].0, seats[1].0), (seats[2].0, seats[3].0), "{mapping}");
    seats.sort();
    let seat = |host, cpu: &str| (host, cpu.to_string());
    assert_eq!(seats, [seat(0, "0"), seat(0, "1"), seat(1, "0"), seat(1, "1")]);
    assert_eq!(mapping["machine"], format!("cluster:{traffic}"));
    // Everything that crossed hosts at 100 now stays inside a package, at 8.
    let record = json(&["map", "--traffic", &traffic, "--json"]);
    assert_eq!((&record["baseline"], record["kept"].as_bool()), (&"present".into(), Some(false)));
    assert_eq!(record["gain"].as_f64(), Some(1.0 - 8.0 / 100.0));
    // The file is valid for its machine, and launchers can use it.
    let mapping = folder.path("mapping.json");
    assert!(stdout(&["check", "--traffic", &traffic, "--mapping", &mapping]).starts_with("valid"));
    let file = stdout(&["apply", "--mapping", &mapping, "--format", "openmpi4-rankfile"]);
    assert_eq!(file.lines().count(), 4);
}

#[test]
fn ranks_that_are_not_bound_stay_unbound_and_only_hosts_count() {
    let folder = Folder::new();
    let traffic = folder.record(&recording([&[0, 1]; 4]));
    let mapping = folder.mapped(&["--traffic", &traffic]);
    assert_eq!(mapping["core_of_rank"], serde_json::json!([null, null, null, null]));
    let hosts: Vec<u64> = seats_of(&mapping).into_iter().map(|seat| seat.0).collect();
    assert!(hosts[0] == hosts[2] && hosts[1] == hosts[3] && hosts[0] != hosts[1], "{hosts:?}");
    let mapping = folder.path("mapping.json");
    let apply = ["apply", "--mapping", &mapping, "--format", "openmpi-seq", "--output"];
    let command = stdout(&[&apply[..], &[&folder.path("hosts")]].concat());
    assert!(command.contains("--bind-to none ./app"), "{command}");
}

#[test]
fn a_recording_and_a_network_are_joined_to_a_machine() {
    let folder = Folder::new();
    let traffic = folder.record(&recording([&[0], &[1], &[0], &[1]]));
    let (network, machine) = (folder.path("topology.conf"), folder.path("job.json"));
    fs::write(
        &network,
        "SwitchName=s1 Nodes=a\nSwitchName=s2 Nodes=b\nSwitchName=top Switches=s[1-2]\n",
    )
    .unwrap();
    stdout(&["machine", "import", &traffic, &network, "--output", &machine]);
    let options = ["--traffic", &traffic, "--machine", &machine];
    let present = json(&[&["score", "--mapping", "in-order", "--json"][..], &options].concat());
    // Everything crosses both switches: 4 MB at 150.
    assert_eq!(present["hop_bytes"].as_f64(), Some(4e6 * 150.0));
    let mapping = folder.mapped(&options);
    assert_eq!(counts(&mapping)[..2], [2, 2]);
    let shown = stdout(&["machine", "show", &machine]);
    assert!(shown.contains("4 seats of a job"), "{shown}");
}

#[test]
fn a_placement_that_is_as_good_as_any_is_kept() {
    let folder = Folder::new();
    let mut good = recording([&[1], &[0], &[0], &[1]]);
    good.host_of_rank = vec![0, 1, 0, 1];
    let traffic = folder.record(&good);
    let mapping = folder.mapped(&["--traffic", &traffic]);
    assert_eq!(mapping["strategy"], "present");
    let seat = |host, cpu: &str| (host, cpu.to_string());
    assert_eq!(seats_of(&mapping), [seat(0, "1"), seat(1, "0"), seat(0, "0"), seat(1, "1")]);
}

#[test]
fn other_seats_of_the_same_hosts_may_be_asked_for() {
    let folder = Folder::new();
    // Two ranks on one core each, two cores idle.
    let traffic = folder.record(&recording([&[0], &[0], &[1], &[1]]));
    let machine = format!("cluster:{traffic},seats=any");
    let mapping = folder.mapped(&["--traffic", &traffic, "--machine", &machine]);
    let mut seats = seats_of(&mapping);
    seats.sort();
    seats.dedup();
    assert_eq!(seats.len(), 4, "{seats:?}");
    let rules = ["map", "--traffic", &traffic, "--ranks-per-node", "2"];
    assert!(refusal(&rules).contains("give --machine cluster:"), "{}", refusal(&rules));
}

#[test]
fn what_a_recording_does_not_tell_is_named() {
    let folder = Folder::new();
    let mut bare = recording([&[0], &[1], &[0], &[1]]);
    bare.nodes.clear();
    let traffic = folder.record(&bare);
    let said = refusal(&["map", "--traffic", &traffic]);
    assert!(said.contains("does not show what is inside its hosts"), "{said}");
    bare.seats.clear();
    let traffic = folder.record(&bare);
    let said = refusal(&["map", "--traffic", &traffic]);
    assert!(said.contains("does not show where its ranks ran"), "{said}");
    let said = refusal(&["map", "--traffic", "ring:4"]);
    assert!(said.contains("--machine is missing"), "{said}");
}

const FOUR_HOSTS: &str = r#"{"format": "topoloom-machine", "version": 1, "place": "core",
 "hosts": [{"names": "n[1-4]", "kind": 0}],
 "kinds": [{"node": {"kind": "node", "in": [
   {"kind": "L3", "in": [{"kind": "core", "cpus": "0,4"}, {"kind": "core", "cpus": "1,5"}]},
   {"kind": "L3", "in": [{"kind": "core", "cpus": "2,6"}, {"kind": "core", "cpus": "3,7"}]}]}}]}"#;

fn counts(mapping: &Value) -> Vec<usize> {
    let seats = seats_of(mapping);
    (0..4).map(|host| seats.iter().filter(|seat| seat.0 == host).count()).collect()
}

#[test]
fn rules_say_how_ranks_are_spread_over_hosts() {
    let folder = Folder::new();
    let machine = folder.path("four.json");
    fs::write(&machine, FOUR_HOSTS).unwrap();
    let on = |more: &[&str]| {
        folder.mapped(&[&["--traffic", "ring:8", "--machine", &machine][..], more].concat())
    };
    assert_eq!(counts(&on(&[])), [4, 4, 0, 0]);
    assert_eq!(counts(&on(&["--spread", "node"])), [2, 2, 2, 2]);
    assert_eq!(counts(&on(&["--ranks-per-node", "2-3"])), [3, 3, 2, 0]);
    // Two cores each: a cache for every rank.
    let wide = on(&["--cpus-per-rank", "2"]);
    assert!(seats_of(&wide).iter().all(|seat| ["0-1,4-5", "2-3,6-7"].contains(&&seat.1[..])));
    assert_eq!(wide["machine"], format!("cluster:{machine},cpus-per-rank=2"));
    let fixed = on(&["--fix", "0=n4", "--fix", "1-2=n3"]);
    let hosts: Vec<u64> = seats_of(&fixed).into_iter().map(|seat| seat.0).collect();
    assert_eq!(hosts[..3], [3, 2, 2]);
    let both = on(&["--ranks-per-node", "4", "--fix", "7=n2"]);
    assert_eq!((counts(&both), seats_of(&both)[7].0), (vec![4, 4, 0, 0], 1));
}

#[test]
fn rules_that_cannot_be_kept_are_refused_in_words() {
    let folder = Folder::new();
    let machine = folder.path("four.json");
    fs::write(&machine, FOUR_HOSTS).unwrap();
    let refused = |more: &[&str]| {
        refusal(&[&["map", "--traffic", "ring:10", "--machine", &machine][..], more].concat())
    };
    for (options, said) in [
        (&["--ranks-per-node", "3"][..], "10 ranks cannot be divided so that every host has 3"),
        (&["--ranks-per-node", "2"], "the machine has only 8 seats"),
        (&["--spread", "node", "--pack", "node"], "both be spread out and packed by node"),
        (&["--fix", "0=n5"], "n5 is not a host of the machine"),
        (&["--fix", "10=n1"], "there is no rank 10; the last one is 9"),
        (&["--fix", "0-4=n1"], "5 ranks fixed to n1, which has only 4 places for ranks"),
        (&["--fix", "0=n1", "--fix", "0=n2"], "rank 0 is given twice"),
        (&["--spread", "rack"], "unknown level \"rack\""),
    ] {
        assert!(refused(options).contains(said), "{options:?}: {}", refused(options));
    }
    let torus = ["map", "--traffic", "ring:4", "--machine", "torus:4", "--spread", "node"];
    assert!(refusal(&torus).contains("need a machine that knows its hosts"));
}
