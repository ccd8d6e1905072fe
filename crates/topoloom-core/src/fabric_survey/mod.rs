//! What is wrong with the network of a cluster: what differs from most of what is like it.
//!
//! Nobody says how a network was meant to be. So each question compares things of one kind, and what
//! most of them have is called usual. Where no such majority exists, nothing is claimed. Switches
//! are compared by their cables and never by their names.

mod pairs;
mod rails;
mod speeds;
mod tables;
mod tiers;
mod usual;

use crate::cluster::Wiring;
use crate::topology::Topology;

pub use pairs::{ThinPair, UncabledPairs};
pub use rails::{CrossedAdapter, CrossedHost, FewAdapters};
pub use speeds::SlowCable;
pub use tables::Holes;
pub use tiers::Tiers;

/// What differs from the usual in a network. Numbers are those of the wiring.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FabricSurvey {
    /// Pairs of lower and upper switches without any cable.
    pub uncabled: UncabledPairs,
    /// Pairs of lower and upper switches with fewer cables than usual.
    pub thin: Vec<ThinPair>,
    /// Hosts whose adapters are on the switches of their peers, but in another order.
    pub crossed: Vec<CrossedHost>,
    /// Hosts with fewer adapters than usual.
    pub few_adapters: FewAdapters,
    /// Cables that are slower than usual.
    pub slow: Vec<SlowCable>,
    /// What forwarding tables do not know; nothing if there are no tables.
    pub holes: Holes,
}

impl FabricSurvey {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        let FabricSurvey { uncabled, thin, crossed, few_adapters, slow, holes } = self;
        uncabled.pairs.is_empty()
            && thin.is_empty()
            && crossed.is_empty()
            && few_adapters.hosts.is_empty()
            && slow.is_empty()
            && holes.is_empty()
    }
}

/// What is wrong with a network, whose `routes` have its forwarding tables. `hosts` are the names of
/// the hosts. Takes time in proportion to cables, and with tables to switches times addresses.
pub fn fabric_survey(
    wiring: &Wiring,
    routes: Option<&dyn Topology>,
    hosts: &[&str],
) -> FabricSurvey {
    let tiers = Tiers::of(wiring);
    let (uncabled, thin) = pairs::compare(&tiers);
    FabricSurvey {
        uncabled,
        thin,
        crossed: rails::crossed(wiring),
        few_adapters: rails::few_adapters(wiring, hosts),
        slow: speeds::slow(wiring, &tiers),
        holes: tables::holes(wiring, routes),
    }
}

#[cfg(test)]
mod tests;
