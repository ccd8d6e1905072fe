//! Machines of every kind, on which the contracts are checked.

use std::sync::Arc;

use topoloom_core::cluster::{
    ADAPTER_LINK, Adapter, Cable, Costs, Description, Device, Hardware, Host, NamedNetwork,
    Network, Object, ObjectKind, Port, Seat, Switch, SwitchGroup, Tables, UPLINK, Wiring,
};
use topoloom_core::topology::{Cluster, Edge, Graph, LinkProperties, PLATFORM, Topology};
use topoloom_core::{Machine, TOPOLOGIES, Vertex};

/// The example of every topology, and shapes with lengths of 1, 2 and odd lengths.
pub fn machines() -> Vec<Machine> {
    // Graphs and clusters come from files; generated ones stand for them here.
    let from_files = [Graph::NAME, Cluster::NAME, PLATFORM];
    let entries = TOPOLOGIES.entries.iter().filter(|entry| !from_files.contains(&entry.name));
    let examples = entries.map(|entry| entry.example);
    let odd_shapes = [
        "mesh:5",
        "mesh:3x1x2",
        "mesh:2x3x2x2",
        "torus:7",
        "torus:2x2",
        "torus:3x1x4",
        "torus:2x3x2x2x3",
        "torus:2x3x1x2x2x2",
        "torus:4x3,slots=3",
        "hypercube:1",
        "haec:3x2x3",
        "haec:1x5x2",
        "haec:4x1x1",
        "haec:5x4x4,slots=2",
        "tree:7,distances=3",
        "tree:3:1:2:4,distances=2:5:5:17",
        "tree:2:5:3,distances=0:4:9,slots=2",
        "torus:4x2x2,double-links",
        "fat-tree:levels=2,down=4:3,up=2",
        "fat-tree:levels=1,down=5,slots=2",
        "dragonfly:groups=5,routers=2,nodes=1,global=3",
        "dragonfly:groups=1,routers=3,nodes=2",
        "mesh:3x1x2,bandwidth=1e9:9e9:2e9",
        "torus:4x3,bandwidth=2e9:1e9",
        "fat-tree:levels=2,down=4:3,up=2,bandwidth=1e9:3e9",
        "dragonfly:groups=1,routers=3,nodes=2,global-bandwidth=99e9,local-bandwidth=20e9",
    ];
    let described = examples.chain(odd_shapes).map(|spec| Machine::parse(spec).unwrap());
    let hosted =
        ["torus:3x2x2", "fat-tree:levels=2,down=2:3,up=2", "dragonfly:groups=3,routers=2,nodes=1"];
    let described = described.chain(hosted.map(hosted_on));
    described.chain(networks()).chain([cluster(), seats(), rails(), part_of_a_torus()]).collect()
}

/// Two packages of a core and two cores on each node of a network.
pub fn hosted_on(network: &str) -> Machine {
    let topology = Machine::parse(network).unwrap().shared_topology();
    on_network(network, NamedNetwork::new(network, topology))
}

/// Hosts on some nodes of a torus, in another order, with slow adapters.
fn part_of_a_torus() -> Machine {
    let topology = Machine::parse("torus:4x2").unwrap().shared_topology();
    let adapter = Some(LinkProperties { bytes_per_second: 1e9, ..LinkProperties::ELECTRICAL });
    let whole = NamedNetwork::new("torus:4x2", topology);
    on_network("torus:4x2", NamedNetwork { node_of_host: vec![6, 0, 3], adapter, ..whole })
}

fn on_network(network: &str, named: NamedNetwork) -> Machine {
    let core = |cpu| {
        let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
        Object::new(ObjectKind::Core, Some(cpu), vec![thread])
    };
    let package = |cpus: std::ops::Range<u32>| {
        Object::new(ObjectKind::Package, None, cpus.map(core).collect())
    };
    let node = Object::new(ObjectKind::Node, None, vec![package(0..1), package(1..3)]);
    let description = Description::on_network(named, Hardware::new(None, node));
    let cluster = Cluster::new(description).unwrap();
    let specification = format!("{network},node=node.xml");
    Machine::with_topology(&specification, Arc::new(cluster)).unwrap()
}

/// Three hosts, two of them on one switch: two packages of two cores, three of which may be used;
/// three cores without a package; one package of three cores.
pub fn cluster() -> Machine {
    let core = |cpu| {
        let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
        Object::new(ObjectKind::Core, Some(cpu), vec![thread])
    };
    let package = |cpus: std::ops::Range<u32>| {
        Object::new(ObjectKind::Package, None, cpus.map(core).collect())
    };
    let node = |packages| Object::new(ObjectKind::Node, None, packages);
    let kinds =
        [node(vec![package(0..2), package(2..4)]), Object::flat_node(3), node(vec![package(0..3)])];
    let kinds = kinds.map(|node| Hardware::new(None, node)).to_vec();
    let switch = SwitchGroup { name: "switch".into(), parent: None, level: 1 };
    let network = Network {
        groups: vec![switch],
        hosts: Vec::new(),
        switches: 1,
        links: 0,
        wiring: None,
        named: None,
    };
    let host = |name: &str, kind, slots, group| Host { name: name.into(), kind, slots, group };
    let hosts =
        vec![host("a", 0, Some(3), Some(0)), host("b", 1, None, None), host("c", 2, None, Some(0))];
    let (costs, place) = (Costs::default(), ObjectKind::Core);
    let cluster =
        Cluster::new(Description { kinds, network, hosts, costs, place, seats: Vec::new() })
            .unwrap();
    Machine::with_topology("cluster:uneven.json,slots=2", Arc::new(cluster)).unwrap()
}

