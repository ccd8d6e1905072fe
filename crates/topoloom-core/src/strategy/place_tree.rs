//! A machine as groups in groups down to its nodes, in which groups that are alike have the same
//! kind.

use std::collections::HashMap;
use std::ops::Range;

use crate::machine::Machine;
use crate::topology::Groups;

/// A group of [`PlaceTree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceGroup {
    /// The groups in it, a run of group numbers; none for a node.
    pub children: Range<u32>,
    /// Of a node, its first slot; the others follow.
    pub first_slot: u32,
    /// The kind of the group.
    pub kind: u32,
}

/// Groups that are alike inside: they have the same distance and the same contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceKind {
    /// The distance of slots that have no smaller group in common.
    pub distance: u32,
    /// How many slots are in it.
    pub room: usize,
    /// The kinds in it and how many of each, in ascending order of kind; none for a node.
    pub children: Vec<(u32, u32)>,
    /// How many levels are below it.
    pub height: u32,
}

/// Groups in groups down to nodes, whose slots have no distance. Group 0 holds everything; groups
/// with a single group in them are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceTree {
    pub groups: Vec<PlaceGroup>,
    /// A kind comes after the kinds in it.
    pub kinds: Vec<PlaceKind>,
}

impl PlaceTree {
    /// The whole machine; `None` if its distances are not those of a tree.
    pub fn whole(machine: &Machine) -> Option<PlaceTree> {
        let groups = machine.topology().groups()?;
        let root = inside(&groups, 0);
        let children = groups.group(root).children.clone().collect();
        Some(build(&groups, root, children, machine.slots_per_node()))
    }

    /// The smallest part with room for `ranks`: a single group if one is large enough, otherwise
    /// the fewest groups next to each other in the tree.
    pub fn part_for(machine: &Machine, ranks: usize) -> Option<PlaceTree> {
        let groups = machine.topology().groups()?;
        let per_node = machine.slots_per_node() as usize;
        let room = |&group: &u32| groups.group(group).nodes.len() * per_node;
        let mut root = inside(&groups, 0);
        loop {
            let children = groups.group(root).children.clone();
            let closest = |child: &u32| {
                let within = closest_within(&groups, *child, ranks, &room);
                (within, room(child), *child)
            };
            let smallest = children.filter(|child| room(child) >= ranks).min_by_key(closest);
            match smallest {
                Some(child) => root = inside(&groups, child),
                None => break,
            }
        }
        let mut children: Vec<u32> = groups.group(root).children.clone().collect();
        children.sort_by_key(|child| std::cmp::Reverse(room(child)));
        let mut held = 0;
        let enough = children.iter().position(|child| {
            held += room(child);
            held >= ranks
        });
        children.truncate(enough.map_or(children.len(), |last| last + 1));
        children.sort_unstable();
        Some(build(&groups, root, children, machine.slots_per_node()))
    }

    /// The kind of a group.
    pub fn kind(&self, group: u32) -> &PlaceKind {
        &self.kinds[self.groups[group as usize].kind as usize]
    }

    /// The kind of the whole.
    pub fn root(&self) -> &PlaceKind {
        self.kind(0)
    }
}

/// The least distance of any group in a group, itself included, that has room for all.
fn closest_within(groups: &Groups, group: u32, ranks: usize, room: &dyn Fn(&u32) -> usize) -> u32 {
    let children = groups.group(group).children.clone();
    let inner = children.filter(|child| room(child) >= ranks);
    let least = inner.map(|child| closest_within(groups, child, ranks, room)).min();
    least.unwrap_or(groups.group(group).distance)
}

/// The group itself, or its only subgroup.
fn inside(groups: &Groups, mut group: u32) -> u32 {
    while groups.group(group).children.len() == 1 {
        group = groups.group(group).children.start;
    }
    group
}

