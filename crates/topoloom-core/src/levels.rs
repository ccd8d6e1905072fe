//! How much traffic stays at which level of a machine of groups in groups.

use std::collections::{BTreeSet, HashMap};

use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::topology::Groups;

/// The traffic through a level: between places whose smallest common group is of this level.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelWeight {
    /// What the level is called, such as `L2`, `package` or `switch1`.
    pub name: String,
    /// What a unit of weight costs there. A level whose groups differ appears several times.
    pub distance: u32,
    /// How much there is, both directions together.
    pub weight: f64,
}

/// The weight that stays in one place, and the weight that travels through each level of the
/// machine, innermost first; `None` for machines that are not groups in groups.
pub fn weight_by_level(problem: &Problem, mapping: &Mapping) -> Option<Vec<LevelWeight>> {
    let groups = problem.machine().topology().groups()?;
    let group_of_node = groups.group_of_node();
    let nodes = mapping.nodes();
    let mut levels = levels_between_places(&groups);
    let mut place_of = HashMap::new();
    for (place, (level, weight)) in levels.iter().enumerate() {
        place_of.insert((*level, weight.distance), place);
    }
    let mut in_place = 0.0;
    problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
        let [a, b] = [from, to].map(|rank| group_of_node[nodes[rank as usize] as usize]);
        match a == b {
            true => in_place += weight,
            false => {
                let around = groups.group(groups.smallest_around(a, b));
                levels[place_of[&(around.level, around.distance)]].1.weight += weight;
            }
        }
    });
    let place = LevelWeight { name: "same place".to_string(), distance: 0, weight: in_place };
    Some(std::iter::once(place).chain(levels.into_iter().map(|(_, level)| level)).collect())
}

/// The levels that lie between places: those of groups with several parts, nearest first.
fn levels_between_places(groups: &Groups) -> Vec<(u16, LevelWeight)> {
    let several = groups.all().iter().filter(|group| group.children.len() > 1);
    let found: BTreeSet<(u32, u16)> = several.map(|group| (group.distance, group.level)).collect();
    let level = |(distance, level): (u32, u16)| {
        let name = groups.level_names()[level as usize].clone();
        (level, LevelWeight { name, distance, weight: 0.0 })
    };
    found.into_iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::{HopBytes, Objective};
    use crate::{Machine, Run, Weight, parse_pattern, parse_strategy};

    #[test]
    fn levels_add_up_to_hop_bytes() {
        let machine = Machine::parse("tree:2:2:4,distances=1:3:20").unwrap();
        let traffic = parse_pattern("random:ranks=15,degree=4,seed=2").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let random = parse_strategy("random").unwrap();
        let mapping = random.map(&problem, None, &mut Run::new(1)).unwrap();
        let levels = weight_by_level(&problem, &mapping).unwrap();
        let names: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
        assert_eq!(names, ["same place", "level 1", "level 2", "level 3"]);
        let cost: f64 = levels.iter().map(|level| level.weight * f64::from(level.distance)).sum();
        assert_eq!(cost, HopBytes.cost(&problem, &mapping));
        let total: f64 = levels.iter().map(|level| level.weight).sum();
        assert_eq!(total, problem.traffic().total(Weight::Bytes));
    }

    #[test]
    fn boxes_have_no_levels() {
        let machine = Machine::parse("torus:4").unwrap();
        let problem =
            Problem::new(parse_pattern("ring:4").unwrap(), machine, Weight::Bytes).unwrap();
        let mapping = problem.mapping(vec![0, 1, 2, 3]).unwrap();
        assert_eq!(weight_by_level(&problem, &mapping), None);
    }
}
