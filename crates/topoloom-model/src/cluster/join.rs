//! One machine from what several files say: hosts, what is inside them, and how they are joined.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use super::host_name::{by_name, look_up};
use super::node_adapter::match_adapters;
use super::nvlink::add_domains;
use super::{Costs, Description, Hardware, Host, Network, Object, ObjectKind, SwitchTables};
use crate::budget::{self, BudgetError};
use crate::words::counted;

/// Why parts do not form a machine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JoinError {
    /// Nothing names a host.
    #[error("no hosts: nothing names one")]
    NoHosts,
    /// Hosts that are not in the network.
    #[error("{0}: not in the network")]
    NotInNetwork(String),
    /// A host with several kinds of nodes.
    #[error("cannot tell what is inside {0}: several kinds of nodes are given")]
    WhichKind(String),
    /// A node for hosts that do not exist.
    #[error("{0}: its kind of node is given, but it is not one of the hosts")]
    KindOfNobody(String),
    /// Not one number of slots per host.
    #[error("expected one number of slots, or one for each of {}, found {slots}", counted(*hosts, "host"))]
    WrongSlots {
        /// How many numbers there are.
        slots: usize,
        /// How many hosts there are.
        hosts: usize,
    },
    /// Forwarding tables without the cables that they are about.
    #[error(
        "forwarding tables need the cables that they are about: give the output of ibnetdiscover too"
    )]
    TablesWithoutCables,
    /// Forwarding tables of another network.
    #[error("{} of switches that are not in the network", counted(*.0, "forwarding table"))]
    TablesOfOthers(usize),
    /// Hosts with more slots than fit in memory.
    #[error(transparent)]
    TooLarge(#[from] BudgetError),
}

/// Hosts whose inside is not described anywhere. Each has one core in the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneCoreAssumed {
    /// The first of these hosts.
    pub first: String,
    /// How many others there are.
    pub others: usize,
}

impl fmt::Display for OneCoreAssumed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = &self.first;
        match self.others {
            0 => write!(f, "no description of {first}; assuming one core"),
            others => {
                let others = counted(others, "other host");
                write!(f, "no description of {first} and {others}; assuming one core each")
            }
        }
    }
}

/// The memory of a core with its thread, here and in the machine that is built from it.
const BYTES_PER_CORE: u64 = 4 * size_of::<Object>() as u64;

/// What is inside a host.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Inside {
    /// One of the given kinds of nodes, which stay where they are in memory.
    Given(*const Hardware),
    /// This many cores.
    Flat(u32),
}

/// What files and options say about a machine.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// Kinds of nodes, with the hosts that they are given for. A kind without hosts is found by the
    /// name of its own host, and a single kind applies to every host.
    pub hardware: Vec<(Hardware, Vec<String>)>,
    /// How they are joined.
    pub network: Option<Network>,
    /// Hosts with the NVLink domain that they are in.
    pub domains: Vec<(String, String)>,
    /// How the switches of the network forward.
    pub tables: Option<SwitchTables>,
    /// The hosts that may be used, with their slots if these are given. If empty, all known hosts.
    pub hosts: Vec<(String, Option<u32>)>,
    /// Numbers of slots of the hosts in their order, one number for all hosts, or none.
    pub slots: Vec<u32>,
    /// What each level costs.
    pub costs: Costs,
    /// What a rank gets to itself; a core if nothing is given.
    pub place: Option<ObjectKind>,
}

