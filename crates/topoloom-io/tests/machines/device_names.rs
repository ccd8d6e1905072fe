//! Maps of GUIDs to names.

use topoloom_io::machines::{
    MachineFile, is_device_names, parse_device_names, parse_ibnetdiscover_named, parse_machine_file,
};

use super::networks::packed;

#[test]
fn a_real_cluster_gets_the_names_of_its_hosts() {
    let names = parse_device_names("names.map", &packed("psmn-x5.names.map")).unwrap();
    assert_eq!(names.len(), 86);
    let cables = packed("psmn-x5.ibnetdiscover.out.gz");
    let (network, warnings) = parse_ibnetdiscover_named("a", &cables, &names).unwrap();
    let named = network.hosts.iter().filter(|(name, _)| names_a_host(name)).count();
    // The map knows 86 of the 89 adapters.
    assert_eq!((network.hosts.len(), named), (89, 86));
    assert!(network.hosts.iter().any(|(name, _)| name == "x5570comp1"));
    assert!(warnings[0].starts_with("3 adapters without the name of a host"), "{warnings:?}");
}

/// A GUID of this cluster has 16 hexadecimal digits.
fn names_a_host(name: &str) -> bool {
    !(name.len() == 16 && name.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

#[test]
fn names_are_for_hosts_and_switches_in_both_forms() {
    let text = "# a map\n\nH-00000000000000a1 n1 mlx5_0\n0x00000000000000a2\t\"n1 mlx5_1\" # two\n\
                0x00000000000000b1 \"leaf 1\"\n";
    assert!(is_device_names(text.as_bytes()));
    let (file, _) = parse_machine_file("names.map", text.as_bytes()).unwrap();
    let MachineFile::Names(names) = file else { panic!("{file:?}") };
    let cables = "Switch 8 \"S-00000000000000b1\" # \"Infiniscale\"\n\
                  [1] \"H-00000000000000a1\"[1] # \"MT1 Mellanox Technologies\" lid 1 4xHDR\n\
                  [2] \"H-00000000000000a2\"[1] # \"MT1 Mellanox Technologies\" lid 2 4xHDR\n";
    let (network, warnings) = parse_ibnetdiscover_named("a", cables.as_bytes(), &names).unwrap();
    assert_eq!(warnings, [] as [String; 0]);
    // Two adapters of one host.
    let wiring = network.wiring.unwrap();
    assert_eq!(network.hosts.len(), 1);
    assert_eq!((&network.hosts[0].0[..], &wiring.switches[0].name[..]), ("n1", "leaf 1"));
    let adapters: Vec<&str> = wiring.adapters.iter().map(|adapter| &adapter.name[..]).collect();
    assert_eq!(adapters, ["mlx5_0", "mlx5_1"]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let expected = "expected a GUID and a name, such as H-0002c90300000001 n1 or \
                    0x0002c90300000001 \"n1 mlx5_0\", found ";
    for (text, message) in [
        ("# nothing", ": expected GUIDs and names, found none".to_string()),
        ("H-00000000000000a1", format!(":1: {expected}\"H-00000000000000a1\"")),
        ("\nH-12 n1", format!(":2: {expected}\"H-12 n1\"")),
        ("0x00000000000000a1 \"n1", format!(":1: {expected}\"0x00000000000000a1 \"n1\"")),
        ("H-000000000000000a1 n1", format!(":1: {expected}\"H-000000000000000a1 n1\"")),
        (
            "H-00000000000000a1 n1\n0x00000000000000A1 n2",
            ":2: GUID 00000000000000a1 appears twice".to_string(),
        ),
    ] {
        let error = parse_device_names("map", text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("map{message}"));
    }
    let error = parse_device_names("map", b"\n\xff").unwrap_err();
    assert_eq!(error.to_string(), "map:2: expected UTF-8 text");
}
