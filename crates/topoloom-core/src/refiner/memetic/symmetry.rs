//! The symmetries of a box: shifts along its rings, mirror images and exchanges of dimensions.
//!
//! If a symmetry turns one placement into another, every cost is the same for both. What two
//! parents agree on is only seen after one is laid over the other.

use crate::machine::Machine;
use crate::objective::pair_sum::{CostTable, PairCost};

/// The most mirror images and exchanges of dimensions that are tried: all of three dimensions.
const MOST_TURNS: usize = 48;

/// A pair of nodes of which no shift turns one into the other.
const NO_SHIFT: u32 = u32::MAX;

/// The symmetries of a machine that leave all costs as they are.
pub(super) struct Symmetries {
    lengths: Vec<u32>,
    /// Node permutations without shifts; the first is the identity.
    turns: Vec<Vec<u32>>,
    /// For two nodes, the shift that turns the second one into the first one.
    shift: Vec<u32>,
    nodes: usize,
}

impl Symmetries {
    /// Finds them by trying all. Machines that are not boxes have none.
    pub(super) fn of(machine: &Machine, costs: &CostTable) -> Symmetries {
        let nodes = machine.num_nodes();
        let lengths: Vec<u32> = machine.topology().grid_lengths().unwrap_or(&[]).to_vec();
        let fills = lengths.iter().map(|&length| length as usize).product::<usize>() == nodes;
        let lengths = if fills { lengths } else { Vec::new() };
        let keeps_costs = |moved: &[u32]| {
            let same = |(a, b): (u32, u32)| {
                costs.between(moved[a as usize], moved[b as usize]) == costs.between(a, b)
            };
            let nodes = nodes as u32;
            (0..nodes).all(|a| (0..nodes).all(|b| same((a, b))))
        };
        let identity: Vec<u32> = (0..nodes as u32).collect();
        let of_all = |moved: &dyn Fn(&mut Vec<u32>)| -> Vec<u32> {
            let place = |&node: &u32| {
                let mut place = digits(node, &lengths);
                moved(&mut place);
                number(&place, &lengths)
            };
            if lengths.is_empty() { identity.clone() } else { identity.iter().map(place).collect() }
        };
        let is_ring: Vec<bool> = (0..lengths.len())
            .map(|dimension| {
                let length = lengths[dimension];
                keeps_costs(&of_all(&|place| place[dimension] = (place[dimension] + 1) % length))
            })
            .collect();
        let mut turns = vec![identity.clone()];
        for (order, mirrored) in signed_orders(&lengths, &is_ring) {
            let turned = of_all(&|place| {
                let before = place.clone();
                for (dimension, &from) in order.iter().enumerate() {
                    let mirror = mirrored >> dimension & 1 == 1;
                    let last = lengths[dimension] - 1;
                    place[dimension] = if mirror { last - before[from] } else { before[from] };
                }
            });
            if !turns.contains(&turned) && keeps_costs(&turned) {
                turns.push(turned);
            }
        }
        let mut shift = Vec::new();
        if turns.len() > 1 || is_ring.contains(&true) {
            shift.reserve(nodes * nodes);
            let places: Vec<Vec<u32>> =
                identity.iter().map(|&node| digits(node, &lengths)).collect();
            for to in &places {
                shift.extend(places.iter().map(|from| steps(from, to, &lengths, &is_ring)));
            }
        }
        Symmetries { lengths, turns, shift, nodes }
    }

    /// Lays `nodes` over `over`, with as many ranks as possible on the same node.
    pub(super) fn laid_over(&self, over: &[u32], nodes: &[u32]) -> Vec<u32> {
        let mut nodes = nodes.to_vec();
        if self.shift.is_empty() {
            return nodes;
        }
        let mut votes = vec![0u32; self.nodes];
        let (mut most, mut best_turn, mut best_shift) = (0, 0, 0);
        for (turn, turned) in self.turns.iter().enumerate() {
            votes.fill(0);
            for (&to, &from) in over.iter().zip(&nodes) {
                let shift = self.shift[to as usize * self.nodes + turned[from as usize] as usize];
                if let Some(votes) = votes.get_mut(shift as usize) {
                    *votes += 1;
                    if *votes > most {
                        (most, best_turn, best_shift) = (*votes, turn, shift);
                    }
                }
            }
        }
        let steps = digits(best_shift, &self.lengths);
        for node in &mut nodes {
            let mut place = digits(self.turns[best_turn][*node as usize], &self.lengths);
            for ((digit, step), length) in place.iter_mut().zip(&steps).zip(&self.lengths) {
                *digit = (*digit + step) % length;
            }
            *node = number(&place, &self.lengths);
        }
        nodes
    }
}

/// The steps from one place to another as a number, if only rings lie between them.
fn steps(from: &[u32], to: &[u32], lengths: &[u32], is_ring: &[bool]) -> u32 {
    let mut steps = Vec::with_capacity(lengths.len());
    for dimension in 0..lengths.len() {
        let (from, to, length) = (from[dimension], to[dimension], lengths[dimension]);
        if from != to && !is_ring[dimension] {
            return NO_SHIFT;
        }
        steps.push((to + length - from) % length);
    }
    number(&steps, lengths)
}

