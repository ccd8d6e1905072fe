//! The free slots, in a tree of groups of nodes. The cheapest is found without checking all of
//! them.

use crate::machine::Machine;
use crate::refiner::surroundings::Surroundings;
use crate::strategy::curves::CURVES;
use crate::topology::Metric;

/// Machines up to this size are searched node by node.
const MOST_NODES_FOR_SCAN: usize = 2048;

/// Groups to check for one rank on larger machines; after that, the best so far is used.
const MOST_GROUPS: u32 = 200;

/// Partners next to which the search for a slot starts.
const FIRST_LOOKS: usize = 4;

/// The size of a group that is not divided further.
const SMALLEST_GROUP: usize = 4;

/// Free slots by node, and by group of nodes.
pub(super) struct FreeSlots<'a, M> {
    metric: &'a M,
    slots_per_node: u32,
    free: Vec<u32>,
    nodes: Vec<u32>,
    /// The position of each node in `nodes`.
    position: Vec<u32>,
    /// A heap in an array: the halves of group g are 2g and 2g+1, the whole is 1. Empty on small
    /// machines.
    groups: Vec<Group>,
    sums: Vec<f64>,
    surroundings: Option<Surroundings>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Group {
    first: u32,
    end: u32,
    /// A node in the middle, and the maximum distance of the others from it.
    middle: u32,
    reach: u32,
    free: u32,
}

impl<'a, M: Metric> FreeSlots<'a, M> {
    pub(super) fn new(machine: &Machine, metric: &'a M) -> Self {
        let count = machine.num_nodes();
        let is_small = count <= MOST_NODES_FOR_SCAN;
        FreeSlots::with_tree(machine, metric, !is_small)
    }

    fn with_tree(machine: &Machine, metric: &'a M, with_tree: bool) -> Self {
        let count = machine.num_nodes();
        let slots_per_node = machine.slots_per_node();
        // Runs along the Hilbert curve are compact; other machines are numbered group by group.
        let hilbert = CURVES.iter().find(|curve| curve.name == "hilbert");
        let nodes: Vec<u32> = match (machine.topology().grid_lengths(), hilbert) {
            (Some(lengths), Some(curve)) if with_tree => (curve.walk)(lengths),
            _ => (0..count as u32).collect(),
        };
        let mut position = vec![0; count];
        for (place, &node) in (0..).zip(&nodes) {
            position[node as usize] = place;
        }
        let mut slots = FreeSlots {
            metric,
            slots_per_node,
            free: vec![slots_per_node; count],
            nodes,
            position,
            groups: Vec::new(),
            sums: if with_tree { Vec::new() } else { vec![0.0; count] },
            surroundings: with_tree.then(|| Surroundings::new(machine)),
        };
        if with_tree {
            let leaves = count.div_ceil(SMALLEST_GROUP).next_power_of_two();
            slots.groups = vec![Group::default(); 2 * leaves];
            slots.divide(1, 0, count as u32);
        }
        slots
    }

    fn divide(&mut self, group: usize, first: u32, end: u32) {
        let members = &self.nodes[first as usize..end as usize];
        let Some(&middle) = members.get(members.len() / 2) else { return };
        let hops = members.iter().map(|&node| self.metric.distance(middle, node));
        let reach = hops.max().unwrap_or(0);
        let free = (end - first) * self.slots_per_node;
        self.groups[group] = Group { first, end, middle, reach, free };
        if 2 * group < self.groups.len() {
            let half = first + (end - first) / 2;
            self.divide(2 * group, first, half);
            self.divide(2 * group + 1, half, end);
        }
    }

    /// Takes a slot where the sum over `places` of weight times hops is least; returns the node and
    /// the number of its slot. There must be a free slot.
    pub(super) fn take_cheapest(&mut self, places: &[(u32, f64)]) -> (u32, u32) {
        let node = if self.groups.is_empty() { self.scan(places) } else { self.search(places) };
        let slot = self.slots_per_node - self.free[node as usize];
        self.free[node as usize] -= 1;
        let place = self.position[node as usize];
        let mut group = 1;
        while group < self.groups.len() {
            self.groups[group].free -= 1;
            group *= 2;
            if group < self.groups.len() && place >= self.groups[group].end {
                group += 1;
            }
        }
        (node, slot)
    }

    /// The definition: check every node.
    fn scan(&mut self, places: &[(u32, f64)]) -> u32 {
        self.metric.weighted_hops(places, &mut self.sums);
        let mut best = (f64::INFINITY, 0);
        for (node, (&cost, &free)) in (0..).zip(self.sums.iter().zip(&self.free)) {
            if free > 0 && cost < best.0 {
                best = (cost, node);
            }
        }
        best.1
    }

    #[inline]
    fn cost_at(&self, node: u32, places: &[(u32, f64)]) -> f64 {
        places.iter().map(|&(at, weight)| weight * f64::from(self.metric.distance(node, at))).sum()
    }

