//! Where a box of free nodes fits on a grid.

use crate::node_set::NodeSet;

/// Looks for free boxes on a grid, first dimension fastest.
#[derive(Debug, Clone)]
pub(crate) struct BoxSearch {
    lengths: Vec<u32>,
    wraps: bool,
    /// Whether a box may begin at each node, judging by the dimensions checked so far.
    may_begin: Vec<bool>,
    /// One line of `may_begin` along a dimension.
    line: Vec<bool>,
}

impl BoxSearch {
    /// A search on a box of these lengths, whose dimensions may be rings.
    pub(crate) fn new(lengths: &[u32], wraps: bool) -> BoxSearch {
        let longest = lengths.iter().copied().max().unwrap_or(1) as usize;
        let nodes = lengths.iter().map(|&length| length as usize).product();
        let (may_begin, line) = (vec![false; nodes], vec![false; longest]);
        BoxSearch { lengths: lengths.to_vec(), wraps, may_begin, line }
    }

    /// The first node at which a box of free nodes begins. Takes O(nodes x dimensions).
    pub(crate) fn first(&mut self, size: &[u32], free: &NodeSet) -> Option<u32> {
        self.look(size, free).then(|| self.beginnings().next()).flatten()
    }

    /// The place with the fewest free nodes around it, or the first of equal ones. This keeps large
    /// free boxes whole. Takes O(places x surface).
    pub(crate) fn tightest(&mut self, size: &[u32], free: &NodeSet) -> Option<u32> {
        if !self.look(size, free) {
            return None;
        }
        let around = |&origin: &u32| self.free_around(origin, size, free);
        self.beginnings().min_by_key(around)
    }

    /// Marks where a box of this size may begin; `false` if there are too few free nodes.
    fn look(&mut self, size: &[u32], free: &NodeSet) -> bool {
        let volume = size.iter().map(|&length| u64::from(length)).product::<u64>();
        if volume > u64::from(free.len()) {
            return false;
        }
        self.may_begin.fill(false);
        for node in free.iter() {
            self.may_begin[node as usize] = true;
        }
        let mut stride = 1;
        for (dimension, &side) in size.iter().enumerate() {
            let length = self.lengths[dimension] as usize;
            if side > 1 {
                self.narrow(stride, length, side as usize);
            }
            stride *= length;
        }
        true
    }

    /// Keeps the nodes from which `wanted` marked ones follow along the dimension of this stride.
    fn narrow(&mut self, stride: usize, length: usize, wanted: usize) {
        let nodes = self.may_begin.len();
        for block in (0..nodes).step_by(stride * length) {
            for start in block..block + stride {
                for (at, marked) in self.line[..length].iter_mut().enumerate() {
                    *marked = self.may_begin[start + at * stride];
                }
                // Backwards, because the length of a run must be known at its beginning. On a ring
                // the beginning follows the end.
                let mut run = 0;
                if self.wraps {
                    run = self.line[..length].iter().take_while(|marked| **marked).count();
                }
                for at in (0..length).rev() {
                    run = if self.line[at] { run + 1 } else { 0 };
                    self.may_begin[start + at * stride] = run >= wanted;
                }
            }
        }
    }

