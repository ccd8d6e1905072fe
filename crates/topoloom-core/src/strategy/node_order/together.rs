//! Groups that must not be cut: each stays inside one host, NVLink domain or switch.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::blocks::{BlockProblem, Blocks};
use crate::cluster::{Costs, Level, NVLINK_LEVEL, ObjectKind};
use crate::machine::Machine;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;
use crate::run::Run;
use crate::spec::SpecError;
use crate::strategy::definition::{NotApplicable, Strategy};
use crate::topology::Cluster;
use crate::traffic::Weight;
use crate::words::counted;

/// Groups of a kind that must stay inside a part of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Together {
    /// The kind of groups, such as `ep`.
    pub kind: String,
    /// What they must stay inside.
    pub level: Level,
}

impl Together {
    /// Reads `tp/node+ep/nvlink`.
    pub fn parse_all(text: &str) -> Result<Vec<Together>, SpecError> {
        text.split('+').map(Together::parse).collect()
    }

    /// Reads `ep/nvlink`.
    pub fn parse(text: &str) -> Result<Together, SpecError> {
        let wrong = || {
            SpecError::new(format!(
                "expected groups and a part of the machine, such as ep/nvlink, found \"{text}\""
            ))
        };
        let (kind, level) = text.trim().split_once('/').ok_or_else(wrong)?;
        let level: Level =
            level.trim().parse().map_err(|error| SpecError::new(format!("{text}: {error}")))?;
        let whole = matches!(level, Level::Part(ObjectKind::Node) | Level::Switch(_));
        match whole && !kind.trim().is_empty() {
            true => Ok(Together { kind: kind.trim().to_string(), level }),
            false => Err(SpecError::new(format!(
                "expected node, nvlink, switch1, ... after the slash, found \"{text}\""
            ))),
        }
    }
}

/// Sets of blocks that must stay inside one part, all of the same size.
pub(super) struct Units {
    /// The unit of each block.
    unit_of: Vec<u32>,
    /// The blocks of each unit.
    blocks: Vec<Vec<u32>>,
    /// The part of each host.
    part_of_host: Vec<u32>,
}

/// The sets of blocks that groups make up; none if every block may be anywhere.
pub(super) fn units(
    together: &[Together],
    problem: &Problem,
    blocks: &Blocks,
) -> Result<Option<Units>, NotApplicable> {
    let mut highest = None;
    let mut unit_of: Vec<u32> = (0..blocks.count).collect();
    for wanted in together {
        let step = problem.traffic().step();
        let kind = step.and_then(|step| step.kind(&wanted.kind)).ok_or_else(|| {
            let known: Vec<&str> = step
                .map(|step| step.kinds.iter().map(|kind| &kind.name[..]).collect())
                .unwrap_or_default();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            NotApplicable(format!("the traffic has no groups \"{}\"; it has {known}", wanted.kind))
        })?;
        for group in &kind.groups {
            let first = blocks.block_of(group.member(0));
            for number in 1..group.size() {
                let other = blocks.block_of(group.member(number));
                if other == first {
                    continue;
                }
                if wanted.level == Level::Part(ObjectKind::Node) {
                    return Err(NotApplicable(format!(
                        "{} groups of {} cannot stay inside hosts of {}: ranks {} and {} are on \
                         different hosts",
                        wanted.kind,
                        counted(group.size(), "rank"),
                        counted(blocks.size, "place"),
                        group.member(0),
                        group.member(number)
                    )));
                }
                unite(&mut unit_of, first, other);
            }
        }
        if let Level::Switch(level) = wanted.level {
            highest = highest.max(Some(level));
        }
    }
    let Some(level) = highest else { return Ok(None) };
    let mut units: Vec<Vec<u32>> = Vec::new();
    let mut number = vec![u32::MAX; blocks.count as usize];
    for block in 0..blocks.count {
        let root = root(&mut unit_of, block) as usize;
        if number[root] == u32::MAX {
            number[root] = units.len() as u32;
            units.push(Vec::new());
        }
        units[number[root] as usize].push(block);
    }
    let unit_of =
        (0..blocks.count).map(|block| number[root(&mut unit_of, block) as usize]).collect();
    let part_of_host = parts(blocks, level)?;
    let units = Units { unit_of, blocks: units, part_of_host };
    units.check(together, level)?;
    Ok(Some(units))
}

fn root(parent: &mut [u32], block: u32) -> u32 {
    let mut at = block;
    while parent[at as usize] != at {
        parent[at as usize] = parent[parent[at as usize] as usize];
        at = parent[at as usize];
    }
    at
}

