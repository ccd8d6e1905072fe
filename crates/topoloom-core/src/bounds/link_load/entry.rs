//! One bound on the busiest link, and the data that all of them use.

use crate::bounds::entry::Work;
use crate::bounds::meter::Meter;
use crate::bounds::view::View;
use crate::ids::LinkId;
use crate::topology::{Link, Topology};

/// A lower bound on the load of the busiest link, relative to its bandwidth.
pub(super) struct LinkBoundEntry {
    /// What it is called.
    pub name: &'static str,
    /// How long it takes.
    pub work: Work,
    /// The bound; `None` if it does not suit the problem, or if there is no time.
    pub compute: fn(&Sight<'_>, &mut Meter<'_>) -> Option<f64>,
}

/// A problem as these bounds see it.
pub(super) struct Sight<'a> {
    pub view: &'a View<'a>,
    pub links: &'a Links,
}

/// Bandwidths relative to the fastest link.
pub(super) struct Links {
    fastest: f64,
    /// All links together.
    pub total: f64,
}

impl Links {
    pub fn of(topology: &dyn Topology) -> Links {
        let mut links = Links { fastest: topology.fastest_link(), total: 0.0 };
        links.total = all_links(topology).map(|link| links.relative(&link)).sum();
        links
    }

    /// The bandwidth of a link, relative to the fastest one.
    pub fn relative(&self, link: &Link) -> f64 {
        link.properties.bytes_per_second / self.fastest
    }
}

/// All links of a machine.
pub(super) fn all_links(topology: &dyn Topology) -> impl Iterator<Item = Link> + '_ {
    (0..topology.link_id_bound()).filter_map(|id| topology.link(LinkId(id)))
}
