//! Free nodes around a centre, wherever they are.
//!
//! Each centre that is tried takes the free nodes nearest to it. The centre with the smallest sum
//! of distances wins. This is the choice of Krumke and others, "Compact location problems" (1997),
//! which Bender and others, "Communication-aware processor allocation for supercomputers" (2005),
//! found good on grids, with a limit on the number of centres.

use topoloom_core::topology::Metric;
use topoloom_core::{Entry, Machine, Parameter, with_metric};

use super::entry::PartitionEntry;
use super::interface::{Partition, PartitionPolicy, Request};
use crate::node_set::NodeSet;

/// The registry's entry.
pub static ENTRY: PartitionEntry = Entry {
    name: "compact",
    summary: "free nodes as close as possible to a centre, scattered if necessary; any machine",
    example: "compact:centres=64",
    parameters: &[Parameter {
        name: "centres",
        default: "64",
        summary: "free nodes to try as centres, evenly spaced by number",
    }],
    build: |spec, machine| {
        spec.no_shape()?;
        let expected = "a number of at least 1";
        let centres = spec.get::<std::num::NonZeroU32>("centres", expected)?;
        Ok(Box::new(Compact {
            machine: machine.clone(),
            centres: centres.map_or(64, std::num::NonZeroU32::get),
            free: Vec::new(),
            keys: Vec::new(),
        }))
    },
};

#[derive(Debug)]
struct Compact {
    machine: Machine,
    centres: u32,
    free: Vec<u32>,
    /// Distance from the centre and number of each free node, in one number that sorts by both.
    keys: Vec<u64>,
}

impl Compact {
    /// Puts the `wanted` free nodes nearest to a centre first, by (distance, number), and returns the
    /// sum of their distances.
    fn gather(&mut self, centre: u32, wanted: usize) -> u64 {
        self.keys.clear();
        let (free, keys) = (&self.free, &mut self.keys);
        with_metric!(self.machine.metric(), metric => {
            let key = |&node: &u32| u64::from(metric.distance(centre, node)) << 32 | u64::from(node);
            keys.extend(free.iter().map(key));
        });
        if wanted < keys.len() {
            keys.select_nth_unstable(wanted);
        }
        keys[..wanted].iter().map(|key| key >> 32).sum()
    }
}

impl PartitionPolicy for Compact {
    fn find(&mut self, request: &Request, free: &NodeSet) -> Option<Partition> {
        if request.nodes > free.len() || request.nodes == 0 {
            return None;
        }
        self.free.clear();
        self.free.extend(free.iter());
        let wanted = request.nodes as usize;
        let tried = self.free.len().min(self.centres as usize);
        let mut best: Option<(u64, u32)> = None;
        for index in 0..tried {
            let centre = self.free[index * self.free.len() / tried];
            let sum = self.gather(centre, wanted);
            if best.is_none_or(|(least, _)| sum < least) {
                best = Some((sum, centre));
            }
        }
        let (_, centre) = best?;
        self.gather(centre, wanted);
        let mut nodes: Vec<u32> = self.keys[..wanted].iter().map(|&key| key as u32).collect();
        nodes.sort_unstable();
        Some(Partition { nodes, lengths: None })
    }

    fn takes_any_nodes(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::Divider;
    use super::*;

    #[test]
    fn nodes_are_the_nearest_to_the_best_centre() {
        let machine = Machine::parse("mesh:8").unwrap();
        let mut policy = Divider::parse("compact", &machine).unwrap().policy();
        let mut free = NodeSet::all(8);
        free.remove_all(&[1, 3]);
        // Nodes 4 to 6 around 5 are 2 hops in sum; 0 and 2 are farther from all others.
        let found = policy.find(&Request { nodes: 3, shapes: Vec::new() }, &free).unwrap();
        assert_eq!(found.nodes, [4, 5, 6]);
        assert!(policy.find(&Request { nodes: 7, shapes: Vec::new() }, &free).is_none());
    }

    #[test]
    fn fewer_centres_may_find_less() {
        let machine = Machine::parse("mesh:8").unwrap();
        let mut policy = Divider::parse("compact:centres=1", &machine).unwrap().policy();
        let mut free = NodeSet::all(8);
        free.remove_all(&[1, 3]);
        // The only centre is node 0.
        let found = policy.find(&Request { nodes: 3, shapes: Vec::new() }, &free).unwrap();
        assert_eq!(found.nodes, [0, 2, 4]);
    }
}
