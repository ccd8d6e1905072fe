//! The machine's own hierarchy: the parts it consists of, slowest level first.

use std::ops::Range;
use std::sync::Arc;

use crate::ids::Vertex;
use crate::topology::{Groups, Topology};

/// A stage halves a box at most this many times: into 8 blocks.
const HALVINGS: u32 = 3;

/// A part of a machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Region {
    /// A box of a grid.
    Box { origin: Vec<u32>, lengths: Vec<u32> },
    /// The first `children` groups of level `level` - 1 under a group of level `level`, which
    /// begins at leaf `first`; level 0 is a leaf.
    Group { first: u32, level: usize, children: u32 },
    /// Some groups, in groups that differ in size.
    Groups(Vec<u32>),
    /// Any nodes.
    Nodes(Vec<u32>),
}

/// How a machine is split.
pub struct Hierarchy<'a> {
    topology: &'a dyn Topology,
    fan_out: Option<Vec<u32>>,
    /// Groups of different size, if the levels have no common fan-out.
    groups: Option<Arc<Groups>>,
}

impl<'a> Hierarchy<'a> {
    pub fn new(topology: &'a dyn Topology) -> Self {
        let fan_out = topology.levels();
        let groups = if fan_out.is_some() { None } else { topology.groups() };
        Hierarchy { topology, fan_out, groups }
    }

    /// Whether all blocks of a region are equally far from each other, and from each node outside:
    /// then everything outside is irrelevant.
    pub fn is_tree(&self) -> bool {
        self.fan_out.is_some() || self.groups.is_some()
    }

    fn lengths(&self) -> &[u32] {
        self.topology.grid_lengths().expect("boxes are parts of grids")
    }

    fn fan_out(&self) -> &[u32] {
        self.fan_out.as_deref().expect("groups are parts of trees")
    }

    fn groups(&self) -> &Groups {
        self.groups.as_deref().expect("groups are parts of groups in groups")
    }

    fn nodes_in(&self, group: u32) -> Range<u32> {
        self.groups().group(group).nodes.clone()
    }

    /// A part with room for `enough` nodes, as compact as possible.
    pub fn smallest(&self, enough: usize) -> Region {
        if let Some(fan_out) = &self.fan_out {
            let mut below = 1;
            for (level, &children) in (1..).zip(fan_out) {
                let needed = enough.div_ceil(below);
                if needed <= children as usize || level == fan_out.len() {
                    let children = (needed as u32).min(children);
                    return Region::Group { first: 0, level, children };
                }
                below *= children as usize;
            }
            return Region::Group { first: 0, level: 0, children: 1 };
        }
        if let Some(groups) = &self.groups {
            return Region::Groups(smallest_groups(groups, enough));
        }
        if let Some(lengths) = self.topology.grid_lengths() {
            return smallest_box(lengths, enough);
        }
        let centre = Vertex(self.topology.central_node().0);
        let mut nodes: Vec<u32> = (0..self.topology.num_nodes() as u32).collect();
        nodes.sort_by_key(|&node| (self.topology.distance(centre, Vertex(node)), node));
        nodes.truncate(enough.max(1));
        Region::Nodes(nodes)
    }

    /// The nodes of a part.
    pub fn nodes(&self, region: &Region) -> Vec<u32> {
        match region {
            Region::Box { origin, lengths } => {
                let mut nodes = vec![0];
                let mut stride = 1;
                for ((&from, &length), &whole) in origin.iter().zip(lengths).zip(self.lengths()) {
                    nodes = (from..from + length)
                        .flat_map(|at| nodes.iter().map(move |node| node + at * stride))
                        .collect();
                    stride *= whole;
                }
                nodes
            }
            Region::Group { first, .. } => (*first..first + self.size(region) as u32).collect(),
            Region::Groups(groups) => {
                groups.iter().flat_map(|&group| self.nodes_in(group)).collect()
            }
            Region::Nodes(nodes) => nodes.clone(),
        }
    }

    /// The number of nodes of a part.
    pub fn size(&self, region: &Region) -> usize {
        match region {
            Region::Box { lengths, .. } => lengths.iter().map(|&length| length as usize).product(),
            Region::Group { level: 0, .. } => 1,
            Region::Group { level, children, .. } => {
                let below = &self.fan_out()[..level - 1];
                *children as usize * below.iter().map(|&f| f as usize).product::<usize>()
            }
            Region::Groups(groups) => groups.iter().map(|&group| self.nodes_in(group).len()).sum(),
            Region::Nodes(nodes) => nodes.len(),
        }
    }

