//! What every entry of every registry promises. A new entry is held to it without another line.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use topoloom_core::cluster::{
    Costs, Description, Hardware, Host, Network, Object, ObjectKind, Seat, SwitchGroup,
};
use topoloom_core::objective::{CostMatrix, best_swap_by_trying_all};
use topoloom_core::statistics::link_loads;
use topoloom_core::topology::metric::{
    largest_ball_by_counting, pairs_at_distance_by_counting, weighted_hops_by_distance,
};
use topoloom_core::topology::{Cluster, Edge, Graph, LinkProperties, Metric, PLATFORM, Topology};
use topoloom_core::{
    COLLECTIVE_MODES, CollectiveMode, Flow, LinkId, Machine, Mapping, OBJECTIVES, Objective,
    PATTERNS, Problem, REFINERS, ROUTINGS, Run, STRATEGIES, Spec, TOPOLOGIES, TrafficBuilder,
    Vertex, Weight, checker, parse_objective, parse_pattern, parse_strategy, random, score,
    with_metric,
};

/// The example of every topology, and shapes with lengths of 1, 2 and odd lengths.
fn machines() -> Vec<Machine> {
    // Graphs and clusters come from files; what is drawn here stands for them.
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
    described.chain(networks()).chain([cluster(), seats()]).collect()
}

