//! Lower bounds of hop-bytes that hold for every placement.

use crate::problem::Problem;

/// Beyond this, sums of whole numbers may be rounded.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A proven lower bound of hop-bytes: the largest of three.
///
/// *Rank by rank*: a rank's partners, heaviest first, lie at best in the nearest slots. Each
/// pair is seen from both ends, so half of the sum counts.
/// *All pairs*: the heaviest pairs lie at best on the closest pairs of slots.
/// *Connected groups*: ranks that hang together and do not fit one node need several, and as many
/// pairs but one must leave their node; at best the lightest.
pub fn hop_bytes_lower_bound(problem: &Problem) -> f64 {
    let bound = rank_by_rank(problem).max(all_pairs(problem)).max(connected_groups(problem));
    let whole = problem.graph().pairs().all(|(_, _, weight)| weight.fract() == 0.0);
    // Of whole weights every cost is whole.
    if whole && bound < EXACT { bound.ceil() } else { bound * (1.0 - 1e-12) }
}

fn connected_groups(problem: &Problem) -> f64 {
    let slots_per_node = problem.machine().slots_per_node() as usize;
    let graph = problem.graph();
    let mut seen = vec![false; graph.num_ranks()];
    let mut group = Vec::new();
    let mut weights = Vec::new();
    let mut sum = 0.0;
    for first in 0..graph.num_ranks() as u32 {
        if std::mem::replace(&mut seen[first as usize], true) {
            continue;
        }
        group.clear();
        weights.clear();
        group.push(first);
        let mut next = 0;
        while let Some(&rank) = group.get(next) {
            next += 1;
            for (partner, weight) in graph.edges(rank) {
                if rank < partner {
                    weights.push(weight);
                }
                if !std::mem::replace(&mut seen[partner as usize], true) {
                    group.push(partner);
                }
            }
        }
        let leaving = group.len().div_ceil(slots_per_node) - 1;
        if leaving > 0 {
            weights.select_nth_unstable_by(leaving - 1, f64::total_cmp);
            sum += weights[..leaving].iter().sum::<f64>();
        }
    }
    sum
}

fn rank_by_rank(problem: &Problem) -> f64 {
    let machine = problem.machine();
    let slots_per_node = u64::from(machine.slots_per_node());
    // For each distance, how many other slots lie within it at most.
    let ball: Vec<u64> = machine
        .topology()
        .largest_ball()
        .iter()
        .map(|nodes| nodes * slots_per_node + slots_per_node - 1)
        .collect();
    let mut weights = Vec::new();
    let mut sum = 0.0;
    for rank in 0..problem.num_ranks() as u32 {
        weights.clear();
        weights.extend_from_slice(problem.graph().weights(rank));
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut distance = 0;
        for (position, weight) in weights.iter().enumerate() {
            while ball.get(distance).is_some_and(|&within| within <= position as u64) {
                distance += 1;
            }
            sum += weight * distance as f64;
        }
    }
    sum / 2.0
}

fn all_pairs(problem: &Problem) -> f64 {
    let machine = problem.machine();
    let slots_per_node = u64::from(machine.slots_per_node());
    let mut pairs = machine.topology().pairs_at_distance();
    pairs.iter_mut().for_each(|count| *count *= slots_per_node * slots_per_node);
    pairs[0] += machine.num_nodes() as u64 * (slots_per_node * (slots_per_node - 1) / 2);
    let mut weights: Vec<f64> = problem.graph().pairs().map(|(_, _, weight)| weight).collect();
    weights.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    let mut distance = 0;
    let mut left = pairs[0];
    for weight in weights {
        while left == 0 {
            distance += 1;
            left = pairs.get(distance).copied().unwrap_or(u64::MAX);
        }
        left -= 1;
        sum += weight * distance as f64;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern};

    fn bound(traffic: &str, machine: &str) -> f64 {
        let problem = Problem::new(
            parse_pattern(traffic).unwrap(),
            Machine::parse(machine).unwrap(),
            Weight::Bytes,
        );
        hop_bytes_lower_bound(&problem.unwrap())
    }

    #[test]
    fn a_ring_on_a_ring_costs_at_least_one_hop_each() {
        assert_eq!(bound("ring:8", "torus:8"), 16.0);
    }

    #[test]
    fn partners_beyond_the_nearest_slots_count_more() {
        // On a ring of 6 each rank has 2 slots at distance 1, 2 at 2, 1 at 3: 9 hops to all
        // five; 6 ranks x 9 in all, each flow counted from its sender.
        assert_eq!(bound("all-to-all:6", "torus:6"), 54.0);
        // Two slots a node: 1 at 0, 4 at 1 on a ring of 3: 4 hops x 6 ranks.
        assert_eq!(bound("all-to-all:6", "torus:3,slots=2"), 24.0);
    }

    #[test]
    fn a_ring_that_needs_four_nodes_leaves_its_node_three_times() {
        // Each rank alone could have its partners on its node. 3 pairs of 2 bytes.
        assert_eq!(bound("ring:64", "torus:8,slots=16"), 6.0);
    }

    #[test]
    fn all_pairs_on_a_line_are_bounded_by_the_pairs_of_slots() {
        // A line of 3 has two pairs at distance 1 and one at 2; both directions: 2 x 4.
        assert_eq!(bound("all-to-all:3", "mesh:3"), 8.0);
    }
}
