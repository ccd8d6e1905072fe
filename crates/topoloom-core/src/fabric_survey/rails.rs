//! Adapters of hosts: on which switches they are, and how many a host has.

use std::collections::BTreeMap;

use super::usual::usual;
use crate::cluster::{Adapter, Device, Wiring};

/// An adapter that is on another switch than those of the same name of its host's peers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrossedAdapter {
    /// The adapter.
    pub adapter: u32,
    /// The switch that it is on.
    pub switch: u32,
    /// The switch that the others are on.
    pub usual: u32,
}

/// A host whose adapters are on the switches of its peers, but in another order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossedHost {
    /// The host.
    pub host: u32,
    /// Its adapters that are elsewhere.
    pub adapters: Vec<CrossedAdapter>,
}

/// Hosts with fewer adapters than usual.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FewAdapters {
    /// The hosts, and how many adapters each has.
    pub hosts: Vec<(u32, usize)>,
    /// How many two thirds of the hosts have, or more.
    pub usual: Option<usize>,
}

/// Compares hosts whose adapters have the same names and are on the same switches. An order that
/// more than half of them have is right.
pub fn crossed(wiring: &Wiring) -> Vec<CrossedHost> {
    let mut switch_of = vec![None; wiring.adapters.len()];
    for cable in &wiring.cables {
        if let [Device::Adapter(adapter), Device::Switch(switch)]
        | [Device::Switch(switch), Device::Adapter(adapter)] = cable.ends.map(|end| end.device)
        {
            switch_of[adapter as usize] = Some(switch);
        }
    }
    // By names and switches, the hosts by their order.
    type Orders = BTreeMap<Vec<u32>, Vec<Vec<u32>>>;
    let mut peers: BTreeMap<(Vec<&str>, Vec<u32>), Orders> = BTreeMap::new();
    for adapters in by_host(wiring) {
        let mut adapters: Vec<u32> = adapters.to_vec();
        adapters.sort_by_key(|&adapter| &wiring.adapters[adapter as usize].name);
        let name = |&adapter: &u32| &wiring.adapters[adapter as usize].name[..];
        let names: Vec<&str> = adapters.iter().map(name).collect();
        let switches: Option<Vec<u32>> =
            adapters.iter().map(|&adapter| switch_of[adapter as usize]).collect();
        let (Some(order), true) = (switches, names.len() > 1) else { continue };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        peers.entry((names, sorted)).or_default().entry(order).or_default().push(adapters);
    }
    let mut crossed = Vec::new();
    for orders in peers.values() {
        let all: usize = orders.values().map(Vec::len).sum();
        let Some((right, _)) = orders.iter().find(|(_, hosts)| 2 * hosts.len() > all) else {
            continue;
        };
        for (order, hosts) in orders.iter().filter(|(order, _)| *order != right) {
            for adapters in hosts {
                let each = adapters.iter().zip(order).zip(right);
                let elsewhere = each.filter(|((_, switch), usual)| switch != usual);
                let adapters = elsewhere.map(|((&adapter, &switch), &usual)| CrossedAdapter {
                    adapter,
                    switch,
                    usual,
                });
                let adapters: Vec<CrossedAdapter> = adapters.collect();
                let host = wiring.adapters[adapters[0].adapter as usize].host;
                crossed.push(CrossedHost { host, adapters });
            }
        }
    }
    crossed.sort_by_key(|host| host.host);
    crossed
}

/// Compares how many adapters hosts have. Hosts that are named by a GUID are left out: nobody knows
/// how many of them are one host.
pub fn few_adapters(wiring: &Wiring, hosts: &[&str]) -> FewAdapters {
    let is_known = |adapter: &Adapter| {
        let guid = adapter.guid.map(|guid| format!("{guid:016x}"));
        guid.as_deref() != hosts.get(adapter.host as usize).copied()
    };
    let known: Vec<(u32, usize)> = by_host(wiring)
        .filter(|adapters| is_known(&wiring.adapters[adapters[0] as usize]))
        .map(|adapters| (wiring.adapters[adapters[0] as usize].host, adapters.len()))
        .collect();
    let Some(usual) = usual(known.iter().map(|(_, adapters)| *adapters)) else {
        return FewAdapters::default();
    };
    let hosts = known.into_iter().filter(|(_, adapters)| *adapters < usual).collect();
    FewAdapters { hosts, usual: Some(usual) }
}

/// The adapters of each host.
fn by_host(wiring: &Wiring) -> impl Iterator<Item = Vec<u32>> + '_ {
    let numbers: Vec<u32> = (0..wiring.adapters.len() as u32).collect();
    let host = |adapter: u32| wiring.adapters[adapter as usize].host;
    let chunks: Vec<Vec<u32>> =
        numbers.chunk_by(|&a, &b| host(a) == host(b)).map(<[u32]>::to_vec).collect();
    chunks.into_iter()
}
