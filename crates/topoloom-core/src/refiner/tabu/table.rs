//! What every exchange would add to a sum over flows, updated after each.
//!
//! Let u move from x to y and v from y to x. For the others, h(i) = w(i,u) - w(i,v) and g(z) =
//! c(z,y) - c(z,x) say how the delta of i and j changes: by (h(i) - h(j)) (g(node of j) - g(node of
//! i)), which is 0 unless one is a partner of u or v. What the flows of i would cost on node z
//! changes by h(i) g(z). A sum that depends on the direction has two such parts.

use super::neighbourhood::{Exchange, Neighbourhood};
use super::shift::Shift;
use crate::mapping::{Mapping, Placement};
use crate::objective::pair_sum::{FlowSum, PairCost};
use crate::random::{self, Stream};
use crate::run::Run;

/// The deltas of all pairs of a rank and a higher rank or phantom.
pub(crate) struct DeltaTable<'a> {
    sum: &'a FlowSum<'a>,
    placement: Placement,
    cost: f64,
    ranks: usize,
    count: usize,
    /// Row by row; row i holds the pairs (i, i+1), (i, i+2), ...
    delta: Vec<f64>,
    /// A lower limit of the deltas of a row: rows that cannot hold the best are skipped.
    least: Vec<f64>,
    /// What the flows of each rank would cost on each node, rank by rank.
    cost_at: Vec<f64>,
    nodes: usize,
    /// What an exchange changes, for each part of the sum.
    shifts: Vec<Shift<'a>>,
    /// Scratch: what an exchange of a rank with each of its partners adds because both move.
    both_move: Vec<f64>,
}

impl<'a> DeltaTable<'a> {
    /// Evaluates every exchange; `None` if a limit stops it.
    pub(crate) fn new(sum: &'a FlowSum<'a>, start: &Mapping, run: &mut Run) -> Option<Self> {
        let placement = Placement::new(start, sum.machine());
        let (ranks, count) = (sum.graph().num_ranks(), placement.len());
        let nodes = sum.machine().num_nodes();
        let shifts = sum.parts().into_iter().map(|part| Shift::new(part, count, nodes)).collect();
        let mut table = DeltaTable {
            sum,
            placement,
            cost: 0.0,
            ranks,
            count,
            delta: Vec::new(),
            least: vec![f64::INFINITY; ranks],
            cost_at: vec![0.0; ranks * nodes],
            nodes,
            shifts,
            both_move: vec![0.0; count],
        };
        table.delta.resize(table.row_start(ranks), 0.0);
        table.fill(run).then_some(table)
    }

    /// Computes everything from the placement. Returns false if a limit stops it.
    fn fill(&mut self, run: &mut Run) -> bool {
        for rank in 0..self.ranks as u32 {
            let node = self.placement.node_of(rank);
            for shift in &self.shifts {
                shift.add_costs_of(rank, node, &mut self.cost_at);
            }
            if !run.goes_on((self.sum.graph().num_partners(rank) * self.nodes) as u64 / 8) {
                return false;
            }
        }
        let here = |rank: usize| rank * self.nodes + self.placement.nodes()[rank] as usize;
        // Each pair is in the costs of both of its ranks.
        self.cost = (0..self.ranks).map(|rank| self.cost_at[here(rank)]).sum::<f64>() / 2.0;
        let costs = self.sum.costs();
        for (rank, weight) in self.sum.to_itself().iter().enumerate() {
            let row = &mut self.cost_at[rank * self.nodes..(rank + 1) * self.nodes];
            for (node, cost) in (0..).zip(row) {
                *cost += weight * costs.between(node, node);
            }
            let node = self.placement.nodes()[rank];
            self.cost += weight * costs.between(node, node);
        }
        for rank in 0..self.ranks {
            self.judge_again(rank, rank + 1);
            if !run.spend((self.count - rank) as u64) {
                return false;
            }
        }
        true
    }

    /// Where row `a` begins.
    #[inline]
    fn row_start(&self, a: usize) -> usize {
        // The rows before it hold count-1, count-2, ... pairs.
        a * (2 * self.count - a - 1) / 2
    }

    #[inline]
    fn index(&self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        self.row_start(low) + high - low - 1
    }

