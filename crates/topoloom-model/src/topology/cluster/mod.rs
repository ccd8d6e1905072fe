//! Clusters as they are described: switches, nodes and what is inside them, down to the places
//! where ranks run, which are the nodes of this topology.

mod build;
mod metric;
mod seats;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use thiserror::Error;

pub use metric::ClusterMetric;

use super::{DistanceCounts, GeneralMetric, Groups, Link, MetricKind, Topology, TopologyEntry};
use crate::cluster::Description;
use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};
use crate::words::counted;

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

/// Where one rank runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The host: an index of [`Description::hosts`].
    pub host: u32,
    /// The number of its first core among the cores of its host, in the order of the hardware;
    /// none where the rank is not bound and may run anywhere on its host.
    pub core: Option<u32>,
    /// The numbers of its cores, where it has whole ones; none where it has some threads of a
    /// core, or where they are not known.
    pub cores: Vec<u32>,
    /// The operating system's numbers of its threads; none where they are not known.
    pub cpus: Vec<u32>,
    /// The number of the GPU among those of its host, where a rank gets one.
    pub gpu: Option<u32>,
}

impl Place {
    /// `CPU 3`, `CPUs 0-3,8`, or `any CPU` for a rank that is not bound.
    pub fn cpus_in_words(&self) -> String {
        match (self.core, &self.cpus[..]) {
            (None, _) => "any CPU".to_string(),
            (Some(core), []) => format!("core {core}"),
            (Some(_), [one]) => format!("CPU {one}"),
            (Some(_), several) => format!("CPUs {}", number_ranges(several)),
        }
    }
}

/// Rising numbers as Linux writes them: `0-3,8`.
pub fn number_ranges(numbers: &[u32]) -> String {
    let range = |run: &[u32]| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    let follows = |a: &u32, b: &u32| a.checked_add(1) == Some(*b);
    numbers.chunk_by(follows).map(range).collect::<Vec<String>>().join(",")
}

/// Why a description is not a machine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClusterError {
    /// Nothing to run on.
    #[error("the cluster has no hosts")]
    NoHosts,
    /// A host twice.
    #[error("host {0} appears twice")]
    HostTwice(String),
    /// A name that no host can have.
    #[error("host \"{}\": expected a name without blanks, commas, colons and brackets", .0.escape_debug())]
    WrongName(String),
    /// More ranks than places.
    #[error(
        "host {host} has {} for ranks ({kind}), but {} given; give fewer slots, or a smaller place \
         such as --place thread",
        counted(*places, "place"), counted(*slots, "slot")
    )]
    TooManySlots {
        /// The host.
        host: String,
        /// How many places it has.
        places: usize,
        /// What a place is.
        kind: &'static str,
        /// How many were asked for.
        slots: u32,
    },
    /// A host without what ranks get.
    #[error("host {host} has no place for a rank: it has no {kind}")]
    NoPlace {
        /// The host.
        host: String,
        /// What a place is.
        kind: &'static str,
    },
    /// A host without a seat, where others have some.
    #[error("host {0} has no seat; leave it out, or give it one")]
    NoSeat(String),
    /// A seat on a CPU that is not there.
    #[error("host {host}: a seat has CPU {cpu}, which the host does not have")]
    NoCpu {
        /// The host.
        host: String,
        /// The CPU.
        cpu: u32,
    },
    /// An index that leads nowhere.
    #[error("host {host}: there is no {what} {number}")]
    NoSuch {
        /// The host.
        host: String,
        /// What it refers to.
        what: &'static str,
        /// The number it gives.
        number: u32,
    },
    /// Groups of switches that are in each other.
    #[error(
        "group of switches {0}: the group around it must come before it and have a higher level"
    )]
    WrongGroup(String),
    /// More than fits into memory and numbers.
    #[error("the cluster has {0} places for ranks; at most {limit} are possible", limit = super::MAX_NODES)]
    TooLarge(u64),
}

/// A cluster. Its nodes, in the sense of a topology, are the places where ranks run.
#[derive(Debug, Clone)]
pub struct Cluster {
    description: Arc<Description>,
    groups: Arc<Groups>,
    places: Arc<Vec<Place>>,
    /// The group of each host.
    host_groups: Arc<Vec<u32>>,
    /// The node of each seat of the description.
    node_of_seat: Arc<Vec<u32>>,
}

impl Cluster {
    /// The name of the topology.
    pub const NAME: &'static str = "cluster";

    /// The file that a specification names.
    pub fn file(spec: &Spec) -> Result<&str, SpecError> {
        spec.shape.as_deref().ok_or_else(|| {
            SpecError::new("cluster: expected a file, such as cluster:machine.json, found none")
        })
    }

    /// The machine that a description means.
    pub fn new(description: Description) -> Result<Cluster, ClusterError> {
        build::build(description)
    }

    /// What it was made of.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Where the ranks of each node of the topology run.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The node of each seat of the description, in its order; none without seats.
    pub fn node_of_seat(&self) -> &[u32] {
        &self.node_of_seat
    }

    /// The group of each host, in the order of the description.
    pub fn host_groups(&self) -> &[u32] {
        &self.host_groups
    }

    /// Its groups in groups.
    pub fn tree(&self) -> &Groups {
        &self.groups
    }

    /// The groups around a node, smallest first, itself included.
    fn around(&self, node: u32) -> impl Iterator<Item = u32> {
        let first = self.group_of(node);
        std::iter::successors(Some(first), |&group| {
            (group > 0).then(|| self.groups.group(group).parent)
        })
    }

    /// The group of a single node, found from the outside.
    fn group_of(&self, node: u32) -> u32 {
        let mut at = 0;
        loop {
            let children = self.groups.group(at).children.clone();
            if children.is_empty() {
                return at;
            }
            // The children follow each other in the order of their nodes.
            let (mut low, mut high) = (children.start, children.end);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if self.groups.group(middle).nodes.start <= node {
                    low = middle
                } else {
                    high = middle
                }
            }
            at = low;
        }
    }
}

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

    fn metric(&self) -> MetricKind {
        match ClusterMetric::new(&self.groups) {
            Some(metric) => MetricKind::Cluster(metric),
            None => MetricKind::General(GeneralMetric(Arc::new(self.clone()))),
        }
    }

    fn nodes_at_distance(
        &self,
        from: Vertex,
        distance: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // All of the largest group of that distance but what is closer.
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
