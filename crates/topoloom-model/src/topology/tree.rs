//! Trees of groups in groups: only the distances of leaves are known, not the links.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::distance_counts::DistanceCounts;
use super::entry::TopologyEntry;
use super::groups::Groups;
use super::interface::Topology;
use super::link::Link;
use super::metric::Metric;
use super::size::checked_volume;
use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};
use crate::words::counted;

/// Trees.
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: "tree",
    summary: "groups in groups, lowest level first, with distances instead of links",
    example: "tree:4:8:8,distances=1:10:100",
    parameters: &[Parameter {
        name: "distances",
        default: "required",
        summary: "distance inside a group of each level, lowest level first",
    }],
    build: |spec| Ok(Arc::new(Tree::from_spec(spec)?)),
};

/// Groups in groups. The leaves are the nodes, and their numbers run through the lowest level
/// first. The highest level at which two leaves differ decides their distance.
#[derive(Debug, Clone)]
pub struct Tree {
    levels: Vec<Level>,
    nodes: usize,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    /// How many smaller groups (or leaves) form a group of this level.
    length: u32,
    /// How many leaves each of those has.
    leaves_below: u32,
    /// The distance between two of them.
    distance: u32,
}

impl Level {
    /// How many leaves a group of this level has.
    fn leaves(&self) -> u32 {
        self.leaves_below * self.length
    }
}

impl Tree {
    fn from_spec(spec: &Spec) -> Result<Tree, SpecError> {
        let wrong = |expected: &str, found: &str| {
            SpecError::new(format!("tree: expected {expected}, found {found}"))
        };
        let quoted = |text: &str| format!("\"{text}\"");
        let expected = "levels such as 4:8:8, each of at least 1";
        let shape = spec.shape.as_deref().ok_or_else(|| wrong(expected, "none"))?;
        let lengths = numbers(shape).filter(|lengths| lengths.iter().all(|&length| length >= 1));
        let lengths = lengths.ok_or_else(|| wrong(expected, &quoted(shape)))?;
        let nodes = checked_volume(spec, &lengths)?;

        let expected =
            "distances such as distances=1:10:100, one whole number below 2^32 per level";
        let text = spec.get::<String>("distances", "distances such as 1:10:100")?;
        let text = text.ok_or_else(|| wrong(expected, "none"))?;
        let distances = numbers(&text).ok_or_else(|| wrong(expected, &quoted(&text)))?;
        if distances.len() != lengths.len() {
            let expected = format!("{}, one per level", counted(lengths.len(), "distance"));
            return Err(wrong(&expected, &distances.len().to_string()));
        }
        if !distances.is_sorted() {
            let expected = "distances that do not decrease, because the slower levels come last";
            return Err(wrong(expected, &quoted(&text)));
        }
        debug_assert_eq!(nodes, lengths.iter().product::<u32>() as usize);
        Ok(Tree::new(&lengths, &distances))
    }

    /// A tree of these lengths and distances, lowest level first.
    pub(super) fn new(lengths: &[u32], distances: &[u32]) -> Tree {
        let mut leaves_below = 1;
        let levels = lengths
            .iter()
            .zip(distances)
            .map(|(&length, &distance)| {
                let level = Level { length, leaves_below, distance };
                leaves_below *= length;
                level
            })
            .collect();
        Tree { levels, nodes: leaves_below as usize }
    }
}

/// Whole numbers separated by colons.
pub(super) fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split(':').map(|number| number.trim().parse().ok()).collect()
}

impl Topology for Tree {
    fn num_nodes(&self) -> usize {
        self.nodes
    }

    fn is_wired(&self) -> bool {
        false
    }

    fn num_links(&self) -> u64 {
        0
    }

    fn link_id_bound(&self) -> u64 {
        0
    }

    fn link(&self, _id: LinkId) -> Option<Link> {
        None
    }

    fn distance(&self, from: Vertex, to: Vertex) -> u32 {
        let differ = |level: &&Level| from.0 / level.leaves_below != to.0 / level.leaves_below;
        self.levels.iter().rev().find(differ).map_or(0, |level| level.distance)
    }

    fn next_links(&self, _at: Vertex, _to: Vertex, _out: &mut Vec<LinkId>) {}

    fn levels(&self) -> Option<Vec<u32>> {
        Some(self.levels.iter().map(|level| level.length).collect())
    }

    fn groups(&self) -> Option<Arc<Groups>> {
        let name = |level: usize| match level {
            0 => "leaf".to_string(),
            level => format!("level {level}"),
        };
        let names = (0..=self.levels.len()).map(name).collect();
        let groups = Groups::new(self.levels.len(), names, |&level| match level.checked_sub(1) {
            Some(inner) => {
                let level_of = &self.levels[inner];
                (vec![inner; level_of.length as usize], level_of.distance, level as u16)
            }
            None => (Vec::new(), 0, 0),
        });
        Some(Arc::new(groups))
    }

    fn metric(&self) -> Option<Box<dyn Metric>> {
        Some(Box::new(TreeMetric::new(&self.levels)))
    }

