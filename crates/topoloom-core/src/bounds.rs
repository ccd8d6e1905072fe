//! Lower bounds on hop-bytes that hold for every placement.

use crate::problem::Problem;
use crate::run::Run;
use crate::topology::DistanceCounts;
use crate::traffic::CommunicationGraph;

/// Beyond this, sums of whole numbers may be rounded.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A proven lower bound on hop-bytes: the largest of three.
///
/// *Rank by rank*: a rank's partners, heaviest first, lie at best on the nearest nodes. Each pair
/// is seen from both ends, so half of the sum counts. *All pairs*: the heaviest pairs lie at best
/// on the closest pairs of nodes. *Connected groups*: connected ranks that do not fit on one node
/// need several, and the pairs between nodes are at least one fewer than these nodes; at best the
/// lightest.
pub fn hop_bytes_lower_bound(problem: &Problem) -> f64 {
    hop_bytes_lower_bound_within(problem, &mut Run::new(0)).expect("a run without limits goes on")
}

/// The same, or `None` if `run` must stop before the bound is known. Work that takes no longer than
/// scoring a placement is always done, so a search that used up its time still has its bound. A
/// problem keeps its bound.
pub(crate) fn hop_bytes_lower_bound_within(problem: &Problem, run: &mut Run) -> Option<f64> {
    let kept = problem.kept_lower_bound();
    if let Some(&bound) = kept.get() {
        return Some(bound);
    }
    let bound = computed(problem, &mut Meter { run, free: FREE_WORK, since_look: 0 })?;
    Some(*kept.get_or_init(|| bound))
}

/// Pairs that are processed without checking the clock: some hundredths of a second.
const FREE_WORK: u64 = 1 << 22;
/// Pairs between two checks of the clock after that.
const WORK_BETWEEN_LOOKS: u64 = 1 << 16;
/// Weights that are sorted at once.
const SORTED_AT_ONCE: usize = 1 << 20;

/// Counts the processed pairs and checks the clock.
struct Meter<'a> {
    run: &'a mut Run,
    free: u64,
    since_look: u64,
}

impl Meter<'_> {
    /// `None` when the run must stop.
    #[inline]
    fn spend(&mut self, pairs: u64) -> Option<()> {
        if let Some(left) = self.free.checked_sub(pairs) {
            self.free = left;
            return Some(());
        }
        self.free = 0;
        self.since_look += pairs;
        if self.since_look < WORK_BETWEEN_LOOKS {
            return Some(());
        }
        self.since_look = 0;
        (!self.run.must_stop()).then_some(())
    }

    /// Sorts weights, heaviest first, one part at a time: sorting everything at once takes seconds.
    fn sort(&mut self, weights: &mut [f64]) -> Option<()> {
        for part in weights.chunks_mut(SORTED_AT_ONCE) {
            self.spend(part.len() as u64)?;
            part.sort_unstable_by(|a, b| b.total_cmp(a));
        }
        if weights.len() > SORTED_AT_ONCE {
            // The stable sort finds the sorted parts and merges them.
            weights.sort_by(|a, b| b.total_cmp(a));
        }
        self.spend(0)
    }
}

fn computed(problem: &Problem, meter: &mut Meter<'_>) -> Option<f64> {
    meter.spend(problem.graph().num_pairs() as u64)?;
    let view = View::new(problem);
    let bound =
        view.rank_by_rank(meter)?.max(view.all_pairs(meter)?).max(view.connected_groups(meter)?);
    let weights = problem.graph().all_weights();
    let whole = match view.common_weight {
        Some(weight) => weight.fract() == 0.0,
        None => weights.iter().all(|weight| weight.fract() == 0.0),
    };
    // If the weights are whole numbers, every cost is one too.
    Some(if whole && bound < EXACT { bound.ceil() } else { bound * (1.0 - 1e-12) })
}

/// The data that all three bounds use.
struct View<'a> {
    problem: &'a Problem,
    graph: &'a CommunicationGraph,
    /// No node holds more ranks than this.
    ranks_on_node: u64,
    /// The weight of each pair, if they all weigh the same: then there is nothing to sort.
    common_weight: Option<f64>,
}

impl<'a> View<'a> {
    fn new(problem: &'a Problem) -> Self {
        let graph = problem.graph();
        let weights = graph.all_weights();
        let first = weights.first().copied();
        let common_weight = first.filter(|first| weights.iter().all(|weight| weight == first));
        View { problem, graph, ranks_on_node: most_ranks_on_a_node(problem), common_weight }
    }