/// The seats of a job on two hosts: on a core, two on one core, on a cache, across caches, on all of
/// a package, and two that are not bound.
fn seats() -> Machine {
    let core = |cpu| {
        let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
        Object::new(ObjectKind::Core, Some(cpu), vec![thread])
    };
    let cache = |first| Object::new(ObjectKind::L3, None, vec![core(first), core(first + 1)]);
    let package =
        |first| Object::new(ObjectKind::Package, None, vec![cache(first), cache(first + 2)]);
    let node = Object::new(ObjectKind::Node, None, vec![package(0), package(4)]);
    let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
    let seat = |host, cpus: &[u32]| Seat { host, cpus: cpus.to_vec(), gpu: None };
    let cluster = Cluster::new(Description {
        kinds: vec![Hardware::new(None, node)],
        network: Network::default(),
        hosts: vec![host("a"), host("b")],
        costs: Costs::default(),
        place: ObjectKind::Core,
        seats: vec![
            seat(0, &[0]),
            seat(1, &[3]),
            seat(1, &[3]),
            seat(0, &[2, 3]),
            seat(0, &[1, 2]),
            seat(1, &[4, 5, 6, 7]),
            seat(0, &[]),
            seat(1, &[]),
        ],
    });
    Machine::with_topology("cluster:job.json", Arc::new(cluster.unwrap())).unwrap()
}

/// Four hosts with two rails. Each rail has a leaf, and two cables lead from each leaf to a spine. One
/// host lacks the first rail. Tables lead half of the hosts over one cable and half over the other,
/// and the spine has no entry for one address.
fn rails() -> Machine {
    let switch = |name: &str| Switch { name: name.into(), guid: None };
    let mut wiring =
        Wiring { switches: ["leaf0", "leaf1", "spine"].map(switch).to_vec(), ..Wiring::default() };
    let port = |switch, number| Port { device: Device::Switch(switch), number };
    for (leaf, cable) in [(0, 1), (0, 2), (1, 3), (1, 4)] {
        let ends = [port(leaf, 20 + cable), port(2, cable)];
        wiring.cables.push(Cable { ends, link: UPLINK });
    }
    let mut tables = vec![vec![Tables::NO_PORT; 12]; 3];
    for (host, rail) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (3, 0), (3, 1)] {
        let (number, address) = (wiring.adapters.len() as u32, wiring.adapters.len() as u32 + 2);
        let name = format!("mlx5_{rail}");
        wiring.adapters.push(Adapter {
            host,
            name,
            guid: None,
            addresses: address..address + 1,
            device: None,
        });
        let own = Port { device: Device::Adapter(number), number: 1 };
        wiring.cables.push(Cable { ends: [own, port(rail, number + 1)], link: ADAPTER_LINK });
        tables[rail as usize][address as usize] = number as u8 + 1;
        tables[1 - rail as usize][address as usize] = (21 + 2 * (1 - rail) + host % 2) as u8;
        if number != 4 {
            tables[2][address as usize] = (1 + 2 * rail + host % 2) as u8;
        }
    }
    wiring.tables = Some(Tables { ports: tables });
    let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
    let cluster = Cluster::new(Description {
        kinds: vec![Hardware::new(None, Object::flat_node(3))],
        network: Network { wiring: Some(wiring), ..Network::default() },
        hosts: ["a", "b", "c", "d"].map(host).to_vec(),
        costs: Costs::default(),
        place: ObjectKind::Core,
        seats: Vec::new(),
    });
    Machine::with_topology("cluster:rails.json", Arc::new(cluster.unwrap())).unwrap()
}

/// Networks of nodes and switches, with one row per vertex: the later vertices that it is wired to.
/// Splits are halves and quarters, so sums of loads are exact.
pub fn networks() -> Vec<Machine> {
    let cases: [(&str, u32, &[&[u32]]); 5] = [
        ("graph:one.txt,slots=3", 1, &[&[]]),
        ("graph:pair.txt", 2, &[&[1, 1], &[]]),
        // A square of switches with two nodes each, and one more node on two cables.
        (
            "graph:square.txt,slots=2",
            9,
            &[
                &[9],
                &[9],
                &[10],
                &[10],
                &[11],
                &[11],
                &[12],
                &[12],
                &[12, 12],
                &[10, 12],
                &[11],
                &[12],
                &[],
            ],
        ),
        // Nodes that pass messages on, with a tail.
        ("graph:ring.txt", 6, &[&[1, 3], &[2], &[3], &[4], &[5], &[]]),
        // Every node on two switches.
        ("graph:planes.txt", 4, &[&[4, 5], &[4, 5], &[4, 5], &[4, 5], &[], &[]]),
    ];
    let network = |(spec, nodes, rows): (&str, u32, &[&[u32]])| {
        let pairs = (0..).zip(rows).flat_map(|(a, row)| row.iter().map(move |&b| (a, b)));
        let bandwidths = [10e9, 2e9, 5e9].into_iter().cycle();
        let edges: Vec<Edge> = pairs
            .zip(bandwidths)
            .map(|((a, b), bytes_per_second)| Edge {
                ends: [Vertex(a), Vertex(b)],
                properties: LinkProperties { bytes_per_second, ..LinkProperties::ELECTRICAL },
            })
            .collect();
        let graph = Graph::new(nodes, rows.len() as u32 - nodes, &edges).unwrap();
        Machine::with_topology(spec, Arc::new(graph)).unwrap()
    };
    cases.map(network).into()
}

pub fn nodes(topology: &dyn Topology) -> impl Iterator<Item = Vertex> + use<> {
    (0..topology.num_nodes() as u32).map(Vertex)
}
