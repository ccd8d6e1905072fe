//! What every exchange would add to a sum over pairs, updated after each.
//!
//! Let u move from x to y and v from y to x. For the others, h(i) = w(i,u) - w(i,v) and g(z) =
//! c(z,y) - c(z,x) say how the delta of i and j changes: by (h(i) - h(j)) (g(node of j) - g(node of
//! i)), which is 0 unless one is a partner of u or v. What the pairs of i would cost on node z
//! changes by h(i) g(z).

use super::neighbourhood::{Exchange, Neighbourhood};
use crate::mapping::{Mapping, Placement};
use crate::objective::CostTracker;
use crate::objective::pair_sum::{CostTable, PairCost, SymmetricTracker};
use crate::problem::Problem;
use crate::random::{self, Stream};
use crate::run::Run;
use crate::traffic::CommunicationGraph;

/// The deltas of all pairs of a rank and a higher rank or phantom.
pub(crate) struct DeltaTable<'a> {
    graph: &'a CommunicationGraph,
    tracker: SymmetricTracker<'a, CostTable>,
    count: usize,
    /// Row by row; row i holds the pairs (i, i+1), (i, i+2), ...
    delta: Vec<f64>,
    /// A lower limit of the deltas of a row: rows that cannot hold the best are skipped.
    least: Vec<f64>,
    /// What the pairs of each rank would cost on each node, rank by rank.
    cost_at: Vec<f64>,
    nodes: usize,
    /// Scratch: g of each node, g of the node of each rank, h of each rank, and the ranks whose h
    /// is not 0.
    approach_of_node: Vec<f64>,
    approach: Vec<f64>,
    pull: Vec<f64>,
    pulled: Vec<u32>,
}