    /// What the flows of `a` would cost on `node`; nothing for phantoms.
    #[inline]
    fn cost_at(&self, a: usize, node: u32) -> f64 {
        if a < self.ranks { self.cost_at[a * self.nodes + node as usize] } else { 0.0 }
    }

    /// Evaluates every exchange of `a` with ranks and phantoms from `first` on again.
    fn judge_again(&mut self, a: usize, first: usize) {
        let node_a = self.placement.node_of(a as u32);
        let now = self.cost_at(a, node_a);
        // Each of two partners is computed as if the other stayed in place while it moves there.
        let costs = self.sum.costs();
        for (partner, weight) in self.sum.graph().edges(a as u32) {
            let node = self.placement.node_of(partner);
            let apart = costs.between(node_a, node) + costs.between(node, node_a);
            let together = costs.between(node_a, node_a) + costs.between(node, node);
            self.both_move[partner as usize] = weight * (apart - together);
        }
        // Pairs of phantoms are not in the table.
        let others = if a < self.ranks { self.count } else { self.ranks };
        for b in (first..others).filter(|&b| b != a) {
            let node_b = self.placement.nodes()[b];
            let delta = self.cost_at(a, node_b) + self.cost_at(b, node_a)
                - (now + self.cost_at(b, node_b))
                + self.both_move[b];
            let index = self.index(a, b);
            self.delta[index] = delta;
            let row = a.min(b);
            self.least[row] = self.least[row].min(delta);
        }
        for &partner in self.sum.graph().partners(a as u32) {
            self.both_move[partner as usize] = 0.0;
        }
    }

    /// Changes the deltas of pairs of which one rank is affected by `shift`.
    fn follow(&mut self, shift: &Shift) {
        // With many affected ranks, going through whole rows is faster than choosing.
        if 2 * shift.affected().len() > self.ranks {
            for i in 0..self.ranks {
                let start = self.row_start(i);
                let row = &mut self.delta[start..start + self.count - i - 1];
                self.least[i] = shift.change_row(i, row);
            }
            return;
        }
        for &i in shift.affected() {
            let i = i as usize;
            for j in 0..i {
                // A pair of which both are affected is visited twice: the lower one does the update.
                if !shift.affects(j) {
                    let index = self.row_start(j) + i - j - 1;
                    let delta = self.delta[index] + shift.change(i, j);
                    self.delta[index] = delta;
                    self.least[j] = self.least[j].min(delta);
                }
            }
            let start = self.row_start(i);
            let row = &mut self.delta[start..start + self.count - i - 1];
            self.least[i] = shift.change_row(i, row);
        }
    }
}

