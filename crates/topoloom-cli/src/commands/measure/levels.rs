//! The levels of a machine, and pairs of places that stand for them.

use std::collections::BTreeMap;

use topoloom::core::cluster::{Costs, NVLINK_LEVEL, ObjectKind};
use topoloom::core::topology::Cluster;

/// Pairs of one level that are measured: the first, the last and one between.
const MOST_PAIRS: usize = 3;

/// A level of a machine by its name: `L3`, `node`, `switch1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    pub name: String,
}

impl Level {
    /// The cost of sending across it.
    pub fn cost(&self, costs: &Costs) -> u32 {
        match (Costs::switch_level(&self.name), self.name.parse::<ObjectKind>()) {
            (Some(level), _) => costs.switch(level),
            (None, Ok(kind)) => costs.inside(kind),
            (None, Err(_)) => 0,
        }
    }
}

/// Pairs whose smallest common part is of this level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairs {
    pub level: Level,
    pub pairs: Vec<(u32, u32)>,
}

/// The levels that separate places of a machine, innermost first.
pub fn levels(cluster: &Cluster) -> Vec<Level> {
    let tree = cluster.tree();
    let parting = tree.all().iter().filter(|group| group.children.len() > 1);
    let mut found: Vec<u16> = parting.map(|group| group.level).collect();
    found.sort_unstable();
    found.dedup();
    let level = |at: u16| Level { name: tree.level_names()[at as usize].clone() };
    found.into_iter().map(level).collect()
}

/// Levels of switches that get a cost even if a machine has fewer.
const SWITCH_LEVELS: u32 = 4;

/// Every level that separates places of a machine, or would if it were joined with others,
/// innermost first.
pub fn every_level(cluster: &Cluster) -> Vec<Level> {
    // Most machines have no NVLink between hosts. Its cost is not derived from that of others.
    let nvlink = Costs::switch_name(NVLINK_LEVEL);
    let has_nvlink = levels(cluster).iter().any(|level| level.name == nvlink);
    let is_part = |name: &&String| {
        !["thread", "gpu"].contains(&name.as_str()) && (**name != nvlink || has_nvlink)
    };
    let mut names: Vec<String> =
        cluster.tree().level_names().iter().filter(is_part).cloned().collect();
    for name in (1..=SWITCH_LEVELS).map(Costs::switch_name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| Level { name }).collect()
}

/// A few pairs for each level, innermost first, of the occupants that `occupied` lists for the
/// machine's places.
pub fn pairs(cluster: &Cluster, occupied: &[Option<u32>]) -> Vec<Pairs> {
    let tree = cluster.tree();
    let mut first: Vec<Option<u32>> = vec![None; tree.len()];
    let mut found: BTreeMap<u16, Vec<(u32, u32)>> = BTreeMap::new();
    // Inner groups have higher numbers.
    for (number, group) in tree.all().iter().enumerate().rev() {
        if group.children.is_empty() {
            first[number] = occupied[group.nodes.start as usize];
            continue;
        }
        let mut inside = group.children.clone().filter_map(|child| first[child as usize]);
        let (low, high) = (inside.next(), inside.next_back());
        first[number] = low;
        found.entry(group.level).or_default().extend(low.zip(high));
    }
    let of_level = |(level, mut all): (u16, Vec<(u32, u32)>)| {
        all.reverse();
        let count = all.len().min(MOST_PAIRS);
        let at = |number: usize| all[number * (all.len() - 1) / (count - 1).max(1)];
        Pairs {
            level: Level { name: tree.level_names()[level as usize].clone() },
            pairs: (0..count).map(at).collect(),
        }
    };
    found.into_iter().filter(|(_, all)| !all.is_empty()).map(of_level).collect()
}

/// Leaves out pairs whose level is not certain: pairs inside a node of ranks that may run anywhere
/// on it.
pub fn only_known(
    pairs: Vec<Pairs>,
    cluster: &Cluster,
    is_bound: &dyn Fn(u32) -> bool,
) -> Vec<Pairs> {
    let names = cluster.tree().level_names();
    let first_switch = names.iter().position(|name| Costs::switch_level(name).is_some());
    let is_inside =
        |level: &Level| names.iter().position(|name| *name == level.name) < first_switch;
    let keep = |mut one: Pairs| {
        if is_inside(&one.level) {
            one.pairs.retain(|&(a, b)| is_bound(a) && is_bound(b));
        }
        (!one.pairs.is_empty()).then_some(one)
    };
    pairs.into_iter().filter_map(keep).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use topoloom::core::cluster::{Description, Hardware, Host, Network, Object};

    /// Two hosts with two packages of two cores each, joined by a switch.
    pub fn two_hosts() -> Cluster {
        let core = |index| {
            let thread = Object::new(ObjectKind::Thread, Some(index), Vec::new());
            Object::new(ObjectKind::Core, Some(index), vec![thread])
        };
        let package = |index| {
            let cores = vec![core(2 * index), core(2 * index + 1)];
            Object::new(ObjectKind::Package, Some(index), cores)
        };
        let node = Object::new(ObjectKind::Node, None, vec![package(0), package(1)]);
        let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
        Cluster::new(Description {
            kinds: vec![Hardware::new(None, node)],
            network: Network::default(),
            hosts: vec![host("a"), host("b")],
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats: Vec::new(),
        })
        .unwrap()
    }

    #[test]
    fn each_level_has_pairs_that_part_there() {
        let cluster = two_hosts();
        let names: Vec<String> = levels(&cluster).into_iter().map(|level| level.name).collect();
        assert_eq!(names, ["package", "node", "switch1"]);
        let every: Vec<String> =
            every_level(&cluster).into_iter().map(|level| level.name).collect();
        assert_eq!(every[..2], ["core", "L1"]);
        assert_eq!(every[every.len() - 5..], ["node", "switch1", "switch2", "switch3", "switch4"]);
        let everybody: Vec<Option<u32>> = (0..8).map(Some).collect();
        let found = pairs(&cluster, &everybody);
        let found: Vec<(&str, &[(u32, u32)])> =
            found.iter().map(|level| (&level.level.name[..], &level.pairs[..])).collect();
        assert_eq!(
            found,
            [
                // The first, the second and the last of four packages.
                ("package", &[(0, 1), (2, 3), (6, 7)][..]),
                ("node", &[(0, 2), (4, 6)][..]),
                ("switch1", &[(0, 4)][..]),
            ]
        );
    }

    #[test]
    fn only_places_with_ranks_are_paired() {
        let cluster = two_hosts();
        let mut occupied = vec![None; 8];
        (occupied[1], occupied[3], occupied[7]) = (Some(10), Some(11), Some(12));
        let found = pairs(&cluster, &occupied);
        assert_eq!(found.len(), 2);
        assert_eq!((&found[0].level.name[..], &found[0].pairs[..]), ("node", &[(10, 11)][..]));
        assert_eq!((&found[1].level.name[..], &found[1].pairs[..]), ("switch1", &[(10, 12)][..]));
        // A rank that is not bound may be anywhere on its host.
        let known = only_known(found, &cluster, &|rank| rank != 11);
        assert_eq!(known.len(), 1);
        assert_eq!(known[0].level.name, "switch1");
    }
}
