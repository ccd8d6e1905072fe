//! Cables as OpenSM and ibdiagnet list them.

use std::collections::BTreeSet;

use topoloom_core::cluster::{Device, Network, Wiring};
use topoloom_io::machines::{
    DeviceNames, MachineFile, parse_ibnetdiscover, parse_machine_file, parse_subnet_list,
};

use super::networks::packed;

/// Both ends of each cable by names and ports, with its speed, and the addresses of adapters: the
/// order of files does not matter.
fn content(network: &Network) -> BTreeSet<String> {
    let wiring: &Wiring = network.wiring.as_ref().unwrap();
    let adapter = |number: u32| {
        let adapter = &wiring.adapters[number as usize];
        let host = &network.hosts[adapter.host as usize].0;
        format!("{host} {} {:?} {:?}", adapter.name, adapter.guid, adapter.addresses)
    };
    let cables = wiring.cables.iter().map(|cable| {
        let mut ends = cable.ends.map(|end| match end.device {
            Device::Switch(number) => {
                let switch = &wiring.switches[number as usize];
                format!("{} {:?} port {}", switch.name, switch.guid, end.number)
            }
            Device::Adapter(number) => format!("{} port {}", adapter(number), end.number),
        });
        ends.sort();
        format!("{ends:?} {:?}", cable.link)
    });
    cables.collect()
}

#[test]
fn a_list_of_cables_is_the_same_network_as_ibnetdiscover() {
    let (file, warnings) =
        parse_machine_file("opensm-subnet.lst", &packed("ft8.subnet.lst.gz")).unwrap();
    let MachineFile::Network(network) = file else { panic!("{file:?}") };
    assert_eq!(warnings, [] as [String; 0]);
    let (same, _) = parse_ibnetdiscover("a", &packed("ft8.ibnetdiscover.out.gz")).unwrap();
    assert_eq!(content(&network), content(&same));
    let counts = |network: &Network| {
        (network.switches, network.links, network.hosts.len(), network.groups.len())
    };
    assert_eq!(counts(&network), counts(&same));
}

fn port(kind: &str, guid: &str, name: &str, port: &str) -> String {
    format!(
        "{{ {kind} Ports:02 SystemGUID:1 NodeGUID:{guid} PortGUID:1 VenID:1 DevID:1 Rev:1 \
         {{{name}}} LID:000A PN:{port} }}"
    )
}

#[test]
fn kinds_speeds_and_cables_that_are_down() {
    let switch = port("SW-SM", "B1", "lea}f {1}", "1F");
    let text = [
        format!("{switch} {} PHY=2x LOG=ACT SPD=100", port("CA-SM", "a1", "n1 m0", "01")),
        format!("{switch} {} PHY=4x LOG=DWN SPD=50", port("CA", "a2", "n2 m0", "01")),
    ];
    let text = text.join("\n");
    let (network, _) = parse_subnet_list("a", text.as_bytes(), &DeviceNames::default()).unwrap();
    let wiring = network.wiring.unwrap();
    assert_eq!((network.hosts.len(), wiring.cables.len()), (1, 1));
    assert_eq!((&wiring.switches[0].name[..], wiring.switches[0].guid), ("lea}f {1}", Some(0xb1)));
    assert_eq!(wiring.adapters[0].addresses, 10..11);
    assert!(wiring.cables[0].ends.iter().any(|end| end.number == 0x1f));
    // NDR200: two lanes of 100 Gbit/s, of which 64/66 are data.
    assert_eq!(wiring.cables[0].link.bytes_per_second, 200e9 * (64.0 / 66.0) / 8.0);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let good = port("SW", "b1", "x", "01");
    let expected = "expected two ports such as { SW ... NodeGUID:0002c90300000001 ... {name} \
                    LID:0004 PN:03 }, then PHY=4x LOG=ACT SPD=50, found ";
    for text in [
        good.clone(),
        format!("{good} {good}"),
        format!("{good} {} PHY=4x SPD=50", port("XX", "b2", "y", "01")),
        format!("{good} {} PHY=4x SPD=50", port("CA", "b2", "y", "0g")),
        format!("{good} {} PHY=4x SPD=50", port("CA", "", "y", "01")),
        "hello".to_string(),
    ] {
        let text = format!("\n{text}");
        let error = parse_subnet_list("lst", text.as_bytes(), &DeviceNames::default());
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(&format!("lst:2: {expected}")), "{error}");
    }
    let both = format!("{good} {} PHY=4x SPD=50", port("SW", "b2", "y", "01"));
    for (text, message) in [
        ("", "lst: expected cables between switches and adapters, found none"),
        (&both, "lst: expected adapters of hosts (CA), found none"),
    ] {
        let error = parse_subnet_list("lst", text.as_bytes(), &DeviceNames::default());
        assert_eq!(error.unwrap_err().to_string(), message);
    }
}
