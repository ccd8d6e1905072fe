//! What every drawn machine promises, on every kind of machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use topoloom_core::cluster::{
    Costs, Description, Hardware, Host, Network, Object, ObjectKind, SwitchGroup,
};
use topoloom_core::topology::{Cluster, Edge, Graph, LinkProperties};
use topoloom_core::{Run, TOPOLOGIES, Vertex, parse_pattern, parse_strategy};

use super::*;

/// Three switches in a row, with two nodes each, one of them with two cables, and a separate node.
fn graph() -> Machine {
    let edge = |a, b| Edge { ends: [Vertex(a), Vertex(b)], properties: LinkProperties::ELECTRICAL };
    let ends = [(0, 7), (1, 7), (2, 8), (3, 8), (4, 9), (5, 9), (7, 8), (8, 9), (0, 7), (5, 6)];
    let edges: Vec<Edge> = ends.map(|(a, b)| edge(a, b)).to_vec();
    let graph = Graph::new(7, 3, &edges).unwrap();
    Machine::with_topology("graph:network.txt", Arc::new(graph)).unwrap()
}

/// A ring of nodes without any switch.
fn ring(nodes: u32) -> Machine {
    let properties = LinkProperties::ELECTRICAL;
    let edge = |a: u32| Edge { ends: [Vertex(a), Vertex((a + 1) % nodes)], properties };
    let graph = Graph::new(nodes, 0, &(0..nodes).map(edge).collect::<Vec<_>>()).unwrap();
    Machine::with_topology("platform:ring.toml", Arc::new(graph)).unwrap()
}

/// Hosts with two packages of two cores; c has a single core; a and b below one switch.
fn cluster() -> Machine {
    cluster_of(vec![("a", None, Some(1)), ("b", Some(2), Some(1)), ("c", Some(1), Some(2))])
}

/// Hosts with two packages of two cores: their names, how many cores they have for ranks, and their
/// switches.
fn cluster_of(hosts: Vec<(&str, Option<u32>, Option<u32>)>) -> Machine {
    let core = || Object::new(ObjectKind::Core, None, Vec::new());
    let package = || Object::new(ObjectKind::Package, None, vec![core(), core()]);
    let node = Object::new(ObjectKind::Node, None, vec![package(), package()]);
    let group = |name: &str, parent, level| SwitchGroup { name: name.into(), parent, level };
    let groups = vec![group("top", None, 2), group("left", Some(0), 1), group("right", Some(0), 1)];
    let host = |name: &str, slots, group| Host { name: name.into(), kind: 0, slots, group };
    let description = Description {
        kinds: vec![Hardware::new(None, node)],
        network: Network {
            groups,
            hosts: Vec::new(),
            switches: 3,
            links: 0,
            wiring: None,
            named: None,
        },
        hosts: hosts.into_iter().map(|(name, slots, group)| host(name, slots, group)).collect(),
        costs: Costs::default(),
        place: ObjectKind::Core,
        seats: Vec::new(),
    };
    let cluster = Cluster::new(description).unwrap();
    Machine::with_topology("cluster:machine.json", Arc::new(cluster)).unwrap()
}

fn machines() -> Vec<Machine> {
    let examples = TOPOLOGIES.entries.iter().map(|entry| entry.example);
    let mut machines: Vec<Machine> =
        examples.filter_map(|example| Machine::parse(example).ok()).collect();
    assert!(machines.len() >= 7, "only networks from files are no machines by themselves");
    machines.extend([graph(), ring(12), ring(1000), cluster()]);
    let more = [
        "mesh:1",
        "mesh:7",
        "torus:2",
        "torus:9,slots=2",
        "mesh:5x3",
        "torus:5x1x4",
        "torus:2x2x2,double-links",
        "torus:3x2x4x3x2",
        "hypercube:1",
        "hypercube:9",
        "haec:3x2x1",
        "haec:2x3x4",
        "fat-tree:levels=1,down=5",
        "fat-tree:levels=2,down=16:12,up=8",
        "fat-tree:levels=3,down=2:3:2,up=2:3",
        "dragonfly:groups=1,routers=1,nodes=3",
        "dragonfly:groups=1,routers=3,nodes=1",
        "dragonfly:groups=5,routers=2,nodes=7",
        "tree:5,distances=1",
        "tree:1:3:1:2:1,distances=1:1:2:2:3",
        "tree:1,distances=1",
    ];
    machines.extend(more.map(|spec| Machine::parse(spec).unwrap()));
    machines
}

