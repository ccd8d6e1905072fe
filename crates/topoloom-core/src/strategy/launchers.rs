//! How launchers distribute ranks over hosts: `block` fills host after host, `round-robin` takes
//! turns.

use std::collections::HashMap;
use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::filling::fill;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::{Spec, SpecError};
use crate::topology::Groups;

/// The registry's entry of [`Block`].
pub static BLOCK: StrategyEntry = StrategyEntry {
    name: "block",
    summary: "fills one host after another, in the order of their list, as launchers do it",
    example: "block",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Block))
    },
};

/// The registry's entry of [`RoundRobin`].
pub static ROUND_ROBIN: StrategyEntry = StrategyEntry {
    name: "round-robin",
    summary: "deals ranks to hosts, or to other parts of the machine, in turn",
    example: "round-robin:chunk=1",
    parameters: &[
        Parameter {
            name: "by",
            default: "hosts",
            summary: "the parts that take turns: a level such as package, or its number in a tree",
        },
        Parameter { name: "chunk", default: "1", summary: "ranks to deal at a time" },
    ],
    build: |spec| Ok(Arc::new(RoundRobin::from_spec(spec)?)),
};

/// Host after host.
#[derive(Debug, Clone, Copy)]
pub struct Block;

impl Strategy for Block {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        _run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        fill(problem, 0..problem.num_ranks() as u32, &slots_by_host(problem.machine()))
    }
}

/// Parts of the machine in turn.
#[derive(Debug, Clone)]
pub struct RoundRobin {
    /// The level whose parts take turns; hosts by default.
    pub by: Option<String>,
    /// How many ranks a part gets at a time.
    pub chunk: u32,
}

impl RoundRobin {
    fn from_spec(spec: &Spec) -> Result<RoundRobin, SpecError> {
        spec.no_shape()?;
        let chunk = spec.get_positive("chunk")?.unwrap_or(1);
        let by: Option<String> = spec.get("by", "a level of the machine, such as package")?;
        Ok(RoundRobin { by, chunk })
    }
}

impl Strategy for RoundRobin {
    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        _run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let machine = problem.machine();
        let parts = parts_of_slots(machine, self.by.as_deref())?;
        let mut left: Vec<std::slice::Iter<'_, u32>> = parts.iter().map(|p| p.iter()).collect();
        let ranks = problem.num_ranks();
        let mut slots = Vec::with_capacity(ranks);
        while slots.len() < ranks {
            for part in &mut left {
                slots.extend(part.by_ref().take(self.chunk as usize));
            }
            left.retain(|part| part.len() > 0);
        }
        slots.truncate(ranks);
        Ok(Mapping::new(slots, machine).expect("each slot is dealt once"))
    }
}

/// The slots, host by host in the order of the list of hosts; on machines without hosts, node by
/// node.
fn slots_by_host(machine: &Machine) -> Vec<u32> {
    let per_node = machine.slots_per_node();
    let Some(cluster) = machine.topology().cluster() else {
        return (0..machine.num_slots() as u32).collect();
    };
    let groups = cluster.tree();
    let nodes = cluster.host_groups().iter().flat_map(|&host| groups.group(host).nodes.clone());
    nodes.flat_map(|node| node * per_node..(node + 1) * per_node).collect()
}

/// The slots of each part that takes a turn. Parts come in the order in which their first slots
/// come host by host, and so do the slots of a part. Nodes outside all parts of that level form
/// their own parts, as large as possible.
fn parts_of_slots(machine: &Machine, by: Option<&str>) -> Result<Vec<Vec<u32>>, NotApplicable> {
    let topology = machine.topology();
    let nodes = machine.num_nodes() as u32;
    let groups = topology.groups();
    let part_of_node: Vec<u32> = match (groups, by) {
        (Some(groups), by) => {
            let level = match by {
                Some(name) => level_called(&groups, name).ok_or_else(|| {
                    let levels = names_of_levels(&groups).join(", ");
                    no_level(machine, name, &levels)
                })?,
                None if topology.cluster().is_some() => {
                    level_called(&groups, "node").expect("hosts are nodes of a cluster")
                }
                // The nodes of a wired machine are hosts; a plain tree has its hosts below its
                // root.
                None if topology.is_wired() => groups.group(groups.group_of_node()[0]).level,
                None => groups.group(groups.group(0).children.start).level,
            };
            part_of_each_node(&groups, level)
        }
        (None, None | Some("node")) => (0..nodes).collect(),
        (None, Some(name)) => {
            return Err(no_level(machine, name, "node"));
        }
    };
    let mut number_of: HashMap<u32, usize> = HashMap::new();
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for slot in slots_by_host(machine) {
        let part = part_of_node[(slot / machine.slots_per_node()) as usize];
        let number = *number_of.entry(part).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[number].push(slot);
    }
    Ok(parts)
}

fn no_level(machine: &Machine, name: &str, levels: &str) -> NotApplicable {
    NotApplicable(format!("{} has no level \"{name}\"; it has {levels}", machine.spec()))
}

/// The levels that exist on a machine, outermost first.
fn levels_there(groups: &Groups) -> Vec<u16> {
    let mut levels: Vec<u16> = groups.all().iter().map(|group| group.level).collect();
    levels.sort_unstable();
    levels.dedup();
    levels.reverse();
    levels
}

fn names_of_levels(groups: &Groups) -> Vec<String> {
    let name = |level: &u16| groups.level_names()[*level as usize].clone();
    levels_there(groups).iter().map(name).collect()
}

