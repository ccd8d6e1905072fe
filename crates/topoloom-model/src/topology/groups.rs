//! Groups in groups: the hierarchy of machines whose distances are those of a tree.

use std::ops::Range;

/// One group of [`Groups`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The group around it. The outermost group is its own parent.
    pub parent: u32,
    /// The groups in it, a run of group numbers; none for a single node.
    pub children: Range<u32>,
    /// The nodes in it, a run of node numbers.
    pub nodes: Range<u32>,
    /// How far apart two nodes are that have no smaller group in common.
    pub distance: u32,
    /// What kind of group it is: an index of [`Groups::level_names`].
    pub level: u16,
}

/// Groups in groups, down to single nodes. The distance of two nodes is that of the smallest group
/// that holds both. Group 0 holds everything, each node has its own group, and the groups in a
/// group follow each other in the order of their nodes. Distances never fall towards the outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    groups: Vec<Group>,
    level_names: Vec<String>,
}

impl Groups {
    /// Makes groups from a description, outermost first. `children_of` is called once for each
    /// thing and returns what is in it, its distance and its level. A thing with nothing in it is a
    /// node.
    pub fn new<T>(
        root: T,
        level_names: Vec<String>,
        mut describe: impl FnMut(&T) -> (Vec<T>, u32, u16),
    ) -> Groups {
        let mut groups = Vec::new();
        let mut things = vec![(root, 0u32)];
        // Breadth first, so the groups in a group are neighbours.
        while !things.is_empty() {
            let mut inside = Vec::new();
            let first_inside = (groups.len() + things.len()) as u32;
            for (thing, parent) in &things {
                let (children, distance, level) = describe(thing);
                let begin = first_inside + inside.len() as u32;
                let number = groups.len() as u32;
                inside.extend(children.into_iter().map(|child| (child, number)));
                let end = first_inside + inside.len() as u32;
                let (parent, nodes) = (*parent, 0..0);
                groups.push(Group { parent, children: begin..end, nodes, distance, level });
            }
            things = inside;
        }
        let mut made = Groups { groups, level_names };
        made.number_nodes();
        made
    }

    /// Numbers the nodes, depth first, and makes the distances valid for groups in groups.
    fn number_nodes(&mut self) {
        let mut next = 0;
        let mut path = vec![0u32];
        let mut left = vec![false; self.groups.len()];
        while let Some(&at) = path.last() {
            let group = &mut self.groups[at as usize];
            if group.children.is_empty() {
                group.nodes = next..next + 1;
                group.distance = 0;
                next += 1;
                path.pop();
            } else if !std::mem::replace(&mut left[at as usize], true) {
                group.nodes.start = next;
                path.extend(group.children.clone().rev());
            } else {
                group.nodes.end = next;
                path.pop();
            }
        }
        for group in (0..self.groups.len()).rev() {
            let children = self.groups[group].children.clone();
            let distance = |child: u32| self.groups[child as usize].distance;
            let farthest = children.clone().map(distance).max().unwrap_or(0);
            // A group with one child holds no two nodes that its child does not hold.
            let own = if children.len() > 1 { self.groups[group].distance } else { 0 };
            self.groups[group].distance = own.max(farthest);
        }
    }

    /// The number of groups, including single nodes.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Never true: there is always the group that holds everything.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.groups[0].nodes.len()
    }

    /// A group by its number; 0 holds everything.
    #[inline]
    pub fn group(&self, number: u32) -> &Group {
        &self.groups[number as usize]
    }

    /// All groups, outer ones first.
    pub fn all(&self) -> &[Group] {
        &self.groups
    }

    /// The names of the kinds of groups, such as `package`. Groups index it.
    pub fn level_names(&self) -> &[String] {
        &self.level_names
    }

    /// For each node, the number of its own group.
    pub fn group_of_node(&self) -> Vec<u32> {
        let mut group_of = vec![0; self.num_nodes()];
        for (number, group) in (0..).zip(&self.groups) {
            if group.children.is_empty() {
                group_of[group.nodes.start as usize] = number;
            }
        }
        group_of
    }

    /// The smallest group that holds both of two groups.
    pub fn smallest_around(&self, a: u32, b: u32) -> u32 {
        let (mut a, mut b) = (a, b);
        // Outer groups have lower numbers, so the higher one cannot hold the other.
        while a != b {
            if a > b {
                a = self.groups[a as usize].parent
            } else {
                b = self.groups[b as usize].parent
            }
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 and 3 nodes in two groups.
    fn uneven() -> Groups {
        let names = ["core", "package", "node"].map(String::from).to_vec();
        Groups::new((2u16, 0u32), names, |&(level, number)| match level {
            2 => (vec![(1, 2), (1, 3)], 10, 2),
            1 => ((0..number).map(|core| (0, core)).collect(), 4, 1),
            _ => (Vec::new(), 0, 0),
        })
    }

    #[test]
    fn nodes_are_numbered_group_by_group() {
        let groups = uneven();
        assert_eq!(groups.num_nodes(), 5);
        let nodes: Vec<Range<u32>> = groups.all().iter().map(|group| group.nodes.clone()).collect();
        assert_eq!(nodes, [0..5, 0..2, 2..5, 0..1, 1..2, 2..3, 3..4, 4..5]);
        assert_eq!(groups.group_of_node(), [3, 4, 5, 6, 7]);
        assert_eq!(groups.group(groups.smallest_around(3, 4)).distance, 4);
        assert_eq!(groups.group(groups.smallest_around(4, 5)).distance, 10);
    }

    #[test]
    fn outer_groups_are_never_nearer_than_inner_ones() {
        let names = ["core", "package", "node"].map(String::from).to_vec();
        let groups = Groups::new(2u16, names, |&level| match level {
            2 => (vec![1, 1], 3, 2),
            1 => (vec![0, 0], 4, 1),
            _ => (Vec::new(), 0, 0),
        });
        assert_eq!(groups.group(0).distance, 4);
    }
}