    fn nodes_at_distance(
        &self,
        from: Vertex,
        distance: u32,
        visit: &mut dyn FnMut(Vertex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if distance == 0 {
            visit(from)?;
        }
        let at_distance = |level: &&Level| level.distance == distance;
        let lowest = self.levels.iter().find(at_distance);
        let highest = self.levels.iter().rev().find(at_distance);
        let (Some(lowest), Some(highest)) = (lowest, highest) else {
            return ControlFlow::Continue(());
        };
        // The whole group except what is closer.
        let outer = from.0 - from.0 % highest.leaves();
        let inner = from.0 - from.0 % lowest.leaves_below;
        let before = outer..inner;
        let after = inner + lowest.leaves_below..outer + highest.leaves();
        before.chain(after).try_for_each(|node| visit(Vertex(node)))
    }

    fn pairs_at_distance(&self) -> DistanceCounts {
        let nodes = self.nodes as u64;
        let mut counts = DistanceCounts::new();
        for level in &self.levels {
            let (length, below) = (u64::from(level.length), u64::from(level.leaves_below));
            let groups = nodes / (length * below);
            let pairs = groups * (length * (length - 1) / 2) * below * below;
            match counts.last_mut() {
                Some((distance, count)) if *distance == level.distance => *count += pairs,
                _ if pairs > 0 => counts.push((level.distance, pairs)),
                _ => {}
            }
        }
        counts
    }

    fn largest_ball(&self) -> DistanceCounts {
        let mut within = DistanceCounts::new();
        for level in self.levels.iter().filter(|level| level.length > 1) {
            let others = u64::from(level.leaves()) - 1;
            match within.last_mut() {
                Some((distance, count)) if *distance == level.distance => *count = others,
                _ => within.push((level.distance, others)),
            }
        }
        within
    }

    fn representative_nodes(&self) -> Vec<Vertex> {
        vec![Vertex(0)]
    }
}

/// Trees: the highest digit that differs decides.
#[derive(Debug, Clone)]
pub struct TreeMetric {
    /// The digits of each leaf next to each other, with the highest level in the highest bits. They
    /// fit: no length takes more than 3 bits for log2(5) = 2.3, and a tree has at most 2^24 leaves.
    digits: Vec<u32>,
    /// The distance by the number of leading zeros of the difference; 32 if there is none.
    distance: [u32; 33],
}

impl TreeMetric {
    fn new(levels: &[Level]) -> Self {
        let mut distance = [0; 33];
        let mut digits = vec![0];
        let mut bits = 0;
        for level in levels {
            let width = u32::BITS - (level.length - 1).leading_zeros();
            for bit in bits..bits + width {
                distance[31 - bit as usize] = level.distance;
            }
            let below = digits.len();
            for digit in 1..level.length {
                digits.extend_from_within(..below);
                let start = digit as usize * below;
                digits[start..].iter_mut().for_each(|leaf| *leaf |= digit << bits);
            }
            bits += width;
        }
        TreeMetric { digits, distance }
    }
}

impl Metric for TreeMetric {
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let differ = self.digits[a as usize] ^ self.digits[b as usize];
        self.distance[differ.leading_zeros() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    fn refusal(spec: &str) -> String {
        Machine::parse(spec).unwrap_err().to_string()
    }

    #[test]
    fn leaves_are_as_far_apart_as_the_highest_level_where_they_differ() {
        let machine = Machine::parse("tree:4:8:8,distances=1:10:100").unwrap();
        let distance = |a, b| machine.topology().distance(Vertex(a), Vertex(b));
        assert_eq!(machine.num_nodes(), 256);
        // 4 leaves in a group, 32 in the next.
        assert_eq!([distance(0, 0), distance(0, 3), distance(0, 4)], [0, 1, 10]);
        assert_eq!([distance(31, 28), distance(31, 0), distance(31, 32)], [1, 10, 100]);
    }

    #[test]
    fn a_wrong_tree_is_refused_in_words() {
        assert_eq!(
            refusal("tree:4:0,distances=1:2"),
            "tree: expected levels such as 4:8:8, each of at least 1, found \"4:0\""
        );
        assert_eq!(
            refusal("tree:4:8"),
            "tree: expected distances such as distances=1:10:100, one whole number below 2^32 per \
             level, found none"
        );
        assert_eq!(
            refusal("tree:4:8,distances=1"),
            "tree: expected 2 distances, one per level, found 1"
        );
        assert_eq!(
            refusal("tree:4:8,distances=10:1"),
            "tree: expected distances that do not decrease, because the slower levels come last, \
             found \"10:1\""
        );
        assert!(refusal("tree:4:8,distances=1:-1").contains("found \"1:-1\""));
        assert!(refusal("tree:65536:65536:65536,distances=1:2:3").contains("at most"));
    }

    #[test]
    fn far_distances_take_neither_memory_nor_time() {
        let machine = Machine::parse("tree:4:8:8,distances=1:1000000:4000000000").unwrap();
        // 64 groups of 6 pairs; 8 x 28 pairs of groups x 16; 28 x 32 x 32.
        let pairs = vec![(1, 384), (1_000_000, 3_584), (4_000_000_000, 28_672)];
        assert_eq!(machine.topology().pairs_at_distance(), pairs);
    }
}