impl Parts {
    /// The machine, and what had to be assumed.
    pub fn join(self) -> Result<(Description, Option<OneCoreAssumed>), JoinError> {
        let place = self.place.unwrap_or(ObjectKind::Core);
        let has_cables = self.network.as_ref().is_some_and(|network| network.wiring.is_some());
        if self.tables.is_some() && !has_cables {
            return Err(JoinError::TablesWithoutCables);
        }
        let hosts = self.named_hosts()?;
        let mut kinds: Vec<Hardware> = Vec::new();
        let mut chosen = Chosen::new(&self.hardware, &hosts)?;
        let groups = self.groups_of(&hosts)?;
        let mut described = Vec::with_capacity(hosts.len());
        let mut supposed = Vec::new();
        // Many hosts are of few kinds: what is inside is compared once per kind, not once per host.
        let mut kind_of: HashMap<Inside, usize> = HashMap::new();
        let mut cores = 0;
        for ((name, slots), group) in hosts.into_iter().zip(groups) {
            let hardware = chosen.of(&name)?;
            if hardware.is_none() && slots.is_none() {
                supposed.push(name.clone());
            }
            let inside = match hardware {
                Some(hardware) => Inside::Given(std::ptr::from_ref(hardware)),
                None => Inside::Flat(slots.unwrap_or(1)),
            };
            let kind = match kind_of.get(&inside) {
                Some(&kind) => kind,
                None => {
                    if let Inside::Flat(of_host) = inside {
                        cores += u64::from(of_host);
                        budget::memory().check_items(
                            "hosts of so many slots",
                            cores,
                            BYTES_PER_CORE,
                        )?;
                    }
                    let new = hardware.cloned().unwrap_or_else(|| {
                        Hardware::new(None, Object::flat_node(slots.unwrap_or(1)))
                    });
                    let kind = match kinds.iter().position(|kind| kind.is_like(&new)) {
                        Some(kind) => kind,
                        None => {
                            kinds.push(new);
                            kinds.len() - 1
                        }
                    };
                    kind_of.insert(inside, kind);
                    kind
                }
            };
            described.push(Host { name, kind: kind as u32, slots, group });
        }
        let others = supposed.len().saturating_sub(1);
        let assumed = supposed.into_iter().next().map(|first| OneCoreAssumed { first, others });
        let mut network = self.network.unwrap_or_default();
        if let Some(wiring) = &network.wiring {
            let by_name =
                by_name((0..).zip(&described).map(|(number, host)| (&host.name[..], number)));
            let number = |(name, _): &(String, u32)| look_up(&by_name, name).copied();
            let number_of: Vec<Option<u32>> = network.hosts.iter().map(number).collect();
            let mut wiring = wiring.of_hosts(&number_of);
            match_adapters(&mut wiring, &described, &kinds);
            network.wiring = Some(match &self.tables {
                Some(tables) => match wiring.with_tables(tables) {
                    (wiring, 0) => wiring,
                    (_, strangers) => return Err(JoinError::TablesOfOthers(strangers)),
                },
                None => wiring,
            });
        }
        network.hosts = Vec::new();
        add_domains(&mut network.groups, &mut described, &self.domains);
        let costs = self.costs;
        let seats = Vec::new();
        Ok((Description { kinds, network, hosts: described, costs, place, seats }, assumed))
    }

    /// The hosts with their slots.
    fn named_hosts(&self) -> Result<Vec<(String, Option<u32>)>, JoinError> {
        let mut hosts = self.hosts.clone();
        if hosts.is_empty() {
            let network = self.network.iter().flat_map(|network| &network.hosts);
            hosts = network.map(|(name, _)| (name.clone(), None)).collect();
        }
        if hosts.is_empty() {
            hosts = self.domains.iter().map(|(name, _)| (name.clone(), None)).collect();
        }
        if hosts.is_empty() {
            for (hardware, said) in &self.hardware {
                let own = hardware.host.iter().filter(|_| said.is_empty());
                hosts.extend(said.iter().chain(own).map(|name| (name.clone(), None)));
            }
        }
        if hosts.is_empty() {
            return Err(JoinError::NoHosts);
        }
        match self.slots[..] {
            [] => {}
            [all] => hosts.iter_mut().for_each(|(_, slots)| *slots = Some(all)),
            ref each if each.len() == hosts.len() => {
                hosts.iter_mut().zip(each).for_each(|((_, slots), &one)| *slots = Some(one));
            }
            ref each => {
                return Err(JoinError::WrongSlots { slots: each.len(), hosts: hosts.len() });
            }
        }
        Ok(hosts)
    }

    /// Where each host is plugged in.
    fn groups_of(&self, hosts: &[(String, Option<u32>)]) -> Result<Vec<Option<u32>>, JoinError> {
        let Some(network) = &self.network else { return Ok(vec![None; hosts.len()]) };
        let by_name = by_name(network.hosts.iter().map(|(name, group)| (name.as_str(), *group)));
        let find = |(name, _): &(String, Option<u32>)| match look_up(&by_name, name) {
            Some(&group) => Ok(Some(group)),
            None => Err(JoinError::NotInNetwork(name.clone())),
        };
        hosts.iter().map(find).collect()
    }
}

/// Which hardware each host has.
struct Chosen<'a> {
    hardware: &'a [(Hardware, Vec<String>)],
    by_name: HashMap<String, usize>,
}

