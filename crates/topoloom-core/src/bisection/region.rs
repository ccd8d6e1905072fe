//! Parts of the machine: boxes if the nodes fill one, lists of nodes otherwise.

use std::ops::Range;

use crate::machine::Machine;
use crate::topology::Metric;

/// What regions refer to.
pub(super) struct Regions {
    lengths: Vec<u32>,
    /// The nodes, region by region; empty if regions are boxes.
    nodes: Vec<u32>,
}

/// A part of the machine.
pub(super) enum Region {
    /// The lowest corner and the lengths.
    Box(Vec<u32>, Vec<u32>),
    /// Where its nodes are in the list.
    List(Range<usize>),
}

impl Regions {
    /// The whole machine as a region.
    pub(super) fn new(machine: &Machine) -> (Regions, Region) {
        match machine.topology().grid_lengths() {
            Some(lengths) => {
                let lengths = lengths.to_vec();
                let whole = Region::Box(vec![0; lengths.len()], lengths.clone());
                (Regions { lengths, nodes: Vec::new() }, whole)
            }
            None => {
                let nodes: Vec<u32> = (0..machine.num_nodes() as u32).collect();
                let whole = Region::List(0..nodes.len());
                (Regions { lengths: Vec::new(), nodes }, whole)
            }
        }
    }

    fn node_at(&self, coordinates: impl Iterator<Item = u32>) -> u32 {
        let mut stride = 1;
        let mut node = 0;
        for (coordinate, length) in coordinates.zip(&self.lengths) {
            node += coordinate * stride;
            stride *= length;
        }
        node
    }
}

impl Region {
    /// How many nodes it has.
    pub(super) fn num_nodes(&self) -> usize {
        match self {
            Region::Box(_, lengths) => lengths.iter().map(|&length| length as usize).product(),
            Region::List(range) => range.len(),
        }
    }

    /// A node in the middle.
    pub(super) fn middle(&self, regions: &Regions) -> u32 {
        match self {
            Region::Box(corner, lengths) => regions
                .node_at(corner.iter().zip(lengths).map(|(corner, length)| corner + length / 2)),
            Region::List(range) => regions.nodes[range.start + range.len() / 2],
        }
    }

    /// All its nodes, in the order of their numbers if they fill a box.
    pub(super) fn nodes(&self, regions: &Regions) -> Vec<u32> {
        match self {
            Region::Box(corner, lengths) => {
                let count: u32 = lengths.iter().product();
                let at = |mut number: u32| {
                    regions.node_at(corner.iter().zip(lengths).map(|(corner, length)| {
                        let at = corner + number % length;
                        number /= length;
                        at
                    }))
                };
                (0..count).map(at).collect()
            }
            Region::List(range) => regions.nodes[range.clone()].to_vec(),
        }
    }

    /// Its node, if there is only one.
    pub(super) fn single_node(&self, regions: &Regions) -> Option<u32> {
        (self.num_nodes() == 1).then(|| self.middle(regions))
    }

    /// Two halves of a region of at least two nodes: a box is cut across its longest dimension,
    /// a list between two nodes that are far apart.
    pub(super) fn halves<M: Metric>(self, regions: &mut Regions, metric: &M) -> [Region; 2] {
        match self {
            Region::Box(corner, lengths) => {
                let longest = (0..lengths.len()).max_by_key(|&d| lengths[d]).unwrap_or(0);
                let half = lengths[longest] / 2;
                let (mut low, mut high) = (lengths.clone(), lengths);
                low[longest] = half;
                high[longest] -= half;
                let mut beyond = corner.clone();
                beyond[longest] += half;
                [Region::Box(corner, low), Region::Box(beyond, high)]
            }
            Region::List(range) => {
                let nodes = &mut regions.nodes[range.clone()];
                let farthest = |nodes: &[u32], from: u32| {
                    let hops = |&&node: &&u32| metric.distance(from, node);
                    nodes.iter().rev().max_by_key(hops).copied().unwrap_or(from)
                };
                let one = farthest(nodes, nodes[0]);
                let other = farthest(nodes, one);
                nodes.sort_by_key(|&node| {
                    let difference = i64::from(metric.distance(node, other))
                        - i64::from(metric.distance(node, one));
                    (difference, node)
                });
                let cut = range.start + range.len() / 2;
                [Region::List(range.start..cut), Region::List(cut..range.end)]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_metric;

    /// The nodes of all parts when `region` is halved completely.
    fn nodes_of(region: Region, regions: &mut Regions, metric: &impl Metric) -> Vec<u32> {
        if let Some(node) = region.single_node(regions) {
            return vec![node];
        }
        let count = region.num_nodes();
        let halves = region.halves(regions, metric);
        assert_eq!(halves[0].num_nodes() + halves[1].num_nodes(), count);
        assert!(halves.iter().all(|half| half.num_nodes() > 0));
        halves.into_iter().flat_map(|half| nodes_of(half, regions, metric)).collect()
    }

    #[test]
    fn halves_of_halves_are_all_nodes() {
        for spec in ["torus:4x3x5", "hypercube:5", "haec:3x2x4", "mesh:7x1"] {
            let machine = Machine::parse(spec).unwrap();
            with_metric!(machine.metric(), metric => {
                for as_list in [false, true] {
                    let (mut regions, mut whole) = Regions::new(&machine);
                    if as_list {
                        regions.nodes = (0..machine.num_nodes() as u32).collect();
                        whole = Region::List(0..machine.num_nodes());
                    }
                    let mut all = whole.nodes(&regions);
                    all.sort_unstable();
                    assert!(all.into_iter().eq(0..machine.num_nodes() as u32), "{spec}");
                    let mut nodes = nodes_of(whole, &mut regions, metric);
                    nodes.sort_unstable();
                    assert!(nodes.iter().copied().eq(0..machine.num_nodes() as u32), "{spec}");
                }
            });
        }
    }
}
