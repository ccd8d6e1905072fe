//! The Gilmore-Lawler bound of a partial placement.

use super::assignment::least_assignment;
use crate::ids::Vertex;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::objective::pair_sum::{PairCost, symmetric_table};
use crate::problem::Problem;

/// All data that the search looks up repeatedly, in the order in which ranks are placed.
pub(crate) struct Costs {
    /// Ranks in the order of placement.
    order: Vec<u32>,
    /// For each position in the order: partners as (position, weight), heaviest first.
    partners: Vec<Vec<(usize, f64)>>,
    /// What a pair of weight 1 costs between two slots.
    unit_cost: Vec<f64>,
    /// For each slot all slots, the cheapest to reach first.
    by_cost: Vec<Vec<u16>>,
    slots: usize,
    slots_per_node: usize,
    /// Where the first rank goes: the other nodes are images of these.
    first_slots: Vec<u16>,
    /// Whether every cost is a whole number.
    whole: bool,
}

impl Costs {
    /// `None` unless the objective is a sum over pairs that costs the same both ways.
    pub fn new(problem: &Problem, objective: &dyn Objective) -> Option<Costs> {
        let machine = problem.machine();
        let slots = problem.num_slots();
        let slots_per_node = machine.slots_per_node() as usize;
        let UnitCosts { unit_cost, factor, first_nodes } = UnitCosts::new(problem, objective)?;
        let by_cost = (0..slots)
            .map(|from| {
                let mut to: Vec<u16> = (0..slots as u16).collect();
                let row = &unit_cost[from * slots..(from + 1) * slots];
                to.sort_by(|&a, &b| row[a as usize].total_cmp(&row[b as usize]));
                to
            })
            .collect();
        let order = placement_order(problem);
        let mut position = vec![0; order.len()];
        for (place, &rank) in order.iter().enumerate() {
            position[rank as usize] = place;
        }
        let mut partners = Vec::with_capacity(order.len());
        for &rank in &order {
            let mut row = Vec::new();
            for (partner, weight) in problem.graph().edges(rank) {
                row.push((position[partner as usize], factor(weight)));
            }
            row.sort_by(|a: &(usize, f64), b| b.1.total_cmp(&a.1));
            partners.push(row);
        }
        let is_whole = |value: &f64| value.fract() == 0.0;
        let whole = partners.iter().flatten().all(|(_, weight)| is_whole(weight))
            && unit_cost.iter().all(is_whole);
        let first_slots = first_nodes.iter().map(|node| (node * slots_per_node) as u16).collect();
        Some(Costs {
            order,
            partners,
            unit_cost,
            by_cost,
            slots,
            slots_per_node,
            first_slots,
            whole,
        })
    }

    fn unit_cost(&self, a: u16, b: u16) -> f64 {
        self.unit_cost[a as usize * self.slots + b as usize]
    }

    /// What placing the next rank in `slot` adds.
    pub fn added(&self, placed: &[u16], slot: u16) -> f64 {
        self.partners[placed.len()]
            .iter()
            .filter(|&&(partner, _)| partner < placed.len())
            .map(|&(partner, weight)| weight * self.unit_cost(slot, placed[partner]))
            .sum()
    }

    /// Slots for the next rank: one per node, because the slots of a node are alike; for the first
    /// rank only nodes that differ under the symmetries of the machine and its costs.
    pub fn slots_to_try(&self, placed: &[u16]) -> Vec<u16> {
        if placed.is_empty() {
            return self.first_slots.clone();
        }
        let mut taken = vec![0; self.slots / self.slots_per_node];
        for &slot in placed {
            taken[slot as usize / self.slots_per_node] += 1;
        }
        (0..taken.len())
            .filter(|&node| taken[node] < self.slots_per_node)
            .map(|node| (node * self.slots_per_node + taken[node]) as u16)
            .collect()
    }

    /// If the weights are whole numbers, every cost is one too.
    pub fn rounded_up(&self, bound: f64) -> f64 {
        if self.whole { (bound - 1e-6).ceil() } else { bound * (1.0 + 1e-12) }
    }

    /// A lower bound on the cost of every completion of `placed`. For each free slot, each open
    /// rank is charged its traffic to the placed ranks, and half the minimum cost of its traffic to
    /// open ranks, with the heaviest partner in the nearest free slot. The cheapest assignment of
    /// ranks to slots bounds the sum.
    pub fn lower_bound(&self, placed: &[u16], cost: f64, steps_left: &mut u64) -> f64 {
        let mut is_free = vec![true; self.slots];
        placed.iter().for_each(|&slot| is_free[slot as usize] = false);
        let free: Vec<u16> =
            (0..self.slots as u16).filter(|&slot| is_free[slot as usize]).collect();
        let open = placed.len()..self.order.len();
        let mut matrix = vec![0.0; open.len() * free.len()];
        let mut nearest = Vec::with_capacity(free.len());
        for (column, &slot) in free.iter().enumerate() {
            nearest.clear();
            nearest.extend(
                self.by_cost[slot as usize]
                    .iter()
                    .filter(|&&other| other != slot && is_free[other as usize])
                    .map(|&other| self.unit_cost(slot, other)),
            );
            for (row, position) in open.clone().enumerate() {
                let (mut fixed, mut half) = (0.0, 0.0);
                let mut next = nearest.iter();
                for &(partner, weight) in &self.partners[position] {
                    if partner < placed.len() {
                        fixed += weight * self.unit_cost(slot, placed[partner]);
                    } else {
                        half += weight * next.next().expect("as many free slots as open ranks");
                    }
                }
                matrix[row * free.len() + column] = fixed + half / 2.0;
            }
        }
        let steps = (open.len() * open.len() * free.len()) as u64;
        *steps_left = steps_left.saturating_sub(steps.max(1));
        cost + least_assignment(&matrix, open.len(), free.len())
    }

