//! The best pairs of ranks among all ways to pair them, as in M. K. Ferreira, V. S. Cruz and
//! P. O. A. Navaux, "Static process mapping heuristics evaluation for MPI processes in multi-core
//! clusters", section 2.1.

use std::ops::ControlFlow;

use crate::ids::Vertex;
use crate::machine::Machine;
use crate::problem::Problem;
use crate::run::Run;
use crate::strategy::place_tree::PlaceTree;

/// In how many ways ranks can be paired; of an odd number one stays alone.
pub fn ways(ranks: usize) -> f64 {
    let partners = (1..=(ranks + ranks % 2) / 2).map(|pair| (2 * pair - 1) as f64);
    partners.product()
}

/// The pairs whose communication adds up to most, the one with the lowest rank first; if the number
/// of ranks is odd, the last pair is a single rank. If a limit cuts the search short, the best so
/// far.
pub fn best_pairs(problem: &Problem, run: &mut Run) -> Vec<(u32, Option<u32>)> {
    let ranks = problem.num_ranks();
    // One extra rank without partners makes the number even.
    let even = ranks + ranks % 2;
    let mut weight = vec![0.0; even * even];
    problem.graph().for_each_pair(|a, b, exchanged| {
        weight[a as usize * even + b as usize] = exchanged;
        weight[b as usize * even + a as usize] = exchanged;
    });
    let most = |rank: usize| weight[rank * even..][..even].iter().copied().fold(0.0, f64::max);
    let mut search = Search {
        even,
        half_of_most: (0..even).map(|rank| most(rank) / 2.0).collect(),
        free: vec![true; even],
        chosen: Vec::new(),
        best: heaviest_first(&weight, even),
        best_sum: 0.0,
        rounding: if weight.iter().all(|weight| weight.fract() == 0.0) { 1.0 } else { 1.0 + 1e-12 },
        weight,
        run,
    };
    search.best_sum = search.best.iter().map(|&(a, b)| search.weight[a * even + b]).sum();
    let bound = search.half_of_most.iter().sum();
    search.extend(0, 0.0, bound);
    let mut pairs = search.best;
    // The partner of the extra rank is alone.
    pairs.sort_by_key(|&(a, b)| (b >= ranks, a));
    let rank = |number: usize| (number < ranks).then_some(number as u32);
    pairs.into_iter().map(|(a, b)| (a as u32, rank(b))).collect()
}

/// Heavy pairs first, if both ranks are free: a start that is hard to beat.
fn heaviest_first(weight: &[f64], even: usize) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> =
        (0..even).flat_map(|a| (a + 1..even).map(move |b| (a, b))).collect();
    all.sort_by(|&(a, b), &(c, d)| weight[c * even + d].total_cmp(&weight[a * even + b]));
    let mut free = vec![true; even];
    let mut take = |&(a, b): &(usize, usize)| {
        let both = free[a] && free[b];
        if both {
            (free[a], free[b]) = (false, false);
        }
        both
    };
    all.retain(|pair| take(pair));
    all
}

struct Search<'a> {
    even: usize,
    weight: Vec<f64>,
    /// Half of the most that each rank exchanges with any other: its part of a bound.
    half_of_most: Vec<f64>,
    free: Vec<bool>,
    chosen: Vec<(usize, usize)>,
    best: Vec<(usize, usize)>,
    best_sum: f64,
    /// Sums of fractions in another order may differ in the last digits: an improvement must exceed
    /// this factor.
    rounding: f64,
    run: &'a mut Run,
}

impl Search<'_> {
    /// Pairs the first free rank from `first` on with every other free rank. `bound` is the most
    /// that the free ranks could add.
    fn extend(&mut self, first: usize, sum: f64, bound: f64) {
        let Some(a) = (first..self.even).find(|&rank| self.free[rank]) else {
            if sum > self.best_sum {
                self.best_sum = sum;
                self.best.clone_from(&self.chosen);
            }
            return;
        };
        self.free[a] = false;
        for b in a + 1..self.even {
            if !self.free[b] {
                continue;
            }
            if !self.run.spend(1) {
                break;
            }
            let sum = sum + self.weight[a * self.even + b];
            let bound = bound - self.half_of_most[a] - self.half_of_most[b];
            if sum + bound <= self.best_sum * self.rounding {
                continue;
            }
            self.free[b] = false;
            self.chosen.push((a, b));
            self.extend(a + 1, sum, bound);
            self.chosen.pop();
            self.free[b] = true;
        }
        self.free[a] = true;
    }
}

/// The slot of each rank: the first pair in the first two slots that are closest, and so on.
pub fn place(problem: &Problem, pairs: &[(u32, Option<u32>)]) -> Vec<u32> {
    let machine = problem.machine();
    let of_slots = match PlaceTree::whole(machine) {
        Some(tree) => pairs_in_groups(&tree),
        None => pairs_of_neighbours(machine, pairs.len()),
    };
    let mut slot_of = vec![0; problem.num_ranks()];
    for (&(a, b), slots) in pairs.iter().zip(of_slots) {
        slot_of[a as usize] = slots.0;
        if let Some(b) = b {
            slot_of[b as usize] = slots.1.expect("only a rank alone comes to a slot alone");
        }
    }
    slot_of
}

