use super::*;

/// A network of `switches` names, cables by their names, and hosts with their switches.
fn fabric(switches: &str, cables: &[&str], hosts: &[(&str, &str)]) -> Fabric {
    let mut fabric = Fabric::default();
    let number: BTreeMap<&str, u32> =
        switches.split(' ').map(|name| (name, fabric.add_switch(name))).collect();
    for cable in cables {
        let (a, b) = cable.split_once('-').unwrap();
        fabric.add_cable(number[a], number[b]);
    }
    for (name, ports) in hosts {
        let host = fabric.add_host(name);
        ports.split_whitespace().for_each(|port| fabric.plug(host, number[port]));
    }
    fabric
}

/// The groups as `name level(parent)`, and the hosts as `name group`.
fn shown(network: &Network) -> (Vec<String>, Vec<String>) {
    let parent = |group: &SwitchGroup| {
        group.parent.map(|parent| format!("({})", network.groups[parent as usize].name))
    };
    let group = |group: &SwitchGroup| {
        format!("{} {}{}", group.name, group.level, parent(group).unwrap_or_default())
    };
    let host =
        |(name, group): &(String, u32)| format!("{name} {}", network.groups[*group as usize].name);
    (network.groups.iter().map(group).collect(), network.hosts.iter().map(host).collect())
}