fn problem(machine: Machine) -> Problem {
    let ranks = machine.num_slots();
    let traffic = match ranks {
        1 => parse_pattern("ring:1"),
        ranks => parse_pattern(&format!("random:ranks={ranks},degree={},seed=7", 3.min(ranks - 1))),
    };
    Problem::new(traffic.unwrap(), machine, Weight::Bytes).unwrap()
}

fn mappings(problem: &Problem) -> [Mapping; 2] {
    ["in-order", "random"]
        .map(|name| parse_strategy(name).unwrap().map(problem, None, &mut Run::new(5)).unwrap())
}

fn check_shape(drawn: &DrawnMachine, nodes: usize) {
    let points = drawn.points.len();
    assert_eq!(drawn.names.len(), points);
    assert!(drawn.holding >= 1 && drawn.holding <= points.min(MOST_POINTS));
    assert!(drawn.points.iter().flatten().all(|place| place.is_finite()));
    assert!(drawn.turns || drawn.points.iter().all(|place| place[2] == 0.0));
    let places: BTreeSet<[i64; 3]> = drawn.points[..drawn.holding]
        .iter()
        .map(|place| place.map(|x| (f64::from(x) * 100.0).round() as i64))
        .collect();
    assert_eq!(places.len(), drawn.holding, "no two points that hold nodes are at the same place");
    let names: BTreeSet<&String> = drawn.names.iter().collect();
    assert_eq!(names.len(), points, "each point has a name of its own");
    assert_eq!(drawn.point_of_node.len(), nodes);
    let held: BTreeSet<u32> = drawn.point_of_node.iter().copied().collect();
    assert!(held.into_iter().eq(0..drawn.holding as u32), "each such point holds a node");
    assert!(drawn.edges.len() <= MOST_EDGES && drawn.around.len() == drawn.edges.len());
    assert!(drawn.edges.iter().all(|&[a, b]| a < b && (b as usize) < points));
    assert!(drawn.edges.is_sorted_by(|a, b| a < b), "each edge is there once");
    for loads in &drawn.loads {
        assert_eq!(
            (loads.forward.len(), loads.backward.len()),
            (drawn.edges.len(), drawn.edges.len())
        );
        assert_eq!(loads.traffic.len(), drawn.holding);
        let on_edges = loads.forward.iter().chain(&loads.backward).copied().fold(0.0, f32::max);
        assert!(f64::from(on_edges) <= loads.most * 1.0001);
    }
}

#[test]
fn every_machine_has_places_and_edges() {
    for machine in machines() {
        let drawn = DrawnMachine::of(&machine);
        check_shape(&drawn, machine.num_nodes());
        assert!(drawn.loads.is_empty());
        let whole = machine.topology().num_vertices() == drawn.points.len();
        let nested = machine.topology().drawing() == Drawing::Nested;
        assert_eq!((drawn.bends.len(), drawn.links.len()), (drawn.edges.len(), drawn.edges.len()));
        assert!(whole || nested, "{} is small enough to be drawn as it is", machine.spec());
        let links = (0..machine.topology().link_id_bound())
            .filter_map(|id| machine.topology().link(topoloom_core::LinkId(id)));
        let pairs: BTreeSet<[u32; 2]> =
            links.map(|link| [link.from.0.min(link.to.0), link.from.0.max(link.to.0)]).collect();
        assert!(nested || drawn.edges.iter().copied().eq(pairs), "{}", machine.spec());
    }
}

#[test]
fn edges_carry_what_their_links_carry() {
    for machine in machines() {
        let problem = problem(machine);
        let mappings = mappings(&problem);
        let drawn = DrawnMachine::under(&problem, &[&mappings[0], &mappings[1]]);
        check_shape(&drawn, problem.machine().num_nodes());
        let topology = problem.machine().topology();
        for (mapping, loads) in mappings.iter().zip(&drawn.loads) {
            let mut expected: BTreeMap<(u32, u32), f64> = BTreeMap::new();
            for used in link_loads(&problem, mapping) {
                let link = topology.link(used.id).unwrap();
                let carried = expected.entry((link.from.0, link.to.0)).or_default();
                *carried = carried.max(used.load);
            }
            // Points of clusters are whole hosts.
            if drawn.boundaries || topology.cluster().is_some() {
                continue;
            }
            let most = expected.values().copied().fold(0.0, f64::max);
            assert_eq!(loads.most, most, "{}", problem.machine().spec());
            for (edge, &[a, b]) in drawn.edges.iter().enumerate() {
                let of = |from, to| expected.get(&(from, to)).copied().unwrap_or(0.0) as f32;
                assert_eq!(loads.forward[edge], of(a, b), "{} {a} {b}", problem.machine().spec());
                assert_eq!(loads.backward[edge], of(b, a), "{} {b} {a}", problem.machine().spec());
            }
        }
    }
}

