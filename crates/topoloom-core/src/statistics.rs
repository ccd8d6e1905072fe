//! How good a placement is: everything that `score` reports.

use std::borrow::Cow;

use crate::bounds::{hop_bytes_bound_within, max_link_load_bound_within};
use crate::ids::{LinkId, Vertex};
use crate::levels::{LevelWeight, weight_by_level};
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::node_pairs::{NodePair, NodePairs, Tally};
use crate::problem::Problem;
use crate::routing::{LinkLoads, UsedLink};
use crate::run::Run;
use crate::topology::{Cluster, Metric};
use crate::with_metric;

/// Total, average, minimum and maximum of a list of numbers; all 0 if the list is empty.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// How many there are.
    pub count: u64,
    /// Their sum.
    pub total: f64,
    /// Their mean.
    pub average: f64,
    /// The minimum.
    pub minimum: f64,
    /// The maximum.
    pub maximum: f64,
}

impl Summary {
    /// Summarises `values`.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Summary {
        let mut summary = Summary::default();
        values.into_iter().for_each(|value| summary.add(value));
        summary.averaged()
    }

    #[inline]
    fn add(&mut self, value: f64) {
        if self.count == 0 {
            (self.minimum, self.maximum) = (value, value);
        }
        self.count += 1;
        self.total += value;
        self.minimum = self.minimum.min(value);
        self.maximum = self.maximum.max(value);
    }

    /// The same with its mean, when everything has been added.
    fn averaged(mut self) -> Summary {
        self.average = ratio(self.total, self.count as f64);
        self
    }
}

/// What directed links carry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkStatistics {
    /// Over the links of the network that carry anything: of adapters, and between switches.
    pub load: Summary,
    /// The greatest load of a link of the network, divided by its bandwidth relative to the fastest
    /// one.
    pub max_relative_load: f64,
    /// The link that has it; none if nothing leaves its host.
    pub busiest: Option<LinkId>,
    /// The greatest load of a link between two switches.
    pub max_switch_load: f64,
    /// The greatest load of a link inside a host.
    pub max_inner_load: f64,
}

/// The four statistics of the HAEC thesis (section 2.6). Both directions of a pair count together,
/// and links are undirected: each pair travels once, from the lower rank. A node is a host if the
/// machine has hosts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThesisStatistics {
    /// Inter-process logical: each pair of ranks.
    pub inter_process_logical: Summary,
    /// Intra-node logical: each pair of ranks on one node.
    pub intra_node_logical: Summary,
    /// Inter-node logical: each pair of nodes, whatever lies between them.
    pub inter_node_logical: Summary,
    /// Inter-node physical: each link used; `None` on machines without links.
    pub inter_node_physical: Option<Summary>,
    /// The largest number of pairs of ranks that share a link; `None` on machines without links.
    pub congestion: Option<u64>,
}

/// How good a placement is.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Sum over directed pairs of weight times distance.
    pub hop_bytes: f64,
    /// Sum of all weights, including messages of ranks to themselves.
    pub total_weight: f64,
    /// The largest distance between partners.
    pub max_dilation: u32,
    /// The weight that stays on its node; on clusters, on its host.
    pub intra_node_weight: f64,
    /// The weight that leaves its node; on clusters, its host.
    pub inter_node_weight: f64,
    /// Pairs of partners at distance 0 or 1.
    pub cardinality: u64,
    /// No placement has fewer hop-bytes; `None` if a limit left no time to find the bound.
    pub lower_bound: Option<f64>,
    /// The name of the bound that says so.
    pub lower_bound_name: Option<&'static str>,
    /// No placement loads its busiest link less, relative to its bandwidth, whatever the routing;
    /// `None` if there is no such bound or no time to find it.
    pub link_load_bound: Option<f64>,
    /// What links carry; `None` on machines without links.
    pub links: Option<LinkStatistics>,
    /// The weight that travels through each level; `None` on machines that are not groups in
    /// groups.
    pub levels: Option<Vec<LevelWeight>>,
    /// The statistics of the HAEC thesis.
    pub thesis: ThesisStatistics,
}

