//! The points of networks of which links are known: hosts, then switches. All that is inside a
//! host is in its point.

use std::collections::BTreeMap;

use topoloom_core::topology::Cluster;
use topoloom_core::{LinkId, Topology};

use super::limits::MOST_POINTS;
use super::plan::{Plan, run_of};

/// Points without places, and their short names.
pub struct Numbered {
    pub plan: Plan,
    pub labels: Vec<String>,
    /// What the nodes are: `hosts` or `nodes`.
    pub nodes: &'static str,
}

/// The points of a topology. If there are too many, several with consecutive numbers are one point.
pub fn numbered(topology: &dyn Topology) -> Numbered {
    let cluster = topology.cluster().filter(|cluster| is_network_of_hosts(cluster));
    match cluster {
        Some(cluster) => of_cluster(topology, cluster),
        None => of_nodes(topology),
    }
}

/// Whether a cluster has several hosts, and cables between them.
pub fn is_network_of_hosts(cluster: &Cluster) -> bool {
    cluster.wired().is_some_and(|wired| wired.network().is_some())
}

fn of_nodes(topology: &dyn Topology) -> Numbered {
    let nodes = topology.num_nodes() as u32;
    let switches = topology.num_vertices() as u32 - nodes;
    let mut points = Points::new("block");
    let node = |run: std::ops::Range<u32>| (run_of("node", run.clone()), label_of(&run));
    points.add("nodes", nodes, node);
    points.plan.holding = points.plan.points.len();
    points.add("switches", switches, |run| {
        let run = run.start + nodes..run.end + nodes;
        (run_of("switch", run.clone()).replace("switchs", "switches"), label_of(&run))
    });
    Numbered { plan: points.plan, labels: points.labels, nodes: "nodes" }
}

fn of_cluster(topology: &dyn Topology, cluster: &Cluster) -> Numbered {
    let hosts = &cluster.description().hosts;
    let mut points = Points::new("host");
    let name = |number: u32| hosts.get(number as usize).map_or("", |host| &host.name[..]);
    points.add("hosts", hosts.len() as u32, |run| match run.len() {
        0 | 1 => (format!("host {}", name(run.start)), name(run.start).to_string()),
        _ => {
            let ends = (name(run.start), name(run.end - 1));
            (format!("hosts {} to {}", ends.0, ends.1), format!("{}-{}", ends.0, ends.1))
        }
    });
    points.plan.holding = points.plan.points.len();
    let point_of_host = std::mem::take(&mut points.plan.point_of_vertex);
    let host_of = hosts_of_vertices(topology, cluster);
    let of_parts = host_of.iter().map(|&host| point_of_host[host as usize]);
    points.plan.point_of_vertex = of_parts.collect();

    let names = switch_names(topology, cluster);
    let name = |number: u32| names.get(number as usize).map_or("", |name| &name[..]);
    points.add("switches", names.len() as u32, |run| match run.len() {
        0 | 1 => (format!("switch {}", name(run.start)), name(run.start).to_string()),
        _ => {
            let ends = (name(run.start), name(run.end - 1));
            (format!("switches {} to {}", ends.0, ends.1), format!("{}-{}", ends.0, ends.1))
        }
    });
    Numbered { plan: points.plan, labels: points.labels, nodes: "hosts" }
}

/// The plan of a network as that of a cluster on it. All that is inside a host is at its node.
pub fn on_network(
    mut plan: Plan,
    topology: &dyn Topology,
    cluster: &Cluster,
    node_of_host: &[u32],
) -> Plan {
    let of_network = std::mem::take(&mut plan.point_of_vertex);
    let parts = (topology.inner_link_bound() / 2) as usize;
    let host_of = hosts_of_vertices(topology, cluster);
    let of_host = |&host: &u32| of_network[node_of_host[host as usize] as usize];
    plan.point_of_vertex = host_of[..parts].iter().map(of_host).chain(of_network.clone()).collect();
    plan.block = "host";
    plan
}

/// The host of each vertex that is not a switch.
pub fn hosts_of_vertices(topology: &dyn Topology, cluster: &Cluster) -> Vec<u32> {
    let places = cluster.places();
    let parts = topology.inner_link_bound() / 2;
    let mut host_of = vec![0; topology.first_switch() as usize];
    for (host, place) in host_of.iter_mut().zip(places) {
        *host = place.host;
    }
    // Outer parts have lower numbers, except for places, which come first of all.
    let inner_parts = (places.len() as u64..parts).rev();
    for part in (0..places.len() as u64).chain(inner_parts) {
        if let Some(link) = topology.link(LinkId(2 * part)) {
            host_of[link.to.index()] = host_of[part as usize];
        }
    }
    if let Some(wired) = cluster.wired() {
        for (host, adapter) in host_of[parts as usize..].iter_mut().zip(&wired.wiring().adapters) {
            *host = adapter.host;
        }
    }
    host_of
}

/// The names of switches, with a number where several have the same.
fn switch_names(topology: &dyn Topology, cluster: &Cluster) -> Vec<String> {
    let count = topology.num_vertices() - topology.first_switch() as usize;
    let Some(wired) = cluster.wired() else { return Vec::new() };
    let names: Vec<&str> =
        wired.wiring().switches.iter().take(count).map(|switch| &switch.name[..]).collect();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    names.iter().for_each(|name| *times.entry(name).or_default() += 1);
    let of = |(number, name): (usize, &&str)| match times.get(name) {
        Some(1) if !name.is_empty() => name.to_string(),
        _ => format!("{name} #{}", number + 1).trim_start().to_string(),
    };
    names.iter().enumerate().map(of).collect()
}

struct Points {
    plan: Plan,
    labels: Vec<String>,
}

impl Points {
    fn new(block: &'static str) -> Points {
        Points { plan: Plan { block, ..Plan::flat() }, labels: Vec::new() }
    }

    /// Adds points for this many things; several are one point if there are too many.
    fn add(
        &mut self,
        what: &str,
        count: u32,
        names: impl Fn(std::ops::Range<u32>) -> (String, String),
    ) {
        let at_a_point = count.div_ceil(MOST_POINTS as u32).max(1);
        let first = self.plan.points.len() as u32;
        for start in (0..count).step_by(at_a_point as usize) {
            let (name, label) = names(start..(start + at_a_point).min(count));
            self.plan.add([0.0; 2], name);
            self.labels.push(label);
        }
        self.plan.point_of_vertex.extend((0..count).map(|number| first + number / at_a_point));
        if at_a_point > 1 {
            self.plan.notes.push(format!(
                "A point stands for up to {at_a_point} {what} of consecutive numbers; an edge shows the busiest of \
                 the links between two points."
            ));
        }
    }
}

/// A run of numbers in as few letters as possible.
pub fn label_of(run: &std::ops::Range<u32>) -> String {
    match run.len() {
        0 | 1 => run.start.to_string(),
        _ => format!("{}-{}", run.start, run.end - 1),
    }
}
