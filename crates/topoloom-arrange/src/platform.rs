//! Clusters of processors, and how fast they communicate.

use thiserror::Error;

use crate::speed::Speed;
use topoloom_core::words::counted;

/// One processor: it has one rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The name of its host.
    pub name: String,
    /// How fast it computes.
    pub speed: Speed,
}

/// Processors that communicate with each other at the same speed: the innermost group.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// Its name.
    pub name: String,
    /// The groups that contain it, outermost first: region, site, ... Empty if clusters are the
    /// only level.
    pub groups: Vec<String>,
    /// Its processors.
    pub nodes: Vec<Node>,
}

/// Bandwidths between clusters, and inside each on the diagonal, in the unit of the platform.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandwidths {
    clusters: usize,
    /// Row by row: from, to.
    values: Vec<f64>,
}

impl Bandwidths {
    /// A table of `clusters` x `clusters` positive finite values; `None` if `values` does not fit.
    pub fn new(clusters: usize, values: Vec<f64>) -> Option<Self> {
        let right = values.len() == clusters.checked_mul(clusters)?
            && values.iter().all(|value| value.is_finite() && *value > 0.0);
        right.then_some(Bandwidths { clusters, values })
    }

    /// From one cluster to another.
    pub fn between(&self, from: usize, to: usize) -> f64 {
        self.values[from * self.clusters + to]
    }

    /// The number of clusters.
    pub fn num_clusters(&self) -> usize {
        self.clusters
    }
}

/// The time of an empty message between clusters, and inside each on the diagonal, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies {
    clusters: usize,
    /// Row by row: from, to.
    seconds: Vec<f64>,
}

impl Latencies {
    /// A table of `clusters` x `clusters` finite values of at least 0; `None` if `seconds` does not
    /// fit.
    pub fn new(clusters: usize, seconds: Vec<f64>) -> Option<Self> {
        let right = seconds.len() == clusters.checked_mul(clusters)?
            && seconds.iter().all(|value| value.is_finite() && *value >= 0.0);
        right.then_some(Latencies { clusters, seconds })
    }

    /// From one cluster to another, in seconds.
    pub fn between(&self, from: usize, to: usize) -> f64 {
        self.seconds[from * self.clusters + to]
    }

    /// The number of clusters.
    pub fn num_clusters(&self) -> usize {
        self.clusters
    }
}

/// Why clusters are not a platform.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidPlatform {
    /// There are no processors.
    #[error("there is no cluster with a processor")]
    Empty,
    /// Two with the same name.
    #[error("two {kind}s are called \"{name}\"")]
    SameName {
        /// Cluster or host.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A table that does not fit.
    #[error(
        "expected a table of {clusters} x {clusters} values for {}, found {found} x {found}",
        counted(*clusters, "cluster")
    )]
    Table {
        /// How many clusters there are.
        clusters: usize,
        /// The number of clusters that the table is for.
        found: usize,
    },
    /// Clusters in a different number of groups.
    #[error("cluster \"{0}\" is in a different number of groups from the clusters before it")]
    Depth(String),
}

/// Clusters, in groups of any depth, and the bandwidths between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Platform {
    name: String,
    clusters: Vec<Cluster>,
    /// The unit of bandwidths in bytes per second: 1e6 for MB/s.
    unit: f64,
    bandwidth: Bandwidths,
    vertical: Option<Bandwidths>,
    latency: Option<Latencies>,
    has_fat_pipes: bool,
    /// The cluster of each processor.
    cluster_of: Vec<u32>,
}

impl Platform {
    /// A platform of these clusters. `unit` is the unit of bandwidths in bytes per second.
    /// `vertical` has the bandwidths of vertical messages, if those are faster or slower than
    /// horizontal ones.
    pub fn new(
        name: impl Into<String>,
        clusters: Vec<Cluster>,
        unit: f64,
        bandwidth: Bandwidths,
        vertical: Option<Bandwidths>,
    ) -> Result<Self, InvalidPlatform> {
        if clusters.iter().all(|cluster| cluster.nodes.is_empty()) {
            return Err(InvalidPlatform::Empty);
        }
        let count = clusters.len();
        for table in [Some(&bandwidth), vertical.as_ref()].into_iter().flatten() {
            if table.num_clusters() != count {
                return Err(InvalidPlatform::Table {
                    clusters: count,
                    found: table.num_clusters(),
                });
            }
        }
        let depth = clusters[0].groups.len();
        if let Some(other) = clusters.iter().find(|cluster| cluster.groups.len() != depth) {
            return Err(InvalidPlatform::Depth(other.name.clone()));
        }
        unique("cluster", clusters.iter().map(|cluster| cluster.name.as_str()))?;
        let nodes = clusters.iter().flat_map(|cluster| &cluster.nodes);
        unique("host", nodes.map(|node| node.name.as_str()))?;
        let cluster_of = (0..count as u32)
            .flat_map(|cluster| {
                std::iter::repeat_n(cluster, clusters[cluster as usize].nodes.len())
            })
            .collect();
        let name = name.into();
        let (latency, has_fat_pipes) = (None, false);
        Ok(Platform {
            name,
            clusters,
            unit,
            bandwidth,
            vertical,
            latency,
            has_fat_pipes,
            cluster_of,
        })
    }

