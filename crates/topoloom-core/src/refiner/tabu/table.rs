//! What every exchange would add to a sum over flows, updated after each.
//!
//! Let u move from x to y and v from y to x. For the others, h(i) = w(i,u) - w(i,v) and g(z) =
//! c(z,y) - c(z,x) say how the delta of i and j changes: by (h(i) - h(j)) (g(node of j) - g(node of
//! i)), which is 0 unless one is a partner of u or v. What the flows of i would cost on node z
//! changes by h(i) g(z). A sum that depends on the direction has two such parts.

use pulp::{Arch, Simd, WithSimd};

use super::neighbourhood::{Exchange, Neighbourhood};
use super::shift::Shift;
use super::vectors::{LANES, least_of, least_of_lanes, lower};
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
    /// What the flows of each rank would cost on each node, rank by rank, and a row of zeros for
    /// phantoms.
    cost_at: Vec<f64>,
    nodes: usize,
    /// What an exchange changes, for each part of the sum.
    shifts: Vec<Shift<'a>>,
    /// Scratch: what an exchange of a rank with each of its partners adds because both move.
    both_move: Vec<f64>,
    /// The version of the loops for the processor that the program runs on. All give the same bits.
    arch: Arch,
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
            cost_at: vec![0.0; (ranks + 1) * nodes],
            nodes,
            shifts,
            both_move: vec![0.0; count],
            arch: Arch::new(),
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
            self.judge_moves_of_both(rank);
            self.judge_with_higher(rank);
            if !run.spend((self.count - rank) as u64) {
                return false;
            }
        }
        true
    }

    /// Where row `a` begins.
    #[inline(always)]
    fn row_start(&self, a: usize) -> usize {
        row_start(a, self.count)
    }

    #[inline]
    fn index(&self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        self.row_start(low) + high - low - 1
    }

    /// Evaluates all exchanges of `a` with ranks and phantoms again.
    #[inline(always)]
    fn judge_again(&mut self, a: usize) {
        self.judge_moves_of_both(a);
        self.judge_with_lower(a);
        // Pairs of phantoms are not in the table.
        if a < self.ranks {
            self.judge_with_higher(a);
        }
    }

    /// Each of two partners is computed as if the other stayed in place while it moves there.
    #[inline(always)]
    fn judge_moves_of_both(&mut self, a: usize) {
        self.both_move.fill(0.0);
        let nodes = self.placement.nodes();
        let (node_a, costs) = (nodes[a], self.sum.costs());
        for (partner, weight) in self.sum.graph().edges(a as u32) {
            let node = nodes[partner as usize];
            let apart = costs.between(node_a, node) + costs.between(node, node_a);
            let together = costs.between(node_a, node_a) + costs.between(node, node);
            self.both_move[partner as usize] = weight * (apart - together);
        }
    }

    #[inline(always)]
    fn judge_with_lower(&mut self, a: usize) {
        let (width, count, lower_ranks) = (self.nodes, self.count, a.min(self.ranks));
        let judged =
            Judged::new(&self.cost_at, a.min(self.ranks), width, self.placement.nodes()[a]);
        let nodes = &self.placement.nodes()[..lower_ranks];
        let both_move = &self.both_move[..lower_ranks];
        let least = &mut self.least[..lower_ranks];
        let costs = &self.cost_at[..lower_ranks * width];
        let mut index = a.wrapping_sub(1);
        for b in 0..lower_ranks {
            let delta = judged.with(&costs[b * width..][..width], nodes[b], both_move[b]);
            self.delta[index] = delta;
            least[b] = lower(least[b], delta);
            index += count.wrapping_sub(b + 2);
        }
    }

    #[inline(always)]
    fn judge_with_higher(&mut self, a: usize) {
        let (width, ranks, start) = (self.nodes, self.ranks, self.row_start(a));
        let judged = Judged::new(&self.cost_at, a, width, self.placement.nodes()[a]);
        let row = &mut self.delta[start..][..self.count - a - 1];
        let nodes = &self.placement.nodes()[a + 1..][..row.len()];
        let both_move = &self.both_move[a + 1..][..row.len()];
        let costs = &self.cost_at[(a + 1) * width..];
        let higher_ranks = ranks - a - 1;
        for b in 0..row.len() {
            // Phantoms have one row.
            let of_b = &costs[b.min(higher_ranks) * width..][..width];
            row[b] = judged.with(of_b, nodes[b], both_move[b]);
        }
        self.least[a] = lower(self.least[a], least_of(row));
    }

    /// Changes the deltas of pairs of which one rank is affected by `shift`.
    #[inline(always)]
    fn follow(&mut self, shift: &Shift) {
        // With many affected ranks, going through whole rows is faster than choosing.
        if 3 * shift.affected().len() > self.ranks {
            let mut rest = &mut self.delta[..];
            for i in 0..self.ranks {
                let (row, below) = rest.split_at_mut(self.count - i - 1);
                self.least[i] = shift.change_row(i, row);
                rest = below;
            }
            return;
        }
        let (pulls, approaches) = shift.pulls_and_approaches();
        for &i in shift.affected() {
            let i = i as usize;
            let (pull, approach) = (pulls[i], approaches[i]);
            let (least, pulls, approaches) = (&mut self.least[..i], &pulls[..i], &approaches[..i]);
            let (count, deltas) = (self.count, &mut self.delta[..]);
            let mut index = i.wrapping_sub(1);
            for j in 0..i {
                // A pair of which both are affected is visited twice: the lower one does the update.
                if pulls[j] == 0.0 {
                    let delta = deltas[index] + pull * (approaches[j] - approach);
                    deltas[index] = delta;
                    least[j] = lower(least[j], delta);
                }
                index += count.wrapping_sub(j + 2);
            }
            let start = self.row_start(i);
            let row = &mut self.delta[start..][..count - i - 1];
            self.least[i] = shift.change_row(i, row);
        }
    }

    #[inline(always)]
    fn exchange(&mut self, u: u32, v: u32) -> u64 {
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
        self.judge_again(u as usize);
        self.judge_again(v as usize);
        (affected as u64 / 4 + 2) * self.count as u64
    }
}