#[test]
fn points_know_what_their_ranks_exchange() {
    let machine = Machine::parse("mesh:3,slots=2").unwrap();
    // Ranks 0 and 1 are on node 0, 2 and 3 on node 1; a ring of six sends 1 each way.
    let traffic = parse_pattern("ring:6").unwrap();
    let problem = Problem::new(traffic, machine, Weight::Messages).unwrap();
    let mapping = problem.mapping((0..6).collect()).unwrap();
    let drawn = DrawnMachine::under(&problem, &[&mapping]);
    let mut expected = [0f32; 3];
    problem.traffic().for_each_flow(Weight::Messages, |from, to, weight| {
        if from / 2 != to / 2 {
            expected[from as usize / 2] += weight as f32;
            expected[to as usize / 2] += weight as f32;
        }
    });
    assert!(expected[0] > 0.0);
    assert_eq!(drawn.loads[0].traffic, expected);
}

#[test]
fn boundaries_of_groups_show_what_crosses_them() {
    for machine in machines() {
        let problem = problem(machine);
        let spec = problem.machine().spec();
        let mappings = mappings(&problem);
        let drawn = DrawnMachine::under(&problem, &[&mappings[0], &mappings[1]]);
        if !drawn.boundaries {
            continue;
        }
        // The nodes below each point: edges lead outwards.
        let mut below = vec![BTreeSet::new(); drawn.points.len()];
        for (node, &point) in (0u32..).zip(&drawn.point_of_node) {
            below[point as usize].insert(node);
        }
        for &[inner, outer] in &drawn.edges {
            let nodes = below[inner as usize].clone();
            below[outer as usize].extend(nodes);
        }
        for (mapping, loads) in mappings.iter().zip(&drawn.loads) {
            let nodes = mapping.nodes();
            for (edge, &[inner, _]) in drawn.edges.iter().enumerate() {
                let inside = |rank: u32| below[inner as usize].contains(&nodes[rank as usize]);
                let (mut out, mut into) = (0.0, 0.0);
                problem.traffic().for_each_flow(Weight::Bytes, |from, to, weight| {
                    match (inside(from), inside(to)) {
                        (true, false) => out += weight,
                        (false, true) => into += weight,
                        _ => {}
                    }
                });
                assert_eq!(
                    loads.forward[edge], out as f32,
                    "{spec}: {}",
                    drawn.names[inner as usize]
                );
                assert_eq!(
                    loads.backward[edge], into as f32,
                    "{spec}: {}",
                    drawn.names[inner as usize]
                );
            }
            let drawn_most =
                loads.forward.iter().chain(&loads.backward).copied().fold(0.0, f32::max);
            assert_eq!(drawn_most, loads.most as f32);
        }
    }
}

#[test]
fn clusters_are_hosts_and_switches() {
    let drawn = DrawnMachine::of(&cluster());
    let expected = ["host a", "host b", "host c", "switch top", "switch left", "switch right"];
    assert_eq!(drawn.names, expected);
    assert_eq!(drawn.point_of_node, [0, 0, 0, 0, 1, 1, 2]);
    assert_eq!(drawn.edges, [[0, 4], [1, 4], [2, 5], [3, 4], [3, 5]]);
    let layers = drawn.layers.unwrap();
    assert_eq!(layers.names, ["hosts", "leaf switches", "spine switches"]);
    assert_eq!(layers.labels[..4], ["a", "b", "c", "top"]);
    assert_eq!(layers.level_of, [0, 0, 0, 2, 1, 1]);
}

