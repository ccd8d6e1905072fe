//! Exchanges between the two halves of a part, many at once.
//!
//! Every round looks at each pair of partners inside the part once, which takes little time even
//! for a million ranks. The ranks are sorted by their gain on both sides, and the best of one side
//! change places with the best of the other while two together gain. If two partners moved at the
//! same time, both would be wrong about their gain. Therefore only a random half of the ranks may
//! move in a round, and fewer after a round that was a loss.

use std::ops::Range;

use rayon::prelude::*;

use super::layout::Layout;
use super::room::{CHUNK, RoomOfPart};
use crate::clock::Clock;
use crate::effort::Effort;
use crate::pace::Pace;
use crate::random;

/// A part that is divided into two halves.
pub(super) struct Halves<'a> {
    pub(super) layout: &'a Layout,
    pub(super) part: Range<usize>,
    /// The distance between the halves.
    pub(super) between: f32,
    pub(super) clock: &'a Clock<'a>,
}

/// At last, one in sixteen members may move in a round.
const MOST_CAUTION: u32 = 4;

/// How many exchanges are made.
#[derive(Clone, Copy)]
pub(super) struct Exchanging {
    rounds: u64,
}

impl Exchanging {
    pub(super) fn new(effort: Effort) -> Self {
        let rounds = match effort {
            Effort::Fast => 6,
            Effort::Eco => 16,
            Effort::Strong | Effort::Extreme => 32,
        };
        Exchanging { rounds }
    }

    /// Exchanges members of the two halves while that is a gain.
    pub(super) fn improve(&self, halves: &Halves<'_>, room: &mut RoomOfPart<'_>) {
        if halves.between == 0.0 {
            return;
        }
        let mut before = f64::INFINITY;
        // The first numbers are the members that moved in the round before.
        let mut moved = 0;
        // In a round without exchanges, perhaps only others may move.
        let (mut idle, mut caution) = (0, 1);
        for round in 0..=self.rounds {
            let Some(judged) = halves.judge_all(room, round, caution) else {
                // There is no time to know whether the last round was a gain.
                turn(room, moved);
                break;
            };
            if moved > 0 && judged.cost >= before {
                // Fewer at once are more often right about their gain.
                turn(room, moved);
                moved = 0;
                caution += 1;
                if caution > MOST_CAUTION {
                    break;
                }
                continue;
            }
            before = judged.cost;
            moved = if round < self.rounds { exchange(room, judged.movers) } else { 0 };
            idle = if moved == 0 { idle + 1 } else { 0 };
            if idle == 4 {
                break;
            }
        }
    }
}

/// The best of one half change places with the best of the other, as long as two together gain.
/// Returns how many moved.
fn exchange(room: &mut RoomOfPart<'_>, movers: [Vec<(f32, u32)>; 2]) -> usize {
    let gaining = |movers: &Vec<(f32, u32)>| movers.iter().filter(|mover| mover.0 > 0.0).count();
    let [first, second] = movers.each_ref().map(gaining);
    let most = first.max(second).min(movers[0].len()).min(movers[1].len());
    let mut movers = movers;
    for movers in &mut movers {
        let by_gain = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if most < movers.len() {
            movers.select_nth_unstable_by(most, by_gain);
        }
        movers.truncate(most);
        movers.sort_unstable_by(by_gain);
    }
    let pairs = movers[0].iter().zip(&movers[1]).take_while(|(a, b)| a.0 + b.0 > 0.0);
    let mut moved = 0;
    for (a, b) in pairs {
        room.numbers[moved] = a.1;
        room.numbers[moved + 1] = b.1;
        moved += 2;
    }
    turn(room, moved);
    moved
}

/// Moves the first members of the numbers into the other half.
fn turn(room: &mut RoomOfPart<'_>, moved: usize) {
    for &member in &room.numbers[..moved] {
        room.in_second[member as usize] ^= true;
    }
}

/// What some members cost, and which of each half gain by a move.
#[derive(Default)]
struct Judged {
    cost: f64,
    movers: [Vec<(f32, u32)>; 2],
}