    fn rank_by_rank(&self, meter: &mut Meter<'_>) -> Option<f64> {
        let within = self.ranks_within();
        let on_the_same_node = within[0].1;
        let mut weights = Vec::new();
        let mut sum = 0.0;
        for rank in 0..self.problem.num_ranks() as u32 {
            let partners = self.graph.partners(rank).len() as u64;
            meter.spend(1 + partners)?;
            if partners <= on_the_same_node {
                continue;
            }
            if let Some(weight) = self.common_weight {
                sum += weight * least_hops(&within, partners);
                continue;
            }
            weights.clear();
            weights.extend_from_slice(self.graph.weights(rank));
            meter.sort(&mut weights)?;
            let mut shells = within.iter();
            let (mut distance, mut room) = (0, 0);
            for (position, weight) in (0..).zip(&weights) {
                while room <= position {
                    (distance, room) = *shells.next().unwrap_or(&(distance, u64::MAX));
                }
                sum += weight * f64::from(distance);
            }
        }
        Some(sum / 2.0)
    }

    /// For each distance, how many other ranks at most lie within it; begins with distance 0.
    fn ranks_within(&self) -> DistanceCounts {
        let ball = self.problem.machine().topology().largest_ball();
        let ranks = |nodes: u64| nodes.saturating_mul(self.ranks_on_node) - 1;
        let own_node = ball.first().is_none_or(|&(distance, _)| distance > 0);
        let own_node = own_node.then(|| (0, ranks(1)));
        let others = ball.iter().map(|&(distance, others)| (distance, ranks(others + 1)));
        own_node.into_iter().chain(others).collect()
    }

    fn all_pairs(&self, meter: &mut Meter<'_>) -> Option<f64> {
        let pairs_at = self.pairs_at();
        let pairs = self.graph.num_pairs() as u64;
        if pairs <= pairs_at[0].1 {
            return Some(0.0);
        }
        let mut left = pairs;
        if let Some(weight) = self.common_weight {
            let of_distance = |&(distance, room): &(u32, u64)| {
                let here = left.min(room);
                left -= here;
                here as f64 * f64::from(distance)
            };
            return Some(weight * pairs_at.iter().map(of_distance).sum::<f64>());
        }
        let mut weights: Vec<f64> = self.graph.pairs().map(|(_, _, weight)| weight).collect();
        meter.sort(&mut weights)?;
        let mut rest = &weights[..];
        let mut sum = 0.0;
        for (distance, room) in pairs_at {
            let (here, farther) = rest.split_at(rest.len().min(room as usize));
            sum += here.iter().map(|weight| weight * f64::from(distance)).sum::<f64>();
            rest = farther;
        }
        Some(sum)
    }

    /// For each distance, how many pairs of ranks at most lie that far apart; begins with 0.
    fn pairs_at(&self) -> DistanceCounts {
        let pairs = |ranks: u64| ranks * ranks.saturating_sub(1) / 2;
        let (ranks, on_node) = (self.problem.num_ranks() as u64, self.ranks_on_node);
        // The most pairs share a node when as many nodes as possible are full.
        let together = ranks / on_node * pairs(on_node) + pairs(ranks % on_node);
        let mut counts = vec![(0, together)];
        for (distance, nodes) in self.problem.machine().topology().pairs_at_distance() {
            let apart = nodes.saturating_mul(on_node * on_node);
            match distance {
                0 => counts[0].1 = counts[0].1.saturating_add(apart),
                _ => counts.push((distance, apart)),
            }
        }
        counts
    }

    fn connected_groups(&self, meter: &mut Meter<'_>) -> Option<f64> {
        let machine = self.problem.machine();
        let nearest = machine.topology().pairs_at_distance().first().map_or(0, |&(d, _)| d);
        let slot = self.problem.sharing().map_or(1.0, |sharing| sharing.slot_capacity);
        let node = f64::from(machine.slots_per_node()) * slot;
        let rank_weight = |rank: u32| match self.problem.sharing() {
            Some(_) => self.problem.rank_weight(rank),
            None => 1.0,
        };
        if nearest == 0 || node <= 0.0 {
            return Some(0.0);
        }
        let mut sum = 0.0;
        let mut seen = vec![false; self.graph.num_ranks()];
        let mut group = Vec::new();
        let mut weights = Vec::new();
        for first in 0..self.graph.num_ranks() as u32 {
            if std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            group.clear();
            weights.clear();
            group.push(first);
            let mut next = 0;
            while let Some(&rank) = group.get(next) {
                next += 1;
                meter.spend(1 + self.graph.partners(rank).len() as u64)?;
                for &partner in self.graph.partners(rank) {
                    if !std::mem::replace(&mut seen[partner as usize], true) {
                        group.push(partner);
                    }
                }
                if self.common_weight.is_none() {
                    let pairs = self.graph.edges(rank).filter(|&(partner, _)| rank < partner);
                    weights.extend(pairs.map(|(_, weight)| weight));
                }
            }
            // Weights that are not whole numbers may add up to slightly more than their true sum.
            let load: f64 = group.iter().map(|&rank| rank_weight(rank)).sum();
            let leaving = (load / node * (1.0 - 1e-12)).ceil() as usize;
            let leaving = leaving.saturating_sub(1);
            sum += match self.common_weight {
                Some(weight) => weight * leaving.min(group.len() - 1) as f64,
                None => sum_of_lightest(&mut weights, leaving),
            };
        }
        Some(sum * f64::from(nearest))
    }
}

