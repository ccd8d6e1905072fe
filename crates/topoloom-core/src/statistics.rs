//! How good a placement is: everything that `score` reports.

use crate::bounds::hop_bytes_lower_bound;
use crate::ids::Vertex;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::routing::{LinkLoads, UsedLink};
use crate::topology::Metric;
use crate::with_metric;

/// Total, average, minimum and maximum of a list of numbers; all 0 of an empty one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// How many there are.
    pub count: u64,
    /// Their sum.
    pub total: f64,
    /// Their mean.
    pub average: f64,
    /// The least.
    pub minimum: f64,
    /// The greatest.
    pub maximum: f64,
}

impl Summary {
    /// Sums up `values`.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Summary {
        let mut summary =
            Summary { minimum: f64::INFINITY, maximum: f64::NEG_INFINITY, ..Summary::default() };
        for value in values {
            summary.count += 1;
            summary.total += value;
            summary.minimum = summary.minimum.min(value);
            summary.maximum = summary.maximum.max(value);
        }
        if summary.count == 0 {
            return Summary::default();
        }
        summary.average = summary.total / summary.count as f64;
        summary
    }
}

/// What directed links carry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkStatistics {
    /// Over the links that carry anything.
    pub load: Summary,
    /// The greatest load divided by the link's bandwidth relative to the fastest link.
    pub max_relative_load: f64,
}

/// The four statistics of the HAEC thesis (section 2.6). Both directions of a pair count
/// together, and links are undirected: each pair travels once, from the lower rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThesisStatistics {
    /// Inter-process logical: each pair of ranks.
    pub inter_process_logical: Summary,
    /// Intra-node logical: each pair of ranks on one node.
    pub intra_node_logical: Summary,
    /// Inter-node logical: each pair of nodes, whatever lies between them.
    pub inter_node_logical: Summary,
    /// Inter-node physical: each link used.
    pub inter_node_physical: Summary,
    /// The largest number of pairs of ranks that share a link.
    pub congestion: u64,
}

/// How good a placement is.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Sum over directed pairs of weight times distance.
    pub hop_bytes: f64,
    /// Sum of all weights, messages of ranks to themselves included.
    pub total_weight: f64,
    /// The largest distance between partners.
    pub max_dilation: u32,
    /// What stays on its node.
    pub intra_node_weight: f64,
    /// What leaves its node.
    pub inter_node_weight: f64,
    /// Pairs of partners at distance 0 or 1.
    pub cardinality: u64,
    /// No placement has less hop-bytes.
    pub lower_bound: f64,
    /// What links carry; `None` on machines without links.
    pub links: Option<LinkStatistics>,
    /// The statistics of the HAEC thesis.
    pub thesis: ThesisStatistics,
}

impl Score {
    /// Hops that a unit of weight travels on average; 0 without traffic.
    pub fn average_dilation(&self) -> f64 {
        ratio(self.hop_bytes, self.total_weight)
    }

