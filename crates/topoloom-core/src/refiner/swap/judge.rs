//! Whether an exchange has a gain: for any objective by its tracker, for hop-bytes directly.

use crate::mapping::{Mapping, Placement};
use crate::objective::CostTracker;
use crate::problem::Problem;
use crate::run::Run;
use crate::topology::{Metric, MetricKind};
use crate::traffic::CommunicationGraph;

/// A gain must be more than this share of the cost: rounding errors of sums are smaller.
const ROUNDING: f64 = 1e-10;

/// Says which exchanges of one rank have a gain.
pub(super) trait Judge {
    /// The present placement.
    fn placement(&self) -> &Placement;

    /// The next queries are about exchanges of `a`.
    fn look(&mut self, a: u32);

    /// The next queries are about ranks on `node`, which is not the node of `a`.
    fn aim(&mut self, node: u32);

    /// What exchanging `a` and `b`, which is on the target node, adds to the cost, if that is a
    /// gain.
    fn gain(&mut self, b: u32) -> Option<f64>;
}

/// A judge that follows exchanges.
pub(super) trait Exchange: Judge {
    /// Exchanges two ranks.
    fn swap(&mut self, a: u32, b: u32);
}

/// Uses the tracker of an objective.
pub(super) struct TrackerJudge<'a> {
    tracker: Box<dyn CostTracker + 'a>,
    a: u32,
}

impl<'a> TrackerJudge<'a> {
    pub(super) fn new(tracker: Box<dyn CostTracker + 'a>) -> Self {
        TrackerJudge { tracker, a: 0 }
    }
}

impl Judge for TrackerJudge<'_> {
    fn placement(&self) -> &Placement {
        self.tracker.placement()
    }

    fn look(&mut self, a: u32) {
        self.a = a;
    }

    fn aim(&mut self, _node: u32) {}

    fn gain(&mut self, b: u32) -> Option<f64> {
        let delta = self.tracker.swap_delta(self.a, b);
        // The rounding error of an objective's own sums is a share of the whole cost.
        (delta < -1e-12 * self.tracker.cost().abs()).then_some(delta)
    }
}

impl Exchange for TrackerJudge<'_> {
    fn swap(&mut self, a: u32, b: u32) {
        self.tracker.swap(a, b);
    }
}

/// Hop-bytes, specialised for one metric: the placement and what it costs.
pub(super) struct HopBytesState<'a, M> {
    graph: &'a CommunicationGraph,
    metric: &'a M,
    placement: Placement,
    /// What the pairs of each rank cost; nothing for phantoms.
    cost_of: Vec<f64>,
    /// The minimum cost of these pairs, under any placement.
    least_of: Vec<f64>,
}

/// The rank that queries are about, and where it might go.
#[derive(Default)]
pub(super) struct Look {
    a: u32,
    /// The nodes of the partners of `a`, with weights.
    places: Vec<(u32, f64)>,
    /// What the pairs of `a` would cost on the target node.
    cost_there: f64,
}

/// Follows the exchanges of one search.
pub(super) struct HopBytesJudge<'a, M> {
    state: HopBytesState<'a, M>,
    look: Look,
}

/// Judges a placement that stays as it is: several threads may do so at the same time.
pub(super) struct Reader<'s, 'a, M> {
    pub state: &'s HopBytesState<'a, M>,
    pub look: &'s mut Look,
}

impl<'a, M: Metric> HopBytesJudge<'a, M> {
    /// `None` if the time runs out first.
    pub(super) fn new(
        problem: &'a Problem,
        metric: &'a M,
        start: &Mapping,
        run: &mut Run,
    ) -> Option<Self> {
        let placement = Placement::new(start, problem.machine());
        let count = placement.len();
        let mut state = HopBytesState {
            graph: problem.graph(),
            metric,
            placement,
            cost_of: vec![0.0; count],
            least_of: least_costs(problem, count, run)?,
        };
        for rank in 0..problem.num_ranks() as u32 {
            state.cost_of[rank as usize] = state.cost_from_scratch(rank);
            if !run.goes_on(1 + state.graph.num_partners(rank) as u64) {
                return None;
            }
        }
        Some(HopBytesJudge { state, look: Look::default() })
    }

