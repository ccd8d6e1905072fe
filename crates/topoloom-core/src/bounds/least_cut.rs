//! The least weight between some ranks and all others, by the number of ranks alone: whatever ranks
//! they are, at least this much must cross between them and the others.
//!
//! *By degrees*: one of x ranks has at most its x - 1 heaviest partners among them.
//!
//! *By stars of k ranks*: each rank sends one unit to each of k - 1 ranks around it, through other ranks
//! along pairs of the traffic. From each of x ranks, at least k - x units go to others, and those that
//! reach it from others are counted in the same way. If all stars are scaled to fit the weights of the
//! pairs, the weight between is at least the scaled number of these units. With k equal to all ranks
//! this is the bound of Leighton and Rao (J. ACM 46, 1999) for sparsest cuts.

use super::meter::Meter;
use super::network::Network;
use super::shortest::Shortest;
use super::view::View;

/// Each asked-for number of ranks is a pass over all ranks, for each size of stars.
const MOST_RANKS: u32 = 2048;
/// Stars of each size are this many times as large as those of the size before.
const SIZE_STEP: f64 = 1.5;
/// Rounds of routing for each size: each one avoids what those before have filled.
const MOST_ROUNDS: u64 = 32;
/// Settled ranks of all rounds of one size: some hundredths of a second.
const STEPS_PER_SIZE: u64 = 1 << 17;
/// A size whose first round would take more is left out.
const MOST_STEPS_PER_ROUND: u64 = 1 << 20;
/// How much longer the fullest pair is than an empty one after a round, as an exponent of e.
const GROWTH: f64 = 3.0;

/// Bounds the weight between x ranks and the others, for every x.
pub(super) struct LeastCut {
    ranks: usize,
    /// Where the partners of each rank begin.
    start: Vec<usize>,
    /// For each rank and each number of partners, the weight of all but that many heaviest ones.
    beyond: Vec<f64>,
    stars: Vec<Stars>,
    known: Vec<Option<f64>>,
}

/// Stars of one size, one per rank.
struct Stars {
    /// What they may be scaled by.
    scale: f64,
    /// How many ranks the star of each rank has, the rank itself among them.
    reaches: Vec<f64>,
    /// How many stars of other ranks each rank is in.
    is_reached: Vec<f64>,
}

impl LeastCut {
    /// `None` if the traffic is too large, or if there is no time.
    pub fn new(view: &View<'_>, meter: &Meter<'_>) -> Option<LeastCut> {
        let ranks = view.num_ranks();
        if ranks > MOST_RANKS || !meter.has_time() {
            return None;
        }
        let network = Network::of_ranks(view.graph)?;
        let mut start = vec![0];
        let mut beyond = Vec::new();
        for rank in 0..ranks {
            let mut weights = view.graph.weights(rank).to_vec();
            weights.sort_unstable_by(f64::total_cmp);
            let lightest = weights.iter().scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            });
            let first = beyond.len();
            beyond.extend(lightest);
            beyond[first..].reverse();
            start.push(beyond.len());
        }
        let mut stars = Vec::new();
        let mut size = f64::from(ranks);
        while size >= 3.0 && meter.has_time() {
            stars.extend(Stars::of_size(&network, size as u64));
            size /= SIZE_STEP;
        }
        let ranks = ranks as usize;
        Some(LeastCut { ranks, start, beyond, stars, known: vec![None; ranks + 1] })
    }

    /// The least that crosses between all ranks on some nodes and the others.
    pub fn between(&mut self, view: &View<'_>, nodes: u64) -> f64 {
        let all_nodes = view.problem.machine().topology().num_nodes() as u64;
        let elsewhere = view.most_ranks_in(all_nodes - nodes) as usize;
        let fewest = self.ranks.saturating_sub(elsewhere);
        let most = view.most_ranks_in(nodes) as usize;
        (fewest..=most).map(|ranks| self.of_ranks(ranks)).fold(f64::INFINITY, f64::min)
    }

    /// The least that crosses between `chosen` ranks and the others.
    pub fn of_ranks(&mut self, chosen: usize) -> f64 {
        // The weight between is also that between the others and these.
        let chosen = chosen.min(self.ranks - chosen);
        if chosen == 0 {
            return 0.0;
        }
        if let Some(known) = self.known[chosen] {
            return known;
        }
        let others = self.ranks - chosen;
        let bound = self.one_side(chosen).max(self.one_side(others));
        self.known[chosen] = Some(bound);
        bound
    }

    fn one_side(&self, chosen: usize) -> f64 {
        let kept = chosen - 1;
        let leaves = |rank: usize| {
            let partners = &self.beyond[self.start[rank]..self.start[rank + 1]];
            partners.get(kept).copied().unwrap_or(0.0)
        };
        let mut amounts: Vec<f64> = (0..self.ranks).map(leaves).collect();
        let mut best = sum_of_smallest(&mut amounts, chosen);
        for stars in &self.stars {
            let units = |rank: usize| {
                let sent = (stars.reaches[rank] - chosen as f64).max(0.0);
                sent + (stars.is_reached[rank] - kept as f64).max(0.0)
            };
            amounts.clear();
            amounts.extend((0..self.ranks).map(units));
            best = best.max(stars.scale * sum_of_smallest(&mut amounts, chosen));
        }
        best
    }
}