impl Neighbourhood for DeltaTable<'_> {
    /// Each iteration checks all pairs of slots.
    fn usual_iterations(&self) -> u64 {
        let slots = self.placement.len() as u64;
        (5_000_000_000 / (slots * slots)).clamp(50_000, 500_000)
    }

    fn cost(&self) -> f64 {
        self.cost
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    fn best(
        &mut self,
        rng: &mut Stream,
        admissible: &mut dyn FnMut(&Placement, Exchange) -> bool,
    ) -> (Option<Exchange>, u64) {
        let rows = self.ranks;
        // Any of several equal exchanges may be chosen, so start at a random one.
        let first = random::below(rng, rows as u32) as usize;
        let mut best: Option<Exchange> = None;
        let mut examined = 0;
        for a in (first..rows).chain(0..first) {
            let mut limit = best.map_or(f64::INFINITY, |(_, _, delta)| delta);
            if self.least[a] >= limit {
                continue;
            }
            let start = self.row_start(a);
            let row = &self.delta[start..start + self.count - a - 1];
            examined += row.len() as u64;
            let mut least = f64::INFINITY;
            let placement = &self.placement;
            for (&delta, b) in row.iter().zip(a as u32 + 1..) {
                least = least.min(delta);
                if delta < limit
                    && placement.node_of(a as u32) != placement.node_of(b)
                    && admissible(placement, (a as u32, b, delta))
                {
                    limit = delta;
                    best = Some((a as u32, b, delta));
                }
            }
            self.least[a] = least;
        }
        (best, examined)
    }

    fn swap(&mut self, u: u32, v: u32) -> u64 {
        if u as usize >= self.ranks && v as usize >= self.ranks {
            self.placement.swap(u, v);
            return 0;
        }
        self.cost += self.delta[self.index(u as usize, v as usize)];
        let mut affected = 0;
        let mut shifts = std::mem::take(&mut self.shifts);
        for shift in &mut shifts {
            shift.prepare(&self.placement, u, v);
        }
        self.placement.swap(u, v);
        for shift in &mut shifts {
            shift.change_costs(&mut self.cost_at);
            // Pairs with u and v are wrong after this; they are evaluated again.
            self.follow(shift);
            affected += shift.affected().len();
            shift.clear();
        }
        self.shifts = shifts;
        self.judge_again(u as usize, 0);
        self.judge_again(v as usize, 0);
        (affected as u64 / 4 + 2) * self.count as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::objective::{CostMatrix, Distance, Objective, TrafficDistribution};
    use crate::{Machine, Problem, TrafficBuilder, Weight, parse_pattern, parse_strategy};

    /// Whole numbers with a diagonal, the same both ways unless `directed`.
    fn drawn_matrix(nodes: usize, directed: bool, seed: u64) -> CostMatrix {
        let cost = |a: usize, b: usize| {
            let pair = if directed { [a, b] } else { [a.min(b), a.max(b)] };
            let pair = pair.map(|node| node as u64);
            f64::from(random::below(&mut random::stream(seed, &pair), 9))
        };
        let rows = (0..nodes).map(|a| (0..nodes).map(|b| cost(a, b)).collect()).collect();
        CostMatrix::new("drawn", rows).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_delta_stays_that_of_the_tracker(
            kind in 0usize..9,
            degree in prop::sample::select(vec![4, 15]),
            seed in 0u64..1000,
        ) {
            let machines = [
                "torus:4x3x2", "mesh:26", "hypercube:5", "haec:3x3x3", "mesh:3x4,slots=2",
                "mesh:5x5", "torus:4x4,slots=2", "mesh:3x8", "mesh:12,slots=2",
            ];
            let machine = Machine::parse(machines[kind]).unwrap();
            let pattern = format!("random:ranks=20,degree={degree},seed={seed},bytes=3");
            let traffic = parse_pattern(&pattern).unwrap();
            // Some ranks also send to themselves.
            let mut builder = TrafficBuilder::new(20);
            traffic.for_each_flow(Weight::Bytes, |a, b, bytes| {
                builder.add(a, b, 1.0, if a < b { bytes + 4.0 } else { bytes });
            });
            (0..20).step_by(3).for_each(|rank| builder.add(rank, rank, 1.0, 5.0));
            let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
            let matrix = drawn_matrix(problem.machine().num_nodes(), kind > 6, seed);
            let objective: &dyn Objective = match kind {
                5 => &TrafficDistribution,
                3 | 6.. => &matrix,
                _ => &Distance,
            };
            let start = parse_strategy("random").unwrap();
            let start = start.map(&problem, None, &mut Run::new(seed)).unwrap();
            let sum = FlowSum::of(&problem, objective).unwrap();
            prop_assert_eq!(sum.is_directed(), kind > 6);
            let mut table = DeltaTable::new(&sum, &start, &mut Run::new(1)).unwrap();
            let mut tracker = objective.track(&problem, &start);
            let mut rng = random::stream(seed, &[]);
            let count = problem.num_slots();
            for _ in 0..30 {
                let a = random::below(&mut rng, 20);
                let b = random::below(&mut rng, count as u32);
                if a == b {
                    continue;
                }
                table.swap(a, b);
                tracker.swap(a, b);
                for i in 0..20 {
                    for j in i + 1..count {
                        let delta = table.delta[table.index(i, j)];
                        let expected = tracker.swap_delta(i as u32, j as u32);
                        prop_assert_eq!(delta, expected, "{} {}", i, j);
                        prop_assert!(table.least[i] <= delta);
                    }
                }
            }
            let mapping = table.placement().mapping();
            prop_assert_eq!(table.cost(), objective.cost(&problem, &mapping));
            // The best is the least of those on different nodes.
            let (best, _) = table.best(&mut rng, &mut |_, _| true);
            let nodes = table.placement().nodes().to_vec();
            let mut least = f64::INFINITY;
            for i in 0..20 {
                for j in (i + 1..count).filter(|&j| nodes[i] != nodes[j]) {
                    least = least.min(table.delta[table.index(i, j)]);
                }
            }
            prop_assert_eq!(best.map(|(_, _, delta)| delta), Some(least));
        }
    }
}
