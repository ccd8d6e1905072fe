//! One level: items are put into bins to maximise the traffic inside bins.

use super::exchanges::{Exchanges, NOWHERE};
use super::pairing::heaviest_pairs;
use crate::run::Run;

/// The maximum number of rounds of exchanges over all items; more rounds almost never gain
/// anything.
const MOST_ROUNDS: usize = 16;

/// Exchanges that gain less than this share of everything gain only rounding errors.
const LEAST_GAIN: f64 = 1e-12;

/// A future group, and how many items of which kinds it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bin {
    /// The kind of the group.
    pub kind: u32,
    /// Kinds of items and how many of each.
    pub wants: Vec<(u32, u32)>,
}

/// The bin of each item. There are exactly as many items of each kind as the bins take together.
///
/// With two per bin, the result is the best set of pairs. Other numbers are put together from
/// pairs, pairs of pairs and so on, as many as fit. Then items are exchanged between bins until
/// there is no gain.
pub fn join(exchanges: &Exchanges, kinds: &[u32], bins: &[Bin], run: &mut Run) -> Vec<u32> {
    let mut joining = Joining { exchanges, kinds, bin_of: vec![NOWHERE; kinds.len()], run };
    let mut all: Vec<u32> = bins.iter().flat_map(|bin| &bin.wants).map(|&(kind, _)| kind).collect();
    all.sort_unstable();
    all.dedup();
    // Large groups have higher numbers than their contents: the heaviest items come first.
    for kind in all.into_iter().rev() {
        joining.fill_with(kind, bins);
    }
    joining.improve(bins.len());
    joining.bin_of
}

struct Joining<'a> {
    exchanges: &'a Exchanges,
    kinds: &'a [u32],
    bin_of: Vec<u32>,
    run: &'a mut Run,
}

