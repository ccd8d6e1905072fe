//! Clusters as they are described: switches, nodes and what is inside them, down to the places
//! where ranks run, which are the nodes of this topology.

mod between;
mod build;
mod data;
mod error;
mod hosted_metric;
mod joined;
mod metric;
mod own_adapter;
mod part;
mod place;
mod seats;
#[cfg(test)]
mod tests;
mod wired;

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use data::Cluster;
pub use error::ClusterError;
pub use hosted_metric::HostedMetric;
pub use metric::ClusterMetric;
pub use place::{Place, number_ranges};
pub use wired::Wired;

use super::distance_counts::DistanceCounts;
use super::drawing::Drawing;
use super::entry::TopologyEntry;
use super::groups::{Group, Groups};
use super::interface::Topology;
use super::link::Link;
use super::metric::Metric;
use crate::cluster::ObjectKind;
use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::SpecError;

/// Clusters from files.
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: Cluster::NAME,
    summary: "a described cluster (see `topoloom machine`): switches, nodes, packages, caches, cores",
    example: "cluster:FILE",
    parameters: &[
        Parameter {
            name: "seats",
            default: "same",
            summary: "same: the seats of the job, if the file has any; any: all places of its hosts",
        },
        Parameter { name: "cpus-per-rank", default: "1", summary: "adjacent cores per place" },
    ],
    build: |spec| {
        let file = Cluster::file(spec)?;
        Err(SpecError::new(format!("cluster: the file {file} must first be read")))
    },
};

impl Cluster {
    /// Whether the distance of a group is that of places in it. It is not if the group holds several
    /// hosts of a network that is not a tree.
    fn has_distance(&self, group: &Group) -> bool {
        let inside_host = usize::from(group.level) < ObjectKind::ALL.len();
        group.nodes.len() > 1 && (self.between.is_none() || inside_host)
    }
}

impl dyn Topology {
    /// This topology as a cluster, if its nodes are places on hosts.
    pub fn cluster(&self) -> Option<&Cluster> {
        (self as &dyn Any).downcast_ref()
    }
}

impl Topology for Cluster {
    fn num_nodes(&self) -> usize {
        self.groups.num_nodes()
    }

    fn num_vertices(&self) -> usize {
        self.wired().map_or(self.num_nodes(), Wired::num_vertices)
    }

    fn drawing(&self) -> Drawing {
        Drawing::Nested
    }

    fn is_wired(&self) -> bool {
        self.wired.is_some()
    }

    fn num_links(&self) -> u64 {
        self.wired().map_or(0, Wired::num_links)
    }

    fn link_id_bound(&self) -> u64 {
        self.wired().map_or(0, Wired::link_id_bound)
    }

    fn link(&self, id: LinkId) -> Option<Link> {
        self.wired()?.link(id)
    }

    fn fastest_link(&self) -> f64 {
        self.wired().map_or(0.0, Wired::fastest_link)
    }

    fn first_switch(&self) -> u32 {
        self.wired().map_or(self.num_nodes() as u32, Wired::first_switch)
    }

    fn inner_link_bound(&self) -> u64 {
        self.wired().map_or(0, Wired::inner_link_bound)
    }

    fn num_inner_links(&self) -> u64 {
        self.wired().map_or(0, Wired::num_inner_links)
    }

    fn hops(&self, from: Vertex, to: Vertex) -> u32 {
        match self.wired() {
            Some(wired) => wired.hops(from, to),
            None => self.distance(from, to),
        }
    }

    fn vertex_name(&self, vertex: Vertex) -> String {
        let hosts: Vec<&str> = self.description.hosts.iter().map(|host| &host.name[..]).collect();
        match self.wired() {
            Some(wired) => wired.vertex_name(&hosts, &self.places, vertex),
            None => vertex.to_string(),
        }
    }

