//! Routes for inner loops: each link with what a flow puts on it relative to the link's bandwidth.

use crate::ids::{LinkId, Vertex};
use crate::machine::Machine;

/// The routes of a machine, and how slow its links are.
#[derive(Debug)]
pub struct RelativeRoutes<'a> {
    machine: &'a Machine,
    /// The bandwidth of the fastest link divided by that of each link; empty if all are alike.
    slowness: Vec<f64>,
    /// Links below this number are inside hosts and do not count.
    first: u64,
}

impl<'a> RelativeRoutes<'a> {
    /// The routes of `machine`.
    pub fn new(machine: &'a Machine) -> RelativeRoutes<'a> {
        let topology = machine.topology();
        let fastest = topology.fastest_link();
        let slowness = |id: u64| {
            if id < topology.inner_link_bound() {
                return 1.0;
            }
            topology.link(LinkId(id)).map_or(1.0, |link| fastest / link.properties.bytes_per_second)
        };
        let mut slowness: Vec<f64> = (0..topology.link_id_bound()).map(slowness).collect();
        if slowness.iter().all(|&slowness| slowness == 1.0) {
            slowness = Vec::new();
        }
        let first = topology.inner_link_bound();
        RelativeRoutes { machine, slowness, first }
    }

    /// Link numbers are below this.
    pub fn link_bound(&self) -> usize {
        self.machine.topology().link_id_bound() as usize
    }

    /// Visits every link of the network that traffic from one node to another crosses, with its
    /// share, multiplied by how much slower the link is than the fastest one.
    #[inline]
    pub fn for_each(&self, from: u32, to: u32, mut visit: impl FnMut(usize, f64)) {
        let topology = self.machine.topology();
        let mut relative = |id: LinkId, share: f64| {
            let link = id.index();
            if id.0 < self.first {
                return;
            }
            visit(link, share * self.slowness.get(link).copied().unwrap_or(1.0));
        };
        let (from, to) = (Vertex(from), Vertex(to));
        match self.machine.routing().spreading() {
            Some(spreading) => spreading.for_each(topology, from, to, relative),
            None => self.machine.routing().route(topology, from, to, &mut relative),
        }
    }
}