    /// The placement as it is now, for readers.
    pub(super) fn state(&self) -> &HopBytesState<'a, M> {
        &self.state
    }
}

impl<M: Metric> HopBytesState<'_, M> {
    fn cost_from_scratch(&self, rank: u32) -> f64 {
        let node = self.placement.node_of(rank);
        let of_pair = |(partner, weight)| weight * self.hops(node, self.placement.node_of(partner));
        self.graph.edges(rank).map(of_pair).sum()
    }

    #[inline(always)]
    fn hops(&self, a: u32, b: u32) -> f64 {
        f64::from(self.metric.distance(a, b))
    }

    /// Updates for a move of `rank` in the costs of its partners.
    fn follow_move(&mut self, rank: u32, from: u32, to: u32) {
        let graph = self.graph;
        for (partner, weight) in graph.edges(rank) {
            let node = self.placement.node_of(partner);
            self.cost_of[partner as usize] +=
                weight * (self.hops(node, to) - self.hops(node, from));
        }
    }

    #[inline]
    fn look_at(&self, a: u32, look: &mut Look) {
        look.a = a;
        look.places.clear();
        let edges = self.graph.edges(a);
        let place = |(partner, weight)| (self.placement.node_of(partner), weight);
        look.places.extend(edges.map(place));
    }

    #[inline]
    fn aim_at(&self, node: u32, look: &mut Look) {
        let of_place = |&(place, weight): &(u32, f64)| weight * self.hops(node, place);
        look.cost_there = look.places.iter().map(of_place).sum();
    }

    #[inline]
    fn gain_with(&self, b: u32, look: &Look) -> Option<f64> {
        let before = self.cost_of[look.a as usize] + self.cost_of[b as usize];
        let limit = before * (1.0 - ROUNDING);
        // Wherever b goes, its pairs cost at least this much. This answers most queries.
        if look.cost_there + self.least_of[b as usize] >= limit {
            return None;
        }
        let node_a = self.placement.node_of(look.a);
        let mut after = look.cost_there;
        for (partner, weight) in self.graph.edges(b) {
            if partner == look.a {
                // Each side treated the other as adjacent, but their distance does not change.
                after += 2.0 * weight * self.hops(node_a, self.placement.node_of(b));
            } else {
                after += weight * self.hops(node_a, self.placement.node_of(partner));
            }
        }
        (after < limit).then_some(after - before)
    }
}

impl<M: Metric> Judge for HopBytesJudge<'_, M> {
    #[inline]
    fn placement(&self) -> &Placement {
        &self.state.placement
    }

    #[inline]
    fn look(&mut self, a: u32) {
        self.state.look_at(a, &mut self.look);
    }

    #[inline]
    fn aim(&mut self, node: u32) {
        self.state.aim_at(node, &mut self.look);
    }

    #[inline]
    fn gain(&mut self, b: u32) -> Option<f64> {
        self.state.gain_with(b, &self.look)
    }
}

impl<M: Metric> Judge for Reader<'_, '_, M> {
    #[inline]
    fn placement(&self) -> &Placement {
        &self.state.placement
    }

    #[inline]
    fn look(&mut self, a: u32) {
        self.state.look_at(a, self.look);
    }

    #[inline]
    fn aim(&mut self, node: u32) {
        self.state.aim_at(node, self.look);
    }

    #[inline]
    fn gain(&mut self, b: u32) -> Option<f64> {
        self.state.gain_with(b, self.look)
    }
}

impl<M: Metric> Exchange for HopBytesJudge<'_, M> {
    fn swap(&mut self, a: u32, b: u32) {
        let state = &mut self.state;
        let (node_a, node_b) = (state.placement.node_of(a), state.placement.node_of(b));
        state.follow_move(a, node_a, node_b);
        state.follow_move(b, node_b, node_a);
        state.placement.swap(a, b);
        // Computed again, because the two may be partners of each other, and to limit rounding
        // errors.
        state.cost_of[a as usize] = state.cost_from_scratch(a);
        state.cost_of[b as usize] = state.cost_from_scratch(b);
    }
}

