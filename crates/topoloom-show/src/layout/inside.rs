//! What is inside one host: parts in parts, the ranks in them, adapters, and what crosses their
//! boundaries.

use topoloom_core::cluster::Device;
use topoloom_core::statistics::link_loads;
use topoloom_core::topology::{Cluster, Groups};
use topoloom_core::{LinkId, Machine, Mapping, Problem, Topology};

use super::nested::{Crossings, crossings, names::Names};

/// A host as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnHost {
    /// What it is called.
    pub name: String,
    /// Its parts: the whole host first, outer parts before inner ones.
    pub parts: Vec<HostPart>,
    /// Its adapters.
    pub adapters: Vec<HostAdapter>,
    /// What the places are: `core`, `GPU`, `thread`.
    pub place: String,
}

/// A part of a host: a package, a cache with what shares it, a core.
#[derive(Debug, Clone, PartialEq)]
pub struct HostPart {
    /// What it is, such as `package 0`. Parts with the same content are one, with both names.
    pub name: String,
    /// The parts in it; none for a place.
    pub parts: Vec<u32>,
    /// The loads of its link to what is around it, one for each placement: what leaves it, and what
    /// comes in.
    pub loads: Vec<[f64; 2]>,
    /// The ranks in a place, one list for each placement.
    pub ranks: Vec<Vec<u32>>,
}

/// An adapter of a host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostAdapter {
    /// What it is called.
    pub name: String,
    /// The switches that it is cabled to.
    pub to: Vec<String>,
    /// What it sends and what it receives, one for each placement.
    pub loads: Vec<[f64; 2]>,
}

impl DrawnHost {
    /// A host without any loads; none if the machine has no such host.
    pub fn of(machine: &Machine, host: u32) -> Option<DrawnHost> {
        drawn(machine, None, &[], host)
    }

    /// A host under placements of one problem.
    pub fn under(problem: &Problem, mappings: &[&Mapping], host: u32) -> Option<DrawnHost> {
        drawn(problem.machine(), Some(problem), mappings, host)
    }

    /// The number of a host by its name.
    pub fn number(machine: &Machine, name: &str) -> Option<u32> {
        let hosts = &machine.topology().cluster()?.description().hosts;
        hosts.iter().position(|host| host.name == name).map(|number| number as u32)
    }

    /// The host that exchanges most with others under a placement, or with the most inside it if
    /// there is only one; the first of several.
    pub fn busiest(problem: &Problem, mapping: &Mapping) -> Option<u32> {
        let cluster = problem.machine().topology().cluster()?;
        let crossed = crossings(cluster.tree(), problem, &mapping.nodes());
        let of_host = |&group: &u32| crossed.out[group as usize] + crossed.into[group as usize];
        let all = cluster.host_groups().iter().map(of_host).enumerate();
        let most = all.reduce(|best, next| if next.1 > best.1 { next } else { best });
        most.map(|(host, _)| host as u32)
    }

    /// How many placements it is drawn under.
    pub fn placements(&self) -> usize {
        self.parts.first().map_or(0, |whole| whole.loads.len())
    }

    /// The largest load of one direction, under any placement.
    pub fn most(&self) -> f64 {
        let parts = self.parts.iter().flat_map(|part| &part.loads);
        let all = parts.chain(self.adapters.iter().flat_map(|adapter| &adapter.loads));
        all.flatten().copied().fold(0.0, f64::max)
    }
}

fn drawn(
    machine: &Machine,
    problem: Option<&Problem>,
    mappings: &[&Mapping],
    host: u32,
) -> Option<DrawnHost> {
    let topology = machine.topology();
    let cluster = topology.cluster()?;
    let name = cluster.description().hosts.get(host as usize)?.name.clone();
    let root = *cluster.host_groups().get(host as usize)?;
    let nodes: Vec<Vec<u32>> = mappings.iter().map(|mapping| mapping.nodes()).collect();
    let crossed: Vec<Crossings> = match problem {
        Some(problem) => {
            nodes.iter().map(|nodes| crossings(cluster.tree(), problem, nodes)).collect()
        }
        None => Vec::new(),
    };
    let inside = cluster.tree().group(root).nodes.clone();
    let ranks: Vec<Vec<(u32, u32)>> = nodes
        .iter()
        .map(|nodes| {
            let on_nodes = nodes.iter().copied().zip(0u32..);
            let mut here: Vec<(u32, u32)> =
                on_nodes.filter(|(node, _)| inside.contains(node)).collect();
            here.sort_unstable();
            here
        })
        .collect();
    let names = Names::of(topology, cluster.tree());
    let mut builder = Builder {
        groups: cluster.tree(),
        names: &names,
        host: &name,
        crossed: &crossed,
        ranks: &ranks,
        parts: Vec::new(),
    };
    builder.add(root);
    let parts = builder.parts;
    let place = cluster.description().place.to_string();
    let adapters = adapters(topology, cluster, problem, mappings, host);
    Some(DrawnHost { name, parts, adapters, place })
}

