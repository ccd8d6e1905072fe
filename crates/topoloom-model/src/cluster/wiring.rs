//! The network of a cluster as it is wired: adapters of hosts, switches, and the cables between
//! their ports.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use thiserror::Error;

use super::costs::Costs;
use super::switch_group::{NVLINK_LEVEL, SwitchGroup};
use crate::topology::LinkProperties;

/// A switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// What it is called. Several switches may have the same name.
    pub name: String,
    /// What tells it apart from all others, if that is known.
    pub guid: Option<u64>,
}

/// A port through which a host is plugged into a network. A host with several has several rails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    /// The host it belongs to: an index of a list of hosts.
    pub host: u32,
    /// What its host calls it, such as `mlx5_0`.
    pub name: String,
    /// What tells it apart from all others, if that is known.
    pub guid: Option<u64>,
    /// The addresses it answers to; several if it has several routes to it, none if they are not
    /// known.
    pub addresses: Range<u32>,
    /// Which of the adapters inside its host it is: an index of
    /// [`Hardware::adapters`](super::Hardware::adapters). None if that is not known.
    pub device: Option<u32>,
}

/// What has ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Device {
    /// A switch by its number.
    Switch(u32),
    /// An adapter by its number.
    Adapter(u32),
}

/// One end of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Port {
    /// What it is part of.
    pub device: Device,
    /// Its number there, from 1.
    pub number: u32,
}

/// A cable: one link in each direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cable {
    /// The ports that it joins.
    pub ends: [Port; 2],
    /// The properties of each of its two links.
    pub link: LinkProperties,
}

/// For each switch, the port through which it sends messages for an address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tables {
    /// By switch and address; [`Tables::NO_PORT`] if a switch does not know an address.
    pub ports: Vec<Vec<u8>>,
}

impl Tables {
    /// Marks an address without a route.
    pub const NO_PORT: u8 = u8::MAX;
}

/// Tables of switches that are told apart by their GUIDs, as files have them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SwitchTables {
    /// The GUID of each switch, and its ports by address.
    pub switches: Vec<(u64, Vec<u8>)>,
}

/// Adapters, switches and cables.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wiring {
    /// The switches.
    pub switches: Vec<Switch>,
    /// The adapters, host by host.
    pub adapters: Vec<Adapter>,
    /// The cables between them.
    pub cables: Vec<Cable>,
    /// How switches forward, if that is known.
    pub tables: Option<Tables>,
}

/// Why a wiring is not one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WiringError {
    /// A cable to something that does not exist.
    #[error("cable {cable} leads to {what} {number}, but there are only {known}")]
    Nowhere {
        /// The number of the cable.
        cable: usize,
        /// What it leads to.
        what: &'static str,
        /// The number of that.
        number: u32,
        /// How many of these exist.
        known: usize,
    },
    /// Two cables in one port.
    #[error("port {port} of {device} has two cables")]
    TwoCables {
        /// The name of the device with the port.
        device: String,
        /// The number of the port.
        port: u32,
    },
    /// A host that nothing can reach.
    #[error("host {0} has no cable to a switch")]
    NoCable(String),
    /// An adapter is one port: it has one cable.
    #[error("adapter {adapter} of host {host} has {cables} cables; expected one")]
    NotOneCable {
        /// The host.
        host: String,
        /// The adapter.
        adapter: String,
        /// How many it has.
        cables: usize,
    },
    /// Adapters of a host that do not follow each other.
    #[error("expected the adapters in the order of their hosts")]
    NotInOrder,
    /// A bandwidth of 0, or a latency below 0.
    #[error("cable {0}: expected a bandwidth above 0 and a latency of at least 0")]
    Properties(usize),
}

/// The link of an adapter when nothing is known about it: 100 Gbit/s, and half of what a pair of
/// adapters adds to the time of a message.
pub const ADAPTER_LINK: LinkProperties = LinkProperties {
    bytes_per_second: 12.5e9,
    latency_seconds: 300e-9,
    ..LinkProperties::ELECTRICAL
};