    fn search(&self, places: &[(u32, f64)]) -> u32 {
        let mut search =
            Search { slots: self, places, best: f64::INFINITY, node: 0, left: MOST_GROUPS };
        search.look_next_to_places();
        // Partners on full nodes are at least one hop away.
        let is_full = |&&(at, _): &&(u32, f64)| self.free[at as usize] == 0;
        let least: f64 = places.iter().filter(is_full).map(|&(_, weight)| weight).sum();
        if search.best > least {
            search.descend(1);
        }
        search.node
    }
}

/// A search through the groups, nearest first, that skips those too far away.
struct Search<'s, 'a, M> {
    slots: &'s FreeSlots<'a, M>,
    places: &'s [(u32, f64)],
    best: f64,
    node: u32,
    left: u32,
}

impl<M: Metric> Search<'_, '_, M> {
    /// No node of a group costs less than this, by the triangle inequality.
    #[inline]
    fn least(&self, group: &Group) -> f64 {
        let hops = |at| self.slots.metric.distance(group.middle, at).saturating_sub(group.reach);
        self.places.iter().map(|&(at, weight)| weight * f64::from(hops(at))).sum()
    }

    #[inline]
    fn look_at(&mut self, node: u32) {
        if self.slots.free[node as usize] > 0 {
            let cost = self.slots.cost_at(node, self.places);
            if cost < self.best {
                (self.best, self.node) = (cost, node);
            }
        }
    }

    fn look_next_to_places(&mut self) {
        let Some(surroundings) = &self.slots.surroundings else { return };
        for &(at, _) in self.places.iter().take(FIRST_LOOKS) {
            self.look_at(at);
            surroundings.of(at).iter().for_each(|&node| self.look_at(node));
        }
    }

    fn descend(&mut self, group: usize) {
        if 2 * group >= self.slots.groups.len() {
            let Group { first, end, .. } = self.slots.groups[group];
            for &node in &self.slots.nodes[first as usize..end as usize] {
                self.look_at(node);
            }
            return;
        }
        let halves = [2 * group, 2 * group + 1].map(|half| {
            let group = &self.slots.groups[half];
            let least = if group.free > 0 { self.least(group) } else { f64::INFINITY };
            (least, self.slots.cost_of_middle(half, self.places, group.free), half)
        });
        let first = usize::from((halves[1].0, halves[1].1) < (halves[0].0, halves[0].1));
        for (least, _, half) in [halves[first], halves[1 - first]] {
            if least < self.best && (self.left > 0 || self.best.is_infinite()) {
                self.left = self.left.saturating_sub(1);
                self.descend(half);
            }
        }
    }
}

impl<M: Metric> FreeSlots<'_, M> {
    /// Decides between halves whose bounds are equal.
    fn cost_of_middle(&self, group: usize, places: &[(u32, f64)], free: u32) -> f64 {
        if free == 0 { f64::INFINITY } else { self.cost_at(self.groups[group].middle, places) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{random, with_metric};

    #[test]
    fn the_tree_finds_a_slot_as_cheap_as_looking_at_every_node() {
        // Machines whose distances obey the triangle inequality, small enough to be exact.
        for spec in ["torus:4x4x4", "mesh:5x7,slots=2", "hypercube:5", "torus:37"] {
            let machine = Machine::parse(spec).unwrap();
            with_metric!(machine.metric(), metric => {
                let mut tree = FreeSlots::with_tree(&machine, metric, true);
                let mut rng = random::stream(1, &[]);
                let nodes = machine.num_nodes() as u32;
                for _ in 0..machine.num_slots() {
                    let places: Vec<(u32, f64)> = (1..4)
                        .map(|weight| (random::below(&mut rng, nodes), f64::from(weight)))
                        .collect();
                    // The same slots are free; only the way to find one differs.
                    let least = (0..nodes)
                        .filter(|&node| tree.free[node as usize] > 0)
                        .map(|node| tree.cost_at(node, &places))
                        .fold(f64::INFINITY, f64::min);
                    let (node, _) = tree.take_cheapest(&places);
                    assert_eq!(tree.cost_at(node, &places), least, "{spec}");
                }
                assert!(tree.free.iter().all(|&free| free == 0));
                assert_eq!(tree.groups[1].free, 0);
            });
        }
    }

    #[test]
    fn every_slot_is_given_once() {
        let machine = Machine::parse("haec:3x3x3,slots=2").unwrap();
        with_metric!(machine.metric(), metric => {
            for with_tree in [false, true] {
                let mut slots = FreeSlots::with_tree(&machine, metric, with_tree);
                let mut taken: Vec<_> = (0..54).map(|_| slots.take_cheapest(&[(3, 1.0)])).collect();
                taken.sort_unstable();
                taken.dedup();
                assert_eq!(taken.len(), 54);
            }
        });
    }
}
