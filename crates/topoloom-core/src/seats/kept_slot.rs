//! A rank that keeps its slot, while all others may be anywhere.

use super::pinned::{PinError, Pinned};
use crate::ids::Vertex;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;

/// A placement with this rank in this slot, made from `start`. The rank goes there by the cheapest
/// exchange: with the rank there, or of the parts of the machine around both slots, which keeps
/// neighbours together. Then other ranks are exchanged while there is a gain. A placement that
/// already has the rank there never gets worse.
pub fn keep_in_slot(
    problem: &Problem,
    objective: &dyn Objective,
    start: &Mapping,
    (rank, slot): (u32, u32),
    run: &mut Run,
) -> Result<Mapping, PinError> {
    let mut tracker = objective.track(problem, start);
    let mut pinned = Pinned::new(problem, &[], &mut *tracker)?;
    pinned.bring_to(problem, rank, slot);
    pinned.fixed = Some((rank, slot));
    pinned.improve(problem, run);
    Ok(tracker.placement().mapping())
}

impl Pinned<'_> {
    /// Brings a rank to a slot, step by step. Each step ends in the part of the machine around the
    /// slot that was exchanged, so the distance shrinks.
    fn bring_to(&mut self, problem: &Problem, rank: u32, slot: u32) {
        loop {
            let here = self.tracker.placement().slot_of(rank);
            if here == slot {
                return;
            }
            let mut best: Option<(f64, Vec<(u32, u32)>)> = None;
            for exchange in exchanges(problem, here, slot) {
                let placement = self.tracker.placement();
                let ranks: Vec<(u32, u32)> = exchange
                    .iter()
                    .map(|&(one, other)| (placement.in_slot(one), placement.in_slot(other)))
                    .collect();
                let before = self.tracker.cost();
                ranks.iter().for_each(|&(one, other)| self.tracker.swap(one, other));
                let added = self.tracker.cost() - before;
                ranks.iter().rev().for_each(|&(one, other)| self.tracker.swap(one, other));
                if best.as_ref().is_none_or(|(least, _)| added < *least) {
                    best = Some((added, ranks));
                }
            }
            let Some((_, ranks)) = best else { return };
            ranks.iter().for_each(|&(one, other)| self.tracker.swap(one, other));
        }
    }
}

/// Exchanges of slots that bring the content of `here` nearer to `there`. Either the two slots
/// alone are exchanged, or all slots within some distance of each, if they are equally many and
/// have none in common.
fn exchanges(problem: &Problem, here: u32, there: u32) -> Vec<Vec<(u32, u32)>> {
    let machine = problem.machine();
    let per_node = machine.slots_per_node();
    let distance = |one: u32, other: u32| {
        machine.topology().distance(Vertex(one / per_node), Vertex(other / per_node))
    };
    let slots = problem.num_slots() as u32;
    let around = |centre: u32| -> Vec<(u32, u32)> {
        (0..slots).map(|slot| (distance(centre, slot), slot)).collect()
    };
    let (of_here, of_there) = (around(here), around(there));
    let apart = distance(here, there);
    let mut radii: Vec<u32> =
        of_here.iter().map(|&(radius, _)| radius).filter(|&radius| radius < apart).collect();
    radii.sort_unstable();
    radii.dedup();
    let mut found = vec![vec![(here, there)]];
    for radius in radii {
        let within = |all: &[(u32, u32)]| -> Vec<u32> {
            all.iter().filter(|near| near.0 <= radius).map(|near| near.1).collect()
        };
        let (one, other) = (within(&of_here), within(&of_there));
        let is_apart = one.iter().all(|slot| other.binary_search(slot).is_err());
        if one.len() == other.len() && one.len() > 1 && is_apart {
            found.push(one.into_iter().zip(other).collect());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::{Costs, Description, Hardware, Host, Network, Object, ObjectKind};
    use crate::objective::HopBytes;
    use crate::topology::Cluster;
    use crate::{Machine, TrafficBuilder, Weight, parse_pattern, parse_strategy};

    fn problem(traffic: crate::Traffic) -> Problem {
        let host = |name: &str| Host { name: name.into(), kind: 0, slots: None, group: None };
        let core = |cpu| {
            let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
            Object::new(ObjectKind::Core, Some(cpu), vec![thread])
        };
        let package =
            |cpus: [u32; 2]| Object::new(ObjectKind::Package, None, cpus.map(core).to_vec());
        let node = Object::new(ObjectKind::Node, None, vec![package([0, 1]), package([2, 3])]);
        let cluster = Cluster::new(Description {
            kinds: vec![Hardware::new(None, node)],
            network: Network::default(),
            hosts: ["a", "b"].map(host).to_vec(),
            costs: Costs::default(),
            place: ObjectKind::Core,
            seats: Vec::new(),
        });
        let machine = Machine::with_topology("cluster:x", Arc::new(cluster.unwrap())).unwrap();
        Problem::new(traffic, machine, Weight::Bytes).unwrap()
    }

    #[test]
    fn neighbours_go_along() {
        // Pairs (0, 1), (2, 3), ... share a package. Rank 0 comes to any slot without a loss.
        let mut builder = TrafficBuilder::new(8);
        (0..4).for_each(|pair| builder.add_both_ways(2 * pair, 2 * pair + 1, 1.0, 100.0));
        let problem = problem(builder.build());
        let start = problem.mapping((0..8).collect()).unwrap();
        let cost = HopBytes.cost(&problem, &start);
        for slot in 0..8 {
            let kept =
                keep_in_slot(&problem, &HopBytes, &start, (0, slot), &mut Run::new(1)).unwrap();
            assert_eq!(kept.slots()[0], slot);
            assert_eq!(HopBytes.cost(&problem, &kept), cost, "slot {slot}");
        }
    }

    #[test]
    fn a_placement_that_obeys_never_gets_worse() {
        let problem = problem(parse_pattern("random:ranks=8,degree=4,seed=3").unwrap());
        for seed in 0..8 {
            let random = parse_strategy("random").unwrap();
            let start = random.map(&problem, None, &mut Run::new(seed)).unwrap();
            let slot = start.slots()[0];
            let kept =
                keep_in_slot(&problem, &HopBytes, &start, (0, slot), &mut Run::new(1)).unwrap();
            assert_eq!(kept.slots()[0], slot);
            assert!(HopBytes.cost(&problem, &kept) <= HopBytes.cost(&problem, &start));
        }
    }
}