    /// The same platform with latencies.
    pub fn with_latency(mut self, latency: Latencies) -> Result<Self, InvalidPlatform> {
        let (clusters, found) = (self.clusters.len(), latency.num_clusters());
        if clusters != found {
            return Err(InvalidPlatform::Table { clusters, found });
        }
        self.latency = Some(latency);
        Ok(self)
    }

    /// The same platform, but each message has the whole bandwidth of a link between clusters to
    /// itself.
    pub fn with_fat_pipes(self) -> Self {
        Platform { has_fat_pipes: true, ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its clusters; processors are numbered through them in this order.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// The unit of bandwidths in bytes per second.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Bandwidths between clusters, for horizontal messages if directions differ.
    pub fn bandwidth(&self) -> &Bandwidths {
        &self.bandwidth
    }

    /// Bandwidths of vertical messages, if they differ from horizontal ones.
    pub fn vertical(&self) -> Option<&Bandwidths> {
        self.vertical.as_ref()
    }

    /// Latencies between clusters, if they are known.
    pub fn latency(&self) -> Option<&Latencies> {
        self.latency.as_ref()
    }

    /// Whether each message between clusters has the whole bandwidth of its pair, as on SimGrid's
    /// FATPIPE; otherwise all messages of a pair of clusters share it.
    pub fn has_fat_pipes(&self) -> bool {
        self.has_fat_pipes
    }

    /// The number of processors.
    pub fn num_processors(&self) -> usize {
        self.cluster_of.len()
    }

    /// The processors, numbered through the clusters.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.clusters.iter().flat_map(|cluster| &cluster.nodes)
    }

    /// The cluster of every processor.
    pub fn cluster_of(&self) -> &[u32] {
        &self.cluster_of
    }

    /// Levels that a message between two clusters crosses: 0 inside a cluster, 1 inside the
    /// smallest group around clusters, and so on.
    pub fn levels_between(&self, one: usize, other: usize) -> u32 {
        if one == other {
            return 0;
        }
        let (one, other) = (&self.clusters[one].groups, &self.clusters[other].groups);
        let common = one.iter().zip(other).take_while(|(a, b)| a == b).count();
        (one.len() - common + 1) as u32
    }
}

fn unique<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), InvalidPlatform> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(InvalidPlatform::SameName { kind, name: pair[0].to_string() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_clusters() -> Platform {
        let cluster = |name: &str| Cluster {
            name: name.to_string(),
            groups: Vec::new(),
            nodes: vec![Node { name: format!("{name}-1"), speed: Speed::Constant(1.0) }],
        };
        let table = Bandwidths::new(2, vec![9.0, 1.0, 2.0, 9.0]).unwrap();
        Platform::new("two", vec![cluster("a"), cluster("b")], 1e6, table, None).unwrap()
    }

    #[test]
    fn latencies_go_by_direction_and_have_to_fit() {
        assert!(two_clusters().latency().is_none());
        let latency = Latencies::new(2, vec![0.0, 0.5, 0.25, 0.0]).unwrap();
        let platform = two_clusters().with_latency(latency).unwrap();
        let latency = platform.latency().unwrap();
        assert_eq!((latency.between(0, 1), latency.between(1, 0)), (0.5, 0.25));
        let wrong = two_clusters().with_latency(Latencies::new(1, vec![0.0]).unwrap());
        assert_eq!(wrong, Err(InvalidPlatform::Table { clusters: 2, found: 1 }));
        assert!(Latencies::new(1, vec![-1.0]).is_none());
        assert!(Latencies::new(2, vec![1.0]).is_none());
    }
}
