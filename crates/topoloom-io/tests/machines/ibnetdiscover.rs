//! Output of `ibnetdiscover`.

use topoloom_io::machines::parse_ibnetdiscover;

use super::{levels, sample};

#[test]
fn a_simulated_network_of_two_switches() {
    let (network, warnings) =
        parse_ibnetdiscover("a", &sample("ib/ibsim-ibnetdiscover.out")).unwrap();
    // Two cables between the switches, and one to each host.
    assert_eq!((network.switches, network.links), (2, 6));
    assert_eq!(levels(&network), [2, 1]);
    let group = |host: &str| {
        let (_, group) = network.hosts.iter().find(|(name, _)| name == host).unwrap();
        network.groups[*group as usize].name.as_str()
    };
    assert_eq!(
        ["Hca1", "Hca2", "Hca3", "Hca4"].map(group),
        ["Switch1", "Switch2", "Switch1", "Switch2"]
    );
    // Both switches are equally close to both hosts.
    assert_eq!(network.groups[0].name, "Switch1 and 1 other");
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn a_real_cluster_of_forty_switches() {
    let (network, warnings) =
        parse_ibnetdiscover("a", &sample("ib/topograph-ibnetdiscover-example.out")).unwrap();
    // 121 hosts with names, 69 adapters named by their model, 3 adapters of a "localhost".
    assert_eq!((network.switches, network.links, network.hosts.len()), (40, 1074, 121 + 72));
    assert_eq!(
        warnings[0],
        "72 adapters without the name of a host (such as \"MT4129 ConnectX7   Mellanox \
         Technologies\"); each is treated as a host named by its GUID, such as e09d730300858d88"
    );
    let outermost = &network.groups[0];
    assert_eq!(outermost.parent, None);
    assert_eq!(outermost.name, "A10-P1-IBSPINE-01 and 8 others");
    assert_eq!(levels(&network), [8, 1]);
    assert!(network.groups[1..].iter().all(|group| group.name.contains("IBLEAF")));
    // Adapters without names are on one rail only: two such adapters share no switch, but one
    // shares a switch with hosts that do.
    assert_eq!(warnings.len(), 2);
    assert!(warnings[1].starts_with("the network is not made of groups in groups: "));
    let host = |name: &str| network.hosts.iter().find(|(host, _)| host == name).unwrap().1;
    // Four rails into leaves of the same unit.
    assert_eq!(host("a08-p1-dgx-04-c01"), host("a08-p1-dgx-04-c02"));
    assert_ne!(host("a08-p1-dgx-04-c01"), host("a06-p1-dgx-02-c01"));
}

#[test]
fn names_come_from_whoever_knows_them() {
    // A host that only the switch knows, one with two ports, one in other quotes, a helper of the
    // switch, a port with an outside number, and a router.
    let text = "
Chassis 1 (guid 0x1)
vendid=0x2c9
Switch\t36 \"S-1\"\t\t# \"MF0;leaf:MSB/U1\" enhanced port 0 lid 2 lmc 0
[1]\t\"H-a\"[1](1) \t\t# \"only HCA-1\" lid 4 4xFDR
[2][ext 3]\t\"H-b\"[1](2) \t\t# 'quoted HCA-1' lid 4 4xFDR
[3]\t\"H-c\"[1](3) \t\t# \"two mlx5_0\" lid 4 4xFDR
[4]\t\"H-d\"[1](4) \t\t# \"two mlx5_1\" lid 4 4xFDR
[5]\t\"H-e\"[1](5) \t\t# \"Mellanox Technologies Aggregation Node\" lid 4 4xFDR
[6]\t\"R-1\"[1](6) \t\t# \"out\" lid 4 4xFDR
Ca\t2 \"H-d\"\t\t# \"two mlx5_1\"
[1](4) \t\"S-1\"[4]\t\t# lid 4 lmc 0 \"MF0;leaf:MSB/U1\" lid 2 4xFDR
[2](5) \t\"H-a\"[2]\t\t# lid 4 lmc 0 \"only HCA-1\" lid 2 4xFDR
";
    let (network, warnings) = parse_ibnetdiscover("a", text.as_bytes()).unwrap();
    let hosts: Vec<&str> = network.hosts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(hosts, ["only", "quoted", "two"]);
    assert_eq!((network.switches, network.links), (2, 5));
    assert_eq!(network.groups[0].name, "leaf");
    assert_eq!(warnings, ["1 cable from host to host without a switch left out"]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let switch = "Switch\t8 \"S-1\"\t# \"x\"";
    for (text, expected) in [
        ("", ": expected switches and adapters, found none".to_string()),
        (switch, ": expected adapters of hosts (Ca), found none".into()),
        ("\n[1] \"H-1\"[1]", ":2: a port before its switch or adapter".into()),
        (
            "Switch eight",
            ":1: expected a line such as Switch 8 \"S-0002c90300000001\" # \"description\", found \"eight\"".into(),
        ),
        (
            "Ca\tx \"H-1\"",
            ":1: expected a line such as Ca 8 \"H-0002c90300000001\" # \"description\", found \"x \"H-1\"\"".into(),
        ),
        (
            &format!("{switch}\n[x]\t\"H-1\"[1]"),
            ":2: expected a port such as [1] \"H-0002c90300000001\"[1] # \"description\", found \"[x]\\t\"H-1\"[1]\"".into(),
        ),
        (
            &format!("{switch}\n[1]\t\"X-1\"[1]"),
            ":2: expected a port such as [1] \"H-0002c90300000001\"[1] # \"description\", found \"[1]\\t\"X-1\"[1]\"".into(),
        ),
        (&format!("{switch}\n\n{switch}"), ":3: \"S-1\" appears twice, first in line 1".into()),
        (
            &format!("{switch}\n[1] \"S-2\"[1]\nCa\t1 \"S-2\"\t# \"y\""),
            ":3: \"S-2\" is a switch in one place and an adapter in another".into(),
        ),
        (
            "hello",
            ":1: expected a switch, an adapter or a port, as ibnetdiscover prints them, found \"hello\"".into(),
        ),
    ] {
        let error = parse_ibnetdiscover("net", text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("net{expected}"));
    }
    let error = parse_ibnetdiscover("net", b"\n\xff").unwrap_err();
    assert_eq!(error.to_string(), "net:2: expected UTF-8 text");
}
