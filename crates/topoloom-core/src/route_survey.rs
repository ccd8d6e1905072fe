//! What a routing makes of a network: which link between switches is busiest when adapters send to
//! each other, whatever runs on the hosts.

use std::collections::BTreeMap;

use crate::ids::{LinkId, Vertex};
use crate::routing::Routing;
use crate::topology::Topology;

/// What an adapter sends to another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdapterFlow {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// How much.
    pub weight: f64,
}

/// Loads of links between switches under a routing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RouteSurvey {
    /// The busiest link, by load and bandwidth; none if nothing crosses a link between switches.
    pub busiest: Option<LinkId>,
    /// What it carries.
    pub load: f64,
    /// What it carries, divided by its bandwidth relative to the fastest link.
    pub relative_load: f64,
    /// How many links between switches carry anything.
    pub used: u64,
    /// How many there are.
    pub links: u64,
    /// What all of them carry.
    pub total: f64,
    /// By the number of switches on a route, how many flows have one like that. Flows that are split
    /// count by their longest part.
    pub switches_on_routes: BTreeMap<u32, u64>,
}

/// One unit from every adapter to every other one.
pub fn all_pairs(adapters: u32) -> Vec<AdapterFlow> {
    let pairs = (0..adapters).flat_map(|from| (0..adapters).map(move |to| (from, to)));
    let pairs = pairs.filter(|(from, to)| from != to);
    pairs.map(|(from, to)| AdapterFlow { from, to, weight: 1.0 }).collect()
}

/// What flows put on the links between switches of a network whose nodes are adapters.
pub fn survey(network: &dyn Topology, routing: &dyn Routing, flows: &[AdapterFlow]) -> RouteSurvey {
    let adapters = network.num_nodes() as u32;
    let between_switches = |id: LinkId| {
        let link = network.link(id).expect("links of a network have no gaps");
        link.from.0.min(link.to.0) >= adapters
    };
    let is_between: Vec<bool> =
        (0..network.link_id_bound()).map(|id| between_switches(LinkId(id))).collect();
    let mut survey = RouteSurvey::default();
    let mut loads = vec![0.0; is_between.len()];
    for flow in flows {
        let mut length = 0.0;
        routing.route(network, Vertex(flow.from), Vertex(flow.to), &mut |id, share| {
            loads[id.index()] += flow.weight * share;
            length += share;
        });
        // A route crosses one link more than it has switches.
        let switches = (length.round() as u32).saturating_sub(1);
        *survey.switches_on_routes.entry(switches).or_default() += 1;
    }
    let fastest = network.fastest_link();
    for (id, &load) in (0..).map(LinkId).zip(&loads).filter(|(id, _)| is_between[id.index()]) {
        survey.links += 1;
        survey.used += u64::from(load > 0.0);
        survey.total += load;
        let link = network.link(id).expect("links of a network have no gaps");
        let relative = load * fastest / link.properties.bytes_per_second;
        if relative > survey.relative_load {
            (survey.load, survey.relative_load, survey.busiest) = (load, relative, Some(id));
        }
    }
    survey
}

/// No routing makes the busiest link's relative load smaller than this: what leaves or enters the
/// adapters of a switch has to cross the links between it and other switches.
pub fn least_relative_load(network: &dyn Topology, flows: &[AdapterFlow]) -> f64 {
    let adapters = network.num_nodes();
    let switch_of: Vec<usize> = (0..network.link_id_bound())
        .filter_map(|id| network.link(LinkId(id)))
        .filter(|link| link.from.index() < adapters)
        .fold(vec![usize::MAX; adapters], |mut switch_of, link| {
            switch_of[link.from.index()] = link.to.index();
            switch_of
        });
    let vertices = network.num_vertices();
    let (mut leaves, mut enters) = (vec![0.0; vertices], vec![0.0; vertices]);
    for flow in flows {
        let (from, to) = (switch_of[flow.from as usize], switch_of[flow.to as usize]);
        if from != to && from < vertices && to < vertices {
            leaves[from] += flow.weight;
            enters[to] += flow.weight;
        }
    }
    let mut bandwidth = vec![0.0; vertices];
    for link in (0..network.link_id_bound()).filter_map(|id| network.link(LinkId(id))) {
        if link.from.index().min(link.to.index()) >= adapters {
            bandwidth[link.from.index()] += link.properties.bytes_per_second;
        }
    }
    let fastest = network.fastest_link();
    let least = |switch: usize| match bandwidth[switch] > 0.0 {
        true => f64::max(leaves[switch], enters[switch]) * fastest / bandwidth[switch],
        false => 0.0,
    };
    (0..vertices).map(least).fold(0.0, f64::max)
}
