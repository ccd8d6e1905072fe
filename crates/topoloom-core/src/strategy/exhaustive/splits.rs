//! Every way to split ranks over the groups of a tree, if the cost is a sum over pairs.
//!
//! The cost of a set of ranks in a group does not depend on the other ranks: the distance of two
//! ranks is given by the smallest group around both. So the least cost of each set in each kind of
//! group is found once, from all ways to split the set over the groups inside; groups that are
//! alike are considered once.

use std::collections::HashMap;

use thiserror::Error;

use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;
use crate::strategy::place_tree::PlaceTree;

/// A set of ranks is a number of at most this many bits.
const MOST_RANKS: usize = 24;

/// The maximum number of stored costs, of all sets and kinds together: 1 GB.
const MOST_COSTS: usize = 1 << 27;

/// The maximum number of kinds of remaining groups.
const MOST_BAGS: usize = 4096;

/// Why there is not enough memory for all splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TooManySplits {
    /// Too many ranks for a set to be a number.
    #[error(
        "all splits of {ranks} ranks that exchange messages are too many to keep; at most \
         {MOST_RANKS} ranks are possible"
    )]
    Ranks { ranks: usize },
    /// Too many costs of sets in kinds of groups.
    #[error("all splits of {ranks} ranks over {kinds} kinds of groups are too many to keep")]
    Costs { ranks: usize, kinds: usize },
    /// Too many kinds of groups.
    #[error("the machine has too many kinds of groups")]
    Kinds,
}

/// The pairs of ranks, each with the factor of its distance cost; `None` unless the objective is
/// such a sum.
pub fn pair_weights(problem: &Problem, objective: &dyn Objective) -> Option<Vec<(u32, u32, f64)>> {
    let unit = objective.pair_cost(1.0, 2)?;
    let weight = |(a, b, weight)| Some((a, b, objective.pair_cost(weight, 2)? / unit));
    // If there are too many to split, the rest is not read.
    problem.graph().pairs().take(MOST_RANKS * MOST_RANKS).map(weight).collect()
}

/// Subgroups of one group that are still to be filled. There are at most as many of each kind as
/// there are ranks: more would stay empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Content {
    distance: u32,
    kinds: Vec<(u32, u32)>,
}

/// One way to continue: a group of some kind gets some ranks, and the rest of the bag gets the
/// others.
#[derive(Debug, Clone, Copy)]
struct Take {
    kind: u32,
    room: u32,
    /// The bag of the group's contents; `None` for a node.
    inside: Option<u32>,
    rest: u32,
}

#[derive(Debug, Clone)]
struct Bag {
    /// What a unit of weight costs between two of its groups.
    unit: f64,
    room: u32,
    takes: Vec<Take>,
}

impl Bag {
    /// Whether ranks could go to more than one group.
    fn has_choice(&self) -> bool {
        self.takes.iter().any(|take| self.room > take.room)
    }
}

/// All splits of the ranks that have partners.
pub struct Splits<'a> {
    problem: &'a Problem,
    tree: PlaceTree,
    /// The ranks that have partners; bit i of a set is `ranks[i]`.
    ranks: Vec<u32>,
    /// What the ranks of each set exchange.
    inside: Vec<f64>,
    /// What a unit of weight costs between slots of a node.
    unit_on_node: f64,
    bags: Vec<Bag>,
    numbers: HashMap<Content, u32>,
    /// The least cost of each set in each bag, NaN if it is not known.
    least: Vec<Vec<f64>>,
    steps: f64,
}