impl<'a> DeltaTable<'a> {
    /// Evaluates every exchange; `None` if a limit stops it.
    pub(crate) fn new(
        problem: &'a Problem,
        costs: CostTable,
        start: &Mapping,
        run: &mut Run,
    ) -> Option<Self> {
        let tracker = SymmetricTracker::new(problem, costs, start);
        let (ranks, count) = (problem.num_ranks(), problem.num_slots());
        let nodes = problem.machine().num_nodes();
        let mut table = DeltaTable {
            cost_at: vec![0.0; ranks * nodes],
            nodes,
            approach_of_node: vec![0.0; nodes],
            graph: problem.graph(),
            tracker,
            count,
            delta: Vec::new(),
            least: vec![0.0; ranks],
            approach: vec![0.0; count],
            pull: vec![0.0; count],
            pulled: Vec::new(),
        };
        table.delta.reserve_exact(table.row_start(ranks));
        let mut places = Vec::new();
        let (placement, unit) = (table.tracker.placement(), table.tracker.unit());
        for (a, costs) in (0..).zip(table.cost_at.chunks_exact_mut(nodes)) {
            places.clear();
            let edges = table.graph.edges(a);
            places.extend(edges.map(|(partner, weight)| (placement.node_of(partner), weight)));
            unit.sums(&places, costs);
            if let Some(weight) = table.tracker.to_itself().get(a as usize) {
                let own = (0..).map(|node| weight * unit.between(node, node));
                costs.iter_mut().zip(own).for_each(|(cost, own)| *cost += own);
            }
        }
        for a in 0..ranks {
            let mut least = f64::INFINITY;
            let partners = table.graph.num_partners(a as u32) as u64;
            for b in a + 1..count {
                if !run.goes_on(partners) {
                    return None;
                }
                let delta = table.tracker.swap_delta(a as u32, b as u32);
                least = least.min(delta);
                table.delta.push(delta);
            }
            table.least[a] = least;
            if !run.spend((count - a) as u64) {
                return None;
            }
        }
        Some(table)
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

    /// What the pairs of `a` would cost on `node`; nothing for phantoms.
    #[inline]
    fn cost_at(&self, a: usize, node: u32) -> f64 {
        if a < self.least.len() { self.cost_at[a * self.nodes + node as usize] } else { 0.0 }
    }

    /// Evaluates every exchange of `a` again.
    fn judge_again(&mut self, a: usize) {
        let ranks = self.least.len();
        let node_a = self.placement().node_of(a as u32);
        let now = self.cost_at(a, node_a);
        // Each of two partners is computed as if the other stayed in place while it moves there.
        for (partner, weight) in self.graph.edges(a as u32) {
            let node = self.placement().node_of(partner);
            let unit = self.tracker.unit();
            let together = unit.between(node_a, node_a) + unit.between(node, node);
            self.pull[partner as usize] = weight * (2.0 * unit.between(node_a, node) - together);
        }
        // Pairs of phantoms are not in the table.
        let others = if a < ranks { self.count } else { ranks };
        for b in (0..others).filter(|&b| b != a) {
            let node_b = self.placement().node_of(b as u32);
            let delta = self.cost_at(a, node_b) + self.cost_at(b, node_a)
                - (now + self.cost_at(b, node_b))
                + self.pull[b];
            let index = self.index(a, b);
            self.delta[index] = delta;
            let row = a.min(b);
            self.least[row] = self.least[row].min(delta);
        }
        for &partner in self.graph.partners(a as u32) {
            self.pull[partner as usize] = 0.0;
        }
    }

    /// Applies a change of h of `i` to the costs of its pairs on each node.
    fn follow_costs(&mut self, i: usize, pull: f64) {
        let costs = &mut self.cost_at[i * self.nodes..(i + 1) * self.nodes];
        for (cost, approach) in costs.iter_mut().zip(&self.approach_of_node) {
            *cost += pull * approach;
        }
    }

    /// The weight between two ranks.
    fn weight_between(&self, u: u32, v: u32) -> f64 {
        match self.graph.partners(u).binary_search(&v) {
            Ok(place) => self.graph.weights(u)[place],
            Err(_) => 0.0,
        }
    }

    /// Fills `pull` and `pulled` for the exchange of `u` and `v`.
    fn gather_pull(&mut self, u: u32, v: u32) {
        self.pulled.clear();
        for (moved, sign) in [(u, 1.0), (v, -1.0)] {
            for (partner, weight) in self.graph.edges(moved) {
                if partner != u && partner != v {
                    self.pull[partner as usize] += sign * weight;
                    self.pulled.push(partner);
                }
            }
        }
        self.pulled.sort_unstable();
        self.pulled.dedup();
    }

    /// Changes the deltas of `i`, which is a partner of `u` or `v`, with all others except those
    /// two.
    fn follow(&mut self, i: usize, u: usize, v: usize) {
        let (pull, approach) = (self.pull[i], self.approach[i]);
        for j in 0..i {
            // Two ranks that are both pulled are visited twice: the lower one does the update.
            if self.pull[j] == 0.0 && j != u && j != v {
                let index = self.row_start(j) + i - j - 1;
                let delta = self.delta[index] + pull * (self.approach[j] - approach);
                self.delta[index] = delta;
                self.least[j] = self.least[j].min(delta);
            }
        }
        let start = self.row_start(i);
        let row = &mut self.delta[start..start + self.count - i - 1];
        let others = self.pull[i + 1..].iter().zip(&self.approach[i + 1..]);
        let mut least = f64::INFINITY;
        for (delta, (&other_pull, &other_approach)) in row.iter_mut().zip(others) {
            *delta += (pull - other_pull) * (other_approach - approach);
            least = least.min(*delta);
        }
        // Pairs with u and v are wrong here; they are evaluated again.
        self.least[i] = least;
    }
}

impl Neighbourhood for DeltaTable<'_> {
    /// Each iteration checks all pairs of slots.
    fn usual_iterations(&self) -> u64 {
        let slots = self.placement().len() as u64;
        (5_000_000_000 / (slots * slots)).clamp(50_000, 500_000)
    }

    fn cost(&self) -> f64 {
        self.tracker.cost()
    }

    fn placement(&self) -> &Placement {
        self.tracker.placement()
    }

