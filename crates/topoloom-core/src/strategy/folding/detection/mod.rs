//! Decides from the traffic alone whether an application computes on a grid.

mod strides;

use super::logical::LogicalGrid;
use crate::traffic::CommunicationGraph;

/// The grid that `graph` shows, or `None` where it shows none. Deterministic; says no in time
/// proportional to the number of edges.
pub(crate) fn detect(graph: &CommunicationGraph) -> Option<LogicalGrid> {
    strides::detect(graph)
}