    fn link_name(&self, id: LinkId) -> Option<String> {
        let link = self.link(id)?;
        let (from, to) = (self.vertex_name(link.from), self.vertex_name(link.to));
        Some(match self.wired().and_then(|wired| wired.ports(id)) {
            Some([own, other]) => format!("{from} port {own} -> {to} port {other}"),
            None => format!("{from} -> {to}"),
        })
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        if from == to {
            return 0;
        }
        if let Some(between) = &self.between {
            let [a, b] = [from, to].map(|place| self.places[place.index()].host);
            if a != b {
                return between.distance(a, b);
            }
        }
        let around = self.groups.smallest_around(self.group_of(from.0), self.group_of(to.0));
        self.groups.group(around).distance
    }

    fn next_links(&self, at: Vertex, to: Vertex, out: &mut Vec<LinkId>) {
        if let Some(wired) = self.wired() {
            wired.next_links(&self.groups, at, to, out);
        }
    }

    fn groups(&self) -> Option<Arc<Groups>> {
        self.between.is_none().then(|| self.groups.clone())
    }

    fn metric(&self) -> Option<Box<dyn Metric>> {
        let inside = ClusterMetric::new(&self.groups)?;
        Some(match &self.between {
            Some(between) => Box::new(HostedMetric::new(&self.places, inside, between)),
            None => Box::new(inside),
        })
    }

    fn nodes_at_distance(
        &self,
        from: Vertex,
        distance: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if let Some(between) = &self.between {
            let host = self.places[from.index()].host;
            let nodes =
                |host: u32| self.groups.group(self.host_groups[host as usize]).nodes.clone();
            for node in nodes(host).map(Vertex) {
                if self.distance(from, node) == distance {
                    visit(node)?;
                }
            }
            return between.hosts_at_distance(host, distance, &mut |host| {
                nodes(host).map(Vertex).try_for_each(&mut *visit)
            });
        }
        // The whole largest group of that distance except what is closer.
        let nodes = |group: u32| self.groups.group(group).nodes.clone();
        let mut inner = from.0..from.0 + 1;
        let mut outer = inner.clone();
        if distance == 0 {
            visit(from)?;
        }
        for group in self.around(from.0) {
            let at = self.groups.group(group).distance;
            if at < distance || group == self.group_of(from.0) {
                inner = nodes(group);
                outer = inner.clone();
            } else if at == distance {
                outer = nodes(group);
            }
        }
        let around = (outer.start..inner.start).chain(inner.end..outer.end);
        around.map(Vertex).try_for_each(visit)
    }

    fn pairs_at_distance(&self) -> DistanceCounts {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        let pairs = |nodes: usize| nodes as u64 * (nodes as u64 - 1) / 2;
        for group in self.groups.all().iter().filter(|group| self.has_distance(group)) {
            let inside = |child| pairs(self.groups.group(child).nodes.len());
            let between =
                pairs(group.nodes.len()) - group.children.clone().map(inside).sum::<u64>();
            *counts.entry(group.distance).or_default() += between;
        }
        if let Some(between) = &self.between {
            for (distance, pairs) in between.pairs_at_distance(&self.places_of_hosts()) {
                *counts.entry(distance).or_default() += pairs;
            }
        }
        counts.retain(|_, count| *count > 0);
        counts.into_iter().collect()
    }

    fn largest_ball(&self) -> DistanceCounts {
        let mut largest: BTreeMap<u32, u64> = BTreeMap::new();
        for group in self.groups.all().iter().filter(|group| self.has_distance(group)) {
            let others = largest.entry(group.distance).or_default();
            *others = (*others).max(group.nodes.len() as u64 - 1);
        }
        if let Some(between) = &self.between {
            // A bound is enough: the places of the largest host are within every such distance.
            let places = self.places_of_hosts();
            let own = places.iter().max().map_or(0, |most| most - 1);
            for (distance, others) in between.largest_ball(&places) {
                let within = largest.entry(distance).or_default();
                *within = (*within).max(own + others);
            }
        }
        let mut within = DistanceCounts::new();
        for (distance, others) in largest {
            if within.last().is_none_or(|&(_, before)| before < others) {
                within.push((distance, others));
            }
        }
        within
    }
}
