//! The names of groups: by their level, and in clusters by their host.

use topoloom_core::Topology;
use topoloom_core::cluster::ObjectKind;
use topoloom_core::topology::{Cluster, Groups};

use crate::layout::plan::run_of;

/// The names of groups.
pub struct Names<'a> {
    cluster: Option<&'a Cluster>,
    /// The number of each group within its level, in its host or in the whole machine.
    number_in_level: Vec<u32>,
    /// `places` or `leaves`.
    pub what_nodes_are: &'static str,
}

impl<'a> Names<'a> {
    pub fn of(topology: &'a dyn Topology, groups: &Groups) -> Names<'a> {
        let cluster = topology.cluster();
        let what_nodes_are = if cluster.is_some() { "places" } else { "leaves" };
        let mut names = Names { cluster, number_in_level: vec![0; groups.len()], what_nodes_are };
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        order.sort_unstable_by_key(|&group| (groups.group(group).nodes.start, group));
        let levels = groups.level_names().len();
        let (mut in_host, mut in_all) = (vec![0; levels], vec![0; levels]);
        let mut last_host = None;
        for group in order {
            let host = names.host_around(groups, group);
            if host.is_some() && host != last_host {
                in_host.fill(0);
                last_host = host;
            }
            let seen = if host.is_some() { &mut in_host } else { &mut in_all };
            let level = &mut seen[groups.group(group).level as usize];
            names.number_in_level[group as usize] = *level;
            *level += 1;
        }
        names
    }

    fn host_of_node(&self, node: u32) -> Option<u32> {
        Some(self.cluster?.places().get(node as usize)?.host)
    }

    /// The host that a group is a part of; `None` for hosts themselves and the groups around them.
    fn host_around(&self, groups: &Groups, group: u32) -> Option<u32> {
        let host = self.host_of_node(groups.group(group).nodes.start)?;
        // Outer groups have lower numbers.
        (group > *self.cluster?.host_groups().get(host as usize)?).then_some(host)
    }

    fn host_name(&self, host: u32) -> &str {
        let hosts = self.cluster.map(|cluster| &cluster.description().hosts);
        hosts.and_then(|hosts| hosts.get(host as usize)).map_or("", |host| &host.name)
    }

    /// The host that a group stands for: the one with exactly the same nodes.
    fn is_host(&self, groups: &Groups, group: u32) -> Option<u32> {
        let nodes = groups.group(group).nodes.clone();
        let host = self.host_of_node(nodes.start)?;
        let whole = groups.group(*self.cluster?.host_groups().get(host as usize)?).nodes.clone();
        (whole == nodes).then_some(host)
    }

    /// The same in as few letters as possible.
    pub fn label(&self, groups: &Groups, number: u32) -> String {
        let group = groups.group(number);
        let place =
            self.cluster.and_then(|cluster| cluster.places().get(group.nodes.start as usize));
        match (group.children.is_empty(), place) {
            (_, Some(_)) if self.is_host(groups, number).is_some() => self
                .host_of_node(group.nodes.start)
                .map_or("", |host| self.host_name(host))
                .to_string(),
            (true, Some(place)) => {
                place.core.or(place.gpu).unwrap_or(group.nodes.start).to_string()
            }
            (true, None) => group.nodes.start.to_string(),
            (false, _) => self.number_in_level[number as usize].to_string(),
        }
    }

    /// `leaf 17`, `core 3 of n04`, `host n04`, `switch1 with n01 to n08`, `group 3 of level 1`.
    pub fn name(&self, groups: &Groups, number: u32) -> String {
        let group = groups.group(number);
        let level = &groups.level_names()[group.level as usize];
        let which = self.number_in_level[number as usize];
        let nodes = group.nodes.clone();
        let is_leaf = group.children.is_empty();
        let Some(cluster) = self.cluster else {
            return match is_leaf {
                true => format!("{level} {}", nodes.start),
                false => {
                    let leaves = run_of("leaf", nodes).replace("leafs", "leaves");
                    format!("group {which} of {level} ({leaves})")
                }
            };
        };
        if is_leaf {
            let Some(place) = cluster.places().get(nodes.start as usize) else {
                return format!("{level} {}", nodes.start);
            };
            if !cluster.description().seats.is_empty() {
                return format!("{} of {}", place.cpus_in_words(), self.host_name(place.host));
            }
            let number = match cluster.description().place {
                ObjectKind::Core => place.core.unwrap_or(which),
                ObjectKind::Gpu => place.gpu.unwrap_or(which),
                ObjectKind::Thread => place.cpus.first().copied().unwrap_or(which),
                _ => which,
            };
            return format!("{level} {number} of {}", self.host_name(place.host));
        }
        if let Some(host) = self.is_host(groups, number) {
            return format!("host {}", self.host_name(host));
        }
        if let Some(host) = self.host_around(groups, number) {
            return format!("{level} {which} of {}", self.host_name(host));
        }
        let host_at = |node| self.host_of_node(node).map_or("", |host| self.host_name(host));
        format!("{level} with {} to {}", host_at(nodes.start), host_at(nodes.end - 1))
    }
}
