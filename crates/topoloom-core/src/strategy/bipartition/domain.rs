//! Parts of a machine that are halved again and again.

use crate::machine::Machine;
use crate::multilevel::{Hierarchy, Region};
use crate::strategy::place_tree::PlaceTree;

/// A part of a machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// Groups of a tree that are in one group.
    Groups(Vec<u32>),
    /// A box, or nodes of any machine.
    Region(Region),
}

/// How a machine is split.
pub struct Domains<'a> {
    tree: Option<PlaceTree>,
    hierarchy: Hierarchy<'a>,
    per_node: usize,
}

impl<'a> Domains<'a> {
    /// A compact part of the machine that has room for `ranks`, and how it is split.
    pub fn new(machine: &'a Machine, ranks: usize) -> (Domains<'a>, Domain) {
        let per_node = machine.slots_per_node() as usize;
        let tree = PlaceTree::part_for(machine, ranks);
        let hierarchy = Hierarchy::new(machine.topology());
        let whole = match &tree {
            Some(_) => Domain::Groups(vec![0]),
            None => Domain::Region(hierarchy.smallest(ranks.div_ceil(per_node))),
        };
        (Domains { tree, hierarchy, per_node }, whole)
    }

    fn tree(&self) -> &PlaceTree {
        self.tree.as_ref().expect("groups are parts of trees")
    }

    /// How many slots are in a part.
    pub fn room(&self, domain: &Domain) -> usize {
        match domain {
            Domain::Groups(groups) => {
                groups.iter().map(|&group| self.tree().kind(group).room).sum()
            }
            Domain::Region(region) => self.hierarchy.size(region) * self.per_node,
        }
    }

    /// The node of a part, if it has only one.
    pub fn single_node(&self, domain: &Domain) -> Option<u32> {
        match domain {
            Domain::Groups(groups) => {
                let group = &self.tree().groups[groups[0] as usize];
                let is_node = groups.len() == 1 && group.children.is_empty();
                is_node.then_some(group.first_slot / self.per_node as u32)
            }
            Domain::Region(region) => {
                (self.hierarchy.size(region) == 1).then(|| self.hierarchy.centre(region))
            }
        }
    }

    /// The halves of a part, as even as possible without cutting a group; `None` for a node.
    pub fn halves(&self, domain: &Domain) -> Option<[Domain; 2]> {
        match domain {
            Domain::Groups(groups) => {
                let mut groups = groups.clone();
                while let [group] = groups[..] {
                    groups = self.tree().groups[group as usize].children.clone().collect();
                }
                (!groups.is_empty()).then(|| self.even_halves(groups).map(Domain::Groups))
            }
            Domain::Region(region) => {
                self.hierarchy.halves(region).map(|halves| halves.map(Domain::Region))
            }
        }
    }

    /// Splits groups into two halves: the largest first, each into the half with less; in order if
    /// all are alike.
    fn even_halves(&self, groups: Vec<u32>) -> [Vec<u32>; 2] {
        let room = |group: u32| self.tree().kind(group).room;
        if groups.iter().all(|&group| room(group) == room(groups[0])) {
            let (first, second) = groups.split_at(groups.len().div_ceil(2));
            return [first.to_vec(), second.to_vec()];
        }
        let mut by_room = groups;
        by_room.sort_by_key(|&group| std::cmp::Reverse(room(group)));
        let mut halves = [Vec::new(), Vec::new()];
        let mut held = [0, 0];
        for group in by_room {
            let side = usize::from(held[1] < held[0]);
            held[side] += room(group);
            halves[side].push(group);
        }
        halves.iter_mut().for_each(|half| half.sort_unstable());
        halves
    }

    /// A node in the middle; of a tree, any node.
    pub fn centre(&self, domain: &Domain) -> u32 {
        match domain {
            Domain::Groups(groups) => {
                self.tree().groups[groups[0] as usize].first_slot / self.per_node as u32
            }
            Domain::Region(region) => self.hierarchy.centre(region),
        }
    }

    /// Some nodes of each half; `None` for halves of a tree, which are equally far from everything
    /// outside.
    pub fn samples(&self, halves: &[Domain; 2], most: usize) -> Option<[Vec<u32>; 2]> {
        let [Domain::Region(one), Domain::Region(other)] = halves else { return None };
        Some([one, other].map(|region| {
            let nodes = self.hierarchy.nodes(region);
            let step = nodes.len().div_ceil(most);
            nodes.into_iter().step_by(step).collect()
        }))
    }
}
