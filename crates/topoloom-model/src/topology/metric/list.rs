//! The list of metrics: one concrete type for each kind of machine, so trackers are compiled for
//! it and no call goes through a table of functions.

use std::any::Any;
use std::sync::Arc;

use super::interface::Metric;
use crate::ids::Vertex;
use crate::topology::cluster::{ClusterMetric, HostedMetric};
use crate::topology::grid::GridMetric;
use crate::topology::haec::HaecMetric;
use crate::topology::hypercube::HypercubeMetric;
use crate::topology::interface::Topology;
use crate::topology::tree::TreeMetric;

/// Writes everything that depends on the list of metrics. A macro cannot write `$` by itself, so it
/// is passed in.
macro_rules! metrics {
    ($dollar:tt $($(#[$about:meta])* $kind:ident($metric:ty),)*) => {
        /// The metric of a machine; [`with_metric!`](crate::with_metric) unwraps it.
        #[derive(Debug, Clone)]
        pub enum MetricKind {
            $($(#[$about])* $kind($metric),)*
            /// Anything else.
            General(GeneralMetric),
        }

        impl MetricKind {
            /// The metric of one of the types in the list.
            fn listed(metric: Box<dyn Metric>) -> Option<MetricKind> {
                let metric: Box<dyn Any> = metric;
                $(let metric = match metric.downcast::<$metric>() {
                    Ok(metric) => return Some(MetricKind::$kind(*metric)),
                    Err(other) => other,
                };)*
                drop(metric);
                None
            }
        }

        /// Runs `body` with `metric` bound to the concrete metric of a machine, so `body` is
        /// compiled once for each kind.
        #[macro_export]
        macro_rules! with_metric {
            ($dollar kind:expr, $dollar metric:ident => $dollar body:expr) => {
                match $dollar kind {
                    $($dollar crate::topology::MetricKind::$kind($dollar metric) => $dollar body,)*
                    $dollar crate::topology::MetricKind::General($dollar metric) => $dollar body,
                }
            };
        }
    };
}

metrics! { $
    /// A box.
    Grid(GridMetric),
    /// A hypercube.
    Hypercube(HypercubeMetric),
    /// A HAEC box.
    Haec(HaecMetric),
    /// A tree.
    Tree(TreeMetric),
    /// A cluster.
    Cluster(ClusterMetric),
    /// Hosts on a network that is not a tree.
    Hosted(HostedMetric),
}

impl MetricKind {
    /// The metric of a topology: its own, or one that calls its `distance`.
    pub fn of(topology: &Arc<dyn Topology>) -> MetricKind {
        let own = topology.metric().and_then(MetricKind::listed);
        own.unwrap_or_else(|| MetricKind::General(GeneralMetric(topology.clone())))
    }
}

/// Any topology, through its own `distance`.
#[derive(Debug, Clone)]
pub struct GeneralMetric(pub Arc<dyn Topology>);

impl Metric for GeneralMetric {
    #[inline]
    fn distance(&self, a: u32, b: u32) -> u32 {
        self.0.distance(Vertex(a), Vertex(b))
    }
}
