//! Where a packet may go next, and in which class of channels, such that packets never wait for
//! each other in a circle.
//!
//! *One way for each pair* (dimension order): a link around the end of a ring, and the links before
//! it on the way, are used in class 1, and all others in class 0. So the links of a ring in class 0
//! form a line, those in class 1 lead into it, and dimensions follow each other.
//!
//! *Several ways on a machine with dimensions*: any link that leads closer may be used in class 2.
//! A packet that finds none free may always use the link of dimension order in its class 0 or 1
//! (Duato, A new theory of deadlock-free adaptive routing in wormhole networks, 1993).
//!
//! *Several ways elsewhere*: links are in order, up from the nodes, then across, then down. A
//! packet that takes a link which does not come after its last one goes up a class. It does so at
//! most once per hop, and never on a fat tree. There are as many classes as any route needs.

use topoloom_model::random;
use topoloom_model::{Machine, Vertex};

use super::options::PacketOptions;
use crate::network::Network;
use crate::routes::Kept;

/// A link that a packet may use, and the class of channels on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hop {
    pub link: u32,
    pub class: u16,
}

/// The most ways that a packet asks for at once. If there are more, some are picked at random.
pub(super) const MOST_WAYS: usize = 8;

/// The class of ways other than the one of dimension order.
const ADAPTIVE: u16 = 2;

/// Which way the machine routes.
#[derive(Debug)]
enum Rule {
    /// One way for each pair: its hops are stored one after the other.
    OneWay,
    /// The first hop is that of dimension order, the others are free.
    WithEscape { order: Vec<usize> },
    /// By the order of links.
    Ordered { rank_of: Vec<u8> },
}

/// Where packets may go.
#[derive(Debug)]
pub(super) struct Paths<'a> {
    machine: &'a Machine,
    network: &'a Network,
    rule: Rule,
    /// Whether each packet takes one way at random.
    is_random: bool,
    seed: u64,
    kept: Kept<Hop>,
    pub classes: u32,
}

impl<'a> Paths<'a> {
    pub fn new(machine: &'a Machine, network: &'a Network, options: &PacketOptions) -> Self {
        let (topology, routing) = (machine.topology(), machine.routing());
        let dimensions = topology.grid_lengths().map(<[u32]>::len);
        let (rule, classes) = match dimensions {
            _ if routing.is_straight() => {
                (Rule::OneWay, if has_rings(network, machine) { 2 } else { 1 })
            }
            Some(dimensions) => (Rule::WithEscape { order: (0..dimensions).collect() }, 3),
            None => {
                let rank_of = ranks(network, topology.num_nodes());
                let falls = most_falls(machine, network, &rank_of);
                (Rule::Ordered { rank_of }, falls + 1)
            }
        };
        let is_random = routing.name() == "ecmp";
        let (seed, kept) = (options.seed, Kept::default());
        Paths { machine, network, rule, is_random, seed, kept, classes }
    }

    /// Whether there is one way for each pair.
    pub fn is_one_way(&self) -> bool {
        matches!(self.rule, Rule::OneWay)
    }

    /// How many ways a packet may ask for at once.
    pub fn most_ways(&self) -> usize {
        if self.is_one_way() { 1 } else { MOST_WAYS }
    }

    /// The whole way of a pair, if there is only one: the positions of its hops.
    pub fn way(&mut self, from: u32, to: u32) -> std::ops::Range<u32> {
        let (machine, network) = (self.machine, self.network);
        self.kept.place((from, to), |hops| {
            let begin = hops.len();
            machine.routing().route(machine.topology(), Vertex(from), Vertex(to), &mut |id, _| {
                hops.push(Hop { link: network.place(id), class: 0 });
            });
            set_ring_classes(machine, network, &mut hops[begin..]);
        })
    }

    /// The hop at a position of a way.
    #[inline]
    pub fn hop(&self, place: u32) -> Hop {
        *self.kept.hop(place)
    }

    /// The hops that lead a packet from `at` closer to `to`. It came over `last` in class `class`,
    /// if it came over any; `number` distinguishes packets.
    pub fn next_hops(
        &mut self,
        (at, to): (u32, u32),
        last: Option<(u32, u16)>,
        number: u64,
        out: &mut Vec<Hop>,
    ) {
        out.clear();
        let (machine, network) = (self.machine, self.network);
        let topology = machine.topology();
        let places = self.kept.place((at, to), |hops| {
            let mut links = Vec::new();
            topology.next_links(Vertex(at), Vertex(to), &mut links);
            let any = links.iter().map(|&id| Hop { link: network.place(id), class: ADAPTIVE });
            match &self.rule {
                Rule::WithEscape { order } => {
                    hops.push(escape(machine, network, order, at, to));
                    hops.extend(any);
                }
                _ => hops.extend(any),
            }
        });
        let hops = self.kept.hops(places);
        let shuffled = random::mix(self.seed ^ random::mix(number));
        match &self.rule {
            Rule::OneWay => unreachable!("ways are asked for as a whole"),
            Rule::WithEscape { .. } => {
                let free = &hops[1..];
                let ways = if self.is_random { 1 } else { free.len().min(MOST_WAYS - 1) };
                out.extend(pick(free, ways, shuffled));
                out.push(hops[0]);
            }
            Rule::Ordered { rank_of } => {
                let ways = if self.is_random { 1 } else { hops.len().min(MOST_WAYS) };
                out.extend(pick(hops, ways, shuffled).map(|Hop { link, .. }| {
                    let class = last
                        .map_or(0, |(last, class)| class + u16::from(falls(rank_of, last, link)));
                    Hop { link, class }
                }));
            }
        }
    }
}