struct Builder<'a> {
    groups: &'a Groups,
    names: &'a Names<'a>,
    host: &'a str,
    crossed: &'a [Crossings],
    ranks: &'a [Vec<(u32, u32)>],
    parts: Vec<HostPart>,
}

impl Builder<'_> {
    /// Adds a group with all that is in it, and returns its number. Groups are as deep as kinds of
    /// parts are.
    fn add(&mut self, group: u32) -> u32 {
        let mut names = vec![self.name(group)];
        let mut inner = group;
        // A part that contains only one part is merged with it.
        while self.groups.group(inner).children.len() == 1 {
            inner = self.groups.group(inner).children.start;
            names.push(self.name(inner));
        }
        names.dedup();
        let children = self.groups.group(inner).children.clone();
        let node = self.groups.group(inner).nodes.start;
        let ranks_at = |ranks: &Vec<(u32, u32)>| {
            let first = ranks.partition_point(|&(at, _)| at < node);
            ranks[first..]
                .iter()
                .take_while(|&&(at, _)| at == node)
                .map(|&(_, rank)| rank)
                .collect()
        };
        let is_place = children.is_empty();
        // A place is known by its innermost name, unless it is a whole host.
        if is_place && self.parts.is_empty() {
            names.truncate(1);
        } else if is_place {
            names.drain(..names.len() - 1);
        }
        let part = HostPart {
            name: names.join(", "),
            parts: Vec::new(),
            loads: self
                .crossed
                .iter()
                .map(|crossed| [crossed.out[group as usize], crossed.into[group as usize]])
                .collect(),
            ranks: match is_place {
                true => self.ranks.iter().map(ranks_at).collect(),
                false => vec![Vec::new(); self.ranks.len()],
            },
        };
        let number = self.parts.len() as u32;
        self.parts.push(part);
        let inside: Vec<u32> = children.map(|child| self.add(child)).collect();
        self.parts[number as usize].parts = inside;
        number
    }

    /// The name of a group without that of its host.
    fn name(&self, group: u32) -> String {
        let name = self.names.name(self.groups, group);
        match name.strip_suffix(self.host).and_then(|rest| rest.strip_suffix(" of ")) {
            Some(short) => short.to_string(),
            None => name,
        }
    }
}

fn adapters(
    topology: &dyn Topology,
    cluster: &Cluster,
    problem: Option<&Problem>,
    mappings: &[&Mapping],
    host: u32,
) -> Vec<HostAdapter> {
    let Some(wired) = cluster.wired().filter(|wired| wired.network().is_some()) else {
        return Vec::new();
    };
    let wiring = wired.wiring();
    let own = || (0u32..).zip(&wiring.adapters).filter(|(_, adapter)| adapter.host == host);
    let mut found: Vec<HostAdapter> = own()
        .map(|(_, adapter)| HostAdapter {
            name: if adapter.name.is_empty() { "adapter".into() } else { adapter.name.clone() },
            to: Vec::new(),
            loads: vec![[0.0; 2]; mappings.len()],
        })
        .collect();
    let Some((first, _)) = own().next() else { return found };
    // The adapters of a host follow each other.
    let index = |adapter: u32| adapter.checked_sub(first).map(|at| at as usize);
    for cable in &wiring.cables {
        for (end, other) in [(0, 1), (1, 0)] {
            let [end, other] = [cable.ends[end].device, cable.ends[other].device];
            let (Device::Adapter(adapter), Device::Switch(switch)) = (end, other) else { continue };
            let Some(at) = index(adapter).filter(|&at| at < found.len()) else { continue };
            let name = wiring.switches.get(switch as usize).map_or("", |switch| &switch.name[..]);
            if found[at].to.iter().all(|known| known != name) {
                found[at].to.push(name.to_string());
            }
        }
    }
    let Some(problem) = problem else { return found };
    // Two links for each adapter follow those inside hosts: to it, and from it.
    let bound = topology.inner_link_bound();
    for (number, mapping) in mappings.iter().enumerate() {
        for used in link_loads(problem, mapping) {
            let Some(LinkId(at)) = used.id.0.checked_sub(bound).map(LinkId) else { continue };
            let Some(at_adapter) = u32::try_from(at / 2).ok().and_then(index) else { continue };
            if let Some(adapter) = found.get_mut(at_adapter) {
                adapter.loads[number][(at % 2) as usize] += used.load;
            }
        }
    }
    found
}
