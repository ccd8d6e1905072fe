//! Parts of the machine: boxes if the nodes fill one, lists of nodes otherwise.

use crate::machine::Machine;
use crate::topology::Metric;

/// What regions refer to.
pub(super) struct Regions {
    /// The lengths of the whole machine; empty if its nodes do not fill a box.
    lengths: Vec<u32>,
}

/// A part of the machine.
pub(super) enum Region {
    /// The lowest corner and the lengths.
    Box(Vec<u32>, Vec<u32>),
    /// Its nodes.
    List(Vec<u32>),
}

impl Regions {
    /// The whole machine as a region.
    pub(super) fn new(machine: &Machine) -> (Regions, Region) {
        match machine.topology().grid_lengths() {
            Some(lengths) => {
                let lengths = lengths.to_vec();
                let whole = Region::Box(vec![0; lengths.len()], lengths.clone());
                (Regions { lengths }, whole)
            }
            None => {
                let whole = Region::List((0..machine.num_nodes() as u32).collect());
                (Regions { lengths: Vec::new() }, whole)
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
            Region::List(nodes) => nodes.len(),
        }
    }

    /// A node in the middle.
    pub(super) fn middle(&self, regions: &Regions) -> u32 {
        match self {
            Region::Box(corner, lengths) => regions
                .node_at(corner.iter().zip(lengths).map(|(corner, length)| corner + length / 2)),
            Region::List(nodes) => nodes[nodes.len() / 2],
        }
    }

    /// Visits its nodes, in the order of their numbers if they fill a box.
    pub(super) fn for_each_node(&self, regions: &Regions, mut visit: impl FnMut(u32)) {
        match self {
            Region::Box(corner, lengths) => {
                for mut number in 0..lengths.iter().product() {
                    visit(regions.node_at(corner.iter().zip(lengths).map(|(corner, length)| {
                        let at = corner + number % length;
                        number /= length;
                        at
                    })));
                }
            }
            Region::List(nodes) => nodes.iter().copied().for_each(visit),
        }
    }

    /// Two halves of a region of at least two nodes: a box is cut across its longest dimension,
    /// a list between two nodes that are far apart.
    pub(super) fn halves<M: Metric>(&self, metric: &M) -> [Region; 2] {
        match self {
            Region::Box(corner, lengths) => {
                let longest = (0..lengths.len()).max_by_key(|&d| lengths[d]).unwrap_or(0);
                let half = lengths[longest] / 2;
                let (mut low, mut high) = (lengths.clone(), lengths.clone());
                low[longest] = half;
                high[longest] -= half;
                let mut beyond = corner.clone();
                beyond[longest] += half;
                [Region::Box(corner.clone(), low), Region::Box(beyond, high)]
            }
            Region::List(nodes) => {
                let farthest = |nodes: &[u32], from: u32| {
                    let hops = |&&node: &&u32| metric.distance(from, node);
                    nodes.iter().rev().max_by_key(hops).copied().unwrap_or(from)
                };
                let one = farthest(nodes, nodes[0]);
                let other = farthest(nodes, one);
                let place = |&node: &u32| {
                    let difference = i64::from(metric.distance(node, other))
                        - i64::from(metric.distance(node, one));
                    (difference, node)
                };
                let mut places: Vec<(i64, u32)> = nodes.iter().map(place).collect();
                places.sort_unstable();
                let (first, second) = places.split_at(nodes.len() / 2);
                let list = |half: &[(i64, u32)]| half.iter().map(|&(_, node)| node).collect();
                [Region::List(list(first)), Region::List(list(second))]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_metric;

    /// The nodes of all parts when `region` is halved completely.
    fn nodes_of(region: Region, regions: &Regions, metric: &impl Metric) -> Vec<u32> {
        if region.num_nodes() == 1 {
            return vec![region.middle(regions)];
        }
        let count = region.num_nodes();
        let halves = region.halves(metric);
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
                    let (regions, mut whole) = Regions::new(&machine);
                    if as_list {
                        whole = Region::List((0..machine.num_nodes() as u32).collect());
                    }
                    let mut all = Vec::new();
                    whole.for_each_node(&regions, |node| all.push(node));
                    all.sort_unstable();
                    assert!(all.into_iter().eq(0..machine.num_nodes() as u32), "{spec}");
                    let mut nodes = nodes_of(whole, &regions, metric);
                    nodes.sort_unstable();
                    assert!(nodes.iter().copied().eq(0..machine.num_nodes() as u32), "{spec}");
                }
            });
        }
    }
}
