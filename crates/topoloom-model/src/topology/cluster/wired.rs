//! The links of a cluster: from the places inside a host to its adapters, and through the network.
//!
//! Vertices are numbered in this order: places, the other parts of hosts, adapters, switches. Parts
//! of a host form a tree. Its root is joined to the adapters of the host.

use std::ops::Range;

use super::error::ClusterError;
use super::own_adapter::own_adapters;
use super::place::Place;
use crate::cluster::{Cable, Description, Device, ObjectKind, Wiring, inside_link};
use crate::ids::{LinkId, Vertex};
use crate::topology::graph::{Edge, Forwarding, Graph, Walked};
use crate::topology::groups::Groups;
use crate::topology::link::{Link, LinkProperties};

/// The part around a root, which has none.
const NONE: u32 = u32::MAX;

/// If only groups of switches are known, and more than this, no links are made up for them: there
/// is a table of all pairs of switches.
const MOST_GROUPS: usize = 1 << 13;

/// A part of a host: a place, or something around places.
#[derive(Debug, Clone, Copy)]
struct Part {
    host: u32,
    /// The part around it.
    around: u32,
    /// Its group.
    group: u32,
    /// How many parts are around it.
    depth: u16,
    /// What it is: an index of [`ObjectKind::ALL`].
    kind: u8,
}

/// The links of a cluster.
#[derive(Debug)]
pub struct Wired {
    /// Places, then other parts.
    parts: Vec<Part>,
    /// The part of each group inside a host.
    part_of_group: Vec<u32>,
    places: u32,
    /// The outermost part of each host.
    roots: Vec<u32>,
    /// Its nodes are the adapters. None for a single host.
    network: Option<Graph>,
    wiring: Wiring,
    /// The adapters of each host.
    adapters: Vec<Range<u32>>,
    /// The adapter that a rank in each place uses if several are equally close, counted from the
    /// first one of its host.
    own_adapter: Vec<u16>,
    /// The ports at both ends of each link of the network.
    ports: Vec<[u32; 2]>,
    fastest: f64,
}

impl Wired {
    /// The links of the cluster with these groups; none if its network is in parts that do not
    /// reach each other, or has too many groups.
    pub fn new(
        description: &Description,
        groups: &Groups,
        host_groups: &[u32],
        places: &[Place],
    ) -> Result<Option<Wired>, ClusterError> {
        let (parts, part_of_group) = parts_of_hosts(groups, host_groups, places);
        let roots: Vec<u32> =
            host_groups.iter().map(|&group| part_of_group[group as usize]).collect();
        let wiring = match &description.network.wiring {
            Some(wiring) => wiring.clone(),
            None => {
                let of_hosts: Vec<Option<u32>> =
                    description.hosts.iter().map(|host| host.group).collect();
                if description.network.groups.len() > MOST_GROUPS {
                    return Ok(None);
                }
                Wiring::of_groups(&description.network.groups, &of_hosts)
            }
        };
        let names: Vec<&str> = description.hosts.iter().map(|host| &host.name[..]).collect();
        let several = names.len() > 1;
        if several {
            wiring.check(&names)?;
        }
        let (network, ports) = match several {
            true => network(&wiring, &names)?,
            false => (None, Vec::new()),
        };
        let mut adapters = vec![0..0; names.len()];
        for (number, adapter) in (0u32..).zip(&wiring.adapters).filter(|_| several) {
            let of_host: &mut Range<u32> = &mut adapters[adapter.host as usize];
            let first = if of_host.end == 0 { number } else { of_host.start };
            *of_host = first..number + 1;
        }
        let mut wired = Wired {
            places: places.len() as u32,
            own_adapter: own_adapters(description, &wiring, places, &adapters),
            parts,
            part_of_group,
            roots,
            network,
            wiring,
            adapters,
            ports,
            fastest: 0.0,
        };
        if !wired.is_one_network() {
            return Ok(None);
        }
        let first = if several { wired.inner_link_bound() } else { 0 };
        wired.fastest = (first..wired.link_id_bound())
            .filter_map(|id| wired.link(LinkId(id)))
            .map(|link| link.properties.bytes_per_second)
            .fold(0.0, f64::max);
        Ok(Some(wired))
    }

