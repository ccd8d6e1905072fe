//! Exchanges between the two halves of a part, many at once.
//!
//! Every round looks at each pair of partners once, which takes little time even for a million
//! ranks. The ranks that gain by a move are sorted on both sides, and the best of one side change
//! places with the best of the other. If two partners moved at the same time, both would be wrong
//! about their gain. Therefore only a random half of the ranks may move in a round.

use rayon::prelude::*;

use crate::clock::Clock;
use crate::effort::Effort;
use crate::pace::Pace;
use crate::random;
use crate::traffic::CommunicationGraph;

/// A part that is divided into two halves.
pub(super) struct Halves<'a, I> {
    pub(super) graph: &'a CommunicationGraph,
    /// Whether a rank is in the part.
    pub(super) inside: I,
    /// The distance between the halves.
    pub(super) between: f32,
    /// How many ranks the first half has.
    pub(super) cut: usize,
    pub(super) clock: &'a Clock<'a>,
}

/// Makes exchanges; keeps its arrays for the next part.
pub(super) struct Exchanging {
    rounds: u64,
    /// Smaller parts are left to the exchanges that follow a bisection.
    least_ranks: usize,
    /// Whether each rank of the part is in the second half.
    in_second: Vec<bool>,
    /// By member: how much nearer it is to those outside if it is in the second half.
    pulls: Vec<f32>,
    /// The members of each half that gain by a move, with their gain.
    movers: [Vec<(f32, u32)>; 2],
    /// Who moved in the last round.
    moved: Vec<u32>,
}

/// Members that one thread looks at before it takes more.
const CHUNK: usize = 4096;

impl Exchanging {
    /// For this many ranks.
    pub(super) fn new(ranks: usize, effort: Effort) -> Self {
        // A round takes a second for a million ranks, whatever the size of the parts.
        let (rounds, least_ranks) = match effort {
            Effort::Fast => (4, 1024),
            Effort::Eco => (16, 64),
            Effort::Strong => (40, 16),
        };
        Exchanging {
            rounds,
            least_ranks,
            in_second: vec![false; ranks],
            pulls: Vec::new(),
            movers: [Vec::new(), Vec::new()],
            moved: Vec::new(),
        }
    }

    /// Exchanges members of the two halves while that is a gain. `pull` says how much nearer a
    /// member is to those outside if it is in the second half.
    pub(super) fn improve<I: Fn(u32) -> bool + Sync>(
        &mut self,
        halves: &Halves<'_, I>,
        members: &mut [u32],
        pull: impl Fn(u32) -> f32 + Sync,
    ) {
        if members.len() < self.least_ranks || halves.between == 0.0 {
            return;
        }
        for (place, &rank) in members.iter().enumerate() {
            self.in_second[rank as usize] = place >= halves.cut;
        }
        self.pulls.clear();
        // Small parts are not worth the way to another thread.
        match members.len() > CHUNK {
            true => self.pulls.par_extend(members.par_iter().map(|&rank| pull(rank))),
            false => self.pulls.extend(members.iter().map(|&rank| pull(rank))),
        }
        self.moved.clear();
        let mut before = f64::INFINITY;
        // In a round without exchanges, perhaps only others may move.
        let mut idle = 0;
        for round in 0..=self.rounds {
            let cost = self.judge(halves, members, round);
            if cost.is_none_or(|cost| cost >= before && !self.moved.is_empty()) {
                // The last round was not a gain, or there is no time to know.
                self.turn_moved();
                break;
            }
            before = cost.unwrap_or(before);
            if round < self.rounds {
                self.exchange();
            }
            idle = if self.moved.is_empty() { idle + 1 } else { 0 };
            if idle == 4 {
                break;
            }
        }
        let (first, second): (Vec<u32>, Vec<u32>) =
            members.iter().partition(|&&rank| !self.in_second[rank as usize]);
        members[..first.len()].copy_from_slice(&first);
        members[first.len()..].copy_from_slice(&second);
    }

    /// The cost of the present halves; finds who gains by a move. `None` if the time is up.
    fn judge<I: Fn(u32) -> bool + Sync>(
        &mut self,
        halves: &Halves<'_, I>,
        members: &[u32],
        round: u64,
    ) -> Option<f64> {
        self.movers.iter_mut().for_each(Vec::clear);
        let in_second = &self.in_second;
        let judge = |(members, pulls)| halves.judge(in_second, members, pulls, round);
        let judged: Vec<Judged> = match members.len() > CHUNK {
            true => {
                let chunks = members.par_chunks(CHUNK).zip(self.pulls.par_chunks(CHUNK));
                chunks.map(judge).collect()
            }
            false => vec![judge((members, &self.pulls[..]))],
        };
        if halves.clock.rang() {
            return None;
        }
        let mut cost = 0.0;
        for part in judged {
            cost += part.cost;
            for (all, some) in self.movers.iter_mut().zip(part.movers) {
                all.extend(some);
            }
        }
        Some(cost)
    }