fn build(groups: &Groups, root: u32, children: Vec<u32>, per_node: u32) -> PlaceTree {
    let mut originals = vec![root];
    let mut tree = PlaceTree { groups: Vec::new(), kinds: Vec::new() };
    let mut chosen = Some(children);
    let mut next = 0;
    // Breadth first: then the groups in a group have consecutive numbers.
    while next < originals.len() {
        let group = groups.group(originals[next]);
        let begin = originals.len() as u32;
        match chosen.take() {
            Some(children) => originals.extend(children.into_iter().map(|c| inside(groups, c))),
            None => originals.extend(group.children.clone().map(|child| inside(groups, child))),
        }
        let children = begin..originals.len() as u32;
        let first_slot = group.nodes.start * per_node;
        tree.groups.push(PlaceGroup { children, first_slot, kind: 0 });
        next += 1;
    }
    let mut known: HashMap<(u32, Vec<(u32, u32)>), u32> = HashMap::new();
    for number in (0..tree.groups.len()).rev() {
        let mut inner: Vec<u32> =
            tree.groups[number].children.clone().map(|c| tree.groups[c as usize].kind).collect();
        inner.sort_unstable();
        let children: Vec<(u32, u32)> =
            inner.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
        let distance = groups.group(originals[number]).distance;
        let kinds = &mut tree.kinds;
        tree.groups[number].kind = *known.entry((distance, children)).or_insert_with_key(|key| {
            let room_of = |&(kind, count): &(u32, u32)| kinds[kind as usize].room * count as usize;
            let height_of = |&(kind, _): &(u32, u32)| kinds[kind as usize].height + 1;
            let room =
                if key.1.is_empty() { per_node as usize } else { key.1.iter().map(room_of).sum() };
            let height = key.1.iter().map(height_of).max().unwrap_or(0);
            kinds.push(PlaceKind { distance, room, children: key.1.clone(), height });
            kinds.len() as u32 - 1
        });
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(spec: &str, ranks: Option<usize>) -> PlaceTree {
        let machine = Machine::parse(spec).unwrap();
        let part = |ranks| PlaceTree::part_for(&machine, ranks);
        ranks.map_or_else(|| PlaceTree::whole(&machine), part).unwrap()
    }

    /// The slots of a group, in the order of the machine.
    fn slots(tree: &PlaceTree, group: u32) -> Vec<u32> {
        let mut slots = Vec::with_capacity(tree.kind(group).room);
        let mut left = vec![group];
        while let Some(group) = left.pop() {
            let PlaceGroup { children, first_slot, .. } = &tree.groups[group as usize];
            if children.is_empty() {
                slots.extend(*first_slot..first_slot + tree.kind(group).room as u32);
            }
            left.extend(children.clone().rev());
        }
        slots
    }

    #[test]
    fn groups_that_are_alike_have_one_kind() {
        let whole = tree("tree:2:1:3,distances=1:2:8,slots=2", None);
        // Three pairs of nodes of two slots; the level of one group is left out.
        assert_eq!(whole.groups.len(), 1 + 3 + 6);
        assert_eq!(whole.kinds.iter().map(|kind| kind.room).collect::<Vec<_>>(), [2, 4, 12]);
        assert_eq!(whole.root().distance, 8);
        assert_eq!(whole.root().height, 2);
        assert_eq!(slots(&whole, 0), (0..12).collect::<Vec<_>>());
        assert_eq!(slots(&whole, 2), [4, 5, 6, 7]);
    }

    #[test]
    fn few_ranks_get_a_small_part() {
        assert_eq!(slots(&tree("tree:2:2:2:2,distances=1:2:4:16", Some(3)), 0), [0, 1, 2, 3]);
        assert_eq!(slots(&tree("tree:4:8,distances=1:5", Some(9)), 0), (0..12).collect::<Vec<_>>());
        assert_eq!(slots(&tree("tree:4:8,distances=1:5", Some(1)), 0), [0]);
    }
}
