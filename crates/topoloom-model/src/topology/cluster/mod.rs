//! Clusters as they are described: switches, nodes and what is inside them, down to the places
//! where ranks run, which are the nodes of this topology.

mod build;
mod data;
mod error;
mod metric;
mod part;
mod place;
mod seats;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use data::Cluster;
pub use error::ClusterError;
pub use metric::ClusterMetric;
pub use place::{Place, number_ranges};

use super::distance_counts::DistanceCounts;
use super::entry::TopologyEntry;
use super::groups::Groups;
use super::interface::Topology;
use super::link::Link;
use super::metric::Metric;
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

impl Topology for Cluster {
    fn num_nodes(&self) -> usize {
        self.groups.num_nodes()
    }

    fn is_wired(&self) -> bool {
        false
    }

    fn num_links(&self) -> u64 {
        0
    }

    fn link_id_bound(&self) -> u64 {
        0
    }

    fn link(&self, _id: LinkId) -> Option<Link> {
        None
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        if from == to {
            return 0;
        }
        let around = self.groups.smallest_around(self.group_of(from.0), self.group_of(to.0));
        self.groups.group(around).distance
    }

    fn next_links(&self, _at: Vertex, _to: Vertex, _out: &mut Vec<LinkId>) {}

    fn groups(&self) -> Option<Arc<Groups>> {
        Some(self.groups.clone())
    }

    fn cluster(&self) -> Option<&Cluster> {
        Some(self)
    }

    fn metric(&self) -> Option<Box<dyn Metric>> {
        ClusterMetric::new(&self.groups).map(|metric| Box::new(metric) as Box<dyn Metric>)
    }

    fn nodes_at_distance(
        &self,
        from: Vertex,
        distance: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
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
        for group in self.groups.all().iter().filter(|group| group.nodes.len() > 1) {
            let inside = |child| pairs(self.groups.group(child).nodes.len());
            let between =
                pairs(group.nodes.len()) - group.children.clone().map(inside).sum::<u64>();
            *counts.entry(group.distance).or_default() += between;
        }
        counts.retain(|_, count| *count > 0);
        counts.into_iter().collect()
    }

    fn largest_ball(&self) -> DistanceCounts {
        let mut largest: BTreeMap<u32, u64> = BTreeMap::new();
        for group in self.groups.all().iter().filter(|group| group.nodes.len() > 1) {
            let others = largest.entry(group.distance).or_default();
            *others = (*others).max(group.nodes.len() as u64 - 1);
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
