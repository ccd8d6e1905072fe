//! How new placements are made from old ones.

use super::symmetry::Symmetries;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;
use crate::random::{self, Stream};

/// A random placement.
pub(super) fn drawn(problem: &Problem, rng: &mut Stream) -> Mapping {
    let mut slots: Vec<u32> = (0..problem.num_slots() as u32).collect();
    random::shuffle(rng, &mut slots);
    slots.truncate(problem.num_ranks());
    problem.mapping(slots).expect("each slot is taken once")
}

/// A placement with a share of the ranks exchanged at random: two tenths, and a tenth more for
/// each `level`, up to seven.
pub(super) fn shaken(
    problem: &Problem,
    mapping: &Mapping,
    level: u64,
    rng: &mut Stream,
) -> Mapping {
    let mut placement = Placement::new(mapping, problem.machine());
    let mut numbers: Vec<u32> = (0..placement.len() as u32).collect();
    random::shuffle(rng, &mut numbers);
    let share = (1 + level.min(6)) as usize;
    let count = (placement.len() * share / 10).clamp(3.min(placement.len()), placement.len());
    for pair in numbers[..count].windows(2) {
        placement.swap(pair[0], pair[1]);
    }
    placement.mapping()
}

/// A child of two placements, of one of two kinds. First one parent is laid over the other: on a ring,
/// what both agree on may be some nodes further on in one of them.
pub(super) fn child(
    problem: &Problem,
    symmetries: &Symmetries,
    a: &Mapping,
    b: &Mapping,
    rng: &mut Stream,
) -> Mapping {
    let b = symmetries.laid_over(&a.nodes(), &b.nodes());
    if random::below(rng, 2) == 0 {
        mixed(problem, a, &b, rng)
    } else {
        grafted(problem, a, &b, rng)
    }
}

/// Ranks stay on the node where both parents have them. Each other rank goes where one of the two
/// has it, if there is room, and anywhere otherwise.
fn mixed(problem: &Problem, a: &Mapping, b: &[u32], rng: &mut Stream) -> Mapping {
    let machine = problem.machine();
    let (per_node, ranks) = (machine.slots_per_node(), problem.num_ranks());
    let a = a.nodes();
    let mut room = vec![per_node; machine.num_nodes()];
    let mut slots = vec![u32::MAX; ranks];
    let mut take = |slot: &mut u32, node: u32| {
        let room = &mut room[node as usize];
        if *room > 0 && *slot == u32::MAX {
            *room -= 1;
            *slot = node * per_node + *room;
        }
    };
    for (slot, (&here, _)) in slots.iter_mut().zip(a.iter().zip(b)).filter(|(_, (a, b))| a == b) {
        take(slot, here);
    }
    let first = random::below(rng, ranks as u32) as usize;
    for rank in (first..ranks).chain(0..first) {
        let (one, other) = (a[rank], b[rank]);
        let turned = random::below(rng, 2) == 0;
        take(&mut slots[rank], if turned { other } else { one });
        take(&mut slots[rank], if turned { one } else { other });
    }
    let mut free: Vec<u32> = (0..)
        .zip(&room)
        .flat_map(|(node, &room)| (0..room).map(move |place| node * per_node + place))
        .collect();
    for slot in slots.iter_mut().filter(|slot| **slot == u32::MAX) {
        *slot = free.swap_remove(random::below(rng, free.len() as u32) as usize);
    }
    problem.mapping(slots).expect("no node gets more ranks than it has slots")
}

/// The first parent, in which a connected part of the traffic moves to where the second has it. The
/// ranks that are there take the places that become free.
fn grafted(problem: &Problem, a: &Mapping, wanted: &[u32], rng: &mut Stream) -> Mapping {
    let (graph, ranks) = (problem.graph(), problem.num_ranks() as u32);
    let mut placement = Placement::new(a, problem.machine());
    let mut moved = vec![false; ranks as usize];
    let mut pull = vec![0.0; ranks as usize];
    let mut rank = random::below(rng, ranks);
    // A quarter to three quarters of the ranks.
    for _ in 0..ranks / 4 + random::below(rng, ranks / 2 + 1) {
        moved[rank as usize] = true;
        let node = wanted[rank as usize];
        if placement.node_of(rank) != node {
            let stays = |&other: &u32| moved.get(other as usize) != Some(&true);
            let there = placement.on_node(node).iter().copied().find(stays);
            placement.swap(rank, there.expect("the second parent has room for it here"));
        }
        graph.edges(rank).for_each(|(partner, weight)| pull[partner as usize] += weight);
        // Of equal ranks, the first one after a random place is next.
        let first = random::below(rng, ranks);
        let mut strongest = -1.0;
        for other in (first..ranks).chain(0..first) {
            if !moved[other as usize] && pull[other as usize] > strongest {
                (strongest, rank) = (pull[other as usize], other);
            }
        }
    }
    placement.mapping()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern};

    #[test]
    fn children_keep_what_their_parents_agree_on() {
        let machine = Machine::parse("mesh:4x3,slots=3").unwrap();
        let traffic = parse_pattern("random:ranks=32,degree=4,seed=1").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        for seed in 0..50 {
            let mut rng = random::stream(seed, &[]);
            let a = drawn(&problem, &mut rng);
            let b = shaken(&problem, &a, seed % 8, &mut rng);
            let (nodes_a, nodes_b) = (a.nodes(), b.nodes());
            let child = mixed(&problem, &a, &nodes_b, &mut rng).nodes();
            for rank in (0..32).filter(|&rank| nodes_a[rank] == nodes_b[rank]) {
                assert_eq!(child[rank], nodes_a[rank]);
            }
            let child = grafted(&problem, &a, &nodes_b, &mut rng).nodes();
            let from_b = (0..32).filter(|&rank| child[rank] == nodes_b[rank]).count();
            assert!(from_b >= 8, "a quarter of the ranks at least");
        }
    }
}