    /// The network between hosts, whose nodes are adapters; none for a single host.
    pub fn network(&self) -> Option<&Graph> {
        self.network.as_ref()
    }

    /// How the network is wired.
    pub fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Whether every two hosts have adapters that reach each other. Rails may be networks of their
    /// own.
    fn is_one_network(&self) -> bool {
        let Some(network) = &self.network else { return true };
        // The first adapter of the part of the network that each adapter is in.
        let mut firsts: Vec<u32> = Vec::new();
        let mut part_of = |adapter: u32| {
            let reached = |&first: &u32| network.reaches(Vertex(first), Vertex(adapter));
            let known = firsts.iter().copied().find(reached);
            known.unwrap_or_else(|| {
                firsts.push(adapter);
                adapter
            })
        };
        let mut parts_of_hosts: Vec<Vec<u32>> = self
            .adapters
            .iter()
            .map(|of_host| of_host.clone().map(&mut part_of).collect())
            .collect();
        parts_of_hosts.iter_mut().for_each(|parts| parts.sort_unstable());
        parts_of_hosts.sort_unstable();
        parts_of_hosts.dedup();
        let meet = |a: &Vec<u32>, b: &Vec<u32>| a.iter().any(|part| b.contains(part));
        parts_of_hosts.iter().all(|a| parts_of_hosts.iter().all(|b| meet(a, b)))
    }

    fn num_parts(&self) -> u32 {
        self.parts.len() as u32
    }

    fn num_adapters(&self) -> u32 {
        self.network.as_ref().map_or(0, Graph::node_count)
    }

    /// The numbers of links inside hosts are below this.
    pub fn inner_link_bound(&self) -> u64 {
        2 * u64::from(self.num_parts())
    }

    /// How many links are inside hosts.
    pub fn num_inner_links(&self) -> u64 {
        2 * (u64::from(self.num_parts()) - self.roots.len() as u64)
    }

    /// Vertices from this number on are switches.
    pub fn first_switch(&self) -> u32 {
        self.num_parts() + self.num_adapters()
    }

    /// The number of the first link of the network. Before it are those of adapters.
    fn first_network_link(&self) -> u64 {
        self.inner_link_bound() + 2 * u64::from(self.num_adapters())
    }

    /// The link of the machine that a link of its network is.
    pub fn network_link(&self, id: LinkId) -> LinkId {
        LinkId(id.0 + self.first_network_link())
    }

    /// The number of a part's link to what is around it. The next number leads back.
    fn link_out(part: u32) -> LinkId {
        LinkId(2 * u64::from(part))
    }

    fn link_in(part: u32) -> LinkId {
        LinkId(2 * u64::from(part) + 1)
    }

    fn link_to_adapter(&self, adapter: u32) -> LinkId {
        LinkId(self.inner_link_bound() + 2 * u64::from(adapter))
    }

    fn link_from_adapter(&self, adapter: u32) -> LinkId {
        LinkId(self.inner_link_bound() + 2 * u64::from(adapter) + 1)
    }

    /// Parts of hosts, adapters and switches.
    pub fn num_vertices(&self) -> usize {
        self.parts.len() + self.network.as_ref().map_or(0, Graph::vertex_count)
    }

    /// The number of directed links.
    pub fn num_links(&self) -> u64 {
        let network = self.network.as_ref().map_or(0, Graph::link_count);
        self.num_inner_links() + 2 * u64::from(self.num_adapters()) + network
    }

    /// Link numbers are below this.
    pub fn link_id_bound(&self) -> u64 {
        self.first_network_link() + self.network.as_ref().map_or(0, Graph::link_count)
    }

    /// The largest bandwidth of the network or, without one, of what is inside the host.
    pub fn fastest_link(&self) -> f64 {
        self.fastest
    }