/// Exchanges of dimensions of the same length, each with the dimensions that are mirrored, as bits.
/// A ring of two is mirrored by a shift.
fn signed_orders(lengths: &[u32], is_ring: &[bool]) -> Vec<(Vec<usize>, usize)> {
    let mirrors: Vec<usize> = (0..lengths.len())
        .filter(|&dimension| lengths[dimension] > if is_ring[dimension] { 2 } else { 1 })
        .collect();
    let mut found = Vec::new();
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    loop {
        if (0..lengths.len()).all(|dimension| lengths[order[dimension]] == lengths[dimension]) {
            for chosen in 0..1usize << mirrors.len() {
                let bits = mirrors.iter().enumerate();
                let mirrored = bits.map(|(bit, dimension)| (chosen >> bit & 1) << dimension).sum();
                found.push((order.clone(), mirrored));
                if found.len() == MOST_TURNS {
                    return found;
                }
            }
        }
        if !next_order(&mut order) {
            return found;
        }
    }
}

/// The next permutation in the order of dictionaries; false after the last one.
fn next_order(order: &mut [usize]) -> bool {
    let Some(fall) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let larger = order.iter().rposition(|&other| other > order[fall]).unwrap_or(fall);
    order.swap(fall, larger);
    order[fall + 1..].reverse();
    true
}

fn digits(node: u32, lengths: &[u32]) -> Vec<u32> {
    let mut left = node;
    let digit = |&length: &u32| {
        let digit = left % length;
        left /= length;
        digit
    };
    lengths.iter().map(digit).collect()
}

fn number(place: &[u32], lengths: &[u32]) -> u32 {
    place.iter().zip(lengths).rev().fold(0, |number, (digit, length)| number * length + digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::pair_sum::FlowSum;
    use crate::objective::{CostMatrix, HopBytes, Objective};
    use crate::random;
    use crate::{Machine, Problem, Weight, parse_pattern};

    fn problem(machine: &str) -> Problem {
        let machine = Machine::parse(machine).unwrap();
        let traffic = parse_pattern("random:ranks=20,degree=4,seed=2").unwrap();
        Problem::new(traffic, machine, Weight::Bytes).unwrap()
    }

    fn symmetries(problem: &Problem, objective: &dyn Objective) -> Symmetries {
        let sum = FlowSum::of(problem, objective).unwrap();
        Symmetries::of(problem.machine(), sum.costs())
    }

    #[test]
    fn a_placement_turned_by_a_symmetry_is_found_again() {
        type Turned = fn(u32, u32) -> u32;
        let cases: [(&str, Turned); 3] = [
            // The first ring mirrored, and one step along the second one.
            ("torus:5x4", |x, y| (5 - x) % 5 + 5 * ((y + 1) % 4)),
            // Dimensions exchanged, and a shift.
            ("torus:5x5", |x, y| (y + 2) % 5 + 5 * ((x + 3) % 5)),
            ("mesh:5x4", |x, y| 4 - x + 5 * (3 - y)),
        ];
        for (name, turned) in cases {
            let problem = problem(name);
            let symmetries = symmetries(&problem, &HopBytes);
            let mut nodes: Vec<u32> = (0..20).collect();
            random::shuffle(&mut random::stream(1, &[]), &mut nodes);
            let elsewhere: Vec<u32> = nodes.iter().map(|node| turned(node % 5, node / 5)).collect();
            assert_ne!(nodes, elsewhere);
            assert_eq!(symmetries.laid_over(&nodes, &elsewhere), nodes, "{name}");
        }
    }

    #[test]
    fn no_placement_gets_another_cost() {
        let matrix = |nodes: u32| {
            let row = |a: u32| (0..nodes).map(|b| f64::from(a.abs_diff(b) % 7)).collect();
            CostMatrix::new("drawn", (0..nodes).map(row).collect()).unwrap()
        };
        for name in [
            "torus:4x3x2",
            "hypercube:5",
            "mesh:6x4",
            "haec:3x3x3",
            "torus:7x3",
            "tree:4:6,distances=1:10",
        ] {
            let problem = problem(name);
            let matrix = matrix(problem.machine().num_nodes() as u32);
            for objective in [&HopBytes as &dyn Objective, &matrix] {
                let symmetries = symmetries(&problem, objective);
                for seed in 0..20 {
                    let drawn = |part: u64| {
                        let mut slots: Vec<u32> = (0..problem.num_slots() as u32).collect();
                        random::shuffle(&mut random::stream(seed, &[part]), &mut slots);
                        slots.truncate(20);
                        slots
                    };
                    let (one, other) = (drawn(0), drawn(1));
                    let cost = |slots: &[u32]| {
                        objective.cost(&problem, &problem.mapping(slots.to_vec()).unwrap())
                    };
                    let laid = symmetries.laid_over(&one, &other);
                    assert_eq!(cost(&laid), cost(&other), "{name} {}", objective.name());
                    let agree = |a: &[u32]| a.iter().zip(&one).filter(|(a, b)| a == b).count();
                    assert!(agree(&laid) >= agree(&other));
                }
            }
        }
    }
}