fn most_ranks_on_a_node(problem: &Problem) -> u64 {
    let slots = u64::from(problem.machine().slots_per_node());
    let ranks = problem.num_ranks() as u64;
    let Some(sharing) = problem.sharing() else { return slots.min(ranks) };
    let mut room = sharing.slot_capacity * slots as f64 * (1.0 + 1e-12);
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
fn least_hops(within: &DistanceCounts, partners: u64) -> f64 {
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

fn sum_of_lightest(weights: &mut [f64], count: usize) -> f64 {
    let count = count.min(weights.len());
    if count == 0 {
        return 0.0;
    }
    weights.select_nth_unstable_by(count - 1, f64::total_cmp);
    weights[..count].iter().sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

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
    fn a_run_that_must_stop_ends_the_bound_of_a_large_problem_and_not_that_of_a_small_one() {
        let problem = |traffic: &str, machine: &str| {
            let (traffic, machine) = (parse_pattern(traffic).unwrap(), Machine::parse(machine));
            Problem::new(traffic, machine.unwrap(), Weight::Bytes).unwrap()
        };
        let stopped = || Run::new(1).with_cancel(Arc::new(AtomicBool::new(true)));
        // 64 pairs are done before the clock is checked.
        let small = problem("ring:64", "torus:4x4x4");
        assert_eq!(hop_bytes_lower_bound_within(&small, &mut stopped()), Some(128.0));
        // 4.5 million pairs are not, and the run knows that it was cut short.
        let large = problem("all-to-all:3000", "torus:3000");
        let mut run = stopped();
        assert_eq!(hop_bytes_lower_bound_within(&large, &mut run), None);
        assert!(run.was_cut_short());
        let bound = hop_bytes_lower_bound(&large);
        // Once known, the bound is kept.
        assert_eq!(hop_bytes_lower_bound_within(&large, &mut stopped()), Some(bound));
    }

    #[test]
    fn weights_sorted_in_parts_are_sorted() {
        let mut weights: Vec<f64> =
            (0..3u64 << 20).map(|number| (number * 7_919 % 1_000_003) as f64).collect();
        let mut expected = weights.clone();
        expected.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut run = Run::new(1);
        Meter { run: &mut run, free: 0, since_look: 0 }.sort(&mut weights).unwrap();
        assert_eq!(weights, expected);
    }

    #[test]
    fn a_ring_on_a_ring_costs_at_least_one_hop_each() {
        assert_eq!(bound("ring:8", "torus:8"), 16.0);
    }

    #[test]
    fn partners_beyond_the_nearest_slots_count_more() {
        // On a ring of 6 each rank has 2 slots at distance 1, 2 at 2, 1 at 3: 9 hops to all five; 6
        // ranks x 9 in total, each flow counted from its sender.
        assert_eq!(bound("all-to-all:6", "torus:6"), 54.0);
        // Two slots per node: 1 at 0, 4 at 1 on a ring of 3: 4 hops x 6 ranks.
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

    #[test]
    fn on_a_tree_partners_beyond_the_lowest_group_count_its_distance() {
        // 3 partners: one leaf at 5, two at 50; 4 ranks.
        assert_eq!(bound("all-to-all:4", "tree:2:2,distances=5:50"), 4.0 * 105.0);
        assert_eq!(bound("ring:4", "tree:2:2,distances=0:0"), 0.0);
    }

    #[test]
    fn where_ranks_share_slots_only_what_must_leave_counts() {
        let shared = |traffic: &str, machine: &str, imbalance| {
            let (traffic, machine) = (parse_pattern(traffic).unwrap(), Machine::parse(machine));
            let problem =
                Problem::with_imbalance(traffic, machine.unwrap(), Weight::Bytes, Some(imbalance));
            hop_bytes_lower_bound(&problem.unwrap())
        };
        // 8 ranks, 4 per slot: a ring that needs 2 nodes has at least one pair of 2 bytes between.
        assert_eq!(shared("ring:8", "torus:2", 0.0), 2.0);
        // 4 of 8 ranks per slot: each has 7 partners, 3 on its node and 4 at distance 1.
        assert_eq!(shared("all-to-all:8", "torus:2", 0.0), 8.0 * 4.0);
    }
}