    /// The link with this number, or `None` if there is none.
    pub fn link(&self, id: LinkId) -> Option<Link> {
        if let Some(number) = id.0.checked_sub(self.first_network_link()) {
            let link = self.network.as_ref()?.link_at(LinkId(number))?;
            let shifted = |vertex: Vertex| Vertex(vertex.0 + self.num_parts());
            return Some(Link { from: shifted(link.from), to: shifted(link.to), ..link });
        }
        let (lower, upper, properties) = match id.0.checked_sub(self.inner_link_bound()) {
            Some(number) => {
                let adapter = (number / 2) as u32;
                let host = self.wiring.adapters[adapter as usize].host;
                let properties = self.adapter_link(adapter);
                (self.roots[host as usize], self.num_parts() + adapter, properties)
            }
            None => {
                let part = (id.0 / 2) as u32;
                let Part { around, kind, .. } = self.parts[part as usize];
                if around == NONE {
                    return None;
                }
                (part, around, inside_link(ObjectKind::ALL[usize::from(kind)]))
            }
        };
        let (from, to) = if id.0.is_multiple_of(2) { (lower, upper) } else { (upper, lower) };
        Some(Link { from: Vertex(from), to: Vertex(to), properties })
    }

    /// A host gets at its adapter as much as the adapter can send.
    fn adapter_link(&self, adapter: u32) -> LinkProperties {
        let network = self.network.as_ref().expect("an adapter is part of a network");
        let cable = network.links_of(Vertex(adapter)).start;
        let own = network.link_at(LinkId(cable as u64)).expect("an adapter has a cable");
        LinkProperties { latency_seconds: 0.0, ..own.properties }
    }

    /// The adapters that two places of different hosts use: those that are closest to each other.
    /// If several are, the sender's own one, and the one with the same number at the receiver.
    pub fn adapters_between(&self, from: u32, to: u32) -> (u32, u32) {
        let host = |place: u32| self.parts[place as usize].host as usize;
        let (there, back) = (&self.adapters[host(from)], &self.adapters[host(to)]);
        if there.len() == 1 && back.len() == 1 {
            return (there.start, back.start);
        }
        let own = u32::from(self.own_adapter[from as usize]);
        let pairs = there.clone().flat_map(|a| back.clone().map(move |b| (a, b)));
        let key = |&(a, b): &(u32, u32)| {
            let (rail, other) = (a - there.start, b - back.start);
            (self.between(a, b), rail != own, other != rail, rail, other)
        };
        pairs.min_by_key(key).expect("hosts of a network have adapters")
    }

    fn between(&self, a: u32, b: u32) -> u32 {
        let network = self.network.as_ref().expect("several hosts have a network");
        network.hops_between(Vertex(a), Vertex(b))
    }

    /// Visits the links inside hosts from one place to another. For places of different hosts,
    /// `network` is called between the way out and the way in, with two adapters.
    #[inline]
    pub fn route(
        &self,
        from: u32,
        to: u32,
        visit: &mut dyn FnMut(LinkId, f64),
        network: impl FnOnce(u32, u32, &mut dyn FnMut(LinkId, f64)),
    ) {
        let (mut a, mut b) = (from, to);
        let part = |number: u32| self.parts[number as usize];
        if part(from).host == part(to).host {
            // The way in is visited outermost first.
            let top = self.smallest_around(from, to);
            while a != top {
                visit(Wired::link_out(a), 1.0);
                a = part(a).around;
            }
            return self.way_in(top, to, visit);
        }
        while part(a).around != NONE {
            visit(Wired::link_out(a), 1.0);
            a = part(a).around;
        }
        let (sender, receiver) = self.adapters_between(from, to);
        visit(self.link_to_adapter(sender), 1.0);
        let first = self.first_network_link();
        network(sender, receiver, &mut |link, share| visit(LinkId(link.0 + first), share));
        visit(self.link_from_adapter(receiver), 1.0);
        while part(b).around != NONE {
            b = part(b).around;
        }
        self.way_in(b, to, visit);
    }

    fn way_in(&self, outer: u32, to: u32, visit: &mut dyn FnMut(LinkId, f64)) {
        if outer != to {
            self.way_in(outer, self.parts[to as usize].around, visit);
            visit(Wired::link_in(to), 1.0);
        }
    }