/// If a good search finds no placement within this share of the bound, the bound is too low to be of
/// use. Tables then say so instead of a percentage.
const USELESS_GAP: f64 = 1.0;

/// No useful placement is this far above a useful bound, whatever search found it.
const HOPELESS_GAP: f64 = 100.0;

/// Whether a gap shows that the bound is too low to be of use. `by_good_search`: a good search for
/// hop-bytes has found nothing better. Any other placement may be bad although the bound is good.
pub fn shows_useless_bound(gap: f64, by_good_search: bool) -> bool {
    gap > HOPELESS_GAP || (by_good_search && gap > USELESS_GAP)
}

impl Score {
    /// Hops that a unit of weight travels on average; 0 without traffic.
    pub fn average_dilation(&self) -> f64 {
        ratio(self.hop_bytes, self.total_weight)
    }

    /// How far hop-bytes are above the lower bound, as a share of it; `None` if the bound is 0 or
    /// unknown.
    pub fn gap(&self) -> Option<f64> {
        if self.hop_bytes == 0.0 {
            return Some(0.0);
        }
        let bound = self.lower_bound.filter(|&bound| bound > 0.0)?;
        // Both are sums, each rounded in its own way.
        Some((self.hop_bytes / bound - 1.0).max(0.0))
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Scores a mapping under the routing of the problem's machine.
pub fn score(problem: &Problem, mapping: &Mapping) -> Score {
    score_within(problem, mapping, &mut Run::new(0))
}

/// The same, without the lower bound if `run` must stop before it is known. Everything else is
/// always scored.
pub fn score_within(problem: &Problem, mapping: &Mapping, run: &mut Run) -> Score {
    let nodes = mapping.nodes();
    let hosts = hosts_of(problem.machine(), &nodes);
    let bound = hop_bytes_bound_within(problem, run);
    let mut score = Score {
        hop_bytes: 0.0,
        total_weight: problem.traffic().total(problem.weight()),
        max_dilation: 0,
        intra_node_weight: 0.0,
        inter_node_weight: 0.0,
        cardinality: 0,
        lower_bound: bound.map(|bound| bound.value),
        lower_bound_name: bound.map(|bound| bound.name),
        link_load_bound: max_link_load_bound_within(problem, run).map(|bound| bound.value),
        links: None,
        levels: weight_by_level(problem, mapping),
        thesis: ThesisStatistics::default(),
    };
    with_metric!(problem.machine().metric(), metric => {
        add_distances(problem, &nodes, &hosts, metric, &mut score);
    });
    let has_places = matches!(hosts, Cow::Owned(_));
    if is_wired(problem) || !has_places {
        add_node_pairs(problem, &nodes, &mut score);
    }
    if has_places {
        score.thesis.inter_node_logical = between_hosts(problem, &hosts);
    }
    score
}

/// Whether there are links that could carry something.
fn is_wired(problem: &Problem) -> bool {
    problem.machine().topology().num_links() > 0
}

/// The host of each rank. The nodes of a described cluster are places on hosts; those of other
/// machines are hosts themselves.
fn hosts_of<'a>(machine: &Machine, nodes: &'a [u32]) -> Cow<'a, [u32]> {
    match machine.topology().cluster().map(Cluster::places) {
        Some(places) => nodes.iter().map(|&node| places[node as usize].host).collect(),
        None => Cow::Borrowed(nodes),
    }
}

