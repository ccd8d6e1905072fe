//! Definitions of distances, without any of the fast paths.

use std::collections::{HashMap, VecDeque};

use topoloom_core::topology::{Groups, Topology};
use topoloom_core::{LinkId, Machine, Vertex};

/// The definition of the distance in a cluster: that of the smallest group around both.
pub fn cluster_length(topology: &dyn Topology, a: u32, b: u32) -> u32 {
    group_length(&topology.groups().unwrap(), a, b)
}

fn group_length(groups: &Groups, a: u32, b: u32) -> u32 {
    let around = groups.all().iter().filter(|g| g.nodes.contains(&a) && g.nodes.contains(&b));
    around.min_by_key(|group| (group.nodes.len(), group.distance)).unwrap().distance
}

/// The definition of the distances from a place of hosts on a network. On one host it is that of the
/// smallest group around both. Between hosts of a tree it is the same; on other networks the closest
/// hosts cost 100, and each further hop 25.
pub fn hosted_lengths(machine: &Machine, from: Vertex) -> HashMap<Vertex, u32> {
    let cluster = machine.topology().cluster().unwrap();
    let network = Machine::parse(machine.spec().split(",node=").next().unwrap()).unwrap();
    let host_of = |place: u32| cluster.places()[place as usize].host;
    let node_of = &cluster.description().network.named.as_ref().unwrap().node_of_host;
    let at = Vertex(node_of[host_of(from.0) as usize]);
    let hops = match machine.spec().starts_with("dragonfly") {
        true => dragonfly_lengths(&network, at),
        false => hops_over_links(network.topology(), at),
    };
    let closest = (0..network.num_nodes() as u32).map(Vertex).filter(|&node| node != at);
    let closest = closest.map(|node| hops[&node]).min().unwrap();
    let is_tree = machine.spec().starts_with("fat-tree");
    let length = |to: u32| match host_of(to) == host_of(from.0) || is_tree {
        true => group_length(cluster.tree(), from.0, to),
        false => {
            let to = Vertex(node_of[host_of(to) as usize]);
            100 + 25 * (hops[&to] - closest)
        }
    };
    (0..machine.num_nodes() as u32).map(|to| (Vertex(to), length(to))).collect()
}

/// The definition of distance for machines that route along shortest paths: breadth-first search
/// over the links.
pub fn hops_over_links(topology: &dyn Topology, from: Vertex) -> HashMap<Vertex, u32> {
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
pub fn haec_length(lengths: &[u32], from: Vertex, to: Vertex) -> u32 {
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
pub fn dragonfly_lengths(machine: &Machine, from: Vertex) -> HashMap<Vertex, u32> {
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
/// specification defines it.
pub fn tree_length(spec: &str, mut a: u32, mut b: u32) -> u32 {
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