#[inline(always)]
fn row_start(a: usize, count: usize) -> usize {
    // The rows before it hold count-1, count-2, ... pairs.
    a * (2 * count - a - 1) / 2
}

/// A rank or phantom whose exchanges are evaluated.
struct Judged<'a> {
    node: usize,
    /// What its flows would cost on each node.
    costs: &'a [f64],
    /// What they cost now.
    now: f64,
}

impl<'a> Judged<'a> {
    #[inline(always)]
    fn new(cost_at: &'a [f64], row: usize, width: usize, node: u32) -> Judged<'a> {
        let costs = &cost_at[row * width..][..width];
        Judged { node: node as usize, costs, now: costs[node as usize] }
    }

    /// What is added by an exchange with a rank that is on `node` and whose flows would cost
    /// `costs`.
    #[inline(always)]
    fn with(&self, costs: &[f64], node: u32, both_move: f64) -> f64 {
        let node = node as usize;
        self.costs[node] + costs[self.node] - (self.now + costs[node]) + both_move
    }
}

/// The best exchange on different nodes that is admissible, and how many were looked at.
struct LeastAdmissible<'t, 'a, 'r> {
    table: &'t mut DeltaTable<'a>,
    /// Any of several equal exchanges may be chosen, so the search starts at a random row.
    first: usize,
    admissible: &'r mut dyn FnMut(&Placement, Exchange) -> bool,
}

impl WithSimd for LeastAdmissible<'_, '_, '_> {
    type Output = (Option<Exchange>, u64);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let LeastAdmissible { table, first, admissible } = self;
        let (ranks, count, placement) = (table.ranks, table.count, &table.placement);
        let (deltas, least_of_row) = (&table.delta[..], &mut table.least[..ranks]);
        let mut best = Best { pair: None, delta: f64::INFINITY, placement, admissible };
        let mut examined = 0;
        for a in (first..ranks).chain(0..first) {
            if least_of_row[a] >= best.delta {
                continue;
            }
            let row = &deltas[row_start(a, count)..][..count - a - 1];
            examined += row.len() as u64;
            let mut least = f64::INFINITY;
            let (chunks, rest) = row.as_chunks::<LANES>();
            let mut b = a + 1;
            for chunk in chunks {
                // Most have nothing: the least of several numbers is found faster than each is compared.
                let least_of_chunk = least_of_lanes(chunk);
                least = lower(least, least_of_chunk);
                if least_of_chunk < best.delta {
                    best.consider(a, b, chunk);
                }
                b += LANES;
            }
            least = lower(least, least_of(rest));
            best.consider(a, b, rest);
            least_of_row[a] = least;
        }
        (best.pair.map(|(a, b)| (a, b, best.delta)), examined)
    }
}

/// The best exchange so far.
struct Best<'p, 'r> {
    pair: Option<(u32, u32)>,
    delta: f64,
    placement: &'p Placement,
    admissible: &'r mut dyn FnMut(&Placement, Exchange) -> bool,
}

impl Best<'_, '_> {
    /// Compares it with exchanges of `a` with `first` and those after it.
    #[inline(always)]
    fn consider(&mut self, a: usize, first: usize, deltas: &[f64]) {
        let nodes = self.placement.nodes();
        for (&delta, b) in deltas.iter().zip(first..) {
            if delta < self.delta
                && nodes[a] != nodes[b]
                && (self.admissible)(self.placement, (a as u32, b as u32, delta))
            {
                self.pair = Some((a as u32, b as u32));
                self.delta = delta;
            }
        }
    }
}

/// An exchange that is made.
struct Exchanged<'t, 'a> {
    table: &'t mut DeltaTable<'a>,
    u: u32,
    v: u32,
}

impl WithSimd for Exchanged<'_, '_> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> u64 {
        self.table.exchange(self.u, self.v)
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
        let first = random::below(rng, self.ranks as u32) as usize;
        self.arch.dispatch(LeastAdmissible { table: self, first, admissible })
    }

    fn swap(&mut self, u: u32, v: u32) -> u64 {
        if u as usize >= self.ranks && v as usize >= self.ranks {
            self.placement.swap(u, v);
            return 0;
        }
        self.arch.dispatch(Exchanged { table: self, u, v })
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
            // Processors without wide vectors compute the same bits.
            let mut narrow = DeltaTable::new(&sum, &start, &mut Run::new(1)).unwrap();
            narrow.arch = Arch::Scalar;
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
                narrow.swap(a, b);
                tracker.swap(a, b);
                prop_assert!(table.delta == narrow.delta && table.least == narrow.least);
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
            let (first, second) = (random::stream(seed, &[1]), random::stream(seed, &[1]));
            let best_of =
                |table: &mut DeltaTable, mut rng| table.best(&mut rng, &mut |_, _| true).0;
            prop_assert_eq!(best_of(&mut table, first), best_of(&mut narrow, second));
        }
    }
}