#[test]
fn loads_of_clusters_are_those_of_cables() {
    let problem = problem(cluster());
    let mapping = &mappings(&problem)[1];
    let drawn = DrawnMachine::under(&problem, &[mapping]);
    let nodes = mapping.nodes();
    let host_of = |rank: u32| drawn.point_of_node[nodes[rank as usize] as usize];
    for (edge, &[host, _]) in drawn.edges.iter().enumerate().take(3) {
        let (mut out, mut into) = (0.0, 0.0);
        problem.traffic().for_each_flow(Weight::Bytes, |from, to, weight| {
            match (host_of(from) == host, host_of(to) == host) {
                (true, false) => out += weight,
                (false, true) => into += weight,
                _ => {}
            }
        });
        let loads = &drawn.loads[0];
        assert_eq!([loads.forward[edge], loads.backward[edge]], [out as f32, into as f32]);
    }
    let (edge, name) = drawn.loads[0].busiest.clone().unwrap();
    let loads = &drawn.loads[0];
    let most = loads.forward[edge as usize].max(loads.backward[edge as usize]);
    assert_eq!(most, loads.most as f32);
    assert!(name.contains("port"), "{name}");
}

#[test]
fn a_host_alone_is_its_parts() {
    let drawn = DrawnMachine::of(&cluster_of(vec![("a", None, Some(1))]));
    let expected = [
        "core 0 of a",
        "core 1 of a",
        "core 2 of a",
        "core 3 of a",
        "package 0 of a",
        "package 1 of a",
        "host a",
    ];
    assert_eq!(drawn.names, expected);
    assert!(drawn.boundaries);
}

#[test]
fn the_inside_of_a_host_has_its_ranks_and_what_crosses_its_parts() {
    let machine = cluster();
    assert_eq!(DrawnHost::number(&machine, "b"), Some(1));
    assert_eq!(DrawnHost::number(&machine, "z"), None);
    assert_eq!(DrawnHost::of(&machine, 3), None);
    // Ranks 0 to 3 are on a, 4 and 5 on b, 6 on c. Each sends 1 to the next and the one before.
    let problem = Problem::new(parse_pattern("ring:7").unwrap(), machine, Weight::Bytes).unwrap();
    let mapping = problem.mapping((0..7).collect()).unwrap();
    let host = DrawnHost::under(&problem, &[&mapping], 0).unwrap();
    let names: Vec<&str> = host.parts.iter().map(|part| part.name.as_str()).collect();
    let expected = ["host a", "package 0", "core 0", "core 1", "package 1", "core 2", "core 3"];
    assert_eq!(names, expected);
    assert_eq!(host.parts[0].parts, [1, 4]);
    assert_eq!(host.parts[5].ranks, [[2]]);
    // Between ranks 1 and 2, and between 3 and 4; the ring may be of one direction or of both.
    let [out, into] = host.parts[4].loads[0];
    let whole: f64 = host.parts[0].loads[0].iter().sum();
    assert_eq!((out + into, out > 0.0), (whole, true));
    assert_eq!(host.adapters.len(), 1);
    assert_eq!(host.adapters[0].to, ["left"]);
    assert_eq!(host.adapters[0].loads, [host.parts[0].loads[0]]);
    // a and b exchange as much as c does; the first is drawn.
    assert_eq!(DrawnHost::busiest(&problem, &mapping), Some(0));
}

#[test]
fn trees_name_their_leaves_and_groups() {
    let drawn = DrawnMachine::of(&Machine::parse("tree:2:1:2,distances=1:2:3").unwrap());
    let expected = [
        "leaf 0",
        "leaf 1",
        "leaf 2",
        "leaf 3",
        "group 0 of level 1 (leaves 0 to 1)",
        "group 1 of level 1 (leaves 2 to 3)",
        "group 0 of level 3 (leaves 0 to 3)",
    ];
    assert_eq!(drawn.names, expected);
    assert_eq!(drawn.edges, [[0, 4], [1, 4], [2, 5], [3, 5], [4, 6], [5, 6]]);
}

/// A machine too large to be drawn node by node, in order and with partners seven nodes apart.
fn check_large(spec: &str, holding: usize, notes: usize) -> DrawnMachine {
    let machine = Machine::parse(spec).unwrap();
    let nodes = machine.num_nodes() as u32;
    check_shape(&DrawnMachine::of(&machine), nodes as usize);
    let traffic = parse_pattern(&format!("ring:{nodes}")).unwrap();
    let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
    // No number of nodes here is a multiple of seven.
    let mappings = [1, 7].map(|apart| {
        problem.mapping((0..nodes).map(|rank| rank * apart % nodes).collect()).unwrap()
    });
    let drawn = DrawnMachine::under(&problem, &[&mappings[0], &mappings[1]]);
    check_shape(&drawn, problem.machine().num_nodes());
    assert_eq!((drawn.holding, drawn.notes.len()), (holding, notes), "{spec}: {:?}", drawn.notes);
    let loads = mappings.iter().map(|mapping| link_loads(&problem, mapping));
    for (used, loads) in loads.zip(&drawn.loads).filter(|(used, _)| !used.is_empty()) {
        assert_eq!(loads.most, used.iter().map(|used| used.load).fold(0.0, f64::max), "{spec}");
    }
    drawn
}

