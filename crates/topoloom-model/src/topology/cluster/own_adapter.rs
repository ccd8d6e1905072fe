//! Which adapter a rank uses if several are equally close to where its messages go.

use std::collections::HashMap;
use std::ops::Range;

use super::place::Place;
use crate::cluster::{Description, Wiring};

/// The adapter of each place, counted from the first one of its host: the nearest one inside the
/// host. Places with the same nearest adapters share them in equal runs. If nothing is known about
/// where adapters are, all are equally near.
pub fn own_adapters(
    description: &Description,
    wiring: &Wiring,
    places: &[Place],
    adapters: &[Range<u32>],
) -> Vec<u16> {
    let mut known: HashMap<Key<'_>, Vec<u16>> = HashMap::new();
    let nearest: Vec<(u32, Vec<u16>)> = places
        .iter()
        .map(|place| {
            let of_host = &adapters[place.host as usize];
            let devices: Vec<Option<u32>> =
                of_host.clone().map(|number| wiring.adapters[number as usize].device).collect();
            let kind = description.hosts[place.host as usize].kind;
            let key = Key { kind, cpus: &place.cpus, gpu: place.gpu, devices };
            let found = match known.get(&key) {
                Some(found) => found.clone(),
                None => {
                    let found = nearest_adapters(description, &key);
                    known.insert(key, found.clone());
                    found
                }
            };
            (place.host, found)
        })
        .collect();
    let mut shared_by: HashMap<&(u32, Vec<u16>), usize> = HashMap::new();
    nearest.iter().for_each(|of_place| *shared_by.entry(of_place).or_default() += 1);
    let mut seen: HashMap<&(u32, Vec<u16>), usize> = HashMap::new();
    let own = |of_place: &'_ (u32, Vec<u16>), number: usize, all: usize| match of_place.1.len() {
        0 => 0,
        adapters => of_place.1[number * adapters / all],
    };
    nearest
        .iter()
        .map(|of_place| {
            let number = seen.entry(of_place).or_default();
            *number += 1;
            own(of_place, *number - 1, shared_by[of_place])
        })
        .collect()
}

/// What decides which adapters are nearest; the same for many hosts.
#[derive(PartialEq, Eq, Hash)]
struct Key<'a> {
    kind: u32,
    cpus: &'a [u32],
    gpu: Option<u32>,
    devices: Vec<Option<u32>>,
}

/// The adapters of a host that are nearest to a place, counted from its first one.
fn nearest_adapters(description: &Description, key: &Key<'_>) -> Vec<u16> {
    let node = &description.kinds[key.kind as usize];
    let distance = |device: &Option<u32>| {
        let adapter = node.adapters.get((*device)? as usize)?;
        let is_bound = !key.cpus.is_empty() || key.gpu.is_some();
        is_bound.then(|| node.distance_to(adapter, key.cpus, key.gpu))
    };
    // What is not known is farthest.
    let distances: Vec<usize> =
        key.devices.iter().map(|device| distance(device).unwrap_or(usize::MAX)).collect();
    let least = distances.iter().min();
    (0..).zip(&distances).filter(|(_, distance)| Some(*distance) == least).map(|(a, _)| a).collect()
}