fn sum_of_smallest(amounts: &mut [f64], count: usize) -> f64 {
    if count < amounts.len() {
        amounts.select_nth_unstable_by(count, f64::total_cmp);
    }
    amounts[..count].iter().sum()
}

impl Stars {
    /// The nearest `size` ranks of each rank, nearest by the lengths of pairs, which grow as they fill.
    /// The mean of all rounds is routed as well as any of them.
    fn of_size(network: &Network, size: u64) -> Option<Stars> {
        let ranks = network.num_vertices();
        let steps = ranks as u64 * size;
        if steps > MOST_STEPS_PER_ROUND {
            return None;
        }
        let rounds = (STEPS_PER_SIZE / steps).clamp(1, MOST_ROUNDS);
        let mut shortest = Shortest::new(network);
        let mut lengths: Vec<f64> = network.capacity.iter().map(|room| 1.0 / room).collect();
        let mut load = vec![0.0; lengths.len()];
        let (mut reaches, mut is_reached) = (vec![0.0; ranks], vec![0.0; ranks]);
        let (mut carried, mut takes) = (vec![0.0; ranks], Vec::new());
        let mut fullest = 0.0f64;
        for _ in 0..rounds {
            for (rank, reached) in reaches.iter_mut().enumerate() {
                let mut settled = 0;
                shortest.search(rank as u32, &lengths, |_, _| {
                    settled += 1;
                    settled <= size
                });
                *reached += shortest.settled.len() as f64;
                for &other in &shortest.settled[1..] {
                    is_reached[other as usize] += 1.0;
                }
                shortest.tree(shortest.settled.len(), |_| 1.0, &mut carried, &mut takes);
                takes.iter().for_each(|&(pair, units)| load[pair as usize] += units);
            }
            let fullness = load.iter().zip(&network.capacity).map(|(load, room)| load / room);
            fullest = fullness.fold(0.0, f64::max);
            if fullest == 0.0 {
                return None;
            }
            for (pair, length) in lengths.iter_mut().enumerate() {
                let room = network.capacity[pair];
                *length = (GROWTH * load[pair] / room / fullest).exp() / room;
            }
        }
        let rounds = rounds as f64;
        for sum in reaches.iter_mut().chain(&mut is_reached) {
            *sum /= rounds;
        }
        Some(Stars { scale: rounds / fullest, reaches, is_reached })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;
    use crate::run::Run;
    use crate::{Machine, Weight, parse_pattern};

    /// The least weight between a number of ranks and the others, from all subsets, and its bound.
    fn least_and_bounds(traffic: &str) -> Vec<(f64, f64)> {
        let traffic = parse_pattern(traffic).unwrap();
        let ranks = traffic.num_ranks();
        let machine = Machine::parse(&format!("torus:{ranks}")).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let mut least = vec![f64::INFINITY; ranks + 1];
        for chosen in 0..1u32 << ranks {
            let mut between = 0.0;
            problem.graph().for_each_pair(|a, b, weight| {
                if (chosen >> a ^ chosen >> b) & 1 == 1 {
                    between += weight;
                }
            });
            let count = chosen.count_ones() as usize;
            least[count] = f64::min(least[count], between);
        }
        let view = View::new(&problem);
        let mut run = Run::new(0);
        let mut cuts = LeastCut::new(&view, &Meter::new(&mut run)).unwrap();
        let bound = |(count, least)| (least, cuts.of_ranks(count));
        least.into_iter().enumerate().map(bound).collect()
    }

    #[test]
    fn no_ranks_have_less_between_them_and_the_others() {
        for traffic in [
            "ring:12",
            "stencil:3x4",
            "stencil:4x4",
            "all-to-all:9",
            "random:ranks=13,degree=3,seed=4",
            "cg:class=S,ranks=8",
            "bt:class=S,ranks=9",
        ] {
            for (count, (least, bound)) in least_and_bounds(traffic).into_iter().enumerate() {
                let slightly_more = least * (1.0 + 1e-9);
                assert!(bound <= slightly_more, "{traffic}, {count}: {bound} > {least}");
            }
        }
    }

    #[test]
    fn half_of_a_ring_and_of_all_to_all_are_exact() {
        for traffic in ["ring:12", "all-to-all:10"] {
            let cuts = least_and_bounds(traffic);
            let (least, bound) = cuts[cuts.len() / 2];
            assert!(bound > 0.99 * least, "{traffic}: {bound} < {least}");
        }
    }
}