fn add_distances<M: Metric>(
    problem: &Problem,
    nodes: &[u32],
    hosts: &[u32],
    metric: &M,
    score: &mut Score,
) {
    problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
        let (from, to) = (from as usize, to as usize);
        if hosts[from] == hosts[to] {
            score.intra_node_weight += weight;
        } else {
            score.inter_node_weight += weight;
        }
        if nodes[from] != nodes[to] {
            score.hop_bytes += weight * f64::from(metric.distance(nodes[from], nodes[to]));
        }
    });
    let thesis = &mut score.thesis;
    problem.graph().for_each_pair(|a, b, weight| {
        let (a, b) = (a as usize, b as usize);
        let distance = metric.distance(nodes[a], nodes[b]);
        score.max_dilation = score.max_dilation.max(distance);
        score.cardinality += u64::from(distance <= 1);
        thesis.inter_process_logical.add(weight);
        if hosts[a] == hosts[b] {
            thesis.intra_node_logical.add(weight);
        }
    });
    thesis.inter_process_logical = thesis.inter_process_logical.averaged();
    thesis.intra_node_logical = thesis.intra_node_logical.averaged();
}

/// What each pair of hosts exchanges.
fn between_hosts(problem: &Problem, hosts: &[u32]) -> Summary {
    let number = hosts.iter().max().map_or(0, |&host| host as usize + 1);
    let pairs = NodePairs::gather(number, |visit| {
        problem.graph().for_each_pair(|a, b, weight| {
            visit(hosts[a as usize], hosts[b as usize], weight);
        });
    });
    let mut between = Summary::default();
    pairs.for_each(Tally::one, |pair| between.add(pair.up.weight + pair.down.weight));
    between.averaged()
}

/// Everything that depends only on pairs of nodes. Flows between the same two nodes are added up
/// first, so each pair of nodes is routed once, whatever its number of ranks.
fn add_node_pairs(problem: &Problem, nodes: &[u32], score: &mut Score) {
    let graph = problem.graph();
    let machine = problem.machine();
    let weights = graph.all_weights();
    let first = weights.first().copied().unwrap_or(0.0);
    if weights.iter().all(|&weight| weight == first) {
        let pairs = NodePairs::gather(machine.num_nodes(), |visit| {
            graph.for_each_pair(|a, b, _| visit(nodes[a as usize], nodes[b as usize], ()));
        });
        add_gathered(problem, nodes, &pairs, |()| Tally::one(first), score);
    } else {
        let pairs = NodePairs::gather(machine.num_nodes(), |visit| {
            graph.for_each_pair(|a, b, weight| {
                visit(nodes[a as usize], nodes[b as usize], weight);
            });
        });
        add_gathered(problem, nodes, &pairs, Tally::one, score);
    }
}

fn add_gathered<V: Copy + Default>(
    problem: &Problem,
    nodes: &[u32],
    pairs: &NodePairs<V>,
    tally_of: impl Fn(V) -> Tally,
    score: &mut Score,
) {
    let wired = is_wired(problem);
    let symmetric = problem.traffic().is_symmetric();
    let mut between = Summary::default();
    let mut once = wired.then(|| Router::new(problem));
    let mut back = (wired && symmetric).then(|| Router::new(problem));
    pairs.for_each(tally_of, |pair| {
        between.add(pair.up.weight + pair.down.weight);
        if let Some(once) = &mut once {
            once.add(pair);
        }
        if let Some(back) = &mut back {
            back.add(NodePair { up: pair.down, down: pair.up, ..pair });
        }
    });
    score.thesis.inter_node_logical = between.averaged();
    if let Some(once) = once {
        // Half of what a pair exchanges goes one way, half the other.
        let directed = back.map(|mut back| {
            back.loads.add_all(&once.loads);
            let mut used = back.loads.into_used();
            used.iter_mut().for_each(|link| link.load /= 2.0);
            used
        });
        let directed = directed.unwrap_or_else(|| directed_loads(problem, nodes));
        score.links = Some(link_statistics(problem, &directed));
        drop(directed);
        let links = by_undirected_link(problem, &once.loads.into_used());
        let loads = links.iter().map(|link| link.weight);
        score.thesis.inter_node_physical = Some(Summary::of(loads));
        score.thesis.congestion = Some(links.iter().map(|link| link.flows).max().unwrap_or(0));
    }
}

