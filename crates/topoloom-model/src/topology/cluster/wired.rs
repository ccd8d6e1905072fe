//! The links of a cluster: from the places inside a host to its adapters, and through the network.
//!
//! Vertices are numbered in this order: places, the other parts of hosts, adapters, switches. Parts
//! of a host form a tree. Its root is joined to the adapters of the host. The nodes of the network are
//! the adapters. In a network without switches, such as a torus, its nodes pass messages on.

use std::ops::Range;
use std::sync::Arc;

use super::error::ClusterError;
use super::joined::Joined;
use super::own_adapter::own_adapters;
use super::place::Place;
use crate::cluster::{Adapter, Costs, Description, Host, ObjectKind, Wiring, inside_link};
use crate::ids::{LinkId, Vertex};
use crate::topology::groups::Groups;
use crate::topology::interface::Topology;
use crate::topology::link::{Link, LinkProperties};

/// The part around a root, which has none.
const NONE: u32 = u32::MAX;

/// How many kinds of parts exist.
const KINDS: usize = ObjectKind::ALL.len();

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
    network: Option<Arc<dyn Topology>>,
    /// What is known of switches and adapters; nothing if the network has a name.
    wiring: Wiring,
    /// The adapters of each host.
    adapters: Vec<Range<u32>>,
    /// The same without the one of NVLink, if there is another.
    network_adapters: Vec<Range<u32>>,
    /// The NVLink domain of each host; empty if there is none.
    domain_of_host: Vec<Option<u32>>,
    /// The host of each adapter, and the link between them. In a network with a name, a node may be
    /// without a host.
    host_of_adapter: Vec<u32>,
    adapter_links: Vec<LinkProperties>,
    /// The adapter that a rank in each place uses if several are equally close, counted from the
    /// first one of its host.
    own_adapter: Vec<u16>,
    /// The links inside hosts, by what they lead out of and what they lead to.
    inside: Box<[[LinkProperties; KINDS]; KINDS]>,
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
        let hosts = description.hosts.len();
        let joined = match &description.network.named {
            _ if hosts == 1 => Joined::default(),
            Some(named) => Joined::by_name(named),
            None => match Joined::by_cables(description)? {
                Some(joined) => joined,
                None => return Ok(None),
            },
        };
        let mut adapters = vec![0..0; hosts];
        for (number, &host) in (0u32..).zip(&joined.host_of_adapter) {
            let Some(of_host) = adapters.get_mut(host as usize) else { continue };
            let first = if of_host.end == 0 { number } else { of_host.start };
            *of_host = first..number + 1;
        }
        // NVLink is only used where it is closest.
        let without_nvlink = |of_host: &Range<u32>| {
            let is_nvlink = |&number: &u32| {
                joined.wiring.adapters.get(number as usize).is_some_and(Adapter::is_nvlink)
            };
            let nvlink = of_host.clone().filter(is_nvlink).count() as u32;
            of_host.start..of_host.end - nvlink.min((of_host.len() as u32).saturating_sub(1))
        };
        let network_adapters: Vec<Range<u32>> = adapters.iter().map(without_nvlink).collect();
        let nvlink = |(of_host, host): (&Range<u32>, &Host)| {
            let has_nvlink = joined.wiring.adapters.get(of_host.end as usize - 1)?.is_nvlink();
            description.domain_of(host).filter(|_| has_nvlink)
        };
        let domain_of_host = match joined.wiring.adapters.iter().any(Adapter::is_nvlink) {
            true => adapters.iter().zip(&description.hosts).map(nvlink).collect(),
            false => Vec::new(),
        };
        let mut wired = Wired {
            places: places.len() as u32,
            own_adapter: own_adapters(description, &joined.wiring, places, &network_adapters),
            parts,
            part_of_group,
            roots,
            network: joined.network,
            wiring: joined.wiring,
            adapters,
            network_adapters,
            domain_of_host,
            host_of_adapter: joined.host_of_adapter,
            adapter_links: joined.adapter_links,
            inside: links_inside(&description.costs),
            ports: joined.ports,
            fastest: 0.0,
        };
        let several = hosts > 1;
        let first = if several { wired.inner_link_bound() } else { 0 };
        wired.fastest = (first..wired.link_id_bound())
            .filter_map(|id| wired.link(LinkId(id)))
            .map(|link| link.properties.bytes_per_second)
            .fold(0.0, f64::max);
        Ok(Some(wired))
    }

    /// The network between hosts, whose nodes are adapters; none for a single host.
    pub fn network(&self) -> Option<&dyn Topology> {
        self.network.as_deref()
    }

    /// The same network, to be kept beyond this machine.
    pub fn shared_network(&self) -> Option<Arc<dyn Topology>> {
        self.network.clone()
    }

    /// How the network is wired; empty if it has a name.
    pub fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// The adapter of a host with this name, or its first one if the name is empty.
    pub fn adapter(&self, host: u32, name: &str) -> Option<u32> {
        let known = |adapter: u32| self.wiring.adapters.get(adapter as usize);
        let fits = |adapter: &u32| known(*adapter).is_some_and(|known| known.name == name);
        self.adapters.get(host as usize)?.clone().find(|adapter| name.is_empty() || fits(adapter))
    }

    fn num_parts(&self) -> u32 {
        self.parts.len() as u32
    }

    fn num_adapters(&self) -> u32 {
        self.host_of_adapter.len() as u32
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
        let passes_on = |network: &Arc<dyn Topology>| network.num_vertices() == network.num_nodes();
        let adapters = match self.network.as_ref().is_some_and(passes_on) {
            true => 0,
            false => self.num_adapters(),
        };
        self.num_parts() + adapters
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
        self.parts.len() + self.network().map_or(0, Topology::num_vertices)
    }

    /// The number of directed links.
    pub fn num_links(&self) -> u64 {
        let network = self.network().map_or(0, Topology::num_links);
        let adapters: usize = self.adapters.iter().map(Range::len).sum();
        self.num_inner_links() + 2 * adapters as u64 + network
    }

    /// Link numbers are below this.
    pub fn link_id_bound(&self) -> u64 {
        self.first_network_link() + self.network().map_or(0, Topology::link_id_bound)
    }

    /// The largest bandwidth of the network or, without one, of what is inside the host.
    pub fn fastest_link(&self) -> f64 {
        self.fastest
    }

    /// The link with this number, or `None` if there is none.
    pub fn link(&self, id: LinkId) -> Option<Link> {
        if let Some(number) = id.0.checked_sub(self.first_network_link()) {
            let link = self.network()?.link(LinkId(number))?;
            let shifted = |vertex: Vertex| Vertex(vertex.0 + self.num_parts());
            return Some(Link { from: shifted(link.from), to: shifted(link.to), ..link });
        }
        let (lower, upper, properties) = match id.0.checked_sub(self.inner_link_bound()) {
            Some(number) => {
                let adapter = (number / 2) as u32;
                let root = *self.roots.get(self.host_of_adapter[adapter as usize] as usize)?;
                let properties = self.adapter_links[adapter as usize];
                (root, self.num_parts() + adapter, properties)
            }
            None => {
                let part = (id.0 / 2) as u32;
                let Part { around, kind, .. } = self.parts[part as usize];
                if around == NONE {
                    return None;
                }
                let outer = self.parts[around as usize].kind;
                (part, around, self.inside[usize::from(kind)][usize::from(outer)])
            }
        };
        let (from, to) = if id.0.is_multiple_of(2) { (lower, upper) } else { (upper, lower) };
        Some(Link { from: Vertex(from), to: Vertex(to), properties })
    }

    /// The adapters that two places of different hosts use: those that are closest to each other.
    /// If several are, the sender's own one, and the one with the same number at the receiver.
    pub fn adapters_between(&self, from: u32, to: u32) -> (u32, u32) {
        let host = |place: u32| self.parts[place as usize].host as usize;
        let (there, back) = self.usable_adapters(host(from), host(to));
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

    /// The adapters through which two hosts may send to each other: NVLink if they share a domain,
    /// and the others if not.
    #[inline]
    fn usable_adapters(&self, from: usize, to: usize) -> (Range<u32>, Range<u32>) {
        let of = |host: usize| &self.network_adapters[host];
        let domain = |host: usize| self.domain_of_host.get(host).copied().flatten();
        match domain(from) {
            Some(own) if domain(to) == Some(own) => {
                let last = |host: usize| self.adapters[host].end - 1..self.adapters[host].end;
                (last(from), last(to))
            }
            _ => (of(from).clone(), of(to).clone()),
        }
    }

    fn between(&self, a: u32, b: u32) -> u32 {
        let network = self.network().expect("several hosts have a network");
        network.hops(Vertex(a), Vertex(b))
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
            let network = self.network().expect("beyond parts there is a network");
            let at = Vertex(from.0 - self.num_parts());
            let closest = into.clone().map(|b| network.hops(at, Vertex(b))).min();
            return closest.expect("hosts of a network have adapters") + 1 + depth(to.0);
        };
        if part.host == target.host {
            let top = self.smallest_around(from.0, to.0);
            return depth(from.0) + depth(to.0) - 2 * depth(top);
        }
        let (out, into) = self.usable_adapters(part.host as usize, target.host as usize);
        let pairs = out.flat_map(|a| into.clone().map(move |b| (a, b)));
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
                let target = self.parts[to.index()].host as usize;
                let (adapters, _) = self.usable_adapters(part.host as usize, target);
                let adapters = adapters.filter(|_| part.around == NONE);
                let outside = adapters.map(|adapter| self.link_to_adapter(adapter));
                let up = std::iter::once(Wired::link_out(at.0));
                out.extend(up.chain(inside).chain(outside).filter(closer));
            }
            None => {
                let network = self.network().expect("beyond parts there is a network");
                let vertex = Vertex(at.0 - self.num_parts());
                let host = self.parts[to.index()].host;
                let first = out.len();
                for adapter in self.adapters[host as usize].clone() {
                    match vertex.0 == adapter {
                        true => out.push(self.link_from_adapter(adapter)),
                        false => {
                            let before = out.len();
                            network.next_links(vertex, Vertex(adapter), out);
                            out[before..].iter_mut().for_each(|id| *id = self.network_link(*id));
                        }
                    }
                }
                // The way to a farther adapter may lead away from the closest one.
                let mut kept = out.split_off(first);
                kept.retain(closer);
                kept.sort_unstable();
                kept.dedup();
                out.extend(kept);
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
        let named =
            || self.network().map_or_else(String::new, |all| all.vertex_name(Vertex(number)));
        if vertex.0 >= self.first_switch() {
            let switch = number.saturating_sub(self.num_adapters()) as usize;
            let known = self.wiring.switches.get(switch);
            return known.map_or_else(|| format!("switch {}", named()), |known| known.name.clone());
        }
        let host = hosts.get(self.host_of_adapter[number as usize] as usize);
        let host = host.copied().unwrap_or_default();
        match self.wiring.adapters.get(number as usize).map_or("", |adapter| &adapter.name) {
            "" => format!("{host} adapter"),
            name => format!("{host} {name}"),
        }
    }

    /// The ports at both ends of a link, if it is a cable.
    pub fn ports(&self, id: LinkId) -> Option<[u32; 2]> {
        let number = id.0.checked_sub(self.first_network_link())?;
        self.ports.get(number as usize).copied()
    }
}

/// The links inside hosts, by what they lead out of and what they lead to.
fn links_inside(costs: &Costs) -> Box<[[LinkProperties; KINDS]; KINDS]> {
    let to = |inner: ObjectKind| {
        ObjectKind::ALL.map(|outer| costs.speed_inside(outer).on(inside_link(inner)))
    };
    Box::new(ObjectKind::ALL.map(to))
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