impl<'a> Chosen<'a> {
    fn new(
        hardware: &'a [(Hardware, Vec<String>)],
        hosts: &[(String, Option<u32>)],
    ) -> Result<Self, JoinError> {
        let known = by_name(hosts.iter().map(|(name, _)| (name.as_str(), ())));
        let mut named = Vec::new();
        for (number, (hardware, said)) in hardware.iter().enumerate() {
            if let Some(stranger) = said.iter().find(|name| look_up(&known, name).is_none()) {
                return Err(JoinError::KindOfNobody(stranger.clone()));
            }
            // What was said about a host counts more than the name in a file.
            let own = hardware.host.iter().filter(|_| said.is_empty());
            named.extend(own.map(|name| (name.as_str(), number)));
        }
        for (number, (_, said)) in hardware.iter().enumerate() {
            named.extend(said.iter().map(|name| (name.as_str(), number)));
        }
        Ok(Chosen { hardware, by_name: by_name(named.into_iter()) })
    }

    fn of(&mut self, host: &str) -> Result<Option<&'a Hardware>, JoinError> {
        match (look_up(&self.by_name, host), self.hardware) {
            (Some(&number), _) => Ok(Some(&self.hardware[number].0)),
            (None, []) => Ok(None),
            (None, all) => {
                // A kind about which nothing was said applies to all other hosts.
                let mut usual = all.iter().filter(|(_, said)| said.is_empty());
                match (usual.next(), usual.next()) {
                    (Some((only, _)), None) => Ok(Some(only)),
                    _ => Err(JoinError::WhichKind(host.to_string())),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SwitchGroup;
    use super::*;

    fn hardware(host: Option<&str>, cores: u32) -> Hardware {
        Hardware::new(host.map(String::from), Object::flat_node(cores))
    }

    fn named(hosts: &[&str]) -> Vec<(String, Option<u32>)> {
        hosts.iter().map(|host| (host.to_string(), None)).collect()
    }

    #[test]
    fn one_kind_of_node_is_what_every_host_is() {
        let parts = Parts {
            hardware: vec![(hardware(Some("login"), 4), Vec::new())],
            hosts: named(&["a", "b"]),
            slots: vec![4, 2],
            ..Parts::default()
        };
        let (description, assumed) = parts.join().unwrap();
        assert_eq!((description.kinds.len(), assumed), (1, None));
        assert_eq!(description.hosts[1].slots, Some(2));
    }

    #[test]
    fn kinds_are_told_by_names_and_by_what_was_said() {
        let mut parts = Parts {
            hardware: vec![
                (hardware(Some("a.site.org"), 4), Vec::new()),
                (hardware(Some("x"), 8), vec!["b".to_string(), "c".to_string()]),
            ],
            hosts: named(&["a", "b", "c"]),
            ..Parts::default()
        };
        let (description, _) = parts.clone().join().unwrap();
        assert_eq!(description.hosts.iter().map(|host| host.kind).collect::<Vec<_>>(), [0, 1, 1]);
        parts.hosts = named(&["a", "b", "d"]);
        assert_eq!(parts.clone().join().unwrap_err(), JoinError::KindOfNobody("c".to_string()));
        parts.hosts = named(&["a", "b", "c", "d"]);
        // d is like a, about which nothing was said, unless there is another such kind.
        assert_eq!(parts.clone().join().unwrap().0.hosts[3].kind, 0);
        parts.hardware.push((hardware(Some("y"), 2), Vec::new()));
        assert_eq!(parts.join().unwrap_err(), JoinError::WhichKind("d".to_string()));
    }

    #[test]
    fn hosts_must_be_in_the_network() {
        let group = SwitchGroup { name: "leaf".to_string(), parent: None, level: 1 };
        let hosts = vec![("a".to_string(), 0), ("b".to_string(), 0)];
        let network = Network {
            groups: vec![group],
            hosts,
            switches: 1,
            links: 2,
            wiring: None,
            named: None,
        };
        let mut parts = Parts { network: Some(network), slots: vec![2], ..Parts::default() };
        assert_eq!(parts.clone().join().unwrap().0.hosts.len(), 2);
        parts.hosts = named(&["a.site.org", "z"]);
        assert_eq!(parts.join().unwrap_err(), JoinError::NotInNetwork("z".to_string()));
    }

    #[test]
    fn what_is_not_known_is_supposed_and_said() {
        let parts = Parts { hosts: named(&["a", "b", "c"]), ..Parts::default() };
        let (description, assumed) = parts.join().unwrap();
        assert_eq!(description.kinds.len(), 1);
        assert!(assumed.unwrap().to_string().starts_with("no description of a and 2 other hosts;"));
    }
}
