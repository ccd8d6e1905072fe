//! `topoloom machine export`, as a user sees it.

use std::fs;

use crate::program::{path, refusal, stdout, topoloom};

/// Two hosts of two slots on one switch.
const MACHINE: &str = r#"{"format": "topoloom-machine", "version": 1, "place": "core",
 "hosts": [{"names": "left,right", "kind": 0, "slots": 2, "group": 0}],
 "kinds": [{"node": {"kind": "node", "in": [{"kind": "core", "cpus": "0"}, {"kind": "core", "cpus": "1"}]}}],
 "network": {"switches": 1, "links": 2, "groups": [{"name": "leaf", "level": 1}]}}"#;

/// The links of a route of a platform: ids with directions.
fn route(platform: &str, from: &str, to: &str) -> Vec<String> {
    let start = format!("<route src=\"{from}\" dst=\"{to}\" symmetrical=\"NO\">");
    let line = platform.lines().find_map(|line| line.trim().strip_prefix(&start[..])).unwrap();
    let steps = line.split("<link_ctn id=").skip(1);
    // "c0" direction="UP"/>: every second piece is in quotes.
    let quoted = |step: &str| step.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ");
    steps.map(|step| quoted(step.split("/>").next().unwrap())).collect()
}

#[test]
fn a_platform_has_hosts_cables_and_the_route_of_every_pair() {
    let text = stdout(&["machine", "export", "mesh:3", "--format", "simgrid"]);
    assert_eq!(text.matches("<host ").count(), 3);
    assert_eq!(text.matches("SPLITDUPLEX").count(), 2);
    // 6 pairs, and each host with itself.
    assert_eq!(text.matches("<route ").count(), 9);
    assert!(text.contains("bandwidth=\"10000000000.0Bps\" latency=\"1e-7s\""), "{text}");
    assert_eq!(route(&text, "n0", "n2").len(), 2);
    let (there, back) = (route(&text, "n0", "n1"), route(&text, "n1", "n0"));
    assert_eq!(there, ["c0 UP"]);
    assert_eq!(back, ["c0 DOWN"]);
    assert_eq!(route(&text, "n1", "n1"), ["memory1"]);
}

#[test]
fn ranks_of_a_host_share_its_adapter_and_its_memory() {
    let directory = tempfile::tempdir().unwrap();
    let (file, name) = path(&directory, "machine.json");
    fs::write(file, MACHINE).unwrap();
    let text = stdout(&["machine", "export", &name, "--format", "simgrid"]);
    assert!(text.contains("<host id=\"left\" speed=\"1Gf\" core=\"2\"/>"), "{text}");
    // Two cores: out of one and into the other, 40 ns each. What leaves the host shares both.
    assert!(
        text.contains("<link id=\"memory0\" bandwidth=\"12200000000.0Bps\" latency=\"8e-8s\""),
        "{text}"
    );
    assert!(
        text.contains("<link id=\"inside1\" bandwidth=\"24400000000.0Bps\" latency=\"4e-8s\""),
        "{text}"
    );
    let links = route(&text, "left", "right");
    assert_eq!((&links[0][..], &links[links.len() - 1][..]), ("inside0 UP", "inside1 DOWN"));
    // Adapter, cable, cable, adapter.
    assert_eq!(links.len(), 6);
}

#[test]
fn drawn_paths_are_warned_of_and_single_ones_are_not() {
    let warned = |routing: &str| {
        let command =
            ["machine", "export", "fat-tree:k=4", "--format", "simgrid", "--routing", routing];
        let output = topoloom(&command).assert().success().get_output().clone();
        String::from_utf8(output.stderr).unwrap()
    };
    // Of 16 x 15 pairs, 16 have only one switch between them.
    let said = warned("ecmp");
    assert!(said.contains("224 of 240 pairs among several paths"), "{said}");
    assert!(!warned("d-mod-k").contains("several paths"));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let export = |machine| refusal(&["machine", "export", machine, "--format", "simgrid"]);
    let said = export("torus:32x33");
    assert!(said.contains("1056 hosts, so 1114080 routes; at most 1048576"), "{said}");
    assert!(said.contains("--hosts LIST"), "{said}");
    let said = export("mesh:1000");
    assert!(said.contains("more than 16777216 links in all"), "{said}");
    let said = export("tree:2:2,distances=1:2");
    assert!(said.contains("has no links, only distances"), "{said}");
    let said = refusal(&["machine", "export", "mesh:4", "--format", "simgird"]);
    assert!(said.contains("simgrid"), "{said}");
    let said =
        refusal(&["machine", "export", "mesh:4", "--format", "simgrid", "--routing", "table"]);
    assert!(said.contains("forwarding tables"), "{said}");
}

#[test]
fn a_machine_is_not_overwritten_by_its_platform() {
    let directory = tempfile::tempdir().unwrap();
    let (file, name) = path(&directory, "machine.json");
    fs::write(&file, MACHINE).unwrap();
    let said = refusal(&["machine", "export", &name, "--format", "simgrid", "--output", &name]);
    assert!(said.contains("would overwrite an input file"), "{said}");
    assert_eq!(fs::read_to_string(file).unwrap(), MACHINE);
}

#[test]
fn host_files_have_the_names_of_the_platform() {
    let directory = tempfile::tempdir().unwrap();
    let (file, machine) = path(&directory, "machine.json");
    fs::write(file, MACHINE).unwrap();
    let (_, mapping) = path(&directory, "mapping.json");
    let place = |machine: &str| {
        let map = ["map", "--traffic", "ring:4", "--strategy", "in-order", "--machine", machine];
        topoloom(&[&map[..], &["--output", &mapping]].concat()).assert().success();
        stdout(&["apply", "--mapping", &mapping, "--format", "smpi-hostfile"])
    };
    assert_eq!(place(&machine), "left\nleft\nright\nright\n");
    assert_eq!(place("torus:2x1,slots=2"), "n0\nn0\nn1\nn1\n");
    // A mapping that only says which nodes are used gets the names of its machine's hosts.
    let plain = format!(
        r#"{{"format": "topoloom-mapping", "version": 1, "machine": "cluster:{machine}", "ranks": 3, "node_of_rank": [3, 0, 1]}}"#
    );
    fs::write(&mapping, plain).unwrap();
    let hosts = stdout(&["apply", "--mapping", &mapping, "--format", "smpi-hostfile"]);
    assert_eq!(hosts, "right\nleft\nleft\n");
}
