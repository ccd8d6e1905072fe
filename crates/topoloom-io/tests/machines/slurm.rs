//! Topologies of Slurm.

use topoloom_core::cluster::Network;
use topoloom_io::machines::parse_slurm_topology;

use super::{levels, sample};

fn read(name: &str) -> (Network, Vec<String>) {
    parse_slurm_topology(name, &sample(&format!("slurm/{name}"))).unwrap()
}

fn parsed(text: &str) -> (Network, Vec<String>) {
    parse_slurm_topology("t.conf", text.as_bytes()).unwrap()
}

/// The groups around a host, innermost first.
fn groups_of<'a>(network: &'a Network, host: &str) -> Vec<&'a str> {
    let mut at = network.hosts.iter().find(|(name, _)| name == host).map(|(_, group)| *group);
    let mut names = Vec::new();
    while let Some(group) = at {
        names.push(network.groups[group as usize].name.as_str());
        at = network.groups[group as usize].parent;
    }
    names
}

#[test]
fn samples_have_their_switches_links_and_hosts() {
    // Switches, links, hosts; groups by level from 1.
    for (name, counts, groups) in [
        // 4 blocks of 18.
        ("azure-block_topology.txt", [0, 0, 72], vec![4]),
        // 3 + 6 + 3 + 2 + 2 hosts, 5 switches below one.
        ("azure-slurm_topology.txt", [6, 5 + 16, 16], vec![5, 1]),
        // 12 blocks in twos and in fours.
        ("topograph-expected.slinky-dra-block.conf", [0, 0, 96], vec![12, 6, 3]),
        ("topograph-expected.slinky-oci-sim-tree.conf", [19, 18 + 96, 96], vec![12, 6, 1]),
        ("scontrol-show-topology.txt", [7, 6 + 64, 64], vec![4, 2, 1]),
    ] {
        let (network, warnings) = read(name);
        assert_eq!([network.switches, network.links, network.hosts.len()], counts, "{name}");
        assert_eq!(levels(&network), groups, "{name}");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
    }
}

#[test]
fn switches_that_name_each_other_are_wired() {
    // 40 switches of hosts, 5 below each of 8, which one switch connects: 48 cables. 7 of those 8
    // are named by it and name it.
    let (network, warnings) = read("azure-topology.txt");
    assert_eq!(network.switches, 49);
    assert_eq!(network.links - network.hosts.len(), 48);
    assert_eq!(levels(&network), [40, 8, 1]);
    assert_eq!(groups_of(&network, "0x155dfffd33ff7d"), ["ibsw1", "ibsw27", "ibsw47"]);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("are not a tree"), "{}", warnings[0]);
}

#[test]
fn nodes_are_on_the_lowest_switch_that_lists_them() {
    let (network, _) = read("scontrol-show-topology.txt");
    assert_eq!(groups_of(&network, "n033"), ["leaf2", "spine1", "core"]);
    // In any order, and a node may be on a switch that has switches below it.
    let (network, _) = parsed(
        "SwitchName=top Level=1 Nodes=a,b,c Switches=low\nSwitchName=low Level=0 Nodes=a,b Switches=(null)",
    );
    assert_eq!(groups_of(&network, "a"), ["low", "top"]);
    assert_eq!(groups_of(&network, "c"), ["top"]);
    assert_eq!(network.hosts.len(), 3);
}

#[test]
fn lines_go_on_and_keys_have_any_case() {
    let (network, _) = parsed(
        "# all of it\r\nswitchname=x LINKSPEED=100 nodes=a[1-2],\\\r\nb # two lines\n\n  SWITCHNAME=y Switches=x",
    );
    let hosts: Vec<&str> = network.hosts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(hosts, ["a1", "a2", "b"]);
    assert_eq!(levels(&network), [1, 1]);
}

