//! Joins two placements of one rank per slot: regions in which the other one is better are taken
//! from there, and what both agree on stays.
//!
//! This is the partition crossover of D. Whitley, D. Hains and A. Howe, "A hybrid genetic algorithm
//! for the traveling salesman problem using generalized partition crossover" (2010), for placements.

use crate::mapping::{Mapping, Placement};
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;

/// Exchanges that bring a circle of ranks from their nodes in one placement to those in another.
type Circle = Vec<(u32, u32)>;

/// A placement with the best regions of both: at least as good as the first, and each rank that both
/// have on the same node is there.
pub(super) fn joined(
    problem: &Problem,
    objective: &dyn Objective,
    better: &Mapping,
    other: &Mapping,
    run: &mut Run,
) -> Mapping {
    let regions = regions(problem, better, other);
    let Some(mut tracker) = objective.track_within(problem, better, run) else {
        run.must_stop();
        return better.clone();
    };
    for region in regions {
        if !run.spend(region.len() as u64) {
            break;
        }
        let before = tracker.cost();
        region.iter().for_each(|&(a, b)| tracker.swap(a, b));
        if tracker.cost() >= before {
            region.iter().rev().for_each(|&(a, b)| tracker.swap(a, b));
        }
    }
    let child = tracker.placement().mapping();
    // The tracked cost may be off by rounding.
    let is_better = objective.cost(problem, &child) < objective.cost(problem, better);
    if is_better { child } else { better.clone() }
}

/// The exchanges that lead from one placement to the other, in groups without traffic between them:
/// for sums over pairs, each group can be judged by itself.
fn regions(problem: &Problem, from: &Mapping, to: &Mapping) -> Vec<Circle> {
    let circles = circles(problem, from, to);
    let mut circle_of = vec![u32::MAX; problem.num_ranks()];
    for (number, circle) in (0..).zip(&circles) {
        for rank in circle.iter().flat_map(|&(a, b)| [a, b]) {
            if let Some(circle) = circle_of.get_mut(rank as usize) {
                *circle = number;
            }
        }
    }
    let mut leader: Vec<u32> = (0..circles.len() as u32).collect();
    problem.graph().for_each_pair(|a, b, _| {
        let (a, b) = (circle_of[a as usize], circle_of[b as usize]);
        if a != u32::MAX && b != u32::MAX {
            let (a, b) = (find(&mut leader, a), find(&mut leader, b));
            leader[a.max(b) as usize] = a.min(b);
        }
    });
    let mut regions = vec![Vec::new(); circles.len()];
    for (number, circle) in (0..).zip(circles) {
        regions[find(&mut leader, number) as usize].extend(circle);
    }
    regions.retain(|region| !region.is_empty());
    regions
}

fn find(leader: &mut [u32], mut circle: u32) -> u32 {
    while leader[circle as usize] != circle {
        leader[circle as usize] = leader[leader[circle as usize] as usize];
        circle = leader[circle as usize];
    }
    circle
}

/// Circles of ranks: each takes the place of the next, until one goes to an empty slot or to where
/// the first one was.
fn circles(problem: &Problem, from: &Mapping, to: &Mapping) -> Vec<Circle> {
    let wanted = to.nodes();
    let mut placement = Placement::new(from, problem.machine());
    let mut circles = Vec::new();
    for first in 0..problem.num_ranks() as u32 {
        let mut circle = Vec::new();
        let mut rank = first;
        while wanted.get(rank as usize).is_some_and(|&node| node != placement.node_of(rank)) {
            let node = wanted[rank as usize];
            let leaves = |&other: &u32| wanted.get(other as usize) != Some(&node);
            let there = placement.on_node(node).iter().copied().filter(leaves);
            // Ranks have smaller numbers than empty slots.
            let next = there.min().expect("the other placement has room for it here");
            placement.swap(rank, next);
            circle.push((rank, next));
            rank = next;
        }
        if !circle.is_empty() {
            circles.push(circle);
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::HopBytes;
    use crate::{Machine, Weight, parse_pattern, random};

    #[test]
    fn regions_are_taken_from_whichever_parent_is_better_there() {
        // Four pairs of partners on a line: in each parent, two pairs are together.
        let traffic = parse_pattern("stencil:8").unwrap();
        let machine = Machine::parse("mesh:8").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let one = problem.mapping(vec![1, 0, 2, 3, 4, 5, 6, 7]).unwrap();
        let other = problem.mapping(vec![0, 1, 2, 3, 4, 5, 7, 6]).unwrap();
        let child = joined(&problem, &HopBytes, &one, &other, &mut Run::new(1));
        assert_eq!(child.slots(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_child_keeps_agreement_and_is_not_worse_than_the_better_parent() {
        let machine = Machine::parse("mesh:4x3,slots=3").unwrap();
        let traffic = parse_pattern("random:ranks=32,degree=4,seed=1").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        for seed in 0..50 {
            let mut rng = random::stream(seed, &[]);
            let mut slots: Vec<u32> = (0..36).collect();
            random::shuffle(&mut rng, &mut slots);
            let one = problem.mapping(slots[..32].to_vec()).unwrap();
            for _ in 0..seed % 20 {
                slots.swap(
                    random::below(&mut rng, 36) as usize,
                    random::below(&mut rng, 36) as usize,
                );
            }
            let other = problem.mapping(slots[..32].to_vec()).unwrap();
            let cost = |mapping: &Mapping| HopBytes.cost(&problem, mapping);
            let child = joined(&problem, &HopBytes, &one, &other, &mut Run::new(1));
            assert!(cost(&child) <= cost(&one));
            let (child, one, other) = (child.nodes(), one.nodes(), other.nodes());
            for rank in (0..32).filter(|&rank| one[rank] == other[rank]) {
                assert_eq!(child[rank], one[rank]);
            }
        }
    }
}
