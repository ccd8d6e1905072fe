//! Which switches are leaves, which are above them, and how many cables join two of them.

use std::collections::{BTreeMap, VecDeque};

use crate::cluster::{Device, Wiring};

/// Switches by their distance from the hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tiers {
    /// 0 for a leaf, 1 for what is joined to a leaf, ...; none if no leaf is in reach.
    pub of_switch: Vec<Option<u32>>,
    /// How many cables join two switches, the lower number first.
    pub cables: BTreeMap<(u32, u32), usize>,
}

impl Tiers {
    /// The tiers of a network.
    pub fn of(wiring: &Wiring) -> Tiers {
        let mut adapters = vec![0usize; wiring.switches.len()];
        let mut cables = BTreeMap::new();
        for cable in &wiring.cables {
            match cable.ends.map(|end| end.device) {
                [Device::Switch(a), Device::Switch(b)] if a != b => {
                    *cables.entry((a.min(b), a.max(b))).or_default() += 1;
                }
                [Device::Switch(switch), Device::Adapter(_)]
                | [Device::Adapter(_), Device::Switch(switch)] => adapters[switch as usize] += 1,
                _ => {}
            }
        }
        let mut joined = vec![Vec::new(); adapters.len()];
        for &(a, b) in cables.keys() {
            joined[a as usize].push(b);
            joined[b as usize].push(a);
        }
        let mut of_switch = vec![None; adapters.len()];
        let mut next = VecDeque::new();
        for switch in 0..adapters.len() {
            if is_leaf(adapters[switch], joined[switch].iter().map(|&b| adapters[b as usize])) {
                of_switch[switch] = Some(0);
                next.push_back(switch as u32);
            }
        }
        while let Some(switch) = next.pop_front() {
            let above = of_switch[switch as usize].map(|tier: u32| tier + 1);
            for &other in &joined[switch as usize] {
                if of_switch[other as usize].is_none() {
                    of_switch[other as usize] = above;
                    next.push_back(other);
                }
            }
        }
        Tiers { of_switch, cables }
    }

    /// The two switches of a pair, lower tier first, if one is exactly one tier above the other.
    pub fn upwards(&self, (a, b): (u32, u32)) -> Option<[u32; 2]> {
        let tier = |switch: u32| self.of_switch[switch as usize];
        match (tier(a)?, tier(b)?) {
            (below, above) if below + 1 == above => Some([a, b]),
            (above, below) if below + 1 == above => Some([b, a]),
            _ => None,
        }
    }
}

/// A leaf has adapters. A spine may have a few too, such as those of a gateway. It is recognised by
/// the switches that it is joined to: at least half of them have four times as many.
fn is_leaf(adapters: usize, of_neighbours: impl Iterator<Item = usize>) -> bool {
    let mut of_neighbours: Vec<usize> = of_neighbours.collect();
    of_neighbours.sort_unstable();
    let median = of_neighbours.get(of_neighbours.len() / 2).copied().unwrap_or(0);
    adapters > 0 && (median == 0 || 4 * adapters > median)
}
