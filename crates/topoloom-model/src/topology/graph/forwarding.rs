//! Routes by tables: each switch has, for each address, the port that leads there.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::cluster::Tables;
use crate::ids::{LinkId, Vertex};

const NO_LINK: u32 = u32::MAX;

/// The tables of a network whose nodes are adapters.
#[derive(Debug)]
pub struct Forwarding {
    tables: Tables,
    /// The addresses of each node.
    addresses: Vec<Range<u32>>,
    /// For each switch, the link that leaves it through each port.
    links: Vec<Vec<u32>>,
    /// The link that leaves each node.
    first: Vec<u32>,
    /// Where each link leads.
    ends: Vec<Vertex>,
}

/// How a walk along tables ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walked {
    /// At the destination.
    Arrived,
    /// At a switch that has no port for the address, or one without a cable.
    Stuck(Vertex),
    /// At a node that is not the destination.
    Astray(Vertex),
    /// It went around in circles.
    Loop(Vertex),
}

/// How many routes of some kind are broken, with the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// From where the first one starts.
    pub from: Vertex,
    /// Where it should arrive.
    pub to: Vertex,
    /// How it ends.
    pub ending: Walked,
    /// How many there are.
    pub pairs: u64,
}

/// An address that some nodes have no route to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unrouted {
    /// The node that has the address.
    pub to: Vertex,
    /// The address.
    pub address: u32,
    /// How many nodes have no route to it.
    pub from: u64,
}

impl Forwarding {
    /// `leaving` has the links that leave each node, and then each switch, with their ports; `ends`
    /// has the vertex that each link leads to.
    pub fn new(
        tables: Tables,
        addresses: Vec<Range<u32>>,
        leaving: &[Vec<(u32, u32)>],
        ends: Vec<Vertex>,
    ) -> Forwarding {
        let by_port = |ports: &Vec<(u32, u32)>| {
            let mut links = vec![NO_LINK; usize::from(Tables::NO_PORT)];
            for &(port, link) in ports {
                // Tables have no room for higher ports.
                if let Some(place) = links.get_mut(port as usize) {
                    *place = link;
                }
            }
            links
        };
        let (nodes, switches) = leaving.split_at(addresses.len());
        let first = nodes.iter().map(|links| links.first().map_or(NO_LINK, |&(_, link)| link));
        let (first, links) = (first.collect(), switches.iter().map(by_port).collect());
        Forwarding { tables, addresses, links, first, ends }
    }

    fn nodes(&self) -> u32 {
        self.addresses.len() as u32
    }

    /// How many addresses a node has: each has its own routes.
    pub fn num_addresses(&self, node: Vertex) -> u32 {
        self.addresses[node.index()].len() as u32
    }

    /// The link through which a switch sends messages for an address.
    fn next(&self, at: Vertex, address: u32) -> Option<u32> {
        let switch = at.index() - self.addresses.len();
        let port = *self.tables.ports.get(switch)?.get(address as usize)?;
        let link = *self.links.get(switch)?.get(usize::from(port))?;
        (port != Tables::NO_PORT && link != NO_LINK).then_some(link)
    }

    /// Walks from a node to one of the addresses of another, and says how that ended.
    pub fn walk(
        &self,
        from: Vertex,
        to: Vertex,
        address: u32,
        mut visit: impl FnMut(LinkId),
    ) -> Walked {
        let Some(address) = self.addresses[to.index()].clone().nth(address as usize) else {
            return Walked::Stuck(from);
        };
        let mut link = self.first[from.index()];
        if link == NO_LINK {
            return Walked::Stuck(from);
        }
        let mut at = from;
        for _ in 0..=self.links.len() {
            visit(LinkId(u64::from(link)));
            at = self.ends[link as usize];
            if at == to {
                return Walked::Arrived;
            }
            if at.0 < self.nodes() {
                return Walked::Astray(at);
            }
            match self.next(at, address) {
                Some(next) => link = next,
                None => return Walked::Stuck(at),
            }
        }
        Walked::Loop(at)
    }

    /// The routes between nodes that do not arrive: those that go around in circles, and those that
    /// end somewhere else. All routes to an address form a tree, so each table entry is used once.
    pub fn broken(&self) -> [Option<Broken>; 2] {
        let mut broken: [Option<Broken>; 2] = [None, None];
        let mut endings: Vec<Option<Walked>> = vec![None; self.links.len()];
        let mut path = Vec::new();
        for to in (0..self.nodes()).map(Vertex) {
            for address in self.addresses[to.index()].clone() {
                endings.fill(None);
                for from in (0..self.nodes()).map(Vertex).filter(|&from| from != to) {
                    let ending = self.ending(from, to, address, &mut endings, &mut path);
                    if ending == Walked::Arrived {
                        continue;
                    }
                    let kind = usize::from(!matches!(ending, Walked::Loop(_)));
                    let first = Broken { from, to, ending, pairs: 0 };
                    broken[kind].get_or_insert(first).pairs += 1;
                }
            }
        }
        broken
    }

    /// The addresses that some nodes have no route to. Nodes of one switch share their routes, so
    /// each switch is asked once per address.
    pub fn unrouted(&self) -> Vec<Unrouted> {
        // The first node of each switch, and how many there are.
        let mut on_switch: BTreeMap<Vertex, (Vertex, u64)> = BTreeMap::new();
        let first_switch = |node: Vertex| self.ends.get(self.first[node.index()] as usize).copied();
        for node in (0..self.nodes()).map(Vertex) {
            let Some(switch) = first_switch(node) else { continue };
            on_switch.entry(switch).or_insert((node, 0)).1 += 1;
        }
        let mut unrouted = Vec::new();
        let mut endings: Vec<Option<Walked>> = vec![None; self.links.len()];
        let mut path = Vec::new();
        for to in (0..self.nodes()).map(Vertex) {
            for address in self.addresses[to.index()].clone() {
                endings.fill(None);
                let mut from = 0;
                for (&switch, &(node, nodes)) in &on_switch {
                    let ending = self.ending(node, to, address, &mut endings, &mut path);
                    if ending != Walked::Arrived {
                        from += nodes - u64::from(first_switch(to) == Some(switch));
                    }
                }
                if from > 0 {
                    unrouted.push(Unrouted { to, address, from });
                }
            }
        }
        unrouted
    }

    /// How a route ends. What is known of switches on the way is kept.
    fn ending(
        &self,
        from: Vertex,
        to: Vertex,
        address: u32,
        endings: &mut [Option<Walked>],
        path: &mut Vec<usize>,
    ) -> Walked {
        path.clear();
        let own = self.ends.get(self.first[from.index()] as usize);
        let mut at = own.copied().unwrap_or(from);
        let ending = loop {
            if at == to {
                break Walked::Arrived;
            }
            if at.0 < self.nodes() {
                break if at == from { Walked::Stuck(from) } else { Walked::Astray(at) };
            }
            let switch = at.index() - self.addresses.len();
            if let Some(known) = endings[switch] {
                break known;
            }
            if path.len() > self.links.len() {
                break Walked::Loop(at);
            }
            path.push(switch);
            match self.next(at, address) {
                Some(link) => at = self.ends[link as usize],
                None => break Walked::Stuck(at),
            }
        };
        path.iter().for_each(|&switch| endings[switch] = Some(ending));
        ending
    }
}