    /// A node in the middle.
    pub fn centre(&self, region: &Region) -> u32 {
        match region {
            Region::Box { origin, lengths } => {
                let mut node = 0;
                let mut stride = 1;
                for ((&from, &length), &whole) in origin.iter().zip(lengths).zip(self.lengths()) {
                    node += (from + length / 2) * stride;
                    stride *= whole;
                }
                node
            }
            Region::Group { first, .. } => *first,
            Region::Groups(groups) => self.nodes_in(groups[0]).start,
            Region::Nodes(nodes) => nodes[nodes.len() / 2],
        }
    }

    /// The blocks that a stage splits a region into.
    pub fn split(&self, region: &Region) -> Vec<Region> {
        match region {
            Region::Box { .. } => {
                let mut boxes = vec![region.clone()];
                for _ in 0..HALVINGS {
                    boxes = boxes.into_iter().flat_map(halve_box).collect();
                }
                boxes
            }
            Region::Group { level: 0, .. } => vec![region.clone()],
            Region::Group { first, level, children } => {
                let fan_out = self.fan_out();
                let below: u32 = fan_out[..level - 1].iter().product();
                let grandchildren = if *level > 1 { fan_out[level - 2] } else { 1 };
                (0..*children)
                    .map(|child| Region::Group {
                        first: first + child * below,
                        level: level - 1,
                        children: grandchildren,
                    })
                    .collect()
            }
            Region::Groups(groups) => match groups[..] {
                [group] => {
                    let inside = self.groups().group(group).children.clone();
                    match inside.is_empty() {
                        true => vec![region.clone()],
                        false => inside.map(|group| Region::Groups(vec![group])).collect(),
                    }
                }
                _ => groups.iter().map(|&group| Region::Groups(vec![group])).collect(),
            },
            Region::Nodes(nodes) => {
                let mut sets = vec![nodes.clone()];
                for _ in 0..HALVINGS {
                    sets = sets.into_iter().flat_map(|set| self.halve_set(set)).collect();
                }
                sets.into_iter().map(Region::Nodes).collect()
            }
        }
    }

    /// The two halves of a box or a set of nodes; `None` for a single node and for groups.
    pub fn halves(&self, region: &Region) -> Option<[Region; 2]> {
        let halves = match region {
            Region::Box { .. } => halve_box(region.clone()),
            Region::Group { .. } | Region::Groups(_) => Vec::new(),
            Region::Nodes(nodes) => {
                self.halve_set(nodes.clone()).into_iter().map(Region::Nodes).collect()
            }
        };
        halves.try_into().ok()
    }

    /// Halves a set of nodes: those nearer to one of two distant nodes, and the others.
    fn halve_set(&self, mut nodes: Vec<u32>) -> Vec<Vec<u32>> {
        if nodes.len() < 2 {
            return vec![nodes];
        }
        let distance = |a: u32, b: u32| self.topology.distance(Vertex(a), Vertex(b));
        let farthest = |from: u32| {
            let far = |&node: &u32| (distance(from, node), std::cmp::Reverse(node));
            nodes.iter().copied().max_by_key(far).expect("at least two nodes")
        };
        let one = farthest(nodes[0]);
        let other = farthest(one);
        let lean = |node: u32| i64::from(distance(one, node)) - i64::from(distance(other, node));
        nodes.sort_by_key(|&node| (lean(node), node));
        let second = nodes.split_off(nodes.len().div_ceil(2));
        vec![nodes, second]
    }
}

/// The closest group with `enough` nodes, and the smallest of equally close ones. Of its subgroups
/// as few as needed are used, large ones first.
fn smallest_groups(groups: &Groups, enough: usize) -> Vec<u32> {
    let size = |number: u32| groups.group(number).nodes.len();
    let large = (0..groups.len() as u32).filter(|&group| size(group) >= enough);
    let closest = |&group: &u32| (groups.group(group).distance, size(group), u32::MAX - group);
    let smallest = large.min_by_key(closest).unwrap_or(0);
    let mut inside: Vec<u32> = groups.group(smallest).children.clone().collect();
    if inside.is_empty() {
        return vec![smallest];
    }
    inside.sort_by_key(|&group| (usize::MAX - size(group), group));
    let mut room = 0;
    let mut taken: Vec<u32> = inside
        .into_iter()
        .take_while(|&group| {
            let wanted = room < enough;
            room += size(group);
            wanted
        })
        .collect();
    taken.sort_unstable();
    taken
}

