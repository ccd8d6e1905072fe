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
//!
//! *Ways that are not all shortest* (Valiant, UGAL, up-down): each packet has its whole way when it is
//! sent. Classes rise with the order of links, as above.

use topoloom_model::random;
use topoloom_model::routing::PacketWays;
use topoloom_model::topology::{Cluster, Link};
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
    /// The whole way is chosen when a packet is sent, in classes by the order of links.
    Chosen { rank_of: Vec<u8>, ways: PacketWays },
}

/// Ways that are kept for each pair. Packets take one of them at random.
const WAYS: u64 = 32;

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
        let (rule, classes) = match (routing.packet_ways(), dimensions) {
            (Some(ways), _) => {
                let rank_of = ranks(network, topology.num_nodes());
                (Rule::Chosen { rank_of, ways }, 2 * longest(machine))
            }
            (None, _) if routing.is_straight() => {
                (Rule::OneWay, if has_rings(network, machine) { 2 } else { 1 })
            }
            (None, Some(dimensions)) => (Rule::WithEscape { order: (0..dimensions).collect() }, 3),
            (None, None) => {
                let rank_of = ranks(network, topology.num_nodes());
                let falls = most_falls(machine, network, &rank_of);
                (Rule::Ordered { rank_of }, falls + 1)
            }
        };
        let is_random = routing.name() == "ecmp";
        let (seed, kept) = (options.seed, Kept::default());
        Paths { machine, network, rule, is_random, seed, kept, classes }
    }

    /// Whether the whole way of a packet is known when it is sent.
    pub fn is_one_way(&self) -> bool {
        matches!(self.rule, Rule::OneWay | Rule::Chosen { .. })
    }

    /// How each packet gets its way, if it has its own.
    pub fn packet_ways(&self) -> Option<PacketWays> {
        match &self.rule {
            Rule::Chosen { ways, .. } => Some(*ways),
            _ => None,
        }
    }

    /// How many ways a packet may ask for at once.
    pub fn most_ways(&self) -> usize {
        if self.is_one_way() { 1 } else { MOST_WAYS }
    }

    /// The whole way of a pair, if there is only one: the positions of its hops.
    pub fn way(&mut self, from: u32, to: u32) -> std::ops::Range<u32> {
        if matches!(self.rule, Rule::Chosen { .. }) {
            return self.chosen(from, to, 0);
        }
        let (machine, network) = (self.machine, self.network);
        self.kept.place((from, to, 0), |hops| {
            let begin = hops.len();
            machine.routing().route(machine.topology(), Vertex(from), Vertex(to), &mut |id, _| {
                hops.push(Hop { link: network.place(id), class: 0 });
            });
            set_ring_classes(machine, network, &mut hops[begin..]);
        })
    }

    /// One of the ways of a pair; `number` distinguishes packets.
    pub fn random_way(&mut self, from: u32, to: u32, number: u64) -> std::ops::Range<u32> {
        let of_packet = random::mix(self.seed ^ random::mix(number)) % WAYS;
        self.chosen(from, to, 1 + of_packet as u32)
    }

    /// The way of a pair with this number: 0 is a shortest one, the others are random.
    fn chosen(&mut self, from: u32, to: u32, number: u32) -> std::ops::Range<u32> {
        let (machine, network, seed) = (self.machine, self.network, self.seed);
        // A forwarding table may lead through more switches than any detour does.
        let highest = self.classes as u16 - 1;
        let Rule::Chosen { rank_of, .. } = &self.rule else { unreachable!("ways are not chosen") };
        self.kept.place((from, to, number), |hops| {
            let begin = hops.len();
            let pair = u64::from(from) << 32 | u64::from(to);
            let mut state = random::mix(seed ^ random::mix(pair ^ random::mix(u64::from(number))));
            let mut pick = |ways: u32| {
                state = random::mix(state);
                (state % u64::from(ways.max(1))) as u32
            };
            let ends = (Vertex(from), Vertex(to));
            machine.routing().one_way(
                machine.topology(),
                ends,
                number == 0,
                &mut pick,
                &mut |id| {
                    hops.push(Hop { link: network.place(id), class: 0 });
                },
            );
            for at in begin + 1..hops.len() {
                let rises = falls(rank_of, hops[at - 1].link, hops[at].link);
                hops[at].class = (hops[at - 1].class + u16::from(rises)).min(highest);
            }
        })
    }

    /// The hops of a way.
    pub fn hops(&self, way: std::ops::Range<u32>) -> &[Hop] {
        self.kept.hops(way)
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
        let places = self.kept.place((at, to, 0), |hops| {
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
            Rule::OneWay | Rule::Chosen { .. } => unreachable!("ways are asked for as a whole"),
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

/// The box of a machine, or of the network between its hosts.
struct Grid<'a> {
    lengths: &'a [u32],
    /// The number of its first vertex.
    first: u32,
}

impl<'a> Grid<'a> {
    fn of(machine: &'a Machine) -> Option<Grid<'a>> {
        let topology = machine.topology();
        if let Some(lengths) = topology.grid_lengths() {
            return Some(Grid { lengths, first: 0 });
        }
        let network = topology.cluster().and_then(Cluster::wired)?.network()?;
        let lengths = network.grid_lengths()?;
        Some(Grid { lengths, first: (topology.num_vertices() - network.num_vertices()) as u32 })
    }

    /// The dimension in which a link leads, and whether it leads around the end of a ring; none for
    /// links of hosts.
    fn dimension_of(&self, link: &Link) -> Option<(usize, bool)> {
        let mut from = link.from.0.checked_sub(self.first)?;
        let mut to = link.to.0.checked_sub(self.first)?;
        let mut found = (0, false);
        for (dimension, &length) in self.lengths.iter().enumerate() {
            let (a, b) = (from % length, to % length);
            if a != b {
                // The last one counts: links between the layers of a HAEC box lead anywhere in them.
                found = (dimension, a.abs_diff(b) > 1);
            }
            (from, to) = (from / length, to / length);
        }
        Some(found)
    }
}

fn has_rings(network: &Network, machine: &Machine) -> bool {
    let Some(grid) = Grid::of(machine) else { return false };
    network.links.iter().any(|link| grid.dimension_of(link).is_some_and(|(_, around)| around))
}

/// Class 1 for links around the end of a ring and those before them in their dimension.
fn set_ring_classes(machine: &Machine, network: &Network, hops: &mut [Hop]) {
    let Some(grid) = Grid::of(machine) else { return };
    let mut after = (usize::MAX, 0);
    for hop in hops.iter_mut().rev() {
        let Some((dimension, around)) = grid.dimension_of(&network.links[hop.link as usize]) else {
            continue;
        };
        hop.class = match around {
            true => 1,
            false if after.0 == dimension => after.1,
            false => 0,
        };
        after = (dimension, hop.class);
    }
}

/// At least as many links as any shortest route between nodes has.
fn longest(machine: &Machine) -> u32 {
    let topology = machine.topology();
    let others = (0..topology.num_nodes() as u32).map(Vertex);
    // No way is longer than one by way of the first node.
    2 * others.map(|node| topology.hops(Vertex(0), node)).max().unwrap_or(0).max(1)
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
        return longest(machine) - 1;
    }
    let mut most = 0;
    let mut next = Vec::new();
    // For each link: the falls on the way there, if it is on any way.
    let mut after = vec![None::<u32>; network.links.len()];
    for to in 0..nodes as u32 {
        after.fill(None);
        let mut by_distance: Vec<(u32, u32)> = (0..network.vertices as u32)
            .map(|at| (topology.hops(Vertex(at), Vertex(to)), at))
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