    fn best(
        &mut self,
        rng: &mut Stream,
        admissible: &mut dyn FnMut(&Placement, Exchange) -> bool,
    ) -> (Option<Exchange>, u64) {
        let rows = self.least.len();
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
            let placement = self.tracker.placement();
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
        let (x, y) = (self.placement().node_of(u), self.placement().node_of(v));
        self.tracker.swap(u, v);
        let unit = self.tracker.unit();
        let rows = unit.row(y).iter().zip(unit.row(x));
        for (approach, (nearer, farther)) in self.approach_of_node.iter_mut().zip(rows) {
            *approach = nearer - farther;
        }
        for (approach, &node) in self.approach.iter_mut().zip(self.tracker.placement().nodes()) {
            *approach = self.approach_of_node[node as usize];
        }
        self.gather_pull(u, v);
        let pulled = std::mem::take(&mut self.pulled);
        for &i in &pulled {
            if self.pull[i as usize] != 0.0 {
                self.follow(i as usize, u as usize, v as usize);
                self.follow_costs(i as usize, self.pull[i as usize]);
            }
        }
        let between = self.weight_between(u, v);
        if between > 0.0 {
            // For u, v went from y to x; for v, u went from x to y.
            self.follow_costs(u as usize, -between);
            self.follow_costs(v as usize, between);
        }
        for &i in &pulled {
            self.pull[i as usize] = 0.0;
        }
        let judged = (pulled.len() as u64 / 4 + 2) * self.count as u64;
        self.pulled = pulled;
        self.judge_again(u as usize);
        self.judge_again(v as usize);
        judged
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::objective::pair_sum::symmetric_table;
    use crate::objective::{CostMatrix, Distance, Objective, TrafficDistribution};
    use crate::{Machine, TrafficBuilder, Weight, parse_pattern, parse_strategy};

    /// Whole numbers, the same both ways, with a diagonal.
    fn drawn_matrix(nodes: usize, seed: u64) -> CostMatrix {
        let cost = |a: usize, b: usize| {
            let pair = [a.min(b) as u64, a.max(b) as u64];
            f64::from(random::below(&mut random::stream(seed, &pair), 9))
        };
        let rows = (0..nodes).map(|a| (0..nodes).map(|b| cost(a, b)).collect()).collect();
        CostMatrix::new("drawn", rows).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_delta_stays_that_of_the_tracker(kind in 0usize..7, seed in 0u64..1000) {
            let machines = [
                "torus:4x3x2", "mesh:26", "hypercube:5", "haec:3x3x3", "mesh:3x4,slots=2",
                "mesh:5x5", "torus:4x4,slots=2",
            ];
            let machine = Machine::parse(machines[kind]).unwrap();
            let traffic =
                parse_pattern(&format!("random:ranks=20,degree=4,seed={seed},bytes=3")).unwrap();
            // Some ranks also send to themselves.
            let mut builder = TrafficBuilder::new(20);
            traffic.for_each_flow(Weight::Bytes, |a, b, bytes| builder.add(a, b, 1.0, bytes));
            (0..20).step_by(3).for_each(|rank| builder.add(rank, rank, 1.0, 5.0));
            let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
            let matrix = drawn_matrix(problem.machine().num_nodes(), seed);
            let objective: &dyn Objective = match kind {
                5 => &TrafficDistribution,
                3 | 6 => &matrix,
                _ => &Distance,
            };
            let start = parse_strategy("random").unwrap();
            let start = start.map(&problem, None, &mut Run::new(seed)).unwrap();
            let costs = symmetric_table(&problem, objective).unwrap();
            let mut table = DeltaTable::new(&problem, costs, &start, &mut Run::new(1)).unwrap();
            let mut rng = random::stream(seed, &[]);
            let count = problem.num_slots();
            for _ in 0..30 {
                let a = random::below(&mut rng, 20);
                let b = random::below(&mut rng, count as u32);
                if a == b {
                    continue;
                }
                table.swap(a, b);
                for i in 0..20 {
                    for j in i + 1..count {
                        let delta = table.delta[table.index(i, j)];
                        let expected = table.tracker.swap_delta(i as u32, j as u32);
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