#[test]
fn large_machines_are_summarised_and_say_so() {
    // 64,000 nodes in blocks of 2 x 2 x 2: a note on blocks and one on the links inside.
    let drawn = check_large("torus:40x40x40", 8000, 2);
    assert_eq!(drawn.names[1], "nodes (2..3, 0..1, 0..1)");
    assert!(drawn.notes[0].starts_with("A point stands for 2 x 2 x 2 nodes;"));
    assert!(drawn.notes[1].starts_with("Links inside a block are not drawn; the busiest of them"));
    // Three edges per point; one of the 20 of each ring goes around.
    assert_eq!(drawn.edges.len(), 24_000);
    assert_eq!(drawn.around.iter().filter(|&&around| around).count(), 24_000 / 20);
    check_large("hypercube:15", 8192, 4);
    check_large("fat-tree:k=32", 8192, 0);
    check_large("fat-tree:k=40", 800, 1);
    check_large("fat-tree:levels=3,down=2:4:4096,up=2:1", 4096, 2);
    check_large("dragonfly:groups=33,routers=32,nodes=16", 1056, 1);
    check_large("dragonfly:groups=129,routers=128,nodes=2", 129, 2);
    check_large("tree:16:32:32,distances=1:2:3", 1024, 2);
}

#[test]
fn links_too_many_to_draw_are_left_out_by_what_they_carry() {
    // Four layers of 16 x 16: 3 x 65,536 pairs between layers. A ring in order uses few of them.
    let machine = Machine::parse("haec:16x16x4").unwrap();
    let traffic = parse_pattern("random:ranks=1024,degree=300,seed=1").unwrap();
    let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
    let mapping = &mappings(&problem)[0];
    let drawn = DrawnMachine::under(&problem, &[mapping]);
    check_shape(&drawn, 1024);
    assert_eq!(drawn.edges.len(), MOST_EDGES);
    assert!(
        drawn.notes[0].contains("the 40,000 busiest are drawn; the busiest of the others carries")
    );
    // No drawn edge carries less than an edge that was left out.
    let both = drawn.loads[0].forward.iter().zip(&drawn.loads[0].backward);
    let least = both.map(|(a, b)| a.max(*b)).fold(f32::INFINITY, f32::min);
    let kept: BTreeSet<[u32; 2]> = drawn.edges.iter().copied().collect();
    for used in link_loads(&problem, mapping) {
        let link = problem.machine().topology().link(used.id).unwrap();
        let ends = [link.from.0.min(link.to.0), link.from.0.max(link.to.0)];
        assert!(kept.contains(&ends) || used.load as f32 <= least);
    }
}

#[test]
fn links_beyond_counting_are_not_walked() {
    // 63 gaps between layers, 4096 x 4096 pairs in each: some two billion links, both ways.
    let machine = Machine::parse("haec:64x64x64").unwrap();
    let drawn = DrawnMachine::of(&machine);
    check_shape(&drawn, 64 * 64 * 64);
    assert!(drawn.notes.iter().any(|note| note.contains("too many to draw")));
    assert!(!drawn.edges.is_empty());
}

#[test]
fn hosts_on_a_network_with_a_name_are_drawn_as_that_network() {
    for network in ["torus:3x2", "fat-tree:k=4", "dragonfly:groups=3,routers=2,nodes=1"] {
        let topology = Machine::parse(network).unwrap().shared_topology();
        let named = NamedNetwork::new(network, topology);
        let node = Hardware::new(None, Object::flat_node(2));
        let cluster = Cluster::new(Description::on_network(named, node)).unwrap();
        let spec = format!("{network},node=node.xml");
        let machine = Machine::with_topology(&spec, Arc::new(cluster)).unwrap();
        let (hosted, plain) =
            (DrawnMachine::of(&machine), DrawnMachine::of(&Machine::parse(network).unwrap()));
        assert_eq!((&hosted.points, &hosted.edges), (&plain.points, &plain.edges), "{network}");
        assert_eq!(hosted.point_of_node.len(), 2 * plain.point_of_node.len(), "{network}");
        assert_eq!(hosted.point_of_node[2], plain.point_of_node[1], "{network}");
    }
}
