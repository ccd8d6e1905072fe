//! Network adapters inside nodes: where they are, and which ranks use them.

use std::io::Read;

use topoloom_core::cluster::{Hardware, ObjectKind, Parts};
use topoloom_core::topology::Cluster;
use topoloom_io::machines::{parse_hwloc, parse_ibnetdiscover};
use topoloom_io::{machine_content, parse_machine_description};

use super::sample;

fn node(name: &str) -> Hardware {
    let packed = sample(&format!("nodes/{name}.xml.gz"));
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    parse_hwloc(name, &bytes).unwrap()
}

/// Name, NUMA node and GPUs of each adapter.
fn places(node: &Hardware) -> Vec<(&str, Option<u32>, Vec<u32>)> {
    let place = |adapter| (node.numa_of(adapter), node.gpus_of(adapter));
    let all = node.adapters.iter().map(|adapter| (&adapter.name[..], place(adapter)));
    all.map(|(name, (numa, gpus))| (name, numa, gpus)).collect()
}

#[test]
fn gpus_that_only_their_class_tells_of_are_found_beside_adapters() {
    let node = node("juwels-booster-a100.v2");
    assert_eq!(node.node.count(ObjectKind::Gpu), 4);
    // The console is on an ASPEED card, which does not count. The A100 have no numbers.
    let expected = [
        ("mlx5_1", Some(1), vec![0]),
        ("mlx5_0", Some(3), vec![1]),
        ("mlx5_3", Some(5), vec![2]),
        ("mlx5_2", Some(7), vec![3]),
    ];
    assert_eq!(places(&node), expected);
    assert_eq!(node.adapters[0].guid, Some(0x0800_3800_01c0_91e8));
}

#[test]
fn slingshot_adapters_are_with_every_second_gpu() {
    let node = node("tioga-mi250x.v2");
    assert_eq!(node.node.count(ObjectKind::Gpu), 8);
    let expected = [
        ("hsi2", Some(0), vec![5]),
        ("hsi1", Some(1), vec![3]),
        ("hsi3", Some(2), vec![7]),
        ("hsi0", Some(3), vec![1]),
    ];
    assert_eq!(places(&node), expected);
    // Ports 34 and 35 of switches 7 and 6 of group 1.
    let ports = ["hsi0", "hsi1", "hsi2", "hsi3"].map(|name| {
        let adapter = node.adapters.iter().find(|adapter| adapter.name == name).unwrap();
        let at = adapter.slingshot_port().unwrap();
        (at.group, at.switch, at.port)
    });
    assert_eq!(ports, [(1, 7, 34), (1, 7, 35), (1, 6, 35), (1, 6, 34)]);
}

/// Two hosts like the node of JUWELS Booster on one switch. The first is the one that was read; its
/// adapters have other names in the network, and are known by their GUIDs.
fn machine(place: ObjectKind) -> Cluster {
    let hardware = node("juwels-booster-a100.v2");
    let mut text = "Switch 16 \"S-1\" # \"leaf\"\n".to_string();
    for (number, adapter) in hardware.adapters.iter().enumerate() {
        let guid = adapter.guid.unwrap();
        let (a, b) = (number + 1, number + 5);
        // Rail a of the network is the adapter of the first NUMA node, and so on.
        let rail = ["a", "b", "c", "d"][number];
        text += &format!("[{a}] \"H-{guid:016x}\"[1] # \"n1 {rail}\" lid {a} 4xHDR\n");
        text += &format!("[{b}] \"H-{b:016x}\"[1] # \"n2 {rail}\" lid {b} 4xHDR\n");
    }
    let (network, _) = parse_ibnetdiscover("net", text.as_bytes()).unwrap();
    let parts = Parts {
        hardware: vec![(hardware, Vec::new())],
        network: Some(network),
        place: Some(place),
        ..Parts::default()
    };
    Cluster::new(parts.join().unwrap().0).unwrap()
}

#[test]
fn a_rank_uses_the_adapter_that_is_nearest() {
    let cluster = machine(ObjectKind::Gpu);
    let wired = cluster.wired().unwrap();
    let used = |place: u32| wired.adapters_between(place, (place + 4) % 8);
    // GPUs are in the order of NUMA nodes, and so are rails. Ranks of n2 learn it from n1.
    let expected = [(0, 4), (1, 5), (2, 6), (3, 7), (4, 0), (5, 1), (6, 2), (7, 3)];
    assert_eq!((0..8).map(used).collect::<Vec<_>>(), expected);

    let cluster = machine(ObjectKind::Core);
    let wired = cluster.wired().unwrap();
    let cores = cluster.places().len() as u32 / 2;
    let used: Vec<u32> = (0..cores).map(|core| wired.adapters_between(core, cores).0).collect();
    // 48 cores in 8 NUMA nodes. Nodes 1, 3, 5 and 7 have an adapter. Nodes 0 and 2 share those of
    // their package in equal runs, and so do 4 and 6.
    let of_numa = |numa: usize| &used[6 * numa..6 * numa + 6];
    for (numa, adapter) in [(1, 0), (3, 1), (5, 2), (7, 3), (0, 0), (2, 1), (4, 2), (6, 3)] {
        assert!(of_numa(numa).iter().all(|&used| used == adapter), "{numa}: {used:?}");
    }
}

#[test]
fn machine_files_keep_adapters() {
    let cluster = machine(ObjectKind::Gpu);
    let mut bytes = Vec::new();
    machine_content(cluster.description())(&mut bytes).unwrap();
    let again = parse_machine_description("machine.json", &bytes).unwrap();
    assert_eq!(again, *cluster.description());
    let text = String::from_utf8(bytes).unwrap();
    let wrong = text.replacen("\"guid\": \"08003800", "\"guid\": \"x", 1);
    let error = parse_machine_description("machine.json", wrong.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("expected a GUID of hexadecimal digits"), "{error}");
}