/// The level that `name` means; `2` is short for `level 2`.
fn level_called(groups: &Groups, name: &str) -> Option<u16> {
    levels_there(groups).into_iter().find(|&level| {
        let known = groups.level_names()[level as usize].as_str();
        known.eq_ignore_ascii_case(name) || known.strip_prefix("level ") == Some(name)
    })
}

/// For each node, the group of `level` that it is in; if there is none, the largest group around it
/// that contains no group of that level.
fn part_of_each_node(groups: &Groups, level: u16) -> Vec<u32> {
    let mut holds = vec![false; groups.len()];
    for (number, group) in groups.all().iter().enumerate().rev() {
        holds[number] |= group.level == level;
        holds[group.parent as usize] |= holds[number];
    }
    let mut part_of = vec![0; groups.num_nodes()];
    let mut left = vec![0u32];
    while let Some(number) = left.pop() {
        let group = groups.group(number);
        if group.level == level || !holds[number as usize] {
            part_of[group.nodes.start as usize..group.nodes.end as usize].fill(number);
        } else {
            left.extend(group.children.clone());
        }
    }
    part_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{
        Costs, Description, Hardware, Host, Network, Object, ObjectKind, SwitchGroup,
    };
    use crate::topology::Cluster;
    use crate::{Weight, parse_pattern, parse_strategy};

    /// Hosts a and c on the left switch, b on the right one: a and b have two packages of two
    /// cores, c has three cores and no packages. Places: a 0 to 3, c 4 to 6, b 7 to 10.
    fn cluster() -> Machine {
        let core = |cpu| {
            let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
            Object::new(ObjectKind::Core, Some(cpu), vec![thread])
        };
        let package =
            |at| Object::new(ObjectKind::Package, Some(at), vec![core(2 * at), core(2 * at + 1)]);
        let node = Object::new(ObjectKind::Node, None, vec![package(0), package(1)]);
        let kinds = [node, Object::flat_node(3)].map(|node| Hardware::new(None, node)).to_vec();
        let group = |name: &str| SwitchGroup { name: name.into(), parent: None, level: 1 };
        let groups = vec![group("left"), group("right")];
        let network =
            Network { groups, hosts: Vec::new(), switches: 2, links: 0, wiring: None, named: None };
        let host = |name: &str, kind, group| Host {
            name: name.into(),
            kind,
            slots: None,
            group: Some(group),
        };
        let hosts = vec![host("a", 0, 0), host("b", 0, 1), host("c", 1, 0)];
        let costs = Costs::default();
        let place = ObjectKind::Core;
        let cluster =
            Cluster::new(Description { kinds, network, hosts, costs, place, seats: Vec::new() })
                .unwrap();
        Machine::with_topology("cluster:abc.json", Arc::new(cluster)).unwrap()
    }

    fn slots(strategy: &str, ranks: u32, machine: Machine) -> Result<Vec<u32>, String> {
        let traffic = parse_pattern(&format!("ring:{ranks}")).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let mapping = parse_strategy(strategy).unwrap().map(&problem, None, &mut Run::new(1));
        mapping.map(|mapping| mapping.slots().to_vec()).map_err(|reason| reason.0)
    }

    fn on(machine: &str) -> Machine {
        Machine::parse(machine).unwrap()
    }

    #[test]
    fn hosts_are_filled_or_take_turns_in_the_order_of_the_list() {
        assert_eq!(slots("block", 11, cluster()).unwrap(), [0, 1, 2, 3, 7, 8, 9, 10, 4, 5, 6]);
        assert_eq!(
            slots("round-robin", 11, cluster()).unwrap(),
            [0, 7, 4, 1, 8, 5, 2, 9, 6, 3, 10]
        );
        assert_eq!(
            slots("round-robin:chunk=2", 11, cluster()).unwrap(),
            [0, 1, 7, 8, 4, 5, 2, 3, 9, 10, 6]
        );
    }

    #[test]
    fn any_level_takes_turns() {
        // Packages of a and b; c has none and is one part as a whole.
        assert_eq!(
            slots("round-robin:by=package", 11, cluster()).unwrap(),
            [0, 2, 7, 9, 4, 1, 3, 8, 10, 5, 6]
        );
        assert_eq!(
            slots("round-robin:by=switch1", 11, cluster()).unwrap(),
            [0, 7, 1, 8, 2, 9, 3, 10, 4, 5, 6]
        );
        let error = slots("round-robin:by=numa", 11, cluster()).unwrap_err();
        let levels = "switch2, switch1, node, package, core";
        assert_eq!(error, format!("cluster:abc.json has no level \"numa\"; it has {levels}"));
    }

    #[test]
    fn trees_have_numbered_levels_and_other_machines_nodes() {
        let tree = "tree:2:2:2,distances=1:2:4";
        assert_eq!(slots("round-robin", 8, on(tree)).unwrap(), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert_eq!(slots("round-robin:by=1", 8, on(tree)).unwrap(), [0, 2, 4, 6, 1, 3, 5, 7]);
        let error = slots("round-robin:by=5", 8, on(tree)).unwrap_err();
        assert!(error.ends_with("it has level 3, level 2, level 1, leaf"), "{error}");
        assert_eq!(slots("round-robin", 4, on("mesh:3,slots=2")).unwrap(), [0, 2, 4, 1]);
        assert_eq!(slots("block", 4, on("mesh:3,slots=2")).unwrap(), [0, 1, 2, 3]);
        let error = slots("round-robin:by=package", 4, on("mesh:3,slots=2")).unwrap_err();
        assert_eq!(error, "mesh:3,slots=2 has no level \"package\"; it has node");
        let nodes = slots("round-robin", 4, on("fat-tree:levels=2,down=2:2,up=2,slots=2"));
        assert_eq!(nodes.unwrap(), [0, 2, 4, 6]);
    }
}