    /// The smallest part around two parts of a host.
    fn smallest_around(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            if self.parts[a as usize].depth >= self.parts[b as usize].depth {
                a = self.parts[a as usize].around
            } else {
                b = self.parts[b as usize].around
            }
        }
        a
    }

    /// How many links there are from a vertex to a place.
    pub fn hops(&self, from: Vertex, to: Vertex) -> u32 {
        let target = self.parts[to.index()];
        let depth = |part: u32| u32::from(self.parts[part as usize].depth);
        let into = &self.adapters[target.host as usize];
        let Some(part) = self.parts.get(from.index()) else {
            let network = self.network.as_ref().expect("beyond parts there is a network");
            let at = Vertex(from.0 - self.num_parts());
            let closest = into.clone().map(|b| network.hops_between(at, Vertex(b))).min();
            return closest.expect("hosts of a network have adapters") + 1 + depth(to.0);
        };
        if part.host == target.host {
            let top = self.smallest_around(from.0, to.0);
            return depth(from.0) + depth(to.0) - 2 * depth(top);
        }
        let out = &self.adapters[part.host as usize];
        let pairs = out.clone().flat_map(|a| into.clone().map(move |b| (a, b)));
        let closest = pairs.map(|(a, b)| self.between(a, b)).min();
        depth(from.0) + 1 + closest.expect("hosts of a network have adapters") + 1 + depth(to.0)
    }

    /// Adds every link from `at` that leads one hop closer to the place `to`.
    pub fn next_links(&self, groups: &Groups, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        let left = self.hops(at, to);
        if left == 0 {
            return;
        }
        let closer =
            |&id: &LinkId| self.link(id).is_some_and(|link| self.hops(link.to, to) + 1 == left);
        match self.parts.get(at.index()) {
            Some(part) => {
                let inside = groups.group(part.group).children.clone();
                let inside = inside.map(|group| Wired::link_in(self.part_of_group[group as usize]));
                let adapters = self.adapters[part.host as usize].clone();
                let adapters = adapters.filter(|_| part.around == NONE);
                let outside = adapters.map(|adapter| self.link_to_adapter(adapter));
                let up = std::iter::once(Wired::link_out(at.0));
                out.extend(up.chain(inside).chain(outside).filter(closer));
            }
            None => {
                let network = self.network.as_ref().expect("beyond parts there is a network");
                let vertex = at.0 - self.num_parts();
                let first = self.first_network_link();
                let links = network.links_of(Vertex(vertex));
                let links = links.map(|link| LinkId(link as u64 + first));
                let home = (vertex < self.num_adapters()).then(|| self.link_from_adapter(vertex));
                out.extend(links.chain(home).filter(closer));
            }
        }
    }

    /// What a vertex is called.
    pub fn vertex_name(&self, hosts: &[&str], places: &[Place], vertex: Vertex) -> String {
        if let Some(place) = places.get(vertex.index()) {
            return match place.gpu {
                Some(gpu) => format!("{} GPU {gpu}", hosts[place.host as usize]),
                None if self.parts[vertex.index()].around == NONE => {
                    hosts[place.host as usize].to_string()
                }
                None => format!("{} {}", hosts[place.host as usize], place.cpus_in_words()),
            };
        }
        if let Some(part) = self.parts.get(vertex.index()) {
            let host = hosts[part.host as usize];
            if part.around == NONE {
                return host.to_string();
            }
            let alike = |other: &&Part| (other.host, other.kind) == (part.host, part.kind);
            let before = self.parts[self.places as usize..vertex.index()].iter().filter(alike);
            return format!(
                "{host} {} {}",
                ObjectKind::ALL[usize::from(part.kind)],
                before.count()
            );
        }
        let number = vertex.0 - self.num_parts();
        match number.checked_sub(self.num_adapters()) {
            Some(switch) => self.wiring.switches[switch as usize].name.clone(),
            None => {
                let adapter = &self.wiring.adapters[number as usize];
                let host = hosts[adapter.host as usize];
                match &adapter.name[..] {
                    "" => format!("{host} adapter"),
                    name => format!("{host} {name}"),
                }
            }
        }
    }

    /// The ports at both ends of a link, if it is a cable.
    pub fn ports(&self, id: LinkId) -> Option<[u32; 2]> {
        let number = id.0.checked_sub(self.first_network_link())?;
        self.ports.get(number as usize).copied()
    }
}