impl<'a> Splits<'a> {
    /// `weights` holds the weights of pairs of ranks, and `unit` is what a unit of weight costs at
    /// a distance.
    pub fn new(
        tree: PlaceTree,
        problem: &'a Problem,
        weights: &[(u32, u32, f64)],
        unit: impl Fn(u32) -> f64,
    ) -> Result<Splits<'a>, TooManySplits> {
        let talks = |&rank: &u32| !problem.graph().partners(rank).is_empty();
        let ranks: Vec<u32> = (0..problem.num_ranks() as u32).filter(talks).collect();
        let n = ranks.len();
        if n > MOST_RANKS {
            return Err(TooManySplits::Ranks { ranks: n });
        }
        let mut splits = Splits {
            problem,
            tree,
            inside: Vec::new(),
            ranks,
            unit_on_node: unit(0),
            bags: Vec::new(),
            numbers: HashMap::new(),
            least: Vec::new(),
            steps: 0.0,
        };
        if let Some(root) = splits.bag_in(splits.tree.groups[0].kind) {
            splits.find_bags(root, n as u32, &unit)?;
        }
        let tables = splits.bags.iter().filter(|bag| bag.has_choice()).count();
        if (tables + 1) << n > MOST_COSTS {
            return Err(TooManySplits::Costs { ranks: n, kinds: tables });
        }
        splits.inside = weights_inside(&splits.ranks, weights);
        splits.least = vec![Vec::new(); splits.bags.len()];
        Ok(splits)
    }

    /// The maximum number of splits to examine.
    pub fn steps(&self) -> f64 {
        self.steps
    }

    /// The bag of the contents of a kind of group.
    fn bag_in(&mut self, kind: u32) -> Option<u32> {
        let kind = &self.tree.kinds[kind as usize];
        let (distance, kinds) = (kind.distance, kind.children.clone());
        (!kinds.is_empty()).then(|| self.number(Content { distance, kinds }))
    }

    /// The number of a bag; its contents are filled in later.
    fn number(&mut self, mut content: Content) -> u32 {
        for (_, count) in &mut content.kinds {
            *count = (*count).min(self.ranks.len() as u32);
        }
        content.kinds.retain(|&(_, count)| count > 0);
        let next = self.numbers.len() as u32;
        *self.numbers.entry(content).or_insert(next)
    }

    /// Finds all bags that occur, with the sizes of their sets, and counts the steps.
    fn find_bags(
        &mut self,
        root: u32,
        ranks: u32,
        unit: &impl Fn(u32) -> f64,
    ) -> Result<(), TooManySplits> {
        let mut sizes: Vec<Vec<bool>> = Vec::new();
        let mut left = vec![(root, ranks)];
        while let Some((number, size)) = left.pop() {
            self.fill_bags(unit)?;
            sizes.resize(self.bags.len(), vec![false; ranks as usize + 1]);
            let bag = self.bags[number as usize].clone();
            if size == 0 || std::mem::replace(&mut sizes[number as usize][size as usize], true) {
                continue;
            }
            for take in &bag.takes {
                for some in self.sizes_to_take(take, size) {
                    self.steps += binomial(ranks, size) * binomial(size - 1, some - 1);
                    left.push((take.rest, size - some));
                    left.extend(take.inside.map(|inside| (inside, some)));
                }
            }
        }
        Ok(())
    }

    /// Fills in the possible splits of each bag that so far only has a number.
    fn fill_bags(&mut self, unit: &impl Fn(u32) -> f64) -> Result<(), TooManySplits> {
        while self.bags.len() < self.numbers.len() {
            let number = self.bags.len() as u32;
            let content = self.numbers.iter().find(|&(_, &known)| known == number);
            let content = content.expect("numbers are given in order").0.clone();
            let room_of = |tree: &PlaceTree, kind: u32| tree.kinds[kind as usize].room as u32;
            let mut takes = Vec::with_capacity(content.kinds.len());
            let mut room = 0u32;
            for (position, &(kind, count)) in content.kinds.iter().enumerate() {
                let room_inside = room_of(&self.tree, kind);
                room = room.saturating_add(room_inside.saturating_mul(count));
                let mut rest = content.clone();
                rest.kinds[position].1 -= 1;
                let (inside, rest) = (self.bag_in(kind), self.number(rest));
                takes.push(Take { kind, room: room_inside, inside, rest });
            }
            self.bags.push(Bag { unit: unit(content.distance), room, takes });
            if self.bags.len() > MOST_BAGS {
                return Err(TooManySplits::Kinds);
            }
        }
        Ok(())
    }

    /// How many of `size` ranks a group can get, if the rest is to have room for the others.
    fn sizes_to_take(&self, take: &Take, size: u32) -> std::ops::RangeInclusive<u32> {
        let rest = self.bags.get(take.rest as usize).map_or(0, |bag| bag.room);
        size.saturating_sub(rest).max(1)..=size.min(take.room)
    }

    /// A placement of least cost; `None` if a limit was reached first.
    pub fn solve(&mut self, run: &mut Run) -> Option<Mapping> {
        let mut slot_of = vec![u32::MAX; self.problem.num_ranks()];
        let everyone = (1u64 << self.ranks.len()) as u32 - 1;
        self.place(0, everyone, &mut slot_of, run)?;
        let mut taken = vec![false; self.problem.num_slots()];
        for &slot in slot_of.iter().filter(|&&slot| slot != u32::MAX) {
            taken[slot as usize] = true;
        }
        // The places of ranks without partners do not matter.
        let mut free = (0..).zip(&taken).filter(|&(_, taken)| !taken).map(|(slot, _)| slot);
        for slot in slot_of.iter_mut().filter(|slot| **slot == u32::MAX) {
            *slot = free.next().expect("no more ranks than slots");
        }
        Some(Mapping::new(slot_of, self.problem.machine()).expect("each slot is taken once"))
    }

    /// Places a set in a group at the least cost.
    fn place(&mut self, group: u32, set: u32, slot_of: &mut [u32], run: &mut Run) -> Option<()> {
        let (kind, children) = {
            let group = &self.tree.groups[group as usize];
            (group.kind, group.children.clone())
        };
        let Some(mut bag) = self.bag_in(kind) else {
            let first = self.tree.groups[group as usize].first_slot;
            for (slot, bit) in (first..).zip(bits(set)) {
                slot_of[self.ranks[bit as usize] as usize] = slot;
            }
            return Some(());
        };
        let mut free: Vec<u32> = children.collect();
        let mut set = set;
        while set != 0 {
            let (_, take, chosen) = self.best_split(bag, set, run)?;
            let is_kind = |&child: &u32| self.tree.groups[child as usize].kind == take.kind;
            let position = free.iter().position(is_kind).expect("a bag holds what is free");
            let child = free.remove(position);
            self.place(child, chosen, slot_of, run)?;
            (bag, set) = (take.rest, set ^ chosen);
        }
        Some(())
    }

    /// The least cost of a set in a bag; infinite if a limit was reached first.
    fn least(&mut self, bag: u32, set: u32, run: &mut Run) -> f64 {
        if set == 0 {
            return 0.0;
        }
        if let [Take { inside, .. }] = self.bags[bag as usize].takes[..]
            && !self.bags[bag as usize].has_choice()
        {
            return self.least_inside(inside, set, run);
        }
        let table = &mut self.least[bag as usize];
        if table.is_empty() {
            *table = vec![f64::NAN; self.inside.len()];
        }
        let known = table[set as usize];
        if !known.is_nan() {
            return known;
        }
        let Some((cost, ..)) = self.best_split(bag, set, run) else { return f64::INFINITY };
        self.least[bag as usize][set as usize] = cost;
        cost
    }

    /// The least cost of a set in a group, given the bag of the group's contents; a node has none.
    fn least_inside(&mut self, bag: Option<u32>, set: u32, run: &mut Run) -> f64 {
        match bag {
            Some(bag) => self.least(bag, set, run),
            None => self.unit_on_node * self.inside[set as usize],
        }
    }

    /// The best way to continue with a set in a bag: its cost, the group taken out, and the ranks
    /// that go there, which always include the lowest. `None` if a limit was reached first.
    fn best_split(&mut self, bag: u32, set: u32, run: &mut Run) -> Option<(f64, Take, u32)> {
        let lowest = set & set.wrapping_neg();
        let others = set ^ lowest;
        let size = set.count_ones();
        let (unit, takes) = {
            let bag = &self.bags[bag as usize];
            (bag.unit, bag.takes.len())
        };
        let whole = self.inside[set as usize];
        let mut best: Option<(f64, Take, u32)> = None;
        let mut least = f64::INFINITY;
        for index in 0..takes {
            let take = self.bags[bag as usize].takes[index];
            for some in self.sizes_to_take(&take, size) {
                let mut subsets = Subsets::new(others, some - 1);
                while let Some(chosen) = subsets.next() {
                    if !run.spend(1) {
                        return None;
                    }
                    let (chosen, rest) = (chosen | lowest, others ^ chosen);
                    let inside = self.inside[chosen as usize];
                    let mut cost = unit * (whole - inside - self.inside[rest as usize]);
                    if cost >= least {
                        continue;
                    }
                    cost += self.least_inside(take.inside, chosen, run);
                    if cost >= least {
                        continue;
                    }
                    cost += self.least(take.rest, rest, run);
                    if cost < least {
                        least = cost;
                        best = Some((cost, take, chosen));
                    }
                }
            }
        }
        // If a limit was reached inside, costs are infinite.
        best.filter(|_| !run.was_cut_short())
    }
}