/// What a switch adds to the time of a message.
pub const SWITCH_LATENCY: f64 = 150e-9;

/// What joins a group of switches to the group around it when only the groups are known: as much as
/// eight adapters.
pub const UPLINK: LinkProperties = LinkProperties {
    bytes_per_second: 8.0 * ADAPTER_LINK.bytes_per_second,
    latency_seconds: SWITCH_LATENCY,
    ..ADAPTER_LINK
};

impl Wiring {
    /// The wiring of groups of switches in which nothing but the groups is known: one switch per
    /// group with one cable to the group around it, and one adapter per host. Outermost groups are
    /// joined by one more switch if there are several. Groups of level 0 have no part in it, because
    /// NVLink is not the network. `costs` may know how fast links are.
    pub fn of_groups(
        groups: &[SwitchGroup],
        group_of_host: &[Option<u32>],
        costs: &Costs,
    ) -> Wiring {
        let mut wiring = Wiring::default();
        let is_domain = |group: &&SwitchGroup| group.level == NVLINK_LEVEL;
        let mut number_of = vec![None; groups.len()];
        for (at, group) in groups.iter().enumerate().filter(|(_, group)| !is_domain(group)) {
            number_of[at] = Some(wiring.switches.len() as u32);
            wiring.switches.push(Switch { name: group.name.clone(), guid: None });
        }
        let around = |group: Option<u32>| match group.and_then(|at| groups.get(at as usize)) {
            Some(group) if is_domain(&group) => group.parent,
            _ => group,
        };
        let switch_of = |group: Option<u32>| around(group).and_then(|at| number_of[at as usize]);
        let group_of_host: Vec<Option<u32>> =
            group_of_host.iter().map(|&at| switch_of(at)).collect();
        let groups: Vec<&SwitchGroup> = groups.iter().filter(|group| !is_domain(group)).collect();
        let top = groups.len() as u32;
        let highest = groups.iter().map(|group| group.level).max().unwrap_or(0);
        let outermost = groups.iter().filter(|group| group.parent.is_none()).count();
        let loose = group_of_host.iter().any(Option::is_none);
        if outermost > 1 || loose {
            wiring.switches.push(Switch { name: "network".to_string(), guid: None });
        }
        let mut next_port = vec![1u32; wiring.switches.len()];
        for (host, group) in (0..).zip(&group_of_host) {
            let at = group.unwrap_or(top);
            let name = String::new();
            let adapter = Adapter { host, name, guid: None, addresses: 0..0, device: None };
            wiring.adapters.push(adapter);
            let ends =
                [Port { device: Device::Adapter(host), number: 1 }, take_port(&mut next_port, at)];
            wiring.cables.push(Cable { ends, link: costs.speed_of_switch(1).on(ADAPTER_LINK) });
        }
        for (number, group) in (0..).zip(&groups) {
            let around = match switch_of(group.parent) {
                Some(parent) => parent,
                None if wiring.switches.len() > groups.len() => top,
                None => continue,
            };
            let ends = [take_port(&mut next_port, number), take_port(&mut next_port, around)];
            let level = groups.get(around as usize).map_or(highest + 1, |group| group.level);
            wiring.cables.push(Cable { ends, link: costs.speed_of_switch(level).on(UPLINK) });
        }
        wiring
    }

    /// The same network with tables of its switches, and how many tables belong to none of them.
    pub fn with_tables(mut self, tables: &SwitchTables) -> (Wiring, usize) {
        let mut by_guid: HashMap<u64, &Vec<u8>> =
            tables.switches.iter().map(|(guid, ports)| (*guid, ports)).collect();
        // A switch without a table knows no address.
        let of_switch = |switch: &Switch| {
            let ports = switch.guid.and_then(|guid| by_guid.remove(&guid));
            ports.cloned().unwrap_or_default()
        };
        let ports = self.switches.iter().map(of_switch).collect();
        self.tables = Some(Tables { ports });
        (self, by_guid.len())
    }