/// The parts of all hosts, places first, and the part of each group.
fn parts_of_hosts(groups: &Groups, host_groups: &[u32], places: &[Place]) -> (Vec<Part>, Vec<u32>) {
    let mut part_of_group = vec![NONE; groups.len()];
    let mut depth = vec![0u16; groups.len()];
    let mut host = vec![NONE; groups.len()];
    for (number, &group) in (0..).zip(host_groups) {
        host[group as usize] = number;
    }
    let mut parts: Vec<Option<Part>> = vec![None; places.len()];
    // Outer groups come first, so what is around a group is known when it is needed.
    for (number, group) in (0u32..).zip(groups.all()) {
        let (at, parent) = (number as usize, group.parent as usize);
        let is_root = host[at] != NONE;
        if !is_root {
            if number == 0 || host[parent] == NONE {
                continue;
            }
            host[at] = host[parent];
            depth[at] = depth[parent] + 1;
        }
        let around = if is_root { NONE } else { part_of_group[parent] };
        let kind = group.level as u8;
        let part = Part { host: host[at], around, group: number, depth: depth[at], kind };
        if group.children.is_empty() {
            part_of_group[at] = group.nodes.start;
            parts[group.nodes.start as usize] = Some(part);
        } else {
            part_of_group[at] = parts.len() as u32;
            parts.push(Some(part));
        }
    }
    let parts = parts.into_iter().map(|part| part.expect("every place is on a host")).collect();
    (parts, part_of_group)
}

/// The network with its tables, and the ports at both ends of each of its links.
fn network(
    wiring: &Wiring,
    hosts: &[&str],
) -> Result<(Option<Graph>, Vec<[u32; 2]>), ClusterError> {
    let nodes = wiring.adapters.len() as u32;
    let vertex = |device: Device| match device {
        Device::Adapter(number) => Vertex(number),
        Device::Switch(number) => Vertex(nodes + number),
    };
    let edge = |cable: &Cable| Edge {
        ends: cable.ends.map(|end| vertex(end.device)),
        properties: cable.link,
    };
    let edges: Vec<Edge> = wiring.cables.iter().map(edge).collect();
    let graph = Graph::in_parts(nodes, wiring.switches.len() as u32, &edges)?;
    // The links of a vertex are in the order of the cables.
    let mut leaving: Vec<Vec<(u32, u32)>> = vec![Vec::new(); graph.vertex_count()];
    let mut ports = vec![[0; 2]; graph.link_count() as usize];
    for cable in &wiring.cables {
        let [a, b] = cable.ends;
        for (from, to) in [(a, b), (b, a)] {
            let at = vertex(from.device);
            let link = graph.links_of(at).start + leaving[at.index()].len();
            leaving[at.index()].push((from.number, link as u32));
            ports[link] = [from.number, to.number];
        }
    }
    let graph = graph.with_ports(ports.iter().map(|&[own, _]| own).collect());
    let Some(tables) = wiring.tables.clone() else { return Ok((Some(graph), ports)) };
    let ends = (0..graph.link_count())
        .map(|id| graph.link_at(LinkId(id)).expect("links have no gaps").to)
        .collect();
    let addresses = wiring.adapters.iter().map(|adapter| adapter.addresses.clone()).collect();
    let forwarding = Forwarding::new(tables, addresses, &leaving, ends);
    if let [Some(broken), _] = forwarding.broken() {
        let name = |vertex: Vertex| match vertex.0.checked_sub(nodes) {
            Some(switch) => wiring.switches[switch as usize].name.clone(),
            None => {
                let adapter = &wiring.adapters[vertex.index()];
                format!("{} {}", hosts[adapter.host as usize], adapter.name)
            }
        };
        let at = match broken.ending {
            Walked::Loop(at) | Walked::Stuck(at) | Walked::Astray(at) => name(at),
            Walked::Arrived => name(broken.to),
        };
        let (from, to) = (name(broken.from), name(broken.to));
        return Err(ClusterError::Loop { from, to, at, pairs: broken.pairs });
    }
    Ok((Some(graph.with_forwarding(forwarding)), ports))
}
