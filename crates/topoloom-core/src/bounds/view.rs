//! The data that all bounds use.

use crate::problem::Problem;
use crate::topology::DistanceCounts;
use crate::traffic::CommunicationGraph;

/// Sums of weights that are not whole numbers may be slightly above their true value.
const SLIGHTLY_MORE: f64 = 1.0 + 1e-9;

/// A problem as bounds see it.
pub(super) struct View<'a> {
    pub problem: &'a Problem,
    pub graph: &'a CommunicationGraph,
    /// No node holds more ranks than this.
    pub ranks_on_node: u64,
    /// The weight of each pair, if they all weigh the same: then there is nothing to sort.
    pub common_weight: Option<f64>,
}

impl<'a> View<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let graph = problem.graph();
        let weights = graph.all_weights();
        let first = weights.first().copied();
        let common_weight = first.filter(|first| weights.iter().all(|weight| weight == first));
        let ranks_on_node = most_ranks_in(problem, 1);
        View { problem, graph, ranks_on_node, common_weight }
    }

    pub fn num_ranks(&self) -> u32 {
        self.problem.num_ranks() as u32
    }

    /// How much room a rank takes: its weight if ranks share slots, otherwise 1.
    #[inline]
    pub fn size(&self, rank: u32) -> f64 {
        match self.problem.sharing() {
            Some(_) => self.problem.rank_weight(rank),
            None => 1.0,
        }
    }

    /// The room of some nodes together.
    pub fn room(&self, nodes: u64) -> f64 {
        let slots = nodes as f64 * f64::from(self.problem.machine().slots_per_node());
        self.problem
            .sharing()
            .map_or(slots, |sharing| slots * sharing.slot_capacity * SLIGHTLY_MORE)
    }

    /// How many ranks fit on some nodes at most.
    pub fn most_ranks_in(&self, nodes: u64) -> u64 {
        most_ranks_in(self.problem, nodes)
    }

    /// For each distance, how many other ranks at most lie within it; begins with distance 0.
    pub fn ranks_within(&self) -> DistanceCounts {
        let ranks = |nodes: u64| nodes.saturating_mul(self.ranks_on_node) - 1;
        let levels = self.nodes_within();
        levels.into_iter().map(|(distance, nodes)| (distance, ranks(nodes))).collect()
    }

    /// For each distance, how many nodes at most lie within it, with the node itself; begins with
    /// distance 0.
    pub fn nodes_within(&self) -> DistanceCounts {
        let ball = self.problem.machine().topology().largest_ball();
        let own_node = ball.first().is_none_or(|&(distance, _)| distance > 0);
        let own_node = own_node.then_some((0, 1));
        let others = ball.into_iter().map(|(distance, others)| (distance, others + 1));
        own_node.into_iter().chain(others).collect()
    }
}

fn most_ranks_in(problem: &Problem, nodes: u64) -> u64 {
    let slots = nodes.saturating_mul(u64::from(problem.machine().slots_per_node()));
    let ranks = problem.num_ranks() as u64;
    let Some(sharing) = problem.sharing() else { return slots.min(ranks) };
    let mut room = sharing.slot_capacity * slots as f64 * SLIGHTLY_MORE;
    let Some(weights) = problem.traffic().rank_weights() else {
        return (room as u64).clamp(1, ranks);
    };
    let mut weights = weights.to_vec();
    weights.sort_unstable_by(f64::total_cmp);
    let fits = |weight: &&f64| {
        room -= **weight;
        room >= 0.0
    };
    (weights.iter().take_while(fits).count() as u64).max(1)
}

/// The fewest hops to `partners` ranks when this many fit within each distance.
pub(super) fn least_hops(within: &DistanceCounts, partners: u64) -> f64 {
    let mut reached = 0;
    let mut hops = 0.0;
    for &(distance, ranks) in within {
        let here = ranks.min(partners) - reached;
        hops += here as f64 * f64::from(distance);
        reached += here;
        if reached == partners {
            break;
        }
    }
    hops
}