/// What the ranks of each set exchange.
fn weights_inside(ranks: &[u32], weights: &[(u32, u32, f64)]) -> Vec<f64> {
    let n = ranks.len();
    let bit_of = |rank: u32| ranks.binary_search(&rank).expect("both of a pair talk");
    let mut between = vec![0.0; n * n];
    for &(a, b, weight) in weights {
        let (a, b) = (bit_of(a), bit_of(b));
        between[a * n + b] = weight;
        between[b * n + a] = weight;
    }
    let mut inside = vec![0.0; 1 << n];
    for set in 1..1u32 << n {
        let highest = 31 - set.leading_zeros();
        let others = set ^ (1 << highest);
        let to_others: f64 =
            bits(others).map(|bit| between[highest as usize * n + bit as usize]).sum();
        inside[set as usize] = inside[others as usize] + to_others;
    }
    inside
}

/// The bits that are set, lowest first.
fn bits(set: u32) -> impl Iterator<Item = u32> {
    let rest = |&set: &u32| (set & (set - 1) != 0).then_some(set & set.wrapping_sub(1));
    std::iter::successors((set != 0).then_some(set), rest).map(u32::trailing_zeros)
}

/// The subsets of a set of a given size, as ascending numbers.
struct Subsets {
    set: u32,
    size: u32,
    next: Option<u32>,
    /// The lowest bits of the set, for each count of bits.
    lowest: [u32; MOST_RANKS + 1],
}

