//! Distances in a cluster for inner loops.

use std::collections::HashMap;

use crate::topology::groups::Groups;
use crate::topology::metric::Metric;

/// The bits of one number say which child of which child of the root a node is in. So the highest
/// bit in which two numbers differ gives the depth of the smallest group around both.
#[derive(Debug, Clone)]
pub struct ClusterMetric {
    nodes: Vec<Coded>,
    /// For each kind of path to a node, the distance by the number of leading zeros of the
    /// difference.
    distances: Vec<[u32; 65]>,
}

#[derive(Debug, Clone, Copy)]
struct Coded {
    code: u64,
    path: u32,
}

impl ClusterMetric {
    /// The metric of groups in groups; none if the groups are so deep and wide that 64 bits are too
    /// few.
    pub(super) fn new(groups: &Groups) -> Option<ClusterMetric> {
        let depths = depths(groups);
        let mut widest: Vec<u32> = Vec::new();
        for (group, &depth) in groups.all().iter().zip(&depths) {
            widest.resize(widest.len().max(depth as usize + 1), 0);
            widest[depth as usize] = widest[depth as usize].max(group.children.len() as u32);
        }
        let bits = |&children: &u32| u32::BITS - children.saturating_sub(1).leading_zeros();
        let width: Vec<u32> = widest.iter().map(bits).collect();
        if width.iter().sum::<u32>() > u64::BITS {
            return None;
        }
        // How far the digit of each depth is from the lowest bit.
        let mut shift = vec![0; width.len()];
        let mut left = u64::BITS;
        for (shift, width) in shift.iter_mut().zip(&width) {
            left -= width;
            *shift = left;
        }
        let mut code = vec![0u64; groups.len()];
        let mut distances = Vec::new();
        let mut paths: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut nodes = vec![Coded { code: 0, path: 0 }; groups.num_nodes()];
        for (number, group) in (0u32..).zip(groups.all()) {
            let depth = depths[number as usize] as usize;
            for (digit, child) in (0u64..).zip(group.children.clone()) {
                // A shift by all bits stands for a digit of no bits, which is 0.
                let digit = digit.checked_shl(shift[depth]).unwrap_or(0);
                code[child as usize] = code[number as usize] | digit;
            }
            if group.children.is_empty() {
                let path = path_to(groups, number, depth);
                let next = paths.len() as u32;
                let path = *paths.entry(path.clone()).or_insert_with(|| {
                    distances.push(by_leading_zeros(&path, &width));
                    next
                });
                let code = code[number as usize];
                nodes[group.nodes.start as usize] = Coded { code, path };
            }
        }
        Some(ClusterMetric { nodes, distances })
    }
}

impl Metric for ClusterMetric {
    #[inline(always)]
    fn distance(&self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.nodes[a as usize], self.nodes[b as usize]);
        self.distances[a.path as usize][(a.code ^ b.code).leading_zeros() as usize]
    }
}

/// How many groups are around each group.
fn depths(groups: &Groups) -> Vec<u32> {
    let mut depths = vec![0; groups.len()];
    for (number, group) in groups.all().iter().enumerate().skip(1) {
        depths[number] = depths[group.parent as usize] + 1;
    }
    depths
}

/// The distances of the groups around a node, outermost first.
fn path_to(groups: &Groups, node: u32, depth: usize) -> Vec<u32> {
    let mut path = vec![0; depth];
    let mut at = node;
    for distance in path.iter_mut().rev() {
        at = groups.group(at).parent;
        *distance = groups.group(at).distance;
    }
    path
}

fn by_leading_zeros(path: &[u32], width: &[u32]) -> [u32; 65] {
    let mut distances = [0; 65];
    let mut zeros = 0;
    for (&distance, &width) in path.iter().zip(width) {
        distances[zeros..zeros + width as usize].fill(distance);
        zeros += width as usize;
    }
    distances
}