fn unite(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

/// The part of each host at a level of switches.
fn parts(blocks: &Blocks, level: u32) -> Result<Vec<u32>, NotApplicable> {
    let name = Costs::switch_name(level);
    let known = blocks.machine.topology().cluster().map(|cluster| {
        let groups = cluster.description().network.groups.iter();
        groups.map(|group| group.level).collect::<BTreeSet<u32>>()
    });
    if let Some(known) = known.filter(|known| !known.contains(&level)) {
        let names = known.iter().map(|&level| Costs::switch_name(level));
        let names: Vec<String> = std::iter::once("node".to_string()).chain(names).collect();
        return Err(NotApplicable(format!(
            "the machine has no {name}; it has {}",
            names.join(", ")
        )));
    }
    if level == NVLINK_LEVEL {
        return Ok(blocks.domains.clone());
    }
    let cluster = blocks.machine.topology().cluster();
    let cluster = cluster
        .ok_or_else(|| NotApplicable(format!("the machine has no {name}: it has no hosts")))?;
    let description = cluster.description();
    let groups = &description.network.groups;
    let hosts = description.hosts.len() as u32;
    let part = |host: u32| {
        let mut at = description.hosts[host as usize].group;
        while let Some(group) = at.filter(|&group| groups[group as usize].level < level) {
            at = groups[group as usize].parent;
        }
        // Without switches of that level, a host is by itself.
        let found = at.filter(|&group| groups[group as usize].level == level);
        found.map_or(host, |group| hosts + group)
    };
    Ok(cluster.places().iter().map(|place| part(place.host)).collect())
}

impl Units {
    /// Blocks of a unit, of which all have the same number.
    fn size(&self) -> usize {
        self.blocks.iter().map(Vec::len).max().unwrap_or(1)
    }

    /// Parts with their hosts, in the order of hosts.
    fn hosts_of_parts(&self) -> Vec<Vec<u32>> {
        let mut parts: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut place = std::collections::HashMap::new();
        for (host, &part) in (0..).zip(&self.part_of_host) {
            let at = *place.entry(part).or_insert_with(|| {
                parts.push((part, Vec::new()));
                parts.len() - 1
            });
            parts[at].1.push(host);
        }
        parts.into_iter().map(|(_, hosts)| hosts).collect()
    }

    /// Rooms for whole units: consecutive hosts of a part.
    fn rooms(&self) -> Vec<Vec<u32>> {
        let size = self.size();
        let parts = self.hosts_of_parts();
        let whole = parts.iter().flat_map(|hosts| hosts.chunks_exact(size));
        whole.map(<[u32]>::to_vec).collect()
    }

    fn check(&self, together: &[Together], level: u32) -> Result<(), NotApplicable> {
        let size = self.size();
        if self.blocks.iter().any(|unit| unit.len() != size) {
            return Err(NotApplicable(
                "groups that must stay together take different numbers of hosts".to_string(),
            ));
        }
        let rooms = self.rooms().len();
        if rooms < self.blocks.len() {
            let kinds: Vec<&str> = together.iter().map(|wanted| &wanted.kind[..]).collect();
            let parts = self.hosts_of_parts();
            let largest = parts.iter().map(Vec::len).max().unwrap_or(0);
            return Err(NotApplicable(format!(
                "{} cannot stay inside {}: the job needs room for {} of {}, and {} of up to {} have room \
                 for {}",
                kinds.join(" and "),
                Costs::switch_name(level),
                counted(self.blocks.len(), "set"),
                counted(size, "host"),
                counted(parts.len(), "part"),
                counted(largest, "host"),
                rooms
            )));
        }
        Ok(())
    }

    /// Whether a mapping keeps every unit inside one part.
    pub(super) fn allow(&self, blocks: &Blocks, mapping: &Mapping) -> bool {
        let part = |block: &u32| {
            let slot = mapping.slots()[(block * blocks.size) as usize];
            self.part_of_host[blocks.host_of_slot(slot) as usize]
        };
        self.blocks.iter().all(|unit| unit.iter().all(|block| part(block) == part(&unit[0])))
    }

    /// Whether two blocks, or a block and a free host, may be exchanged: both stay in the part where
    /// they are.
    pub(super) fn may_exchange(&self, placement: &Placement, a: u32, b: u32) -> bool {
        let part = |block: u32| self.part_of_host[placement.node_of(block) as usize];
        part(a) == part(b)
    }

    /// Puts whole units into rooms, and the blocks of a unit into the hosts of its room.
    pub(super) fn place(
        &self,
        blocks: &Blocks,
        small: &BlockProblem,
        on_hosts: &dyn Strategy,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let not = |error: &dyn std::fmt::Display| NotApplicable(error.to_string());
        let rooms = self.rooms();
        let first: Vec<u32> = rooms.iter().map(|room| room[0]).collect();
        let machine = match blocks.machine.topology().cluster() {
            Some(cluster) => {
                let places = cluster.places();
                let mut hosts: Vec<u32> =
                    first.iter().map(|&node| places[node as usize].host).collect();
                hosts.sort_unstable();
                let description = cluster.description().clone().with_hosts(&hosts);
                let seats = Cluster::new(description).map_err(|error| not(&error))?;
                // Nodes of the new machine by the host that they are.
                let room_of: Vec<u32> = seats
                    .places()
                    .iter()
                    .map(|place| {
                        let host = hosts[place.host as usize];
                        let at = first.iter().position(|&node| places[node as usize].host == host);
                        at.expect("its first host") as u32
                    })
                    .collect();
                let machine = Machine::with_topology("cluster:rooms", Arc::new(seats));
                Some((machine.map_err(|error| not(&error))?, room_of))
            }
            None => None,
        };
        let room_of_unit: Vec<u32> = match machine {
            Some((machine, room_of)) => {
                let traffic =
                    small.frozen.traffic().contracted(&self.unit_of, self.blocks.len() as u32);
                let problem = Problem::new(traffic, machine, Weight::Bytes);
                let problem = problem.map_err(|error| not(&error))?;
                let placed = on_hosts.map(&problem, None, run)?;
                placed.slots().iter().map(|&node| room_of[node as usize]).collect()
            }
            None => (0..self.blocks.len() as u32).collect(),
        };
        let mut host_of_block = vec![0; self.unit_of.len()];
        for (unit, &room) in self.blocks.iter().zip(&room_of_unit) {
            for (&block, &host) in unit.iter().zip(&rooms[room as usize]) {
                host_of_block[block as usize] = host;
            }
        }
        small.frozen.mapping(host_of_block).map_err(|error| not(&error))
    }
}
