use super::*;
use crate::cluster::{
    Costs, Description, Hardware, Host, Network, Object, ObjectKind, Seat, SwitchGroup,
};
use crate::topology::metric::{largest_ball_by_counting, pairs_at_distance_by_counting};

/// Packages of L2 caches of two cores.
fn node(packages: u32, caches: u32) -> Object {
    let mut cpu = 0;
    let mut core = || {
        let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
        cpu += 1;
        Object::new(ObjectKind::Core, Some(cpu - 1), vec![thread])
    };
    let mut inside = Vec::new();
    for package in 0..packages {
        let caches =
            (0..caches).map(|_| Object::new(ObjectKind::L2, None, vec![core(), core()])).collect();
        inside.push(Object::new(ObjectKind::Package, Some(package), caches));
    }
    Object::new(ObjectKind::Node, None, inside)
}

fn description(hosts: &[(&str, u32, Option<u32>, Option<u32>)]) -> Description {
    let kinds = [node(2, 2), node(1, 3)].map(|node| Hardware::new(None, node)).to_vec();
    let group = |name: &str, parent, level| SwitchGroup { name: name.into(), parent, level };
    let groups =
        vec![group("core", None, 2), group("left", Some(0), 1), group("right", Some(0), 1)];
    let network =
        Network { groups, hosts: Vec::new(), switches: 3, links: 0, wiring: None, named: None };
    let host = |&(name, kind, slots, group): &(&str, u32, Option<u32>, Option<u32>)| Host {
        name: name.to_string(),
        kind,
        slots,
        group,
    };
    let hosts = hosts.iter().map(host).collect();
    let (costs, place, seats) = (Costs::default(), ObjectKind::Core, Vec::new());
    Description { kinds, network, hosts, costs, place, seats }
}

fn uneven() -> Cluster {
    Cluster::new(description(&[
        ("a", 0, None, Some(1)),
        ("b", 1, Some(3), Some(2)),
        ("c", 0, Some(1), Some(1)),
        ("d", 1, None, None),
    ]))
    .unwrap()
}

#[test]
fn places_are_numbered_switch_by_switch() {
    let cluster = uneven();
    let hosts: Vec<u32> = cluster.places().iter().map(|place| place.host).collect();
    // a and c are on the left switch; b gives 3 of its 6 cores, c 1 of its 8.
    assert_eq!(hosts, [vec![0; 8], vec![2], vec![1; 3], vec![3; 6]].concat());
    let cores: Vec<u32> = cluster.places().iter().map(|place| place.core.unwrap()).collect();
    assert_eq!(cores, [0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1, 2, 0, 1, 2, 3, 4, 5]);
    for (host, &group) in cluster.host_groups().iter().enumerate() {
        let nodes = cluster.tree().group(group).nodes.clone();
        assert!(nodes.clone().all(|node| cluster.places()[node as usize].host == host as u32));
        assert!(!nodes.is_empty());
    }
}

#[test]
fn distances_are_those_of_the_smallest_part_around_both() {
    let cluster = uneven();
    let distance = |a, b| cluster.distance(Vertex(a), Vertex(b));
    assert_eq!([distance(0, 0), distance(0, 1), distance(0, 2), distance(0, 4)], [0, 2, 8, 16]);
    // The left switch, the one above it, and whatever joins d to the others.
    assert_eq!([distance(0, 8), distance(0, 9), distance(0, 12)], [100, 150, 200]);
}

#[test]
fn fast_twins_agree_with_the_definition() {
    let cluster = uneven();
    let nodes = cluster.num_nodes() as u32;
    let metric = cluster.metric().expect("few enough bits");
    for a in 0..nodes {
        for b in 0..nodes {
            assert_eq!(metric.distance(a, b), cluster.distance(Vertex(a), Vertex(b)), "{a} {b}");
        }
        for distance in 0..=200 {
            let mut found = Vec::new();
            let _ = cluster.nodes_at_distance(Vertex(a), distance, &mut |node| {
                found.push(node.0);
                ControlFlow::Continue(())
            });
            found.sort_unstable();
            let there = |&b: &u32| cluster.distance(Vertex(a), Vertex(b)) == distance;
            assert_eq!(found, (0..nodes).filter(there).collect::<Vec<u32>>(), "{a} {distance}");
        }
    }
    assert_eq!(cluster.pairs_at_distance(), pairs_at_distance_by_counting(&cluster));
    assert_eq!(cluster.largest_ball(), largest_ball_by_counting(&cluster));
}

