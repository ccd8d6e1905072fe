//! The machine's links in flat arrays.

use topoloom_model::topology::{Link, LinkProperties};
use topoloom_model::{LinkId, Machine};

use crate::error::SimulationError;

/// The most links that are kept: an engine holds some hundred bytes for each.
const MOST_LINKS: u64 = 1 << 25;

const NO_LINK: u32 = u32::MAX;

/// The links of a machine, numbered without gaps.
#[derive(Debug)]
pub(crate) struct Network {
    /// In the order of their numbers on the machine.
    pub links: Vec<Link>,
    /// The number of each on the machine.
    pub ids: Vec<LinkId>,
    /// By number on the machine.
    place_of: Vec<u32>,
    /// Nodes, then switches.
    pub vertices: usize,
    /// The largest bandwidth of any link.
    pub fastest: f64,
    /// The same without links inside hosts.
    pub fastest_between_hosts: f64,
}

impl Network {
    pub fn new(machine: &Machine) -> Result<Network, SimulationError> {
        let topology = machine.topology();
        let bound = topology.link_id_bound();
        if bound > MOST_LINKS {
            let machine = machine.spec().to_string();
            return Err(SimulationError::TooManyLinks { machine, links: bound, most: MOST_LINKS });
        }
        let mut network = Network {
            links: Vec::new(),
            ids: Vec::new(),
            place_of: vec![NO_LINK; bound as usize],
            vertices: topology.num_nodes(),
            fastest: topology.fastest_link(),
            fastest_between_hosts: topology.fastest_link(),
        };
        for id in (0..bound).map(LinkId) {
            if let Some(link) = topology.link(id) {
                network.place_of[id.index()] = network.links.len() as u32;
                network.vertices = network.vertices.max(link.from.index().max(link.to.index()) + 1);
                network.fastest = network.fastest.max(link.properties.bytes_per_second);
                network.links.push(link);
                network.ids.push(id);
            }
        }
        // A machine of one node has no links, and nothing is sent over them.
        if network.fastest <= 0.0 {
            network.fastest = LinkProperties::ELECTRICAL.bytes_per_second;
            network.fastest_between_hosts = network.fastest;
        }
        Ok(network)
    }

    /// Refuses links that messages do not share.
    pub fn refuse_fat_pipes(&self, machine: &Machine) -> Result<(), SimulationError> {
        match self.links.iter().any(|link| link.properties.is_fat_pipe) {
            true => Err(SimulationError::FatPipes(machine.spec().to_string())),
            false => Ok(()),
        }
    }

    /// The place of a link in `links`.
    #[inline]
    pub fn place(&self, id: LinkId) -> u32 {
        let place = self.place_of[id.index()];
        debug_assert_ne!(place, NO_LINK, "routes take links that are there");
        place
    }
}