    /// The same network with the adapters of some hosts only. `number_of` has the new number of
    /// each host, or none if it is left out.
    pub fn of_hosts(&self, number_of: &[Option<u32>]) -> Wiring {
        let mut kept: Vec<(u32, u32)> = (0..)
            .zip(&self.adapters)
            .filter_map(|(number, adapter)| Some((number_of[adapter.host as usize]?, number)))
            .collect();
        kept.sort_unstable();
        let mut new = vec![None; self.adapters.len()];
        let mut adapters = Vec::with_capacity(kept.len());
        for (number, &(host, old)) in (0..).zip(&kept) {
            new[old as usize] = Some(number);
            adapters.push(Adapter { host, ..self.adapters[old as usize].clone() });
        }
        let port = |port: &Port| match port.device {
            Device::Switch(_) => Some(*port),
            Device::Adapter(old) => {
                Some(Port { device: Device::Adapter(new[old as usize]?), ..*port })
            }
        };
        let cable = |cable: &Cable| {
            let [a, b] = &cable.ends;
            Some(Cable { ends: [port(a)?, port(b)?], ..*cable })
        };
        Wiring {
            switches: self.switches.clone(),
            adapters,
            cables: self.cables.iter().filter_map(cable).collect(),
            tables: self.tables.clone(),
        }
    }

    /// Whether everything that is referred to exists, and every host has a cable.
    pub fn check(&self, hosts: &[&str]) -> Result<(), WiringError> {
        let mut taken = HashSet::new();
        let mut cables_of = vec![0; self.adapters.len()];
        let mut reached = vec![false; hosts.len()];
        if !self.adapters.is_sorted_by_key(|adapter| adapter.host) {
            return Err(WiringError::NotInOrder);
        }
        for (number, cable) in self.cables.iter().enumerate() {
            for end in cable.ends {
                self.check_end(number, end)?;
                if !taken.insert(end) {
                    let (device, port) = (self.device_name(end.device), end.number);
                    return Err(WiringError::TwoCables { device, port });
                }
                if let Device::Adapter(adapter) = end.device {
                    cables_of[adapter as usize] += 1;
                    let host = self.adapters[adapter as usize].host;
                    match reached.get_mut(host as usize) {
                        Some(reached) => *reached = true,
                        None => {
                            let (what, known) = ("an adapter of host", hosts.len());
                            let (cable, number) = (number, host);
                            return Err(WiringError::Nowhere { cable, what, number, known });
                        }
                    }
                }
            }
            if !cable.link.is_fine() {
                return Err(WiringError::Properties(number));
            }
        }
        if let Some(host) = reached.iter().position(|reached| !reached) {
            return Err(WiringError::NoCable(hosts[host].to_string()));
        }
        match cables_of.iter().position(|&cables| cables != 1) {
            Some(adapter) => {
                let Adapter { host, name, .. } = &self.adapters[adapter];
                let host = hosts.get(*host as usize).copied().unwrap_or_default().to_string();
                let (adapter, cables) = (name.clone(), cables_of[adapter]);
                Err(WiringError::NotOneCable { host, adapter, cables })
            }
            None => Ok(()),
        }
    }

    fn check_end(&self, cable: usize, end: Port) -> Result<(), WiringError> {
        let (what, number, known) = match end.device {
            Device::Switch(number) => ("switch", number, self.switches.len()),
            Device::Adapter(number) => ("adapter", number, self.adapters.len()),
        };
        match (number as usize) < known {
            true => Ok(()),
            false => Err(WiringError::Nowhere { cable, what, number, known }),
        }
    }

    /// What a switch or an adapter is called.
    pub fn device_name(&self, device: Device) -> String {
        match device {
            Device::Switch(number) => self.switches[number as usize].name.clone(),
            Device::Adapter(number) => self.adapters[number as usize].name.clone(),
        }
    }
}

fn take_port(next: &mut [u32], switch: u32) -> Port {
    let number = next[switch as usize];
    next[switch as usize] += 1;
    Port { device: Device::Switch(switch), number }
}