#[test]
fn a_place_may_be_a_package_or_a_thread() {
    let mut wanted = description(&[("a", 0, None, None), ("b", 1, None, None)]);
    wanted.place = ObjectKind::Package;
    let cluster = Cluster::new(wanted.clone()).unwrap();
    let places: Vec<(u32, u32, usize)> = cluster
        .places()
        .iter()
        .map(|place| (place.host, place.core.unwrap(), place.cpus.len()))
        .collect();
    assert_eq!(places, [(0, 0, 4), (0, 4, 4), (1, 0, 6)]);
    wanted.place = ObjectKind::Thread;
    let cluster = Cluster::new(wanted.clone()).unwrap();
    assert_eq!(cluster.places().iter().map(|place| place.core).max(), Some(Some(7)));
    wanted.place = ObjectKind::Gpu;
    assert!(Cluster::new(wanted).unwrap_err().to_string().contains("no gpu"));
}

#[test]
fn wrong_descriptions_are_refused_in_words() {
    let refusal = |hosts: &[(&str, u32, Option<u32>, Option<u32>)]| {
        Cluster::new(description(hosts)).unwrap_err().to_string()
    };
    assert_eq!(refusal(&[]), "the cluster has no hosts");
    assert_eq!(refusal(&[("a", 0, None, None), ("a", 0, None, None)]), "host a appears twice");
    assert!(
        refusal(&[("a", 1, Some(7), None)])
            .starts_with("host a has 6 places for ranks (core), but 7 slots")
    );
    assert_eq!(refusal(&[("a", 5, None, None)]), "host a: there is no kind of node 5");
    assert_eq!(refusal(&[("a", 0, None, Some(7))]), "host a: there is no group of switches 7");
}

/// The cost of the smallest part of a host that holds all CPUs of two seats, or of what is between
/// their hosts: the definition of the distance of seats.
fn distance_of_seats(description: &Description, cluster: &Cluster, a: &Seat, b: &Seat) -> u32 {
    if a.host != b.host {
        // Any two places of the same hosts are just as far apart without seats.
        let without = Description { seats: Vec::new(), ..description.clone() };
        let whole = Cluster::new(without).unwrap();
        let of = |host: u32| whole.places().iter().position(|place| place.host == host).unwrap();
        return whole.distance(Vertex(of(a.host) as u32), Vertex(of(b.host) as u32));
    }
    let node = &cluster.description().kinds[description.hosts[a.host as usize].kind as usize].node;
    let wanted: Vec<u32> = a.cpus.iter().chain(&b.cpus).copied().collect();
    let mut around = node;
    while a.is_bound() && b.is_bound() && around.kind != ObjectKind::Core {
        let holds = |child: &&Object| wanted.iter().all(|cpu| child.cpus().contains(cpu));
        match around.children.iter().find(holds) {
            Some(child) => around = child,
            None => break,
        }
    }
    description.costs.inside(around.kind)
}

fn seat(host: u32, cpus: &[u32]) -> Seat {
    Seat { host, cpus: cpus.to_vec(), gpu: None }
}