/// This many of `hops` in a row, from a position that `shuffled` determines.
fn pick(hops: &[Hop], ways: usize, shuffled: u64) -> impl Iterator<Item = Hop> + '_ {
    let first = (shuffled % hops.len().max(1) as u64) as usize;
    (0..ways).map(move |step| hops[(first + step) % hops.len()])
}

/// The dimension in which a link of a machine with dimensions leads, and whether it leads around
/// the end of a ring.
fn dimension_of(lengths: &[u32], from: u32, to: u32) -> (usize, bool) {
    let (mut from, mut to) = (from, to);
    let mut found = (0, false);
    for (dimension, &length) in lengths.iter().enumerate() {
        let (a, b) = (from % length, to % length);
        if a != b {
            // The last one counts: links between the layers of a HAEC box lead anywhere in them.
            found = (dimension, a.abs_diff(b) > 1);
        }
        (from, to) = (from / length, to / length);
    }
    found
}

fn has_rings(network: &Network, machine: &Machine) -> bool {
    let Some(lengths) = machine.topology().grid_lengths() else { return false };
    network.links.iter().any(|link| dimension_of(lengths, link.from.0, link.to.0).1)
}

/// Class 1 for links around the end of a ring and those before them in their dimension.
fn set_ring_classes(machine: &Machine, network: &Network, hops: &mut [Hop]) {
    let Some(lengths) = machine.topology().grid_lengths() else { return };
    let mut after = (usize::MAX, 0);
    for hop in hops.iter_mut().rev() {
        let link = &network.links[hop.link as usize];
        let (dimension, around) = dimension_of(lengths, link.from.0, link.to.0);
        hop.class = match around {
            true => 1,
            false if after.0 == dimension => after.1,
            false => 0,
        };
        after = (dimension, hop.class);
    }
}

/// The first hop of dimension order.
fn escape(machine: &Machine, network: &Network, order: &[usize], at: u32, to: u32) -> Hop {
    let mut way = Vec::new();
    machine.topology().dimension_order_route(Vertex(at), Vertex(to), order, &mut |stretch| {
        way.extend(stretch.links().map(|id| Hop { link: network.place(id), class: 0 }));
    });
    set_ring_classes(machine, network, &mut way);
    way[0]
}

/// Whether a link does not come after the packet's last link in the order.
#[inline]
fn falls(rank_of: &[u8], last: u32, link: u32) -> bool {
    rank_of[link as usize] <= rank_of[last as usize]
}

/// Pairs of vertices and nodes whose routes are examined one by one.
const MOST_LOOKED_AT: usize = 1 << 21;

/// How often a packet goes up a class at most, on any route between nodes. If there are too many
/// routes to examine, the bound that their length gives.
fn most_falls(machine: &Machine, network: &Network, rank_of: &[u8]) -> u32 {
    let topology = machine.topology();
    let nodes = topology.num_nodes();
    if network.vertices * nodes > MOST_LOOKED_AT {
        return topology.distances().last().map_or(0, |longest| longest.saturating_sub(1));
    }
    let mut most = 0;
    let mut next = Vec::new();
    // For each link: the falls on the way there, if it is on any way.
    let mut after = vec![None::<u32>; network.links.len()];
    for to in 0..nodes as u32 {
        after.fill(None);
        let mut by_distance: Vec<(u32, u32)> = (0..network.vertices as u32)
            .map(|at| (topology.distance(Vertex(at), Vertex(to)), at))
            .collect();
        by_distance.sort_unstable_by(|a, b| b.cmp(a));
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); network.vertices];
        for (_, at) in by_distance.into_iter().filter(|&(distance, _)| distance > 0) {
            next.clear();
            topology.next_links(Vertex(at), Vertex(to), &mut next);
            let began = ((at as usize) < nodes).then_some(0);
            for &id in &next {
                let link = network.place(id);
                let passed = into[at as usize].iter().filter_map(|&last| {
                    after[last as usize]
                        .map(|before| before + u32::from(falls(rank_of, last, link)))
                });
                let here = passed.chain(began).max();
                after[link as usize] = here;
                most = most.max(here.unwrap_or(0));
                if here.is_some() {
                    into[network.links[link as usize].to.index()].push(link);
                }
            }
        }
    }
    most
}

const ACROSS: u8 = 100;

/// The position of each link in the order: up from the nodes, across, then down. A vertex is as
/// high as it is far from the nearest node.
fn ranks(network: &Network, nodes: usize) -> Vec<u8> {
    let mut height = vec![u8::MAX; network.vertices];
    height[..nodes].fill(0);
    let mut changed = true;
    while changed {
        changed = false;
        for link in &network.links {
            let above = height[link.from.index()].saturating_add(1).min(ACROSS - 1);
            if above < height[link.to.index()] {
                height[link.to.index()] = above;
                changed = true;
            }
        }
    }
    let rank = |link: &topoloom_model::topology::Link| {
        let (from, to) = (height[link.from.index()], height[link.to.index()]);
        match from.cmp(&to) {
            std::cmp::Ordering::Less => from,
            std::cmp::Ordering::Equal => ACROSS,
            std::cmp::Ordering::Greater => ACROSS + 1 + (ACROSS - from),
        }
    };
    network.links.iter().map(rank).collect()
}