#[test]
fn a_fat_tree_is_groups_in_groups() {
    // Two pods of two leaves below two spines, joined by one core; one cable of each pair is
    // double.
    let cables = [
        "l1-s1", "l1-s2", "l2-s1", "l2-s2", "l3-s3", "l3-s4", "l4-s3", "l4-s4", "s1-c", "s2-c",
        "s3-c", "s4-c", "c-s4",
    ];
    let hosts = [("a", "l1"), ("b", "l4"), ("c", "l2"), ("d", "l1"), ("e", "l3"), ("f", "l3")];
    let (network, warnings) = fabric("c s1 s2 s3 s4 l1 l2 l3 l4", &cables, &hosts).network();
    let (groups, hosts) = shown(&network);
    assert_eq!(
        groups,
        [
            "c 3",
            "s1 and 1 other 2(c)",
            "l1 1(s1 and 1 other)",
            "l2 1(s1 and 1 other)",
            "s3 and 1 other 2(c)",
            "l4 1(s3 and 1 other)",
            "l3 1(s3 and 1 other)",
        ]
    );
    assert_eq!(hosts, ["a l1", "b l4", "c l2", "d l1", "e l3", "f l3"]);
    assert_eq!((network.switches, network.links), (9, 13 + 6));
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn hosts_of_several_rails_are_as_close_as_their_closest_ports() {
    // Two units of two rails. Each rail has one leaf per unit. b lacks a rail and still belongs to
    // its unit.
    let cables = ["a1-s1", "b1-s1", "a2-s2", "b2-s2"];
    let hosts = [("a", "a1 a2"), ("b", "a2"), ("c", "b1 b2 b2"), ("d", "b1 b2")];
    let (network, warnings) = fabric("a1 a2 b1 b2 s1 s2", &cables, &hosts).network();
    let (groups, hosts) = shown(&network);
    assert_eq!(
        groups,
        ["s1 and 1 other 2", "a2 1(s1 and 1 other)", "b1 and 1 other 1(s1 and 1 other)"]
    );
    assert_eq!(hosts, ["a a2", "b a2", "c b1 and 1 other", "d b1 and 1 other"]);
    assert_eq!(network.links, 4 + 8);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn hosts_without_a_rail_in_common_are_named_by_all_their_rails() {
    // b joins a and c, which share no switch.
    let hosts = [("a", "x"), ("b", "x y"), ("c", "y")];
    let (network, warnings) = fabric("x y s", &["x-s", "y-s"], &hosts).network();
    assert_eq!(shown(&network).0, ["x and 1 other 1"]);
    assert!(warnings[0].contains("hosts a and c are 2 cables between switches apart"));
}

#[test]
fn a_line_of_switches_is_one_group_with_a_warning() {
    let hosts = [("a", "x"), ("b", "y"), ("c", "z")];
    let (network, warnings) = fabric("x y z", &["x-y", "y-z"], &hosts).network();
    // The middle is closest to all.
    assert_eq!(shown(&network).0, ["y 1"]);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("hosts a and c are 2 cables between switches apart"));
    assert!(warnings[0].contains("steps of at most 1;"));
}

#[test]
fn groups_that_do_not_grow_keep_their_level() {
    // x and y are a cable apart, z is three from them: levels 1 (same switch), 2 and 3.
    let cables = ["x-y", "y-m", "x-m", "m-n", "n-z"];
    let hosts = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")];
    let (network, warnings) = fabric("x y m n z", &cables, &hosts).network();
    let levels: Vec<(String, u32)> =
        network.groups.iter().map(|group| (group.name.clone(), group.level)).collect();
    // x, y and m are at most one away from x and y; of all switches, m and n are two away.
    let expected = [("m and 1 other", 3), ("m and 2 others", 2), ("x", 1), ("y", 1), ("z", 1)];
    assert_eq!(levels, expected.map(|(name, level)| (name.to_string(), level)));
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn parts_that_cannot_reach_each_other_are_outermost_groups() {
    let hosts = [("a", "x"), ("b", "y"), ("c", ""), ("d", ""), ("e", "x")];
    let (network, warnings) = fabric("x y", &[], &hosts).network();
    assert_eq!(shown(&network).0, ["x 1", "y 1", "c 1", "d 1"]);
    assert_eq!(
        warnings,
        ["the network has 4 parts that cannot reach each other: there is no route from host a to \
          host b"]
    );
}

#[test]
fn one_host_and_no_host_are_networks_too() {
    let (network, warnings) = fabric("x", &[], &[("a", "x")]).network();
    assert_eq!((shown(&network).0, warnings.len()), (vec!["x 1".to_string()], 0));
    let (network, warnings) = Fabric::default().network();
    assert_eq!((network, warnings.len()), (Network::default(), 0));
}

#[test]
fn more_levels_than_there_may_be_are_cut() {
    // Hosts at 0, 1, 3, 6, 10, ... of a line: each joins those before it at its own distance.
    let mut line = Fabric::default();
    let places: Vec<u32> = (0..130).map(|number| number * (number + 1) / 2).collect();
    for switch in 0..=places[places.len() - 1] {
        line.add_switch(&format!("s{switch}"));
        (switch > 0).then(|| line.add_cable(switch - 1, switch));
    }
    for &place in &places {
        let host = line.add_host(&format!("h{place}"));
        line.plug(host, place);
    }
    let (network, _) = line.network();
    let levels: Vec<u32> = network.groups.iter().map(|group| group.level).collect();
    assert_eq!(levels.iter().max(), Some(&99));
    for group in &network.groups {
        let above = |parent: u32| network.groups[parent as usize].level > group.level;
        assert!(group.parent.is_none_or(above));
    }
}

#[test]
fn a_large_fat_tree_is_grouped_by_classes() {
    // 20,000 hosts on 500 leaves, each leaf on 20 of 500 spines' groups of 20.
    let mut large = Fabric::default();
    let leaves: Vec<u32> =
        (0..500).map(|leaf| large.add_switch(&format!("leaf{leaf:03}"))).collect();
    let spines: Vec<u32> =
        (0..500).map(|spine| large.add_switch(&format!("spine{spine:03}"))).collect();
    for (number, &leaf) in leaves.iter().enumerate() {
        let pod = number / 25;
        (0..25).for_each(|spine| large.add_cable(leaf, spines[pod * 25 + spine]));
    }
    let core = large.add_switch("core");
    spines.iter().for_each(|&spine| large.add_cable(spine, core));
    for host in 0..20_000 {
        let number = large.add_host(&format!("n{host}"));
        large.plug(number, leaves[host / 40]);
    }
    let (network, warnings) = large.network();
    assert!(warnings.is_empty());
    let of_level = |level| network.groups.iter().filter(|group| group.level == level).count();
    assert_eq!([of_level(1), of_level(2), of_level(3)], [500, 20, 1]);
}
