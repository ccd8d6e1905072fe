//! NVLink between hosts: hosts of a domain, such as the trays of a rack, reach each other without
//! the network.
//!
//! A domain is a group of level 0. Its links are a separate rail: one more adapter per host,
//! and one switch per domain.

use std::collections::HashMap;

use super::host_name::{by_name, look_up};
use super::switch_group::{NVLINK_LEVEL, SwitchGroup};
use super::wiring::{Adapter, Cable, Device, Port, Switch, Wiring};
use super::{Description, Host, ObjectKind};
use crate::topology::LinkProperties;

/// What the adapter is called that joins a host to its NVLink domain.
const NVLINK: &str = "nvlink";

/// What one GPU sends over NVLink: 18 links of a B200 with 40.1 GB/s each, as NCCL assumes. A
/// message takes 936 ns through a switch of NVLink, as ASTRA-sim measured for H100; half of it is on
/// each side.
const LINK_OF_GPU: LinkProperties = LinkProperties {
    bytes_per_second: 722e9,
    latency_seconds: 468e-9,
    ..LinkProperties::ELECTRICAL
};

impl Adapter {
    /// Whether it joins its host to an NVLink domain.
    pub fn is_nvlink(&self) -> bool {
        self.device.is_none() && self.guid.is_none() && self.name == NVLINK
    }
}

impl Description {
    /// The NVLink domain of a host: a group of its network.
    pub fn domain_of(&self, host: &Host) -> Option<u32> {
        let group = host.group?;
        (self.network.groups.get(group as usize)?.level == NVLINK_LEVEL).then_some(group)
    }

    /// The cables of its network together with those of NVLink domains. Tables of switches know
    /// nothing of NVLink, so with tables all messages between hosts take the network.
    pub(crate) fn with_nvlink(&self, wiring: Wiring) -> Wiring {
        let has_domain = |host: &Host| self.domain_of(host).is_some();
        if wiring.tables.is_some() || !self.hosts.iter().any(has_domain) {
            return wiring;
        }
        let Wiring { mut switches, adapters: known, mut cables, tables } = wiring;
        let mut adapters = Vec::with_capacity(known.len() + self.hosts.len());
        let mut new_number = vec![0; known.len()];
        let mut nvlink_cables = Vec::new();
        let mut switch_of: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut old = (0..).zip(known).peekable();
        for (number, host) in (0u32..).zip(&self.hosts) {
            while let Some((at, adapter)) = old.next_if(|(_, adapter)| adapter.host <= number) {
                new_number[at as usize] = adapters.len() as u32;
                adapters.push(adapter);
            }
            let Some(domain) = self.domain_of(host) else { continue };
            let (switch, ports) = switch_of.entry(domain).or_insert_with(|| {
                let name = self.network.groups[domain as usize].name.clone();
                switches.push(Switch { name, guid: None });
                (switches.len() as u32 - 1, 0)
            });
            *ports += 1;
            let adapter = Port { device: Device::Adapter(adapters.len() as u32), number: 1 };
            let port = Port { device: Device::Switch(*switch), number: *ports };
            nvlink_cables.push(Cable { ends: [adapter, port], link: self.nvlink(host) });
            let name = NVLINK.to_string();
            adapters.push(Adapter {
                host: number,
                name,
                guid: None,
                addresses: 0..0,
                device: None,
            });
        }
        for end in cables.iter_mut().flat_map(|cable| &mut cable.ends) {
            if let Device::Adapter(adapter) = &mut end.device {
                *adapter = new_number.get(*adapter as usize).copied().unwrap_or(*adapter);
            }
        }
        cables.extend(nvlink_cables);
        Wiring { switches, adapters, cables, tables }
    }

    /// The link of a host into its NVLink domain.
    fn nvlink(&self, host: &Host) -> LinkProperties {
        let node = &self.kinds[host.kind as usize].node;
        // If GPUs are not known, slots stand for them.
        let gpus = match node.count(ObjectKind::Gpu) {
            0 => host.slots.map_or_else(|| node.count(ObjectKind::Core), |slots| slots as usize),
            gpus => gpus,
        };
        let all = LinkProperties {
            bytes_per_second: gpus.max(1) as f64 * LINK_OF_GPU.bytes_per_second,
            ..LINK_OF_GPU
        };
        self.costs.speed_of_switch(NVLINK_LEVEL).on(all)
    }
}

/// Puts hosts into the domains with these names. A domain is in the smallest group that is around
/// all its hosts. One of a single host is left out: it is the host itself.
pub(super) fn add_domains(
    groups: &mut Vec<SwitchGroup>,
    hosts: &mut [Host],
    domains: &[(String, String)],
) {
    let named = by_name(domains.iter().map(|(host, domain)| (host.as_str(), domain.as_str())));
    let mut members: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    for (number, host) in hosts.iter().enumerate() {
        let Some(&domain) = look_up(&named, &host.name) else { continue };
        let place = *place_of.entry(domain).or_insert_with(|| {
            members.push((domain, Vec::new()));
            members.len() - 1
        });
        members[place].1.push(number);
    }
    for (name, members) in members {
        let in_domain =
            |group: u32, groups: &[SwitchGroup]| groups[group as usize].level == NVLINK_LEVEL;
        if members.len() < 2 {
            continue;
        }
        let group_of = |member: &usize| {
            let group = hosts[*member].group;
            // What is said about domains here replaces what the network says.
            match group {
                Some(group) if in_domain(group, groups) => groups[group as usize].parent,
                group => group,
            }
        };
        let parent =
            members.iter().map(group_of).reduce(|a, b| smallest_around(groups, a, b)).flatten();
        groups.push(SwitchGroup { name: name.to_string(), parent, level: NVLINK_LEVEL });
        let number = groups.len() as u32 - 1;
        members.iter().for_each(|&member| hosts[member].group = Some(number));
    }
}

/// The smallest group around two groups. A group comes before those in it.
fn smallest_around(groups: &[SwitchGroup], mut a: Option<u32>, mut b: Option<u32>) -> Option<u32> {
    while a != b {
        match a > b {
            true => a = groups[a? as usize].parent,
            false => b = groups[b? as usize].parent,
        }
    }
    a
}
