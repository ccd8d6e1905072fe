//! Dragonflies as they are built: Slingshot and Cray XC.

use topoloom_core::cluster::{Device, Network, Parts};
use topoloom_core::topology::Cluster;
use topoloom_core::{LinkId, Vertex};
use topoloom_io::machines::{MachineFile, parse_machine_file};

use super::networks::packed;

fn network(name: &str, bytes: &[u8]) -> Network {
    match parse_machine_file(name, bytes).unwrap().0 {
        MachineFile::Network(network) => network,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_small_slingshot_system_has_the_switches_and_cables_of_its_list() {
    let network = network("hsn_pt_pt.csv", &packed("two-groups.hsn_pt_pt.csv.gz"));
    let wiring = network.wiring.as_ref().unwrap();
    assert_eq!(wiring.switches.len(), 9);
    let between = wiring
        .cables
        .iter()
        .filter(|cable| cable.ends.iter().all(|end| matches!(end.device, Device::Switch(_))));
    // 56 local and 2 global cables of two links each.
    assert_eq!(between.count(), 2 * 58);
    // 72 cables to one or two adapters each.
    assert!((72..=144).contains(&wiring.adapters.len()), "{}", wiring.adapters.len());
    assert!(wiring.cables.iter().all(|cable| cable.link.bytes_per_second == 25e9));
    let parts = Parts { network: Some(network), ..Parts::default() };
    let cluster = Cluster::new(parts.join().unwrap().0).unwrap();
    assert!(cluster.wired().is_some());
}

#[test]
fn comments_dots_and_a_byte_order_mark_are_read() {
    let network = network("hsn_pt_pt.csv", &packed("one-switch.hsn_pt_pt.csv.gz"));
    assert_eq!(network.wiring.unwrap().switches[0].name, "x3000c0r15");
}

#[test]
fn theta_has_the_links_of_its_groups_and_at_most_five_hops_between_routers() {
    let network = network("theta.csv", &packed("theta-links.csv.gz"));
    let wiring = network.wiring.as_ref().unwrap();
    assert_eq!((wiring.switches.len(), wiring.adapters.len()), (864, 3456));
    let speed = |bytes| wiring.cables.iter().filter(|c| c.link.bytes_per_second == bytes).count();
    // 720 green links and 240 black ones of 3 in each of 9 groups; 1,728 blue ones.
    assert_eq!(speed(5.25e9), 9 * (720 + 3 * 240));
    assert_eq!(speed(4.69e9), 1728);
    let parts = Parts { network: Some(network), ..Parts::default() };
    let cluster = Cluster::new(parts.join().unwrap().0).unwrap();
    let network = cluster.wired().unwrap().network().unwrap();
    let nodes = || (0..network.num_nodes() as u32).step_by(4).map(Vertex);
    // A hop to the first router, at most five between routers, and a hop to the node.
    let pairs = nodes().step_by(7).flat_map(|from| nodes().map(move |to| (from, to)));
    let farthest = pairs.map(|(from, to)| network.hops(from, to)).max().unwrap();
    assert!((6..=7).contains(&farthest), "{farthest}");
    assert!(network.link(LinkId(0)).is_some());
}

#[test]
fn an_order_of_adapters_is_a_list_of_hosts() {
    let (file, _) = parse_machine_file("order", &packed("ft8.ftree.ca-order.dump")).unwrap();
    let MachineFile::Hosts(hosts) = file else { panic!("{file:?}") };
    assert_eq!(hosts.len(), 8);
    assert!(hosts.iter().all(|host| host.name.starts_with("n00")));
}

#[test]
fn wrong_lists_name_their_line() {
    for (text, expected) in [
        ("cable_id,src_conn_a\n", "x:1: expected a column src_conn_b, found none"),
        (
            "cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b\n1,x1c0r1j1,none,y,none\n",
            "x:2: expected a jack such as x3000c0r15j7 or an adapter such as x3000c0s1b0n0h0, found y",
        ),
        (
            "cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b\n\
             1,x1c0r1j1,none,x1c0s1b0n0h0,none\n2,x1c0r1j1,none,x1c0s2b0n0h0,none\n",
            "x:3: expected one cable in x1c0r1j1, found another in line 2",
        ),
        (
            "kind,a,b,links\ngreen,0,96,1\n",
            "x:2: expected a kind, two routers and a number of links, such as green,0,1,1, found",
        ),
        ("kind,a,b,links\n", "x: expected links, found none"),
    ] {
        let error = parse_machine_file("x", text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