impl Subsets {
    /// The set has at least `size` bits.
    fn new(set: u32, size: u32) -> Subsets {
        let mut lowest = [0; MOST_RANKS + 1];
        for (count, bit) in bits(set).enumerate() {
            lowest[count + 1] = lowest[count] | 1 << bit;
        }
        Subsets { set, size, next: Some(lowest[size as usize]), lowest }
    }

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let now = self.next?;
        // Adds one at the lowest bit and carries past bits outside the set; the bits cleared by the
        // carry go back to the lowest places.
        let carried = (now | !self.set).wrapping_add(now & now.wrapping_neg()) & self.set;
        self.next = (carried > now)
            .then(|| carried | self.lowest[(self.size - carried.count_ones()) as usize]);
        Some(now)
    }
}

fn binomial(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_come_once_each() {
        let all = |set, size| {
            let mut subsets = Subsets::new(set, size);
            std::iter::from_fn(|| subsets.next()).collect::<Vec<u32>>()
        };
        assert_eq!(all(0b10110, 2), [0b00110, 0b10010, 0b10100]);
        assert_eq!(all(0b10110, 0), [0]);
        assert_eq!(all(0b10110, 3), [0b10110]);
        assert_eq!(all(0, 0), [0]);
        assert_eq!(all((1 << 24) - 1, 12).len(), 2_704_156);
    }

    #[test]
    fn bits_are_counted_from_the_lowest() {
        assert_eq!(bits(0b10110).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(bits(0).count(), 0);
    }
}