/// The minimum cost of the pairs of each rank: its heaviest partners are on its own node and those
/// next to it, the others farther away.
fn least_costs(problem: &Problem, count: usize, run: &mut Run) -> Option<Vec<f64>> {
    let mut least = vec![0.0; count];
    let machine = problem.machine();
    // Counting the nodes at a distance takes too long if there is no formula.
    if matches!(machine.metric(), MetricKind::General(_)) {
        return Some(least);
    }
    let slots = u64::from(machine.slots_per_node());
    // For each distance, how many other slots at most lie within it.
    let mut within = vec![(0, slots - 1)];
    let ball = machine.topology().largest_ball();
    within.extend(ball.iter().map(|&(distance, nodes)| (distance, (nodes + 1) * slots - 1)));
    let mut weights: Vec<f64> = Vec::new();
    for rank in 0..problem.num_ranks() as u32 {
        if !run.goes_on(1 + 4 * problem.graph().num_partners(rank) as u64) {
            return None;
        }
        weights.clear();
        weights.extend_from_slice(problem.graph().weights(rank));
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut at = 0;
        let mut cost = 0.0;
        for (placed, weight) in (0..).zip(&weights) {
            while within[at].1 <= placed && at + 1 < within.len() {
                at += 1;
            }
            cost += weight * f64::from(within[at].0);
        }
        least[rank as usize] = cost;
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::objective::{HopBytes, Objective};
    use crate::{Machine, Run, TrafficBuilder, Weight, parse_strategy, random, with_metric};

    fn random_problem(machine: &str, ranks: u32, seed: u64) -> Problem {
        let machine = Machine::parse(machine).unwrap();
        let mut builder = TrafficBuilder::new(ranks);
        let mut rng = random::stream(seed, &[]);
        for _ in 0..3 * ranks {
            let (from, to) = (random::below(&mut rng, ranks), random::below(&mut rng, ranks));
            builder.add(from, to, 1.0, f64::from(random::below(&mut rng, 1000)) / 7.0);
        }
        Problem::new(builder.build(), machine, Weight::Bytes).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn gains_are_those_of_the_tracker(
            kind in 0usize..6,
            ranks in 2u32..24,
            seed in 0u64..1000,
        ) {
            let machines =
                ["torus:4x3x2", "mesh:24", "hypercube:5", "haec:3x2x4", "mesh:3x4,slots=2", "torus:2x3x2x2"];
            let problem = random_problem(machines[kind], ranks, seed);
            let start = parse_strategy("random").unwrap();
            let start = start.map(&problem, None, &mut Run::new(seed)).unwrap();
            let mut tracker = HopBytes.track(&problem, &start);
            with_metric!(problem.machine().metric(), metric => {
                let run = &mut Run::new(1);
                let mut judge = HopBytesJudge::new(&problem, metric, &start, run).unwrap();
                let count = problem.num_slots() as u32;
                for turn in 0..40 {
                    let a = turn % ranks;
                    judge.look(a);
                    for b in 0..count {
                        let node = judge.placement().node_of(b);
                        if node == judge.placement().node_of(a) {
                            continue;
                        }
                        judge.aim(node);
                        let delta = tracker.swap_delta(a, b);
                        match judge.gain(b) {
                            Some(gain) => prop_assert!((gain - delta).abs() < 1e-6),
                            None => prop_assert!(delta > -1e-6),
                        }
                    }
                    let b = (a * 7 + turn) % count;
                    if b != a {
                        judge.swap(a, b);
                        tracker.swap(a, b);
                    }
                }
            });
        }
    }

    #[test]
    fn the_least_cost_of_a_rank_fills_the_shells_around_it() {
        // On a ring with one slot per node: two partners at 1 hop, two at 2, one at 3.
        let mut builder = TrafficBuilder::new(6);
        for partner in 1..6 {
            builder.add(0, partner, 1.0, f64::from(partner));
        }
        let machine = Machine::parse("torus:7").unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        let least = least_costs(&problem, 7, &mut Run::new(1)).unwrap();
        assert_eq!(least[0], 5.0 + 4.0 + 2.0 * (3.0 + 2.0) + 3.0 * 1.0);
        assert_eq!(least[6], 0.0);
    }
}
