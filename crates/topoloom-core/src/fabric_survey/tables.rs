//! What forwarding tables do not know.

use crate::cluster::Wiring;
use crate::topology::{Topology, Unrouted};

/// What forwarding tables do not know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holes {
    /// Addresses that some adapters have no route to.
    pub unrouted: Vec<Unrouted>,
    /// Adapters without an address: nothing is sent to them by tables.
    pub without_address: Vec<u32>,
    /// Switches without any entry.
    pub without_table: Vec<u32>,
}

impl Holes {
    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.unrouted.is_empty() && self.without_address.is_empty() && self.without_table.is_empty()
    }
}

/// What is missing in the tables of a network; nothing if there are none.
pub fn holes(wiring: &Wiring, routes: Option<&dyn Topology>) -> Holes {
    let Some(tables) = &wiring.tables else { return Holes::default() };
    let adapters = (0..).zip(&wiring.adapters);
    let switches = (0..).zip(&tables.ports);
    let forwarding = routes.and_then(|routes| routes.forwarding());
    Holes {
        unrouted: forwarding.map(|forwarding| forwarding.unrouted()).unwrap_or_default(),
        without_address: adapters
            .filter(|(_, adapter)| adapter.addresses.is_empty())
            .map(|(number, _)| number)
            .collect(),
        without_table: switches
            .filter(|(_, ports)| ports.is_empty())
            .map(|(number, _)| number)
            .collect(),
    }
}
