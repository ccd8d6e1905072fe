//! All shortest routes in equal shares.

use std::sync::Arc;

use super::entry::RoutingEntry;
use super::spread::Split;
use super::spreading::Spreading;

/// Minimal adaptive routing, on any topology with links.
pub static ENTRY: RoutingEntry = RoutingEntry {
    name: "minimal-adaptive",
    summary: "gives every shortest route an equal share; both ways round a ring if they tie",
    example: "minimal-adaptive",
    parameters: &[],
    build: |spec, topology| {
        spec.no_shape()?;
        Ok(Arc::new(Spreading::new(ENTRY.name, Split::ByRoute, topology)))
    },
};
