//! Cables that are slower than others of their kind.

use std::collections::BTreeMap;

use super::tiers::Tiers;
use super::usual::usual;
use crate::cluster::{Device, Wiring};

/// A cable that is slower than usual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowCable {
    /// Its number.
    pub cable: usize,
    /// What it carries in each direction.
    pub bytes_per_second: f64,
    /// What two thirds of the cables of its kind carry, or more.
    pub usual: f64,
}

/// Compares cables of adapters with each other, and cables between the same two tiers of switches.
pub fn slow(wiring: &Wiring, tiers: &Tiers) -> Vec<SlowCable> {
    let tier = |device: Device| match device {
        Device::Adapter(_) => None,
        Device::Switch(switch) => Some(tiers.of_switch[switch as usize]),
    };
    // Whole bytes, because they are counted.
    let mut kinds: BTreeMap<_, Vec<(usize, u64)>> = BTreeMap::new();
    for (number, cable) in wiring.cables.iter().enumerate() {
        let [a, b] = cable.ends.map(|end| tier(end.device));
        let kind = if a.is_none() || b.is_none() { None } else { Some([a.min(b), a.max(b)]) };
        let speed = cable.link.bytes_per_second.round() as u64;
        kinds.entry(kind).or_default().push((number, speed));
    }
    let mut slow = Vec::new();
    for cables in kinds.values() {
        let Some(usual) = usual(cables.iter().map(|(_, speed)| *speed)) else { continue };
        slow.extend(cables.iter().filter(|(_, speed)| *speed < usual).map(|&(cable, speed)| {
            SlowCable { cable, bytes_per_second: speed as f64, usual: usual as f64 }
        }));
    }
    slow.sort_by_key(|slow| slow.cable);
    slow
}
