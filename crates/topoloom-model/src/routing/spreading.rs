//! Flows that spread over all shortest routes.

use super::footprint::Footprints;
use super::kept::Kept;
use super::spread::{Split, spread};
use crate::ids::{LinkId, Vertex};
use crate::topology::Topology;

/// Spreads a flow over all shortest routes. Made for one topology.
#[derive(Debug)]
pub struct Spreading {
    pub(super) name: &'static str,
    split: Split,
    known: Known,
}

/// What is known about routes that were needed before.
#[derive(Debug)]
enum Known {
    /// Routes look alike wherever they start.
    Footprints(Box<Footprints>),
    /// The routes between each two of this many nodes.
    Pairs(usize, Kept<(LinkId, f64)>),
    /// There are too many to keep any.
    Nothing,
}

impl Spreading {
    pub(super) fn new(name: &'static str, split: Split, topology: &dyn Topology) -> Spreading {
        let footprints = topology.lattice().and_then(|lattice| Footprints::new(lattice, split));
        let nodes = topology.num_nodes();
        let pairs = || Some(Known::Pairs(nodes, Kept::new(nodes.checked_mul(nodes)?)?));
        let known = footprints
            .map(|footprints| Known::Footprints(Box::new(footprints)))
            .or_else(pairs)
            .unwrap_or(Known::Nothing);
        Spreading { name, split, known }
    }

    /// Visits each link that traffic from `from` to `to` crosses, with its share.
    #[inline]
    pub fn for_each(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        mut visit: impl FnMut(LinkId, f64),
    ) {
        match &self.known {
            Known::Footprints(footprints) => footprints.for_each(topology, from.0, to.0, visit),
            Known::Pairs(nodes, routes) => {
                let make = || {
                    let mut links = Vec::new();
                    let mut add = |link, share| links.push((link, share));
                    spread(topology, from, to, self.split, &mut add);
                    links
                };
                routes.with(from.index() * nodes + to.index(), make, |links| {
                    links.iter().for_each(|&(link, share)| visit(link, share));
                });
            }
            Known::Nothing => spread(topology, from, to, self.split, &mut visit),
        }
    }
}
