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
    // Most hosts have one adapter. Nothing is kept per place for them.
    if adapters.iter().all(|of_host| of_host.len() <= 1) {
        return vec![0; places.len()];
    }
    let mut known: HashMap<Key<'_>, usize> = HashMap::new();
    let mut number_of: HashMap<Vec<u16>, usize> = HashMap::new();
    // The host of each place, and the number of the list of its nearest adapters.
    let mut nearest: Vec<(u32, usize)> = Vec::with_capacity(places.len());
    for place in places {
        let of_host = adapters[place.host as usize].clone();
        let device = |number: u32| wiring.adapters[number as usize].device;
        let kind = description.hosts[place.host as usize].kind;
        let devices = of_host.map(device).collect();
        let key = Key { kind, cpus: &place.cpus, gpu: place.gpu, devices };
        let number = match known.get(&key) {
            Some(&number) => number,
            None => {
                let next = number_of.len();
                let list = nearest_adapters(description, &key);
                let number = *number_of.entry(list).or_insert(next);
                known.insert(key, number);
                number
            }
        };
        nearest.push((place.host, number));
    }
    let mut lists: Vec<(Vec<u16>, usize)> = number_of.into_iter().collect();
    lists.sort_unstable_by_key(|(_, number)| *number);
    let mut shared_by: HashMap<(u32, usize), usize> = HashMap::new();
    nearest.iter().for_each(|place| *shared_by.entry(*place).or_default() += 1);
    let mut seen: HashMap<(u32, usize), usize> = HashMap::new();
    let own = |place: &(u32, usize)| {
        let list = &lists[place.1].0;
        let before = seen.entry(*place).or_default();
        *before += 1;
        list.get((*before - 1) * list.len() / shared_by[place]).copied().unwrap_or(0)
    };
    nearest.iter().map(own).collect()
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