#[test]
fn seats_are_as_far_apart_as_the_smallest_part_around_all_of_their_cpus() {
    let mut description = description(&[("a", 0, None, Some(1)), ("b", 1, None, Some(2))]);
    // Bound to a core, twice to the same core, to a cache, across caches, to a package, and not
    // bound.
    description.seats = vec![
        seat(1, &[0]),
        seat(0, &[0]),
        seat(0, &[0]),
        seat(0, &[2, 3]),
        seat(0, &[1, 2]),
        seat(0, &[4, 5, 6, 7]),
        seat(0, &[]),
        seat(1, &[]),
        seat(0, &[7]),
    ];
    let cluster = Cluster::new(description.clone()).unwrap();
    assert_eq!(cluster.num_nodes(), description.seats.len());
    let node = |seat: usize| cluster.node_of_seat()[seat];
    for (a, one) in description.seats.iter().enumerate() {
        let place = &cluster.places()[node(a) as usize];
        assert_eq!((place.host, place.core.is_some()), (one.host, one.is_bound()));
        assert!(!one.is_bound() || place.cpus == one.cpus);
        for (b, other) in description.seats.iter().enumerate().filter(|&(b, _)| b != a) {
            let expected = distance_of_seats(&description, &cluster, one, other);
            assert_eq!(cluster.distance(Vertex(node(a)), Vertex(node(b))), expected, "{a} {b}");
        }
    }
    let cores = |seat: usize| cluster.places()[node(seat) as usize].cores.clone();
    assert_eq!((cores(4), cores(5), cores(6).len()), (vec![1, 2], vec![4, 5, 6, 7], 8));
}

#[test]
fn seats_that_cannot_be_are_refused() {
    let refused = |seats: Vec<Seat>| {
        let mut wrong = description(&[("a", 0, None, None), ("b", 1, None, None)]);
        wrong.seats = seats;
        Cluster::new(wrong).unwrap_err().to_string()
    };
    assert_eq!(refused(vec![seat(0, &[0])]), "host b has no seat; leave it out, or give it one");
    assert_eq!(
        refused(vec![seat(0, &[0]), seat(1, &[6])]),
        "host b: a seat has CPU 6, which the host does not have"
    );
    assert!(refused(vec![seat(2, &[])]).contains("there is no host 2"));
}

/// Two racks of two hosts each, joined by NVLink, and a host without; the links of the route from
/// one place to another by the names of their ends.
#[test]
fn hosts_of_an_nvlink_domain_reach_each_other_without_the_network() {
    let mut known = description(&[
        ("a", 1, Some(2), Some(1)),
        ("b", 1, Some(2), Some(2)),
        ("c", 1, Some(2), Some(1)),
        ("d", 1, Some(2), Some(1)),
        ("e", 1, Some(2), Some(2)),
    ]);
    let domain = |name: &str, parent| SwitchGroup { name: name.into(), parent, level: 0 };
    known.network.groups.extend([domain("rack 1", Some(1)), domain("rack 2", Some(0))]);
    // a and c are on one leaf. b and d are on two, so their rack is below the switches around both.
    for (host, group) in [(0, 3), (2, 3), (1, 4), (3, 4)] {
        known.hosts[host].group = Some(group);
    }
    let cluster = Cluster::new(known).unwrap();
    let first = |host: u32| {
        Vertex(cluster.places().iter().position(|place| place.host == host).unwrap() as u32)
    };
    let distance = |a, b| cluster.distance(first(a), first(b));
    assert_eq!([distance(0, 2), distance(1, 3)], [20, 20]);
    assert_eq!([distance(0, 1), distance(0, 4), distance(2, 4)], [150, 150, 150]);
    let wired = cluster.wired().unwrap();
    let route = |a: u32, b: u32| {
        let mut switches = Vec::new();
        wired
            .route(first(a).0, first(b).0, &mut |_, _| {}, |from, to, _| switches = vec![from, to]);
        let nvlink = |adapter: &u32| wired.wiring().adapters[*adapter as usize].is_nvlink();
        switches.iter().map(nvlink).collect::<Vec<bool>>()
    };
    assert_eq!([route(0, 2), route(1, 3)], [[true, true], [true, true]]);
    assert_eq!([route(0, 1), route(0, 4), route(4, 2)], [[false, false]; 3]);
    let hops = |a, b| wired.hops(first(a), first(b));
    // Out of a core, its cache, its package, over NVLink, and in again.
    assert_eq!(hops(0, 2), 2 * (3 + 1 + 1));
    let names = cluster.tree().level_names();
    assert!(names.iter().any(|name| name == "nvlink"));
}