    /// The mapping of a complete list of slots.
    pub fn mapping(&self, placed: &[u16], problem: &Problem) -> Mapping {
        let mut slots = vec![0; placed.len()];
        for (&rank, &slot) in self.order.iter().zip(placed) {
            slots[rank as usize] = u32::from(slot);
        }
        Mapping::new(slots, problem.machine()).expect("the search takes each slot once")
    }
}

/// What pairs cost, before ranks have an order.
struct UnitCosts<'a> {
    /// What a pair of weight 1 costs between two slots.
    unit_cost: Vec<f64>,
    /// The factor for a pair of another weight.
    factor: Box<dyn Fn(f64) -> f64 + 'a>,
    /// One of each set of nodes that are images of each other.
    first_nodes: Vec<usize>,
}

impl<'a> UnitCosts<'a> {
    fn new(problem: &Problem, objective: &'a dyn Objective) -> Option<UnitCosts<'a>> {
        Self::by_distance(problem, objective).or_else(|| Self::by_nodes(problem, objective))
    }

    /// If the distance decides, the symmetries of the machine are those of the costs.
    fn by_distance(problem: &Problem, objective: &'a dyn Objective) -> Option<UnitCosts<'a>> {
        let unit = objective.pair_cost(1.0, 2)?;
        let topology = problem.machine().topology();
        let unit_cost = slot_table(problem, |a, b| {
            let distance = topology.distance(Vertex(a), Vertex(b));
            objective.pair_cost(1.0, distance).expect("a sum over pairs at any distance")
        });
        let factor = move |weight| {
            objective.pair_cost(weight, 2).expect("a sum over pairs of any weight") / unit
        };
        let first_nodes = topology.representative_nodes().iter().map(|node| node.index()).collect();
        Some(UnitCosts { unit_cost, factor: Box::new(factor), first_nodes })
    }

    /// Costs between pairs of nodes may lack the machine's symmetries.
    fn by_nodes(problem: &Problem, objective: &dyn Objective) -> Option<UnitCosts<'a>> {
        let table = symmetric_table(problem, objective)?;
        let unit_cost = slot_table(problem, |a, b| table.between(a, b));
        let first_nodes = (0..problem.machine().num_nodes()).collect();
        Some(UnitCosts { unit_cost, factor: Box::new(|weight| weight), first_nodes })
    }
}

/// The cost between two slots, from their nodes.
fn slot_table(problem: &Problem, between: impl Fn(u32, u32) -> f64) -> Vec<f64> {
    let slots = problem.num_slots();
    let slots_per_node = problem.machine().slots_per_node() as usize;
    let node = |slot: usize| (slot / slots_per_node) as u32;
    let pairs = (0..slots).flat_map(|a| (0..slots).map(move |b| (a, b)));
    pairs.map(|(a, b)| between(node(a), node(b))).collect()
}

/// The heaviest rank first, then always the one with most traffic to those before it.
fn placement_order(problem: &Problem) -> Vec<u32> {
    let graph = problem.graph();
    let total = |rank: u32| -> f64 { graph.weights(rank).iter().sum() };
    let mut to_placed = vec![0.0; graph.num_ranks()];
    let mut left: Vec<u32> = (0..graph.num_ranks() as u32).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let key = |rank: u32| (to_placed[rank as usize], total(rank));
        let best = (1..left.len()).fold(
            0,
            |best, at| {
                if key(left[at]) > key(left[best]) { at } else { best }
            },
        );
        let rank = left.remove(best);
        graph.edges(rank).for_each(|(partner, weight)| to_placed[partner as usize] += weight);
        order.push(rank);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::HopBytes;
    use crate::{Machine, Weight, parse_pattern};

    /// The least cost of any completion of `placed`, by trying all.
    fn least(costs: &Costs, placed: &mut Vec<u16>, cost: f64, ranks: usize) -> f64 {
        if placed.len() == ranks {
            return cost;
        }
        let free = (0..costs.slots as u16).filter(|slot| !placed.contains(slot));
        let mut least_cost = f64::INFINITY;
        for slot in free.collect::<Vec<u16>>() {
            let added = costs.added(placed, slot);
            placed.push(slot);
            least_cost = least_cost.min(least(costs, placed, cost + added, ranks));
            placed.pop();
        }
        least_cost
    }

    #[test]
    fn the_bound_of_a_partial_placement_is_never_above_its_best_completion() {
        for (traffic, machine) in [
            ("random:ranks=6,degree=3,seed=1,bytes=3", "mesh:3x2"),
            ("random:ranks=5,degree=4,seed=2", "mesh:6"),
            ("lu:class=S,ranks=6", "torus:3,slots=2"),
            ("all-to-all:5", "haec:2x1x3"),
        ] {
            let machine = Machine::parse(machine).unwrap();
            let traffic = parse_pattern(traffic).unwrap();
            let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
            let costs = Costs::new(&problem, &HopBytes).unwrap();
            let ranks = problem.num_ranks();
            for placed in [vec![], vec![0], vec![2], vec![1, 4], vec![5, 0, 3]] {
                let cost: f64 =
                    (0..placed.len()).map(|at| costs.added(&placed[..at], placed[at])).sum();
                let bound = costs.lower_bound(&placed, cost, &mut u64::MAX.clone());
                let best = least(&costs, &mut placed.clone(), cost, ranks);
                assert!(bound <= best * (1.0 + 1e-12), "{placed:?}: {bound} above {best}");
            }
        }
    }
}