/// The most cube-like box with `enough` nodes: the longest side shrinks while it can.
fn smallest_box(lengths: &[u32], enough: usize) -> Region {
    let mut lengths = lengths.to_vec();
    loop {
        let volume: usize = lengths.iter().map(|&length| length as usize).product();
        let fits = |&axis: &usize| {
            let length = lengths[axis] as usize;
            length > 1 && volume / length * (length - 1) >= enough
        };
        let longest = (0..lengths.len()).filter(fits).max_by_key(|&axis| (lengths[axis], axis));
        match longest {
            Some(axis) => lengths[axis] -= 1,
            None => return Region::Box { origin: vec![0; lengths.len()], lengths },
        }
    }
}

/// Halves a box across its longest side; among equals the last one, whose nodes are farthest apart
/// in number.
fn halve_box(region: Region) -> Vec<Region> {
    let Region::Box { origin, lengths } = &region else { return vec![region] };
    let axis = (0..lengths.len()).max_by_key(|&axis| (lengths[axis], axis)).expect("a dimension");
    if lengths[axis] < 2 {
        return vec![region];
    }
    let first = lengths[axis].div_ceil(2);
    let mut halves = [(origin.clone(), lengths.clone()), (origin.clone(), lengths.clone())];
    halves[0].1[axis] = first;
    halves[1].0[axis] += first;
    halves[1].1[axis] -= first;
    halves.map(|(origin, lengths)| Region::Box { origin, lengths }).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    fn sizes_and_nodes(spec: &str, enough: usize) -> (Vec<usize>, Vec<u32>) {
        let machine = Machine::parse(spec).unwrap();
        let hierarchy = Hierarchy::new(machine.topology());
        let whole = hierarchy.smallest(enough);
        let parts = hierarchy.split(&whole);
        let mut nodes: Vec<u32> = parts.iter().flat_map(|part| hierarchy.nodes(part)).collect();
        nodes.sort_unstable();
        let mut all = hierarchy.nodes(&whole);
        all.sort_unstable();
        assert_eq!(nodes, all);
        for part in &parts {
            assert!(hierarchy.nodes(part).contains(&hierarchy.centre(part)));
        }
        (parts.iter().map(|part| hierarchy.size(part)).collect(), nodes)
    }

    #[test]
    fn boxes_are_halved_three_times() {
        assert_eq!(sizes_and_nodes("torus:4x4x4", 64).0, [8; 8]);
        // 5 x 3 is cut across the 5, then the longer halves across theirs.
        assert_eq!(sizes_and_nodes("mesh:5x3", 15).0.iter().sum::<usize>(), 15);
    }

    #[test]
    fn trees_fall_into_the_groups_of_their_highest_level() {
        let spec = "tree:4:8:2,distances=1:10:100";
        assert_eq!(sizes_and_nodes(spec, 64).0, [32, 32]);
        // 9 leaves fit three groups of four.
        let (sizes, nodes) = sizes_and_nodes(spec, 9);
        assert_eq!(sizes, [4, 4, 4]);
        assert_eq!(nodes, (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn groups_of_different_size_are_parts_as_they_are() {
        // 1, 2 and 3 nodes.
        let groups = Groups::new((1u16, 0u32), vec![String::new(); 3], |&(depth, size)| {
            match (depth, size) {
                (1, _) => (vec![(0, 1), (0, 2), (0, 3)], 10, 2),
                (0, size) if size > 0 => (vec![(0, 0); size as usize], 1, 1),
                _ => (Vec::new(), 0, 0),
            }
        });
        let smallest = |enough| -> Vec<usize> {
            let taken = smallest_groups(&groups, enough);
            taken.iter().map(|&group| groups.group(group).nodes.len()).collect()
        };
        assert_eq!(smallest(6), [1, 2, 3]);
        assert_eq!(smallest(5), [2, 3]);
        assert_eq!(smallest(3), [1, 1, 1]);
        assert_eq!(smallest(1), [1]);
    }

    #[test]
    fn few_ranks_get_a_compact_box() {
        let (_, nodes) = sizes_and_nodes("mesh:8x8", 9);
        assert_eq!(nodes, [0, 1, 2, 8, 9, 10, 16, 17, 18]);
    }
}