/// Puts the traffic between nodes on links.
struct Router<'a> {
    machine: &'a Machine,
    loads: LinkLoads,
}

impl<'a> Router<'a> {
    fn new(problem: &'a Problem) -> Self {
        let machine = problem.machine();
        Router {
            machine,
            loads: LinkLoads::new(machine.topology(), machine.routing().is_straight()),
        }
    }

    fn add(&mut self, pair: NodePair) {
        let (low, high) = (Vertex(pair.low), Vertex(pair.high));
        for (from, to, sent) in [(low, high, pair.up), (high, low, pair.down)] {
            if sent.weight > 0.0 {
                self.loads.count_flows_as(sent.flows);
                let (routing, topology) = (self.machine.routing(), self.machine.topology());
                routing.add_flow(topology, from, to, sent.weight, &mut self.loads);
            }
        }
    }
}

/// Every directed link that carries anything under the machine's routing.
pub fn link_loads(problem: &Problem, mapping: &Mapping) -> Vec<UsedLink> {
    directed_loads(problem, &mapping.nodes())
}

fn directed_loads(problem: &Problem, nodes: &[u32]) -> Vec<UsedLink> {
    let pairs = NodePairs::gather(problem.machine().num_nodes(), |visit| {
        problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
            if weight > 0.0 {
                visit(nodes[from as usize], nodes[to as usize], weight);
            }
        });
    });
    let mut router = Router::new(problem);
    pairs.for_each(Tally::one, |pair| router.add(pair));
    router.loads.into_used()
}

fn link_statistics(problem: &Problem, used: &[UsedLink]) -> LinkStatistics {
    let topology = problem.machine().topology();
    let (fastest, inside) = (topology.fastest_link(), topology.inner_link_bound());
    let first = used.partition_point(|used| used.id.0 < inside);
    let (inner, network) = used.split_at(first);
    let largest = |loads: &[UsedLink]| loads.iter().map(|used| used.load).fold(0.0, f64::max);
    let mut statistics = LinkStatistics {
        load: Summary::of(network.iter().map(|used| used.load)),
        max_relative_load: 0.0,
        busiest: None,
        max_switch_load: 0.0,
        max_inner_load: largest(inner),
    };
    for used in network {
        let link = topology.link(used.id).expect("routes use links that exist");
        let relative = used.load / (link.properties.bytes_per_second / fastest);
        if relative > statistics.max_relative_load {
            statistics.max_relative_load = relative;
            statistics.busiest = Some(used.id);
        }
        if link.from.0.min(link.to.0) >= topology.first_switch() {
            statistics.max_switch_load = statistics.max_switch_load.max(used.load);
        }
    }
    statistics
}

/// What each link of the network carries, both directions together.
fn by_undirected_link(problem: &Problem, used: &[UsedLink]) -> Vec<Tally> {
    let topology = problem.machine().topology();
    let inside = topology.inner_link_bound();
    let used = &used[used.partition_point(|used| used.id.0 < inside)..];
    let ends: Vec<(u32, u32)> = used
        .iter()
        .map(|used| {
            let link = topology.link(used.id).expect("routes use links that exist");
            (link.from.0, link.to.0)
        })
        .collect();
    let vertices = ends.iter().map(|&(from, to)| from.max(to) as usize + 1).max().unwrap_or(0);
    let links = NodePairs::gather(vertices, |visit| {
        for (&(from, to), used) in ends.iter().zip(used) {
            visit(from, to, Tally { weight: used.load, flows: used.flows });
        }
    });
    let mut sums = Vec::with_capacity(used.len());
    links.for_each(
        |tally| tally,
        |link| {
            let mut both = link.up;
            both.add(link.down);
            sums.push(both);
        },
    );
    sums
}