/// Three hosts, two of them on one switch: two packages of two cores, three of which may be used;
/// three bare cores; one package of three cores.
fn cluster() -> Machine {
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
    let kinds = kinds.map(|node| Hardware { host: None, node }).to_vec();
    let switch = SwitchGroup { name: "switch".into(), parent: None, level: 1 };
    let network = Network { groups: vec![switch], hosts: Vec::new(), switches: 1, links: 0 };
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
        kinds: vec![Hardware { host: None, node }],
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

/// The definition of the distance in a cluster: that of the smallest group around both.
fn cluster_length(topology: &dyn Topology, a: u32, b: u32) -> u32 {
    let groups = topology.groups().unwrap();
    let around = groups.all().iter().filter(|g| g.nodes.contains(&a) && g.nodes.contains(&b));
    around.min_by_key(|group| (group.nodes.len(), group.distance)).unwrap().distance
}

/// Networks of nodes and switches, each vertex a row of those that follow it and that it is wired
/// to. Splits are halves and quarters, so that sums of loads are exact.
fn networks() -> Vec<Machine> {
    let cases: [(&str, u32, &[&[u32]]); 5] = [
        ("graph:one.txt,slots=3", 1, &[&[]]),
        ("graph:pair.txt", 2, &[&[1, 1], &[]]),
        // A square of switches with two nodes each, and one more on two cables.
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

fn nodes(topology: &dyn Topology) -> impl Iterator<Item = Vertex> + use<> {
    (0..topology.num_nodes() as u32).map(Vertex)
}

/// The definition of distance for machines that route along shortest paths: search by breadth
/// over the links.
fn hops_over_links(topology: &dyn Topology, from: Vertex) -> HashMap<Vertex, u32> {
    let mut out: HashMap<Vertex, Vec<Vertex>> = HashMap::new();
    for link in (0..topology.link_id_bound()).filter_map(|id| topology.link(LinkId(id))) {
        out.entry(link.from).or_default().push(link.to);
    }
    let mut hops = HashMap::from([(from, 0)]);
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for &next in out.get(&at).into_iter().flatten() {
            if !hops.contains_key(&next) {
                hops.insert(next, hops[&at] + 1);
                queue.push_back(next);
            }
        }
    }
    hops
}

/// The definition of the routed length on HAEC: torus distance in a layer, layers otherwise.
fn haec_length(lengths: &[u32], from: Vertex, to: Vertex) -> u32 {
    let place = |v: Vertex| {
        [v.0 % lengths[0], v.0 / lengths[0] % lengths[1], v.0 / lengths[0] / lengths[1]]
    };
    let (a, b) = (place(from), place(to));
    if a[2] != b[2] {
        return a[2].abs_diff(b[2]);
    }
    (0..2).map(|d| a[d].abs_diff(b[d]).min(lengths[d] - a[d].abs_diff(b[d]))).sum()
}

/// The definition of the routed length on a dragonfly: a search over the links that takes at most
/// one from group to group.
fn dragonfly_lengths(machine: &Machine, from: Vertex) -> HashMap<Vertex, u32> {
    let topology = machine.topology();
    let number = |key: &str| -> u32 {
        let rest = machine.spec().split(key).nth(1).unwrap();
        rest.split(',').next().unwrap().parse().unwrap()
    };
    let (routers, nodes) = (number("routers="), topology.num_nodes() as u32);
    let group = |v: Vertex| match v.0.checked_sub(nodes) {
        Some(router) => router / routers,
        None => v.0 / number("nodes=") / routers,
    };
    let links: Vec<_> =
        (0..topology.link_id_bound()).filter_map(|id| topology.link(LinkId(id))).collect();
    let mut hops = HashMap::from([((from, false), 0)]);
    let mut queue = VecDeque::from([(from, false)]);
    while let Some((at, crossed)) = queue.pop_front() {
        for link in links.iter().filter(|link| link.from == at) {
            let leaves = group(link.from) != group(link.to);
            let next = (link.to, crossed || leaves);
            let allowed = !crossed || !leaves;
            if allowed && !hops.contains_key(&next) {
                hops.insert(next, hops[&(at, crossed)] + 1);
                queue.push_back(next);
            }
        }
    }
    let mut lengths = HashMap::new();
    for ((vertex, _), hops) in hops {
        lengths
            .entry(vertex)
            .and_modify(|least: &mut u32| *least = hops.min(*least))
            .or_insert(hops);
    }
    lengths
}

/// The definition of the distance in a tree: that of the highest digit that differs, as the
/// specification says it.
fn tree_length(spec: &str, mut a: u32, mut b: u32) -> u32 {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(':').map(|number| number.parse().unwrap()).collect()
    };
    let (levels, rest) = spec.strip_prefix("tree:").unwrap().split_once(",distances=").unwrap();
    let distances = numbers(rest.split(',').next().unwrap());
    let mut length = 0;
    for (level, distance) in numbers(levels).into_iter().zip(distances) {
        if a % level != b % level {
            length = distance;
        }
        (a, b) = (a / level, b / level);
    }
    length
}

#[test]
fn every_entry_builds_from_its_example_and_has_a_name_of_its_own() {
    fn names<B>(registry: &topoloom_core::Registry<B>) {
        let mut seen = HashSet::new();
        for entry in registry.entries {
            assert!(seen.insert(entry.name), "{} twice", entry.name);
            assert!(!entry.summary.is_empty() && entry.summary.len() < 90, "{}", entry.name);
            let spec = Spec::parse(entry.example).unwrap();
            assert_eq!(registry.find(&spec).unwrap().name, entry.name);
        }
    }
    names(&TOPOLOGIES);
    names(&PATTERNS);
    names(&OBJECTIVES);
    names(&ROUTINGS);
    names(&STRATEGIES);
    names(&REFINERS);
    names(&COLLECTIVE_MODES);
    for entry in PATTERNS.entries {
        assert!(parse_pattern(entry.example).unwrap().num_ranks() > 0, "{}", entry.example);
    }
    for entry in COLLECTIVE_MODES.entries {
        entry.example.parse::<CollectiveMode>().unwrap();
    }
    for entry in STRATEGIES.entries {
        parse_strategy(entry.example).unwrap();
    }
    for entry in OBJECTIVES.entries.iter().filter(|entry| entry.name != CostMatrix::NAME) {
        assert_eq!(parse_objective(entry.example).unwrap().name(), entry.name);
    }
    for entry in REFINERS.entries {
        parse_strategy(&format!("in-order | {}", entry.example)).unwrap();
    }
}

#[test]
fn topology_distance_agrees_with_its_slow_definition() {
    for machine in machines() {
        let topology = machine.topology();
        for from in nodes(topology) {
            let by_search = if machine.spec().starts_with("dragonfly") {
                dragonfly_lengths(&machine, from)
            } else {
                hops_over_links(topology, from)
            };
            for to in nodes(topology) {
                let expected = if machine.spec().starts_with("haec") {
                    haec_length(topology.grid_lengths().unwrap(), from, to)
                } else if machine.spec().starts_with("tree") {
                    tree_length(machine.spec(), from.0, to.0)
                } else if machine.spec().starts_with("cluster") {
                    cluster_length(topology, from.0, to.0)
                } else {
                    by_search[&to]
                };
                assert_eq!(topology.distance(from, to), expected, "{} {from} {to}", machine.spec());
                let quick = with_metric!(machine.metric(), metric => metric.distance(from.0, to.0));
                assert_eq!(quick, expected, "metric of {} {from} {to}", machine.spec());
            }
        }
    }
}

#[test]
fn topology_sums_of_weighted_hops_agree_with_their_definition() {
    for machine in machines() {
        let nodes = machine.num_nodes() as u32;
        let mut rng = random::stream(1, &[]);
        let places: Vec<(u32, f64)> =
            (0..9).map(|weight| (random::below(&mut rng, nodes), f64::from(weight))).collect();
        let (mut quick, mut slow) = (vec![1.0; nodes as usize], vec![0.0; nodes as usize]);
        with_metric!(machine.metric(), metric => {
            metric.weighted_hops(&places, &mut quick);
            weighted_hops_by_distance(metric, &places, &mut slow);
        });
        assert_eq!(quick, slow, "{}", machine.spec());
    }
}

#[test]
fn topology_next_links_lead_exactly_one_hop_closer() {
    for machine in machines() {
        let topology = machine.topology();
        let mut links = Vec::new();
        for from in nodes(topology) {
            for to in nodes(topology) {
                links.clear();
                topology.next_links(from, to, &mut links);
                let none = from == to || !topology.is_wired();
                assert_eq!(links.is_empty(), none, "{} {from} {to}", machine.spec());
                let distinct: HashSet<_> = links.iter().collect();
                assert_eq!(distinct.len(), links.len());
                for &id in &links {
                    let link = topology.link(id).expect("a next link exists");
                    assert_eq!(link.from, from);
                    assert_eq!(topology.distance(link.to, to) + 1, topology.distance(from, to));
                }
            }
        }
    }
}

#[test]
fn topology_counts_its_links_and_distances() {
    for machine in machines() {
        let topology = machine.topology();
        let links: Vec<_> =
            (0..topology.link_id_bound()).filter_map(|id| topology.link(LinkId(id))).collect();
        assert_eq!(links.len() as u64, topology.num_links(), "{}", machine.spec());
        assert!(links.iter().all(|link| link.from != link.to));
        assert_eq!(topology.link(LinkId(topology.link_id_bound())), None);
        let fastest = links.iter().map(|l| l.properties.bytes_per_second).fold(0.0, f64::max);
        assert!(links.is_empty() || topology.fastest_link() == fastest, "{}", machine.spec());

        let spec = machine.spec();
        assert_eq!(topology.pairs_at_distance(), pairs_at_distance_by_counting(topology), "{spec}");
        assert_eq!(topology.largest_ball(), largest_ball_by_counting(topology), "{spec}");
        let mut distances: Vec<u32> =
            nodes(topology).flat_map(|from| profile(topology, from)).collect();
        distances.sort_unstable();
        distances.dedup();
        assert_eq!(topology.distances(), distances, "{spec}");
    }
}

#[test]
fn topology_visits_each_node_at_a_distance_once() {
    for machine in machines() {
        let topology = machine.topology();
        for from in nodes(topology) {
            let mut found = 0;
            for distance in topology.distances() {
                let mut seen = HashSet::new();
                let _ = topology.nodes_at_distance(from, distance, &mut |node| {
                    assert!(seen.insert(node), "{}: {node} twice", machine.spec());
                    assert_eq!(topology.distance(from, node), distance, "{}", machine.spec());
                    ControlFlow::Continue(())
                });
                found += seen.len();
            }
            assert_eq!(found, topology.num_nodes(), "{}", machine.spec());
        }
    }
}

/// Distances from a node to all others, sorted: equal for nodes that are images of each other.
fn profile(topology: &dyn Topology, from: Vertex) -> Vec<u32> {
    let mut distances: Vec<u32> = nodes(topology).map(|to| topology.distance(from, to)).collect();
    distances.sort_unstable();
    distances
}

#[test]
fn topology_representatives_stand_for_every_node() {
    for machine in machines() {
        let topology = machine.topology();
        let known: HashSet<Vec<u32>> =
            topology.representative_nodes().iter().map(|&node| profile(topology, node)).collect();
        for node in nodes(topology) {
            assert!(known.contains(&profile(topology, node)), "{} {node}", machine.spec());
        }
    }
}

#[test]
fn routing_loses_nothing_on_the_way_and_takes_shortest_routes() {
    for machine in machines() {
        let topology = machine.topology();
        for entry in ROUTINGS.entries {
            let Ok(routed) = machine.clone().with_routing(entry.name) else { continue };
            for from in nodes(topology) {
                for to in nodes(topology) {
                    let mut balance: HashMap<Vertex, f64> = HashMap::new();
                    let mut crossed = 0.0;
                    routed.routing().route(topology, from, to, &mut |id, share| {
                        let link = topology.link(id).expect("a route uses links that exist");
                        *balance.entry(link.from).or_default() -= share;
                        *balance.entry(link.to).or_default() += share;
                        crossed += share;
                    });
                    let where_to = format!("{} {} {from} {to}", machine.spec(), entry.name);
                    let hops = f64::from(topology.distance(from, to));
                    assert!((crossed - hops).abs() < 1e-9, "{where_to}");
                    for (vertex, rest) in balance {
                        let arrives = if from == to {
                            0.0
                        } else if vertex == to {
                            1.0
                        } else if vertex == from {
                            -1.0
                        } else {
                            0.0
                        };
                        assert!((rest - arrives).abs() < 1e-9, "{where_to}: {vertex}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_links_carry_adds_up_to_hop_bytes_under_every_routing() {
    for machine in machines().into_iter().filter(|machine| machine.topology().is_wired()) {
        for entry in ROUTINGS.entries {
            let Ok(machine) = machine.clone().with_routing(entry.name) else { continue };
            let spec = machine.spec().to_string();
            let ranks = machine.num_slots().min(20) as u32;
            let mut builder = TrafficBuilder::new(ranks);
            for rank in 0..ranks {
                builder.add(rank, (rank * 7 + 3) % ranks, 1.0, f64::from(rank + 1));
            }
            let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
            let mapping =
                parse_strategy("random").unwrap().map(&problem, None, &mut Run::new(2)).unwrap();
            let carried: f64 = link_loads(&problem, &mapping).iter().map(|link| link.load).sum();
            let hop_bytes = score(&problem, &mapping).hop_bytes;
            assert!(
                (carried - hop_bytes).abs() < 1e-9 * hop_bytes.max(1.0),
                "{spec} {}",
                entry.name
            );
        }
    }
}

/// Problems with as many ranks as slots, fewer, several slots a node, silent ranks, self pairs.
fn problems() -> Vec<Problem> {
    [
        ("stencil:4x4", "torus:4x4"),
        ("stencil:3x5", "mesh:4x2x2"),
        ("random:ranks=20,degree=3,seed=5", "torus:3x4,slots=2"),
        ("cg:class=S,ranks=16", "hypercube:4"),
        ("lu:class=S,ranks=12", "haec:2x3x2"),
        ("is:class=S,ranks=8", "mesh:3x3"),
        ("ring:1", "torus:3"),
        ("ring:6", "mesh:1x2x1,slots=3"),
        ("stencil:4x6", "tree:2:3:4,distances=1:10:1000000"),
        ("random:ranks=15,degree=4,seed=2", "tree:2:2:2,distances=0:1:5,slots=2"),
        ("random:ranks=17,degree=4,seed=3", "graph:square.txt,slots=2"),
        ("stencil:2x3", "graph:ring.txt"),
        ("random:ranks=16,degree=3,seed=4", "cluster:uneven.json,slots=2"),
    ]
    .map(|(traffic, machine)| {
        let mut drawn = networks().into_iter().chain([cluster()]);
        let drawn = drawn.find(|network| network.spec() == machine);
        let machine = drawn.unwrap_or_else(|| Machine::parse(machine).unwrap());
        Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
    })
    .into()
}

/// Flows one way that differ from those the other way, self messages, several slots a node.
fn one_way_problem() -> Problem {
    let mut builder = TrafficBuilder::new(14);
    for rank in 0..14 {
        builder.add(rank, (rank * 5 + 3) % 14, 1.0, f64::from(rank + 1));
        builder.add(rank, (rank + 1) % 14, 1.0, 7.0);
    }
    builder.add(3, 3, 1.0, 20.0);
    let machine = Machine::parse("torus:2x4,slots=2").unwrap();
    Problem::new(builder.build(), machine, Weight::Bytes).unwrap()
}

/// Problems where ranks share slots: many to a slot, some to a slot, of different weights.
fn shared_problems() -> Vec<Problem> {
    let mut weighted = TrafficBuilder::new(30);
    for rank in 0..30 {
        weighted.add_both_ways(rank, (rank * 7 + 1) % 30, 1.0, f64::from(rank % 4));
    }
    weighted.set_rank_weights((0..30).map(|rank| f64::from(rank % 5)).collect());
    [
        (parse_pattern("stencil:8x9").unwrap(), "tree:2:3,distances=1:10", 0.0),
        (parse_pattern("random:ranks=100,degree=4").unwrap(), "torus:3x3,slots=2", 0.1),
        (parse_pattern("ring:10").unwrap(), "mesh:4x4", 1.5),
        (weighted.build(), "haec:2x2x2", 0.3),
    ]
    .map(|(traffic, machine, imbalance)| {
        let machine = Machine::parse(machine).unwrap();
        Problem::with_imbalance(traffic, machine, Weight::Bytes, Some(imbalance)).unwrap()
    })
    .into()
}

#[test]
fn strategy_shares_slots_within_their_capacity_or_says_that_it_cannot() {
    for problem in shared_problems() {
        for entry in STRATEGIES.entries {
            let strategy = parse_strategy(entry.name).unwrap();
            let mapping = match strategy.map(&problem, None, &mut Run::new(3)) {
                Ok(mapping) => mapping,
                Err(reason) => {
                    assert!(
                        reason.0.contains("puts one rank in a slot") != strategy.shares_slots()
                    );
                    continue;
                }
            };
            let verdict = checker::check(
                problem.traffic(),
                problem.machine(),
                problem.weight(),
                &mapping.nodes(),
                Some(mapping.slots()),
                problem.imbalance(),
            );
            assert_eq!(verdict.violations, [] as [String; 0], "{}", entry.name);
            let score = score(&problem, &mapping);
            assert_eq!(verdict.hop_bytes, Some(score.hop_bytes));
            assert!(score.lower_bound.unwrap() <= score.hop_bytes, "{}", entry.name);
        }
    }
}

/// Every placement of some ranks in some slots.
fn for_each_placement(ranks: usize, slots: u32, visit: &mut dyn FnMut(&[u32])) {
    let mut chosen = vec![0; ranks];
    for mut number in 0..u64::from(slots).pow(ranks as u32) {
        for slot in &mut chosen {
            *slot = (number % u64::from(slots)) as u32;
            number /= u64::from(slots);
        }
        visit(&chosen);
    }
}

#[test]
fn the_bound_of_shared_slots_holds_for_every_placement() {
    let mut bounded = 0;
    for (traffic, machine, imbalance) in [
        ("random:ranks=7,degree=4,seed=1", "tree:2:2,distances=1:10", 0.0),
        ("all-to-all:7", "mesh:3", 0.0),
        ("stencil:2x4", "torus:2,slots=2", 0.2),
        ("ring:8", "tree:3,distances=4", 0.4),
    ] {
        let machine = Machine::parse(machine).unwrap();
        let traffic = parse_pattern(traffic).unwrap();
        let problem =
            Problem::with_imbalance(traffic, machine, Weight::Bytes, Some(imbalance)).unwrap();
        let mut least = f64::INFINITY;
        let slots = problem.num_slots() as u32;
        for_each_placement(problem.num_ranks(), slots, &mut |slots| {
            if let Ok(mapping) = problem.mapping(slots.to_vec()) {
                let cost = parse_objective("hop-bytes").unwrap().cost(&problem, &mapping);
                least = least.min(cost);
            }
        });
        let bound = topoloom_core::bounds::hop_bytes_lower_bound(&problem);
        assert!(bound <= least && least.is_finite(), "{bound} {least}");
        bounded += usize::from(bound > 0.0);
    }
    assert!(bounded >= 3, "the bound is of use");
}

/// A matrix that is not read from a file; costs have fractions, and direction and diagonal count.
fn drawn_matrix(nodes: usize, symmetric: bool) -> CostMatrix {
    let cost = |a: usize, b: usize| {
        let (a, b) = if symmetric { (a.min(b), a.max(b)) } else { (a, b) };
        f64::from(random::below(&mut random::stream(8, &[a as u64, b as u64]), 100)) / 10.0
    };
    let rows = (0..nodes).map(|a| (0..nodes).map(|b| cost(a, b)).collect()).collect();
    CostMatrix::new("drawn.csv", rows).unwrap()
}

/// Every objective that the machine of `problem` has; drawn matrices stand for those of files.
fn objectives(problem: &Problem) -> Vec<Arc<dyn Objective>> {
    let entries = OBJECTIVES.entries.iter().filter(|entry| entry.name != CostMatrix::NAME);
    let mut objectives: Vec<Arc<dyn Objective>> =
        entries.map(|entry| parse_objective(entry.example).unwrap()).collect();
    for symmetric in [false, true] {
        objectives.push(Arc::new(drawn_matrix(problem.machine().num_nodes(), symmetric)));
    }
    objectives.retain(|objective| objective.applies_to(problem.machine()).is_ok());
    objectives
}

fn random_mapping(problem: &Problem, seed: u64) -> Mapping {
    let mut slots: Vec<u32> = (0..problem.num_slots() as u32).collect();
    random::shuffle(&mut random::stream(seed, &[]), &mut slots);
    slots.truncate(problem.num_ranks());
    Mapping::new(slots, problem.machine()).unwrap()
}

#[test]
fn objective_tracker_equals_the_cost_from_scratch_after_random_swaps() {
    for problem in problems().into_iter().chain([one_way_problem()]) {
        for objective in objectives(&problem) {
            let name = objective.name();
            let start = random_mapping(&problem, 3);
            let mut tracker = objective.track(&problem, &start);
            let mut rng = random::stream(4, &[]);
            let count = problem.num_slots() as u32;
            for _ in 0..60 {
                let (a, b) = (random::below(&mut rng, count), random::below(&mut rng, count));
                let before = tracker.cost();
                if a == b {
                    continue;
                }
                let delta = tracker.swap_delta(a, b);
                assert_eq!(tracker.cost(), before, "{}: a question changed it", name);
                tracker.swap(a, b);
                let scratch = objective.cost(&problem, &tracker.placement().mapping());
                assert!((tracker.cost() - scratch).abs() <= 1e-9 * scratch.abs(), "{}", name);
                assert!((before + delta - scratch).abs() <= 1e-9 * (1.0 + scratch), "{}", name);
            }
            let mut slots = tracker.placement().slots().to_vec();
            random::shuffle(&mut rng, &mut slots);
            let reset = tracker.reset(&slots);
            let scratch = objective.cost(&problem, &tracker.placement().mapping());
            assert!((reset - scratch).abs() <= 1e-9 * scratch.abs(), "{}", name);
            for a in 0..count {
                let quick = tracker.best_swap(a, a / 2).exchange;
                assert_eq!(quick, best_swap_by_trying_all(tracker.as_mut(), a, a / 2).exchange);
            }
        }
    }
}

#[test]
fn objective_pair_costs_add_up_to_the_cost() {
    for problem in problems().into_iter().chain([one_way_problem()]) {
        for objective in objectives(&problem) {
            let mapping = random_mapping(&problem, 9);
            let nodes = mapping.nodes();
            let topology = problem.machine().topology();
            let sum: Option<f64> = problem
                .graph()
                .pairs()
                .map(|(a, b, weight)| {
                    let (a, b) = (Vertex(nodes[a as usize]), Vertex(nodes[b as usize]));
                    objective.pair_cost(weight, topology.distance(a, b))
                })
                .sum();
            if let Some(sum) = sum.filter(|_| problem.graph().num_pairs() > 0) {
                assert_eq!(sum, objective.cost(&problem, &mapping), "{}", objective.name());
            }
        }
    }
}

#[test]
fn objective_node_costs_add_up_to_the_cost() {
    for problem in problems().into_iter().chain([one_way_problem()]) {
        for objective in objectives(&problem) {
            let Some(between) = objective.node_costs(problem.machine()) else { continue };
            let mapping = random_mapping(&problem, 9);
            let of_flow = |flow: Flow| {
                let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
                flow.weight(problem.weight()) * between(from, to)
            };
            let sum: f64 = problem.traffic().flows().map(of_flow).sum();
            let cost = objective.cost(&problem, &mapping);
            assert!((sum - cost).abs() <= 1e-12 * cost, "{}: {sum} {cost}", objective.name());
        }
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn strategy_gives_the_same_valid_mapping_on_any_number_of_threads() {
    for problem in problems() {
        for entry in STRATEGIES.entries {
            let strategy = parse_strategy(entry.name).unwrap();
            let map = |threads| {
                in_pool(threads, || {
                    let mut run = Run::new(11).with_max_evaluations(20_000);
                    strategy.map(&problem, None, &mut run)
                })
            };
            let first = map(1);
            assert_eq!(first, map(3), "{}", entry.name);
            let Ok(mapping) = first else { continue };
            let verdict = checker::check(
                problem.traffic(),
                problem.machine(),
                problem.weight(),
                &mapping.nodes(),
                Some(mapping.slots()),
                None,
            );
            assert_eq!(verdict.violations, [] as [String; 0], "{}", entry.name);
            assert_eq!(verdict.hop_bytes, Some(score(&problem, &mapping).hop_bytes));
        }
    }
}

#[test]
fn strategy_accepts_every_objective_or_says_why_not() {
    for problem in problems() {
        for entry in STRATEGIES.entries {
            for objective in objectives(&problem) {
                let strategy = parse_strategy(entry.name).unwrap();
                let mut run = Run::new(2).with_max_evaluations(2000);
                match strategy.map(&problem, Some(objective.as_ref()), &mut run) {
                    Ok(mapping) => assert_eq!(mapping.num_ranks(), problem.num_ranks()),
                    Err(reason) => assert!(!reason.0.is_empty()),
                }
            }
        }
    }
}

#[test]
fn strategy_stops_within_its_budget() {
    for problem in problems() {
        for entry in STRATEGIES.entries {
            let strategy = parse_strategy(entry.name).unwrap();
            let mut run = Run::new(5).with_max_evaluations(500);
            if strategy.map(&problem, None, &mut run).is_ok() {
                // A unit of work may be under way when the budget ends: one look of each of
                // bokhari's searches at all slots.
                let unit = 40 * problem.num_slots() as u64;
                assert!(run.evaluations() <= 500 + unit, "{} {}", entry.name, run.evaluations());
            }
        }
    }
}

#[test]
fn auto_is_never_worse_than_in_order() {
    for problem in problems() {
        for objective in objectives(&problem) {
            let cost = |strategy: &str| {
                let strategy = parse_strategy(strategy).unwrap();
                let mut run = Run::new(1).with_max_evaluations(20_000);
                let mapping = strategy.map(&problem, Some(objective.as_ref()), &mut run).unwrap();
                objective.cost(&problem, &mapping)
            };
            assert!(cost("auto") <= cost("in-order"));
        }
    }
}

#[test]
fn refiner_is_never_worse_than_its_start() {
    for problem in problems().into_iter().chain([one_way_problem()]) {
        for entry in REFINERS.entries {
            let refiner = (entry.build)(&Spec::parse(entry.example).unwrap()).unwrap();
            for objective in objectives(&problem) {
                for (seed, budget) in [(1, 10_000), (2, 100)] {
                    let start = random_mapping(&problem, seed);
                    let before = objective.cost(&problem, &start);
                    let mut run = Run::new(seed).with_max_evaluations(budget);
                    let refined =
                        refiner.refine(&problem, Some(objective.as_ref()), start, &mut run);
                    let after = objective.cost(&problem, &refined);
                    assert!(after <= before * (1.0 + 1e-12), "{} {}", entry.name, objective.name());
                }
            }
        }
    }
}

/// Count, total, least and greatest.
fn summed_up(values: impl IntoIterator<Item = f64>) -> (u64, f64, f64, f64) {
    let values: Vec<f64> = values.into_iter().collect();
    let least = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let greatest = values.iter().copied().reduce(f64::max).unwrap_or(0.0);
    (values.len() as u64, values.iter().sum(), least, greatest)
}

#[test]
fn a_node_of_the_statistics_is_a_host_and_links_that_are_not_known_are_not_counted() {
    for machine in machines() {
        let ranks = machine.num_slots().min(18);
        let degree = (ranks as u32 - 1).min(5);
        let traffic = format!("random:ranks={ranks},degree={degree},seed=7,bytes=3");
        let problem =
            Problem::new(parse_pattern(&traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let mapping = random_mapping(&problem, 5);
        let topology = problem.machine().topology();
        let host = |rank: u32| {
            let node = mapping.nodes()[rank as usize];
            topology.cluster().map_or(node, |cluster| cluster.places()[node as usize].host)
        };
        let mut by_pair: HashMap<(u32, u32), f64> = HashMap::new();
        for flow in problem.traffic().flows().filter(|flow| flow.from != flow.to) {
            let (a, b) = (flow.from.0.min(flow.to.0), flow.from.0.max(flow.to.0));
            *by_pair.entry((a, b)).or_default() += flow.bytes;
        }
        let mut by_hosts: HashMap<(u32, u32), f64> = HashMap::new();
        // A pair that uses two links between the same nodes crosses them twice.
        let mut by_link: HashMap<(u32, u32), (f64, u64)> = HashMap::new();
        for (&(a, b), &bytes) in &by_pair {
            if host(a) != host(b) {
                let pair = (host(a).min(host(b)), host(a).max(host(b)));
                *by_hosts.entry(pair).or_default() += bytes;
            }
            let [from, to] = [a, b].map(|rank| Vertex(mapping.nodes()[rank as usize]));
            problem.machine().routing().route(topology, from, to, &mut |id, share| {
                let link = topology.link(id).unwrap();
                let ends = (link.from.0.min(link.to.0), link.from.0.max(link.to.0));
                let on_link = by_link.entry(ends).or_default();
                on_link.0 += bytes * share;
                on_link.1 += 1;
            });
        }
        let within = by_pair.iter().filter(|((a, b), _)| host(*a) == host(*b));
        let thesis = score(&problem, &mapping).thesis;
        let known = |summary: topoloom_core::Summary| {
            (summary.count, summary.total, summary.minimum, summary.maximum)
        };
        let spec = problem.machine().spec();
        let within = summed_up(within.map(|(_, bytes)| *bytes));
        assert_eq!(known(thesis.intra_node_logical), within, "{spec}");
        let between = summed_up(by_hosts.values().copied());
        assert_eq!(known(thesis.inter_node_logical), between, "{spec}");
        let wired = topology.num_links() > 0;
        assert_eq!(thesis.congestion.is_some(), wired, "{spec}");
        assert_eq!(thesis.inter_node_physical.is_some(), wired, "{spec}");
        if let (Some(physical), Some(congestion)) = (thesis.inter_node_physical, thesis.congestion)
        {
            let (count, total, ..) = summed_up(by_link.values().map(|link| link.0));
            assert_eq!(physical.count, count, "{spec}");
            assert!((physical.total - total).abs() <= 1e-9 * total, "{spec}");
            let most = by_link.values().map(|link| link.1).max().unwrap_or(0);
            assert_eq!(congestion, most, "{spec}");
        }
    }
    // Some machine among them has several hosts with several places.
    assert!(machines().iter().any(|machine| {
        machine.topology().cluster().is_some_and(|cluster| {
            let hosts = cluster.description().hosts.len();
            hosts > 1 && hosts < cluster.places().len()
        })
    }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn loads_add_up_to_hop_bytes_and_the_bound_holds(
        seed in 0u64..1000,
        machine in 0..machines().len(),
        degree in 1u32..4,
    ) {
        let machine = machines().swap_remove(machine);
        let ranks = machine.num_slots().min(20);
        prop_assume!(ranks as u32 > degree);
        let traffic = parse_pattern(&format!("random:ranks={ranks},degree={degree},seed={seed},bytes=7"));
        let problem = Problem::new(traffic.unwrap(), machine, Weight::Bytes).unwrap();
        let mapping = random_mapping(&problem, seed);
        let score = score(&problem, &mapping);
        let carried: f64 = link_loads(&problem, &mapping).iter().map(|used| used.load).sum();
        // The same, link by link along each route.
        let machine = problem.machine();
        let mut by_route: HashMap<LinkId, (f64, u64)> = HashMap::new();
        for flow in problem.traffic().flows() {
            let (from, to) = (Vertex(mapping.node_of(flow.from)), Vertex(mapping.node_of(flow.to)));
            machine.routing().route(machine.topology(), from, to, &mut |id, share| {
                let tally = by_route.entry(id).or_default();
                tally.0 += flow.bytes * share;
                tally.1 += 1;
            });
        }
        let by_stretch: HashMap<LinkId, (f64, u64)> = link_loads(&problem, &mapping)
            .iter()
            .map(|used| (used.id, (used.load, used.flows)))
            .collect();
        prop_assert_eq!(by_route, by_stretch);
        let expected = if machine.topology().is_wired() { score.hop_bytes } else { 0.0 };
        prop_assert_eq!(carried, expected);
        let physical = score.thesis.inter_node_physical.map(|links| links.total);
        // A single node has no links, though its kind of machine has.
        prop_assert_eq!(physical, (machine.topology().num_links() > 0).then_some(expected));
        prop_assert!(score.lower_bound.unwrap() <= score.hop_bytes);
        prop_assert_eq!(score.intra_node_weight + score.inter_node_weight, score.total_weight);
    }

    #[test]
    fn no_text_makes_a_specification_panic(text in "\\PC{0,40}") {
        let _ = Machine::parse(&text);
        let _ = parse_pattern(&text);
        let _ = parse_strategy(&text);
        let _ = parse_objective(&text);
        let _ = text.parse::<CollectiveMode>();
    }

    #[test]
    fn no_option_makes_an_entry_panic(
        kind in 0usize..30,
        shape in "[0-9x:,=a-z.-]{0,12}",
        value in "[0-9a-z.e-]{0,8}",
    ) {
        fn specs<B>(registry: &topoloom_core::Registry<B>, kind: usize, shape: &str, value: &str) -> Vec<String> {
            let entry = registry.entries[kind % registry.entries.len()];
            let mut specs = vec![format!("{}:{shape}", entry.name), format!("{},{shape}", entry.example)];
            for parameter in entry.parameters.iter().chain(registry.common) {
                specs.push(format!("{}:{shape},{}={value}", entry.name, parameter.name));
                specs.push(format!("{},{}={value}", entry.name, parameter.name));
                specs.push(format!("{},{}", entry.example, parameter.name));
            }
            specs
        }
        // What is legal may be large, so only what is refused quickly or small is tried.
        let small = value.len() < 4 && shape.len() < 6;
        for spec in specs(&TOPOLOGIES, kind, &shape, &value) {
            if small { let _ = Machine::parse(&spec); }
        }
        for spec in specs(&STRATEGIES, kind, &shape, &value) {
            let _ = parse_strategy(&spec);
        }
        for spec in specs(&COLLECTIVE_MODES, kind, &shape, &value) {
            let _ = spec.parse::<CollectiveMode>();
        }
        for spec in specs(&PATTERNS, kind, &shape, &value) {
            if small { let _ = parse_pattern(&spec); }
        }
    }
}

#[test]
fn a_star_finds_what_trying_every_placement_finds() {
    fn least(problem: &Problem, objective: &str) -> f64 {
        let objective = parse_objective(objective).unwrap();
        let slots = problem.num_slots() as u32;
        let mut least = f64::INFINITY;
        let mut chosen: Vec<u32> = Vec::new();
        fn extend(chosen: &mut Vec<u32>, ranks: usize, slots: u32, visit: &mut dyn FnMut(&[u32])) {
            if chosen.len() == ranks {
                return visit(chosen);
            }
            for slot in 0..slots {
                if !chosen.contains(&slot) {
                    chosen.push(slot);
                    extend(chosen, ranks, slots, visit);
                    chosen.pop();
                }
            }
        }
        extend(&mut chosen, problem.num_ranks(), slots, &mut |slots| {
            let mapping = Mapping::new(slots.to_vec(), problem.machine()).unwrap();
            least = least.min(objective.cost(problem, &mapping));
        });
        least
    }
    for (traffic, machine) in [
        ("random:ranks=7,degree=3,seed=2", "mesh:7"),
        ("random:ranks=6,degree=4,seed=1", "mesh:2x4"),
        ("random:ranks=7,degree=4,seed=3", "torus:2x2,slots=2"),
        ("all-to-all:6", "haec:2x2x2"),
        ("lu:class=S,ranks=6", "mesh:3x2"),
    ] {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        for objective in ["hop-bytes", "cardinality"] {
            let mut run = Run::new(1);
            let strategy = parse_strategy("a-star").unwrap();
            let goal = parse_objective(objective).unwrap();
            let mapping = strategy.map(&problem, Some(goal.as_ref()), &mut run).unwrap();
            assert!(!run.was_cut_short());
            assert_eq!(goal.cost(&problem, &mapping), least(&problem, objective), "{traffic}");
        }
    }
}