    fn beginnings(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.may_begin).filter(|(_, begins)| **begins).map(|(node, _)| node)
    }

    /// Free nodes that touch the sides of a box.
    fn free_around(&self, origin: u32, size: &[u32], free: &NodeSet) -> u32 {
        let mut count = 0;
        let mut outside = [0u32; MOST_DIMENSIONS];
        let corner = self.coordinates(origin);
        for dimension in 0..self.lengths.len() {
            let length = self.lengths[dimension];
            if size[dimension] == length {
                continue;
            }
            for above in [false, true] {
                let at = match above {
                    true => corner[dimension] + size[dimension],
                    false if corner[dimension] == 0 && !self.wraps => continue,
                    false => corner[dimension] + length - 1,
                };
                if at >= length && above && !self.wraps {
                    continue;
                }
                // The side: the box with this dimension kept at one coordinate.
                let mut side = [1u32; MOST_DIMENSIONS];
                side[..size.len()].copy_from_slice(size);
                side[dimension] = 1;
                outside[..size.len()].copy_from_slice(&corner[..size.len()]);
                outside[dimension] = at % length;
                self.for_each_in(&outside, &side, |node| count += u32::from(free.contains(node)));
            }
        }
        count
    }

    fn coordinates(&self, node: u32) -> [u32; MOST_DIMENSIONS] {
        let (mut rest, mut coordinates) = (node, [0; MOST_DIMENSIONS]);
        for (coordinate, &length) in coordinates.iter_mut().zip(&self.lengths) {
            (*coordinate, rest) = (rest % length, rest / length);
        }
        coordinates
    }

    /// The nodes of a box, first dimension fastest.
    pub(crate) fn nodes(&self, origin: u32, size: &[u32]) -> Vec<u32> {
        let mut nodes = Vec::with_capacity(size.iter().map(|&length| length as usize).product());
        let mut sizes = [1u32; MOST_DIMENSIONS];
        sizes[..size.len()].copy_from_slice(size);
        self.for_each_in(&self.coordinates(origin), &sizes, |node| nodes.push(node));
        nodes
    }

    fn for_each_in(
        &self,
        corner: &[u32; MOST_DIMENSIONS],
        size: &[u32; MOST_DIMENSIONS],
        mut visit: impl FnMut(u32),
    ) {
        let dimensions = self.lengths.len();
        let mut offset = [0u32; MOST_DIMENSIONS];
        loop {
            let (mut node, mut stride) = (0, 1);
            for dimension in 0..dimensions {
                let length = self.lengths[dimension];
                node += stride * ((corner[dimension] + offset[dimension]) % length);
                stride *= length;
            }
            visit(node);
            let Some(dimension) = (0..dimensions).find(|&at| offset[at] + 1 < size[at]) else {
                return;
            };
            offset[dimension] += 1;
            offset[..dimension].fill(0);
        }
    }
}

/// Grids have 1 to 6 dimensions.
const MOST_DIMENSIONS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use topoloom_core::random::{below, stream};

    /// The definition: try every origin, and every node of its box.
    fn all_by_trying(search: &BoxSearch, size: &[u32], free: &NodeSet) -> Vec<u32> {
        let nodes: u32 = search.lengths.iter().product();
        let inside = |&origin: &u32| {
            let corner = search.coordinates(origin);
            let fits = |at: usize| corner[at] + size[at] <= search.lengths[at];
            search.wraps || (0..size.len()).all(fits)
        };
        let is_free =
            |&origin: &u32| search.nodes(origin, size).iter().all(|&node| free.contains(node));
        (0..nodes).filter(inside).filter(is_free).collect()
    }

    #[test]
    fn boxes_are_found_wherever_trying_finds_them() {
        let mut rng = stream(1, &[]);
        for case in 0..400 {
            let dimensions = 1 + below(&mut rng, 4) as usize;
            let lengths: Vec<u32> = (0..dimensions).map(|_| 1 + below(&mut rng, 5)).collect();
            let size: Vec<u32> = lengths.iter().map(|&most| 1 + below(&mut rng, most)).collect();
            let nodes: u32 = lengths.iter().product();
            let mut free = NodeSet::all(nodes as usize);
            for node in 0..nodes {
                if below(&mut rng, 5) == 0 {
                    free.remove_all(&[node]);
                }
            }
            let mut search = BoxSearch::new(&lengths, case % 2 == 0);
            let expected = all_by_trying(&search, &size, &free);
            let found = search.first(&size, &free);
            assert_eq!(found, expected.first().copied(), "{lengths:?} {size:?}");
            if found.is_some() {
                assert_eq!(search.beginnings().collect::<Vec<_>>(), expected);
            }
            let tightest = search.tightest(&size, &free);
            assert_eq!(tightest.is_some(), found.is_some());
            assert!(tightest.is_none_or(|origin| expected.contains(&origin)));
        }
    }

    #[test]
    fn the_tightest_place_has_the_fewest_free_neighbours() {
        // A row of 8: node 2 is taken, so a box of 2 at the left end touches no free node.
        let mut free = NodeSet::all(8);
        free.remove_all(&[2]);
        let mut search = BoxSearch::new(&[8], false);
        assert_eq!(search.tightest(&[2], &free), Some(0));
        // With node 1 taken too, the right end touches one free node, the middle two.
        free.remove_all(&[1]);
        assert_eq!(search.first(&[2], &free), Some(3));
        assert_eq!(search.tightest(&[2], &free), Some(3));
        free.insert_all(&[1, 2]);
        assert_eq!(search.tightest(&[3], &free), Some(0));
    }
}