/// All slots in pairs, the closest pairs first; the rest of a group is paired in the group around
/// it. A single slot comes last.
fn pairs_in_groups(tree: &PlaceTree) -> Vec<(u32, Option<u32>)> {
    let mut pairs: Vec<(u32, u32, Option<u32>)> = Vec::new();
    // The remaining slot of each group, the inner ones first.
    let mut left_of: Vec<Option<u32>> = vec![None; tree.groups.len()];
    for (number, group) in tree.groups.iter().enumerate().rev() {
        let kind = &tree.kinds[group.kind as usize];
        let slots: Vec<u32> = if group.children.is_empty() {
            (group.first_slot..group.first_slot + kind.room as u32).collect()
        } else {
            group.children.clone().filter_map(|child| left_of[child as usize]).collect()
        };
        for two in slots.chunks(2) {
            match *two {
                [a, b] => pairs.push((kind.distance, a, Some(b))),
                _ => left_of[number] = Some(two[0]),
            }
        }
    }
    pairs.extend(left_of[0].map(|slot| (u32::MAX, slot, None)));
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, a, b)| (a, b)).collect()
}

/// Pairs each slot with the nearest free one, until there are `enough` pairs at the smallest
/// distance; the closest come first.
fn pairs_of_neighbours(machine: &Machine, enough: usize) -> Vec<(u32, Option<u32>)> {
    let topology = machine.topology();
    let per_node = machine.slots_per_node();
    let distances = topology.distances();
    let closest = if per_node > 1 { 0 } else { distances.get(1).copied().unwrap_or(0) };
    let mut taken = vec![0u32; machine.num_nodes()];
    let mut pairs: Vec<(u32, u32, Option<u32>)> = Vec::new();
    let mut close_ones = 0;
    for node in 0..machine.num_nodes() as u32 {
        while taken[node as usize] < per_node && close_ones < enough {
            let slot = node * per_node + taken[node as usize];
            taken[node as usize] += 1;
            let mut nearest = None;
            for &distance in &distances {
                let _ = topology.nodes_at_distance(Vertex(node), distance, &mut |other| {
                    if taken[other.index()] < per_node {
                        let lowest =
                            nearest.map_or(other, |(_, known): (u32, Vertex)| known.min(other));
                        nearest = Some((distance, lowest));
                    }
                    ControlFlow::Continue(())
                });
                if nearest.is_some() {
                    break;
                }
            }
            match nearest {
                Some((distance, other)) => {
                    let other_slot = other.0 * per_node + taken[other.index()];
                    taken[other.index()] += 1;
                    close_ones += usize::from(distance == closest);
                    pairs.push((distance, slot, Some(other_slot)));
                }
                None => pairs.push((u32::MAX, slot, None)),
            }
        }
    }
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, a, b)| (a, b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrafficBuilder, Weight};

    #[test]
    fn ways_to_pair_are_double_factorials() {
        assert_eq!(ways(1), 1.0);
        assert_eq!(ways(4), 3.0);
        assert_eq!(ways(16), 2_027_025.0);
        assert_eq!(ways(15), ways(16));
    }

    fn problem(ranks: u32, machine: &str) -> Problem {
        let mut builder = TrafficBuilder::new(ranks);
        // Taking the heaviest pair first would leave 0 with 3.
        for (a, b, bytes) in [(0, 1, 5.0), (1, 2, 6.0), (2, 3, 5.0)] {
            builder.add(a, b, 1.0, bytes);
        }
        Problem::new(builder.build(), Machine::parse(machine).unwrap(), Weight::Bytes).unwrap()
    }

    #[test]
    fn the_best_pairs_are_not_always_the_heaviest() {
        let pairs = best_pairs(&problem(4, "mesh:4"), &mut Run::new(1));
        assert_eq!(pairs, [(0, Some(1)), (2, Some(3))]);
        let pairs = best_pairs(&problem(5, "mesh:5"), &mut Run::new(1));
        assert_eq!(pairs, [(0, Some(1)), (2, Some(3)), (4, None)]);
    }

    #[test]
    fn pairs_are_not_split_where_that_can_be_helped() {
        let slots = |ranks, machine| {
            let problem = problem(ranks, machine);
            place(&problem, &best_pairs(&problem, &mut Run::new(1)))
        };
        assert_eq!(slots(5, "tree:3:2,distances=1:9"), [0, 1, 3, 4, 2]);
        assert_eq!(slots(5, "tree:5,distances=1"), [0, 1, 2, 3, 4]);
        assert_eq!(slots(4, "mesh:3x3"), [0, 1, 2, 5]);
        assert_eq!(slots(5, "mesh:2,slots=3"), [0, 1, 4, 5, 2]);
        assert_eq!(slots(4, "tree:2:2,distances=1:9,slots=3"), [0, 1, 3, 4]);
    }
}
