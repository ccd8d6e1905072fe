//! Mean load: each byte takes at least as many links as its ends are apart, so all loads together are at
//! least the bound on hop-bytes, and the busiest link has no less than the mean.

use super::entry::{LinkBoundEntry, Sight};
use crate::bounds::best::hop_bytes_bound_within;
use crate::bounds::entry::Work;
use crate::bounds::meter::Meter;
use crate::ids::Vertex;
use crate::topology::Topology;

/// The registry's entry.
pub(super) static ENTRY: LinkBoundEntry =
    LinkBoundEntry { name: "mean load", work: Work::Quick, compute: mean_load };

/// All pairs of nodes are examined.
const MOST_NODES: usize = 1024;

fn mean_load(sight: &Sight<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let problem = sight.view.problem;
    if !counts_links(problem.machine().topology()) {
        return None;
    }
    let hops = hop_bytes_bound_within(problem, meter.run())?.value;
    Some(hops / sight.links.total)
}

/// Whether the distance of nodes is the number of links between them.
fn counts_links(topology: &dyn Topology) -> bool {
    if topology.grid_lengths().is_some() {
        return true;
    }
    let nodes = topology.num_nodes() as u32;
    let equal = |a: u32, b: u32| {
        let (a, b) = (Vertex(a), Vertex(b));
        topology.distance(a, b) == topology.hops(a, b)
    };
    topology.num_nodes() <= MOST_NODES && (0..nodes).all(|a| (0..nodes).all(|b| equal(a, b)))
}