    /// How far hop-bytes lie above the lower bound, as a share of it; `None` above a bound of 0.
    pub fn gap(&self) -> Option<f64> {
        if self.hop_bytes == 0.0 {
            return Some(0.0);
        }
        (self.lower_bound > 0.0).then(|| self.hop_bytes / self.lower_bound - 1.0)
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Scores a mapping under the routing of the problem's machine.
pub fn score(problem: &Problem, mapping: &Mapping) -> Score {
    let nodes = mapping.nodes();
    let mut score = Score {
        hop_bytes: 0.0,
        total_weight: problem.traffic().total(problem.weight()),
        max_dilation: 0,
        intra_node_weight: 0.0,
        inter_node_weight: 0.0,
        cardinality: 0,
        lower_bound: hop_bytes_lower_bound(problem),
        links: link_statistics(problem, &nodes),
        thesis: thesis_statistics(problem, &nodes),
    };
    with_metric!(problem.machine().metric(), metric => add_distances(problem, &nodes, metric, &mut score));
    score
}

fn add_distances<M: Metric>(problem: &Problem, nodes: &[u32], metric: &M, score: &mut Score) {
    for flow in problem.traffic().flows() {
        let (from, to) = (nodes[flow.from.index()], nodes[flow.to.index()]);
        let weight = flow.weight(problem.weight());
        if from == to {
            score.intra_node_weight += weight;
        } else {
            score.inter_node_weight += weight;
            score.hop_bytes += weight * f64::from(metric.distance(from, to));
        }
    }
    for (a, b, _) in problem.graph().pairs() {
        let distance = metric.distance(nodes[a as usize], nodes[b as usize]);
        score.max_dilation = score.max_dilation.max(distance);
        score.cardinality += u64::from(distance <= 1);
    }
}

/// Every directed link that carries anything under the machine's routing.
pub fn link_loads(problem: &Problem, mapping: &Mapping) -> Vec<UsedLink> {
    directed_loads(problem, &mapping.nodes())
}

fn directed_loads(problem: &Problem, nodes: &[u32]) -> Vec<UsedLink> {
    let flows = problem.traffic().flows();
    route_all(
        problem,
        flows.map(|flow| {
            let ends = (nodes[flow.from.index()], nodes[flow.to.index()]);
            (ends.0, ends.1, flow.weight(problem.weight()))
        }),
    )
}

/// What links carry of flows from node to node.
fn route_all(problem: &Problem, flows: impl Iterator<Item = (u32, u32, f64)>) -> Vec<UsedLink> {
    let machine = problem.machine();
    let topology = machine.topology();
    let mut loads = LinkLoads::new(topology);
    for (from, to, weight) in flows.filter(|&(from, to, weight)| from != to && weight > 0.0) {
        machine.routing().add_flow(topology, Vertex(from), Vertex(to), weight, &mut loads);
    }
    loads.into_used()
}

fn link_statistics(problem: &Problem, nodes: &[u32]) -> Option<LinkStatistics> {
    let topology = problem.machine().topology();
    if topology.num_links() == 0 {
        return None;
    }
    let used = directed_loads(problem, nodes);
    let fastest = topology.fastest_link();
    let relative = |used: &UsedLink| {
        let link = topology.link(used.id).expect("routes use links that exist");
        used.load / (link.properties.bytes_per_second / fastest)
    };
    Some(LinkStatistics {
        max_relative_load: used.iter().map(relative).fold(0.0, f64::max),
        load: Summary::of(used.iter().map(|used| used.load)),
    })
}

fn thesis_statistics(problem: &Problem, nodes: &[u32]) -> ThesisStatistics {
    let graph = problem.graph();
    let node = |rank: u32| nodes[rank as usize];
    let pairs = || graph.pairs().map(|(a, b, weight)| (node(a), node(b), weight));
    let weights = |on_one_node: bool| {
        pairs().filter(move |&(a, b, _)| (a == b) == on_one_node).map(|(_, _, weight)| weight)
    };
    let node_pairs: Vec<((u32, u32), f64)> = pairs()
        .filter(|(a, b, _)| a != b)
        .map(|(a, b, weight)| ((a.min(b), a.max(b)), weight))
        .collect();
    let (loads, crossings) = both_directions(problem, &route_all(problem, pairs()));
    ThesisStatistics {
        inter_process_logical: Summary::of(graph.pairs().map(|(_, _, weight)| weight)),
        intra_node_logical: Summary::of(weights(true)),
        inter_node_logical: Summary::of(sum_by_key(node_pairs)),
        inter_node_physical: Summary::of(loads),
        congestion: crossings.iter().copied().fold(0.0, f64::max) as u64,
    }
}

/// Loads and numbers of flows of each link that is used, both its directions together.
fn both_directions(problem: &Problem, used: &[UsedLink]) -> (Vec<f64>, Vec<f64>) {
    let topology = problem.machine().topology();
    let by_ends = |value: fn(&UsedLink) -> f64| {
        let keyed = used.iter().map(|used| {
            let link = topology.link(used.id).expect("routes use links that exist");
            ((link.from.0.min(link.to.0), link.from.0.max(link.to.0)), value(used))
        });
        sum_by_key(keyed.collect())
    };
    (by_ends(|used| used.load), by_ends(|used| used.flows as f64))
}

/// The sums of the values that share a key, by rising key.
fn sum_by_key(mut values: Vec<((u32, u32), f64)>) -> Vec<f64> {
    values.sort_by_key(|&(key, _)| key);
    values
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| group.iter().map(|&(_, value)| value).sum())
        .collect()
}
