//! Switches, the cables between them and the hosts plugged into them, and the groups that they
//! form.

mod grouping;

use std::collections::BTreeMap;

use super::{Network, SwitchGroup};
use crate::words::counted;
use grouping::{Grouping, Member};

/// A network as it is wired.
///
/// ```
/// use topoloom_model::cluster::Fabric;
/// let mut fabric = Fabric::default();
/// let [left, right, top] = ["left", "right", "top"].map(|name| fabric.add_switch(name));
/// fabric.add_cable(left, top);
/// fabric.add_cable(right, top);
/// for (host, switch) in [("a", left), ("b", left), ("c", right)] {
///     let host = fabric.add_host(host);
///     fabric.plug(host, switch);
/// }
/// let (network, warnings) = fabric.network();
/// let groups: Vec<_> = network.groups.iter().map(|group| (&group.name[..], group.level)).collect();
/// assert_eq!(groups, [("top", 2), ("left", 1), ("right", 1)]);
/// assert!(warnings.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fabric {
    switches: Vec<String>,
    /// How many cables there are between two switches, the lower number first.
    cables: BTreeMap<(u32, u32), usize>,
    hosts: Vec<PluggedHost>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PluggedHost {
    name: String,
    /// The switch of each of its cables.
    ports: Vec<u32>,
}

impl Fabric {
    /// Adds a switch and returns its number.
    pub fn add_switch(&mut self, name: &str) -> u32 {
        self.switches.push(name.to_string());
        self.switches.len() as u32 - 1
    }

    /// Adds a host without any cable and returns its number.
    pub fn add_host(&mut self, name: &str) -> u32 {
        self.hosts.push(PluggedHost { name: name.to_string(), ports: Vec::new() });
        self.hosts.len() as u32 - 1
    }

    /// Adds one more cable between two switches that were added before.
    pub fn add_cable(&mut self, a: u32, b: u32) {
        debug_assert!(a.max(b) < self.switches.len() as u32, "switches that were added");
        *self.cables.entry((a.min(b), a.max(b))).or_default() += 1;
    }

    /// Adds one more cable from a host to a switch. Hosts may have several cables, their rails.
    pub fn plug(&mut self, host: u32, switch: u32) {
        debug_assert!(switch < self.switches.len() as u32, "a switch that was added");
        self.hosts[host as usize].ports.push(switch);
    }

    /// How many switches there are.
    pub fn num_switches(&self) -> usize {
        self.switches.len()
    }

    /// How many cables there are, between switches and to hosts.
    pub fn num_links(&self) -> usize {
        let to_hosts: usize = self.hosts.iter().map(|host| host.ports.len()).sum();
        self.cables.values().sum::<usize>() + to_hosts
    }

    /// The groups that follow from the distances, and notes on what the user should know about
    /// them.
    ///
    /// The distance of two hosts is the smallest number of cables between switches from a port of
    /// one to a port of the other. Hosts that are joined by steps of at most a distance form a
    /// group. Its level is the number of that distance among all distances that occur, from 1.
    pub fn network(&self) -> (Network, Vec<String>) {
        let mut warnings = Vec::new();
        let wires = self.wires();
        let grouping = Grouping::of(&wires, &self.ports_of_hosts());
        let name = |group| self.name_of(group, &grouping, &wires);
        let names: Vec<String> = (0..grouping.groups.len()).map(name).collect();
        let outermost: Vec<usize> =
            (0..names.len()).filter(|&group| grouping.groups[group].parent.is_none()).collect();
        let host_in = |group: usize| &self.hosts[grouping.first_host(group)].name;
        if let [first, second, ..] = outermost[..] {
            warnings.push(format!(
                "the network has {} parts that cannot reach each other: there is no route from \
                 host {} to host {}",
                outermost.len(),
                host_in(first),
                host_in(second)
            ));
        }
        if let Some(stretch) = grouping.first_stretch(&wires) {
            let [a, b] = stretch.hosts.map(|host| &self.hosts[host].name);
            warnings.push(format!(
                "the network is not made of groups in groups: hosts {a} and {b} are {} cables \
                 between switches apart, but hosts between them connect both in steps of at most \
                 {}; they are treated as this close",
                stretch.distance, stretch.within
            ));
        }
        (self.in_order(&grouping, names), warnings)
    }

    /// The groups, outer before inner ones, in the order of their hosts.
    fn in_order(&self, grouping: &Grouping, mut names: Vec<String>) -> Network {
        let groups = &grouping.groups;
        let mut number_of = vec![0; groups.len()];
        let mut ordered = Vec::with_capacity(groups.len());
        let mut left: Vec<usize> =
            (0..groups.len()).rev().filter(|&group| groups[group].parent.is_none()).collect();
        left.sort_by_key(|&group| std::cmp::Reverse(grouping.first_host(group)));
        while let Some(group) = left.pop() {
            number_of[group] = ordered.len() as u32;
            ordered.push(SwitchGroup {
                name: std::mem::take(&mut names[group]),
                parent: groups[group].parent.map(|parent| number_of[parent]),
                level: groups[group].level,
            });
            let inside = groups[group].members.iter().rev();
            left.extend(inside.filter_map(|member| match *member {
                Member::Group(inner) => Some(inner),
                Member::Class(_) => None,
            }));
        }
        let group_of = |host: usize| number_of[grouping.group_of_host(host)];
        let hosts = self.hosts.iter().enumerate();
        Network {
            groups: ordered,
            hosts: hosts.map(|(number, host)| (host.name.clone(), group_of(number))).collect(),
            switches: self.num_switches(),
            links: self.num_links(),
            wiring: None,
            named: None,
        }
    }

    /// The name of a group: the switch that its hosts share or, if there is none, the switch that
    /// is closest to everything in it.
    fn name_of(&self, group: usize, grouping: &Grouping, wires: &[Vec<u32>]) -> String {
        let mut switches = grouping.switches_that_explain(group, wires);
        switches.sort_by_key(|&switch| (&self.switches[switch as usize], switch));
        let Some(&first) = switches.first() else {
            return self.hosts[grouping.first_host(group)].name.clone();
        };
        let first = &self.switches[first as usize];
        match switches.len() - 1 {
            0 => first.clone(),
            others => format!("{first} and {}", counted(others, "other")),
        }
    }

    /// For each switch, the switches that a cable joins to it.
    fn wires(&self) -> Vec<Vec<u32>> {
        let mut wires = vec![Vec::new(); self.switches.len()];
        for &(a, b) in self.cables.keys() {
            wires[a as usize].push(b);
            wires[b as usize].push(a);
        }
        wires
    }

    /// The switches of each host, in rising order, each once.
    fn ports_of_hosts(&self) -> Vec<Vec<u32>> {
        let ports = |host: &PluggedHost| {
            let mut ports = host.ports.clone();
            ports.sort_unstable();
            ports.dedup();
            ports
        };
        self.hosts.iter().map(ports).collect()
    }
}

#[cfg(test)]
mod tests;