impl Joining<'_> {
    /// Puts all items of a kind into the bins that want them.
    fn fill_with(&mut self, kind: u32, bins: &[Bin]) {
        let wanted = |bin: &Bin| bin.wants.iter().find(|want| want.0 == kind).map_or(0, |w| w.1);
        let mut by_size: Vec<(u32, u32)> = (0..)
            .zip(bins)
            .map(|(number, bin)| (wanted(bin), number))
            .filter(|&(size, _)| size > 0)
            .collect();
        by_size.sort_by_key(|&(size, number)| (std::cmp::Reverse(size), number));
        let items: Vec<u32> =
            (0..).zip(self.kinds).filter(|&(_, &k)| k == kind).map(|(item, _)| item).collect();
        let sizes: Vec<u32> = by_size.iter().map(|&(size, _)| size).collect();
        let sets = self.sets_of_sizes(items, &sizes);
        // Sets go to the bins that already hold most of their traffic; sets and bins of the same
        // size are interchangeable.
        let members = self.members(bins.len());
        let mut at = 0;
        for same in by_size.chunk_by(|a, b| a.0 == b.0) {
            let sets = &sets[at..at + same.len()];
            at += same.len();
            let begun: Vec<Vec<u32>> =
                same.iter().map(|&(_, bin)| members[bin as usize].clone()).collect();
            for (set, bin) in sets.iter().zip(self.attach(&begun, sets)) {
                for &item in set {
                    self.bin_of[item as usize] = same[bin].1;
                }
            }
        }
    }

    /// The items of each bin, as far as items have one.
    fn members(&self, bins: usize) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); bins];
        for (item, &bin) in (0u32..).zip(&self.bin_of).filter(|&(_, &bin)| bin != NOWHERE) {
            members[bin as usize].push(item);
        }
        members
    }

    /// Sets of items, one for each of the sizes, which are in descending order.
    fn sets_of_sizes(&mut self, items: Vec<u32>, sizes: &[u32]) -> Vec<Vec<u32>> {
        let largest = sizes.first().copied().unwrap_or(0);
        // Sets of 1, 2, 4, ... items; a size is put together from the sets of its binary digits.
        let mut sets: Vec<Vec<u32>> = items.into_iter().map(|item| vec![item]).collect();
        let mut kept: Vec<Vec<Vec<u32>>> = Vec::new();
        let mut digit = 0;
        while largest >> (digit + 1) > 0 {
            let pairs = sizes.iter().map(|size| (size >> (digit + 1)) as usize).sum();
            let (paired, alone) = self.pair(sets, pairs);
            kept.push(alone);
            sets = paired;
            digit += 1;
        }
        kept.push(sets);
        let mut done: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
        for (digit, sets) in kept.into_iter().enumerate().rev() {
            let needs = |&place: &usize| sizes[place] >> digit & 1 == 1;
            let places: Vec<usize> = (0..sizes.len()).filter(needs).collect();
            let begun: Vec<Vec<u32>> = places.iter().map(|&place| done[place].clone()).collect();
            for (set, place) in sets.iter().zip(self.attach(&begun, &sets)) {
                done[places[place]].extend(set);
            }
        }
        done
    }

    /// Joins sets into `pairs` sets of two each, those that exchange most: (joined, left over).
    fn pair(&mut self, sets: Vec<Vec<u32>>, pairs: usize) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let between = self.between(&sets);
        let mut found = heaviest_pairs(sets.len(), &between.pairs(), self.run);
        // If too many pairs were found, the lightest are split. If there are too few, single sets
        // are paired in their order.
        found.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        found.truncate(pairs);
        let mut is_free = vec![true; sets.len()];
        let mut chosen: Vec<(u32, u32)> = found.iter().map(|&(a, b, _)| (a, b)).collect();
        for &(a, b) in &chosen {
            (is_free[a as usize], is_free[b as usize]) = (false, false);
        }
        let alone: Vec<u32> = (0..sets.len() as u32).filter(|&s| is_free[s as usize]).collect();
        let more = (pairs - chosen.len()) * 2;
        chosen.extend(alone[..more].chunks_exact(2).map(|two| (two[0], two[1])));
        chosen.sort_unstable();
        let join = |&(a, b): &(u32, u32)| [&sets[a as usize][..], &sets[b as usize]].concat();
        let joined = chosen.iter().map(join).collect();
        (joined, alone[more..].iter().map(|&set| sets[set as usize].clone()).collect())
    }

    /// Assigns one of `begun` to each set, as far as there are any, to maximise their traffic; the
    /// others are assigned in order.
    fn attach(&mut self, begun: &[Vec<u32>], sets: &[Vec<u32>]) -> Vec<usize> {
        let mut place_of = vec![usize::MAX; sets.len()];
        let mut taken = vec![false; begun.len()];
        if begun.iter().any(|items| !items.is_empty()) {
            let all: Vec<Vec<u32>> = begun.iter().chain(sets).cloned().collect();
            let mut edges = self.between(&all).pairs();
            let first_set = begun.len() as u32;
            edges.retain(|&(a, b, _)| a < first_set && b >= first_set);
            for (place, set, _) in heaviest_pairs(all.len(), &edges, self.run) {
                place_of[(set - first_set) as usize] = place as usize;
                taken[place as usize] = true;
            }
        }
        let mut left = (0..begun.len()).filter(|&place| !taken[place]);
        for place in place_of.iter_mut().filter(|place| **place == usize::MAX) {
            *place = left.next().expect("as many places as sets");
        }
        place_of
    }

    /// What sets of items exchange.
    fn between(&self, sets: &[Vec<u32>]) -> Exchanges {
        let mut set_of = vec![NOWHERE; self.kinds.len()];
        for (number, set) in (0u32..).zip(sets) {
            set.iter().for_each(|&item| set_of[item as usize] = number);
        }
        self.exchanges.contract(&set_of, sets.len())
    }

    /// Exchanges items of a kind between bins while there is a gain.
    fn improve(&mut self, bins: usize) {
        let mut members = self.members(bins);
        let least_gain = LEAST_GAIN * self.exchanges.total();
        let mut pull = vec![0.0; bins];
        for _ in 0..MOST_ROUNDS {
            let mut gained = false;
            for item in 0..self.kinds.len() as u32 {
                if !self.run.goes_on(1 + self.exchanges.row(item).len() as u64) {
                    return;
                }
                if let Some(other) = self.best_exchange(item, &members, &mut pull, least_gain) {
                    self.exchange(item, other, &mut members);
                    gained = true;
                }
            }
            if !gained || self.run.must_stop() {
                return;
            }
        }
    }

    fn exchange(&mut self, a: u32, b: u32, members: &mut [Vec<u32>]) {
        let (bin_a, bin_b) = (self.bin_of[a as usize], self.bin_of[b as usize]);
        let swap = |items: &mut Vec<u32>, old, new| {
            let place = items.iter().position(|&item| item == old).expect("it is in its bin");
            items[place] = new;
        };
        swap(&mut members[bin_a as usize], a, b);
        swap(&mut members[bin_b as usize], b, a);
        self.bin_of.swap(a as usize, b as usize);
    }

    /// The item to exchange an item with for the largest gain, if any. `pull` is scratch, all 0.
    fn best_exchange(
        &self,
        item: u32,
        members: &[Vec<u32>],
        pull: &mut [f64],
        least_gain: f64,
    ) -> Option<u32> {
        let home = self.bin_of[item as usize];
        let mut touched: Vec<u32> = Vec::new();
        for &(partner, weight) in self.exchanges.row(item) {
            let there = self.bin_of[partner as usize];
            if pull[there as usize] == 0.0 {
                touched.push(there);
            }
            pull[there as usize] += weight;
        }
        let mut best: Option<(f64, u32)> = None;
        let stays = pull[home as usize];
        for &there in &touched {
            let goes = pull[there as usize];
            // One of the two must gain. If it is the other one, its own turn comes.
            if there == home || goes <= stays {
                continue;
            }
            for &other in &members[there as usize] {
                if self.kinds[other as usize] != self.kinds[item as usize] {
                    continue;
                }
                let mut gain = goes - stays;
                for &(partner, weight) in self.exchanges.row(other) {
                    let bin = self.bin_of[partner as usize];
                    if partner == item {
                        // The two stay apart, though `goes` counted them together.
                        gain -= weight;
                    } else if bin == home {
                        gain += weight;
                    } else if bin == there {
                        gain -= weight;
                    }
                }
                if gain > best.map_or(least_gain, |(most, _)| most) {
                    best = Some((gain, other));
                }
            }
        }
        touched.iter().for_each(|&bin| pull[bin as usize] = 0.0);
        best.map(|(_, other)| other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{TrafficBuilder, Weight};

    fn exchanges(edges: &[(u32, u32, f64)], items: u32) -> Exchanges {
        let mut builder = TrafficBuilder::new(items);
        edges.iter().for_each(|&(a, b, weight)| builder.add(a, b, 1.0, weight));
        let order: Vec<u32> = (0..items).collect();
        Exchanges::of_ranks(&builder.build().graph(Weight::Bytes), &order)
    }

    #[test]
    fn triangles_come_together_in_threes() {
        // Two triangles, joined by an edge heavier than the sides of either.
        let sides = [(0, 2, 3.0), (2, 4, 3.0), (0, 4, 3.0), (1, 3, 3.0), (3, 5, 3.0), (1, 5, 3.0)];
        let edges = [&sides[..], &[(0, 1, 4.0)]].concat();
        let bins = vec![Bin { kind: 1, wants: vec![(0, 3)] }; 2];
        let bin_of = join(&exchanges(&edges, 6), &[0; 6], &bins, &mut Run::new(1));
        assert!([2, 4].iter().all(|&item| bin_of[item] == bin_of[0]), "{bin_of:?}");
        assert_ne!(bin_of[0], bin_of[1]);
    }

    #[test]
    fn each_bin_gets_the_kinds_that_it_wants() {
        let edges = [(0, 4, 5.0), (1, 4, 1.0), (2, 3, 2.0)];
        let wants = [vec![(0, 2), (1, 1)], vec![(0, 1)], vec![(1, 1)]];
        let bins = wants.map(|wants| Bin { kind: 2, wants });
        let kinds = [0, 0, 0, 1, 1];
        let bin_of = join(&exchanges(&edges, 5), &kinds, &bins, &mut Run::new(1));
        for (number, bin) in (0u32..).zip(&bins) {
            for &(kind, count) in &bin.wants {
                let there = (0..5).filter(|&item| bin_of[item] == number && kinds[item] == kind);
                assert_eq!(there.count() as u32, count, "{bin_of:?}");
            }
        }
    }
}