    /// The best of one half change places with the best of the other.
    fn exchange(&mut self) {
        let [first, second] = &mut self.movers;
        let count = first.len().min(second.len());
        self.moved.clear();
        for movers in [first, second] {
            if count > 0 && count < movers.len() {
                movers.select_nth_unstable_by(count - 1, |a, b| {
                    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
                });
            }
            self.moved.extend(movers[..count].iter().map(|&(_, rank)| rank));
        }
        self.turn_moved();
    }

    fn turn_moved(&mut self) {
        for &rank in &self.moved {
            self.in_second[rank as usize] ^= true;
        }
    }
}

/// What some members cost, and which of each half gain by a move.
#[derive(Default)]
struct Judged {
    cost: f64,
    movers: [Vec<(f32, u32)>; 2],
}

impl<I: Fn(u32) -> bool> Halves<'_, I> {
    fn judge(&self, in_second: &[bool], members: &[u32], pulls: &[f32], round: u64) -> Judged {
        let mut judged = Judged::default();
        let mut pace = Pace::default();
        for (&rank, &pull) in members.iter().zip(pulls) {
            let here = in_second[rank as usize];
            let (mut apart, mut together) = (0.0, 0.0);
            for (partner, weight) in self.graph.edges(rank) {
                if (self.inside)(partner) {
                    let there = in_second[partner as usize];
                    *(if here == there { &mut together } else { &mut apart }) += weight as f32;
                }
            }
            if self.clock.is_over_after(1 + self.graph.num_partners(rank), &mut pace) {
                break;
            }
            let outward = if here { -pull } else { pull };
            let gain = (apart - together) * self.between + outward;
            // Each pair inside is seen from both ends.
            judged.cost += f64::from(apart * self.between) / 2.0;
            judged.cost -= if here { f64::from(pull) } else { 0.0 };
            if gain > 0.0 && random::mix(u64::from(rank) << 8 | round) & 1 == 0 {
                judged.movers[usize::from(here)].push((gain, rank));
            }
        }
        judged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::{Weight, parse_pattern};

    /// What crosses the cut.
    fn across(graph: &CommunicationGraph, members: &[u32], cut: usize) -> f64 {
        let first = &members[..cut];
        let is_first = |rank: u32| first.contains(&rank);
        graph.pairs().filter(|&(a, b, _)| is_first(a) != is_first(b)).map(|(.., w)| w).sum()
    }

    #[test]
    fn halves_keep_their_sizes_and_less_crosses_between_them() {
        for traffic in ["random:ranks=200,degree=4,seed=1", "stencil:20x10"] {
            let graph = parse_pattern(traffic).unwrap().graph(Weight::Bytes);
            let mut members: Vec<u32> = (0..200).collect();
            random::shuffle(&mut random::stream(1, &[]), &mut members);
            let (before, run) = (across(&graph, &members, 80), Run::new(1));
            let clock = &Clock::new(&run);
            let halves = Halves { graph: &graph, inside: |_| true, between: 3.0, cut: 80, clock };
            Exchanging::new(200, Effort::Eco).improve(&halves, &mut members, |_| 0.0);
            let after = across(&graph, &members, 80);
            assert!(after < 0.8 * before, "{traffic}: {before} {after}");
            members.sort_unstable();
            assert!(members.iter().copied().eq(0..200));
        }
    }

    #[test]
    fn those_outside_pull() {
        // Nobody inside exchanges anything; odd ranks want to be in the second half.
        let graph = parse_pattern("ring:32").unwrap().graph(Weight::Bytes);
        let mut members: Vec<u32> = (0..32).collect();
        let run = Run::new(1);
        let clock = &Clock::new(&run);
        let halves = Halves { graph: &graph, inside: |_| false, between: 1.0, cut: 16, clock };
        let pull = |rank: u32| if rank % 2 == 1 { 1.0 } else { -1.0 };
        Exchanging::new(32, Effort::Strong).improve(&halves, &mut members, pull);
        let right = members[..16].iter().filter(|&rank| rank % 2 == 0).count();
        assert!(right >= 14, "8 at first: {members:?}");
    }
}
