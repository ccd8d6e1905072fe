//! Equal-cost multi-path: an equal split at each hop.

use std::sync::Arc;

use super::entry::RoutingEntry;
use super::spread::Split;
use super::spreading::Spreading;

/// Equal-cost multi-path, on any topology with links.
pub static ENTRY: RoutingEntry = RoutingEntry {
    name: "ecmp",
    summary: "splits equally at each hop over the links that lead closer",
    example: "ecmp",
    parameters: &[],
    build: |spec, topology| {
        spec.no_shape()?;
        Ok(Arc::new(ecmp(topology)))
    },
};

/// Equal-cost multi-path on a topology.
pub fn ecmp(topology: &dyn crate::topology::Topology) -> Spreading {
    Spreading::new(ENTRY.name, Split::ByLink, topology)
}