#[test]
fn blocks_are_joined_as_their_sizes_say() {
    let blocks: String =
        (1..=5).map(|block| format!("BlockName=b{block} Nodes=n{block}[0-3]\n")).collect();
    let (network, warnings) = parsed(&format!("{blocks}BlockSizes=4,16,8,12"));
    // 12 is not a multiple of 8 and is left out.
    assert_eq!(
        warnings,
        ["BlockSizes: 12 is not a multiple of 8, so no blocks of that size are made"]
    );
    assert_eq!(levels(&network), [5, 3, 2]);
    assert_eq!(groups_of(&network, "n30"), ["b3", "b3 and 1 other", "b1 and 3 others"]);
    assert_eq!(groups_of(&network, "n50"), ["b5", "b5", "b5"]);
    // As `scontrol show topology` prints them.
    let (network, _) = parsed(
        "BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nAggregatedBlock=b1 BlockIndex=1 BlockSize=4 Nodes=n[1-2]",
    );
    assert_eq!(levels(&network), [1]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let known = "known: SwitchName, Switches, Nodes, LinkSpeed, Level, BlockName, BlockSizes";
    for (text, expected) in [
        ("", ": expected lines with SwitchName= or BlockName=, found none".to_string()),
        ("# nothing\n", ": expected lines with SwitchName= or BlockName=, found none".into()),
        ("SwitchName=a", ": expected switches or blocks with Nodes=, found none".into()),
        ("SwitchName=a Nodes=x\nSwitchName=b Node=y", format!(":2: unknown key \"Node\"; {known}")),
        ("SwitchName=a Nodes=x y", ":1: expected KEY=VALUE, found \"y\"".into()),
        ("SwitchName=a Nodes=x Nodes=y", ":1: Nodes is given twice".into()),
        ("\nSwitchName=a Nodes=x,x", ":2: node x is twice on switch a".into()),
        (
            "SwitchName=a Nodes=x\nSwitchName=b Nodes=x",
            ":2: node x is on switch a and on switch b".into(),
        ),
        ("SwitchName=a Nodes=x\nSwitchName=a Nodes=y", ":2: switch a appears twice".into()),
        ("SwitchName=a Nodes=x[1-3", ":1: Nodes: \"[\" without \"]\" in \"x[1-3\"".into()),
        (
            "SwitchName=a Nodes=x\\\n[3-1]",
            ":1: Nodes: expected numbers such as [1-3,07-12], found \"[3-1]\"".into(),
        ),
        ("SwitchName=a Switches=b", ":1: Switches: there is no line for switch b".into()),
        ("SwitchName= Nodes=x", ":1: expected a name, found none".into()),
        ("Nodes=x", ":1: expected one of SwitchName=, BlockName= and BlockSizes= in a line".into()),
        (
            "SwitchName=a BlockName=b",
            ":1: expected one of SwitchName=, BlockName= and BlockSizes= in a line".into(),
        ),
        ("SwitchName=a Nodes=x\nBlockName=b Nodes=y", ":2: switches and blocks in one file".into()),
        ("BlockName=b Nodes=y\nBlockName=b Nodes=z", ":2: block b appears twice".into()),
        (
            "BlockName=b Nodes=y\nBlockName=c Nodes=y",
            ":2: node y is in block b and in block c".into(),
        ),
        ("BlockName=b Nodes=y Switches=x", ":1: Switches= belongs to a switch".into()),
        (
            "BlockName=b Nodes=y\nBlockSizes=0",
            ":2: BlockSizes: expected numbers such as 8,16,32, found \"0\"".into(),
        ),
        ("BlockName=b Nodes=y\nBlockSizes=1\nBlockSizes=2", ":3: BlockSizes is given twice".into()),
    ] {
        let error = parse_slurm_topology("t.conf", text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("t.conf{expected}"));
    }
    let error = parse_slurm_topology("t.conf", b"\n\xff").unwrap_err();
    assert_eq!(error.to_string(), "t.conf:2: expected UTF-8 text");
    let chain: String =
        (0..100).map(|switch| format!("SwitchName=s{switch} Switches=s{}\n", switch + 1)).collect();
    let error = parse_slurm_topology("t.conf", (chain + "SwitchName=s100 Nodes=n").as_bytes());
    assert_eq!(error.unwrap_err().to_string(), "t.conf:2: more than 99 levels of switches");
    let many = "SwitchName=a Nodes=n[0-999999]\nSwitchName=b Nodes=m[0-999999]\nSwitchName=c Nodes=o[0-999999]";
    let error = parse_slurm_topology("t.conf", many.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "t.conf:3: more than 2097152 names of nodes and switches");
}
