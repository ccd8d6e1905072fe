//! Exchanges of whole groups, and of ranks, that keep the matching of the lowest level.

use std::ops::Range;

use crate::ids::Vertex;
use crate::problem::Problem;
use crate::run::Run;
use crate::strategy::place_tree::PlaceTree;

/// With more places there are too many pairs of groups to check.
pub const MOST_PLACES: usize = 256;

/// The maximum number of rounds over all pairs of groups.
const MOST_ROUNDS: usize = 16;

/// Exchanges that gain less than this share of the cost gain only rounding errors.
const LEAST_GAIN: f64 = 1e-12;

/// The machine as a row of places, and what can be exchanged in it.
pub struct Polish<'a> {
    problem: &'a Problem,
    /// The slot of each place.
    slots: Vec<u32>,
    /// How far apart two places are.
    distance: Vec<f64>,
    /// The smallest group with several places around each place.
    lowest_group: Vec<u32>,
    /// Whether all of these are pairs. The matching found them, and they stay as good.
    pairs: bool,
    /// Parts of the row that are alike, kind by kind; the single places are the first kind.
    alike: Vec<Vec<Range<usize>>>,
}

impl<'a> Polish<'a> {
    /// `None` if the machine is too large.
    pub fn new(problem: &'a Problem, tree: &PlaceTree) -> Option<Polish<'a>> {
        let places = tree.root().room;
        if places > MOST_PLACES {
            return None;
        }
        let mut slots = Vec::with_capacity(places);
        let mut lowest_group = vec![0; places];
        let mut pairs = true;
        let mut alike = vec![Vec::new(); tree.kinds.len() + 1];
        let mut left = vec![(0u32, 0u32)];
        while let Some((number, around)) = left.pop() {
            let group = &tree.groups[number as usize];
            let room = tree.kind(number).room;
            // The contents of a group come right after it, so its places are the next ones.
            let first = slots.len();
            if group.children.is_empty() {
                let several = if room > 1 { number } else { around };
                lowest_group[first..first + room].fill(several);
                pairs &= tree.kind(several).room == 2;
                slots.extend(group.first_slot..group.first_slot + room as u32);
            }
            if number > 0 && room > 1 {
                alike[group.kind as usize + 1].push(first..first + room);
            }
            left.extend(group.children.clone().rev().map(|child| (child, number)));
        }
        alike[0] = (0..places).map(|place| place..place + 1).collect();
        let machine = problem.machine();
        let node = |place: usize| Vertex(slots[place] / machine.slots_per_node());
        let distance = (0..places * places)
            .map(|at| f64::from(machine.topology().distance(node(at / places), node(at % places))))
            .collect();
        Some(Polish { problem, slots, distance, lowest_group, pairs, alike })
    }

    /// Exchanges the contents of two groups of a kind, or two ranks, while that lowers the
    /// hop-bytes. If the lowest groups are pairs, the traffic inside them must not decrease.
    pub fn improve(&self, slot_of_rank: &mut [u32], run: &mut Run) {
        let places = self.slots.len();
        let mut row = Row { place_of: vec![0; places], at: vec![u32::MAX; places] };
        for (rank, slot) in (0u32..).zip(slot_of_rank.iter()) {
            let place = self.slots.iter().position(|known| known == slot);
            row.at[place.expect("ranks are in the part of the machine")] = rank;
        }
        let mut free = slot_of_rank.len() as u32..;
        for (place, rank) in row.at.iter_mut().enumerate() {
            if *rank == u32::MAX {
                *rank = free.next().expect("numbers for all free places");
            }
            row.place_of[*rank as usize] = place;
        }
        let everything: f64 = self.problem.graph().all_weights().iter().sum();
        for _ in 0..MOST_ROUNDS {
            let mut gained = false;
            for kind in &self.alike {
                for (index, one) in kind.iter().enumerate() {
                    for other in &kind[index + 1..] {
                        // Evaluating an exchange visits everything that each of the ranks sends.
                        if !run.goes_on((one.len() * places) as u64) {
                            break;
                        }
                        gained |= self.try_exchange(one, other, &mut row, everything * LEAST_GAIN);
                    }
                }
            }
            if !gained || run.was_cut_short() {
                break;
            }
        }
        for (slot, &place) in slot_of_rank.iter_mut().zip(&row.place_of) {
            *slot = self.slots[place];
        }
    }

    fn try_exchange(
        &self,
        one: &Range<usize>,
        other: &Range<usize>,
        row: &mut Row,
        least_gain: f64,
    ) -> bool {
        let before = self.judge(one, other, row);
        row.exchange(one, other);
        let after = self.judge(one, other, row);
        let gains = before.cost - after.cost > least_gain
            && (!self.pairs || after.inside >= before.inside * (1.0 - LEAST_GAIN));
        if !gains {
            row.exchange(one, other);
        }
        gains
    }

    /// The cost of the ranks in two parts of the row, and their traffic inside the lowest groups.
    fn judge(&self, one: &Range<usize>, other: &Range<usize>, row: &Row) -> Judgement {
        let ranks = self.problem.num_ranks() as u32;
        let mut sum = Judgement { cost: 0.0, inside: 0.0 };
        for here in one.clone().chain(other.clone()) {
            let rank = row.at[here];
            if rank >= ranks {
                continue;
            }
            for (partner, weight) in self.problem.graph().edges(rank) {
                let there = row.place_of[partner as usize];
                // Pairs of ranks that both move are visited twice.
                let both = one.contains(&there) || other.contains(&there);
                let weight = if both { weight / 2.0 } else { weight };
                sum.cost += weight * self.distance[here * self.slots.len() + there];
                if self.lowest_group[here] == self.lowest_group[there] {
                    sum.inside += weight;
                }
            }
        }
        sum
    }
}

struct Judgement {
    cost: f64,
    inside: f64,
}

/// Which rank is at which place; numbers beyond the last rank stand for free places.
struct Row {
    place_of: Vec<usize>,
    at: Vec<u32>,
}

impl Row {
    fn exchange(&mut self, one: &Range<usize>, other: &Range<usize>) {
        for (a, b) in one.clone().zip(other.clone()) {
            self.at.swap(a, b);
            self.place_of[self.at[a] as usize] = a;
            self.place_of[self.at[b] as usize] = b;
        }
    }
}