impl Halves<'_> {
    /// The cost of the present halves, and which members gain by a move. `None` if the time is up.
    fn judge_all(&self, room: &RoomOfPart<'_>, round: u64, caution: u32) -> Option<Judged> {
        let members = room.in_second.len();
        if members <= CHUNK {
            let judged = self.judge(room, 0..members, round, caution);
            return (!self.clock.rang()).then_some(judged);
        }
        let chunks = (0..members.div_ceil(CHUNK)).into_par_iter();
        let chunk = |number: usize| number * CHUNK..members.min((number + 1) * CHUNK);
        let parts: Vec<Judged> =
            chunks.map(|number| self.judge(room, chunk(number), round, caution)).collect();
        let mut all = Judged::default();
        for part in parts {
            all.cost += part.cost;
            for (all, some) in all.movers.iter_mut().zip(part.movers) {
                all.extend(some);
            }
        }
        (!self.clock.rang()).then_some(all)
    }

    fn judge(
        &self,
        room: &RoomOfPart<'_>,
        members: Range<usize>,
        round: u64,
        caution: u32,
    ) -> Judged {
        let mut judged = Judged::default();
        let mut pace = Pace::default();
        for member in members {
            let (here, pull) = (room.in_second[member], room.pulls[member]);
            let place = self.part.start + member;
            let (mut apart, mut all) = (0.0, 0.0);
            for (partner, weight) in self.layout.inside(place) {
                let there = room.in_second[partner as usize - self.part.start];
                apart += if here == there { 0.0 } else { weight };
                all += weight;
            }
            if self.clock.is_over_after(1 + self.layout.num_inside(place), &mut pace) {
                break;
            }
            let outward = if here { -pull } else { pull };
            let gain = (2.0 * apart - all) * self.between + outward;
            // Each pair inside is seen from both ends.
            judged.cost += f64::from(apart * self.between) / 2.0;
            judged.cost -= if here { f64::from(pull) } else { 0.0 };
            let rank = u64::from(self.layout.ranks[place]);
            if random::mix(rank << 8 | round) & ((1 << caution) - 1) == 0 {
                judged.movers[usize::from(here)].push((gain, member as u32));
            }
        }
        judged
    }
}

#[cfg(test)]
mod tests {
    use super::super::room::Room;
    use super::*;
    use crate::run::Run;
    use crate::traffic::CommunicationGraph;
    use crate::{Weight, parse_pattern};

    /// Exchanges members of halves of `cut` and the other ranks; returns which are in the second.
    fn improved(
        graph: &CommunicationGraph,
        (ranks, cut): (Vec<u32>, usize),
        effort: Effort,
        pull: impl Fn(u32) -> f32,
    ) -> Vec<bool> {
        let layout = Layout::new(graph, ranks, &vec![[0.0; 4]; graph.num_ranks()]);
        let all = 0..layout.ranks.len();
        let mut room = Room::new(all.len());
        let mut room = room.of_parts(std::iter::once(all.clone())).remove(0);
        for member in all.clone() {
            room.in_second[member] = member >= cut;
            room.pulls[member] = pull(layout.ranks[member]);
        }
        let run = Run::new(1);
        let clock = &Clock::new(&run);
        let halves = Halves { layout: &layout, part: all.clone(), between: 3.0, clock };
        Exchanging::new(effort).improve(&halves, &mut room);
        let mut in_second = vec![false; all.len()];
        for member in all {
            in_second[layout.ranks[member] as usize] = room.in_second[member];
        }
        in_second
    }

    #[test]
    fn halves_keep_their_sizes_and_less_crosses_between_them() {
        for traffic in ["random:ranks=200,degree=4,seed=1", "stencil:20x10"] {
            let graph = parse_pattern(traffic).unwrap().graph(Weight::Bytes);
            let across = |in_second: &[bool]| -> f64 {
                let apart = |a: u32, b: u32| in_second[a as usize] != in_second[b as usize];
                graph.pairs().filter(|&(a, b, _)| apart(a, b)).map(|(.., weight)| weight).sum()
            };
            let mut ranks: Vec<u32> = (0..200).collect();
            random::shuffle(&mut random::stream(1, &[]), &mut ranks);
            let mut at_first = vec![true; 200];
            ranks[..80].iter().for_each(|&rank| at_first[rank as usize] = false);
            let in_second = improved(&graph, (ranks, 80), Effort::Eco, |_| 0.0);
            let (before, after) = (across(&at_first), across(&in_second));
            assert!(after < 0.8 * before, "{traffic}: {before} {after}");
            assert_eq!(in_second.iter().filter(|&&second| !second).count(), 80);
        }
    }

    #[test]
    fn those_outside_pull() {
        // A ring pulls less than those outside; odd ranks want to be in the second half.
        let graph = parse_pattern("ring:32").unwrap().graph(Weight::Bytes);
        let pull = |rank: u32| if rank % 2 == 1 { 100.0 } else { -100.0 };
        let in_second = improved(&graph, ((0..32).collect(), 16), Effort::Strong, pull);
        let right = (0..).zip(&in_second).filter(|&(rank, &second)| second == (rank % 2 == 1));
        assert!(right.count() >= 28, "16 at first: {in_second:?}");
    }
}
