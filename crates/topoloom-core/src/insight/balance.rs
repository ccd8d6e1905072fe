//! Which ranks and pairs carry most.

use crate::traffic::{Flow, Traffic, Weight};

/// What one rank sends and receives, not counting messages to itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankShare {
    /// The rank.
    pub rank: u32,
    /// What it sends to others.
    pub sent: f64,
    /// What it receives from others.
    pub received: f64,
    /// Its share of all that ranks send and receive.
    pub share: f64,
}

/// How evenly ranks send and receive.
#[derive(Debug, Clone, PartialEq)]
pub struct Balance {
    /// The load of the busiest rank, divided by the mean over all ranks; 1 is even. 0 if nothing is
    /// sent.
    pub imbalance: f64,
    /// The ranks that send and receive most, heaviest first.
    pub ranks: Vec<RankShare>,
    /// The ordered pairs of different ranks that exchange most, heaviest first.
    pub pairs: Vec<Flow>,
}

impl Balance {
    /// The `most` heaviest ranks and pairs; among equals, those with lower numbers. Takes O(flows)
    /// if `most` is small.
    pub fn of(traffic: &Traffic, weight: Weight, most: usize) -> Balance {
        let ranks = traffic.num_ranks();
        let mut sent = vec![0.0; ranks];
        let mut received = vec![0.0; ranks];
        let mut pairs = Heaviest::new(most);
        for flow in traffic.flows().filter(|flow| flow.from != flow.to) {
            let value = flow.weight(weight);
            sent[flow.from.index()] += value;
            received[flow.to.index()] += value;
            pairs.offer(value, flow);
        }
        let both: f64 = sent.iter().chain(&received).sum();
        let mut heaviest = Heaviest::new(most);
        for (rank, (&sent, &received)) in (0..).zip(sent.iter().zip(&received)) {
            let share = if both > 0.0 { (sent + received) / both } else { 0.0 };
            heaviest.offer(sent + received, RankShare { rank, sent, received, share });
        }
        let ranks_named = heaviest.into_items();
        let imbalance = ranks_named.first().map_or(0.0, |first| first.share * ranks as f64);
        Balance { imbalance, ranks: ranks_named, pairs: pairs.into_items() }
    }
}

/// The heaviest few of many, in descending order; entries without weight are left out.
struct Heaviest<T> {
    most: usize,
    items: Vec<(f64, T)>,
}

impl<T> Heaviest<T> {
    fn new(most: usize) -> Self {
        Heaviest { most, items: Vec::with_capacity(most + 1) }
    }

    fn offer(&mut self, weight: f64, item: T) {
        let is_full = self.items.len() == self.most;
        let least = self.items.last().map_or(0.0, |last| last.0);
        if weight <= 0.0 || (is_full && weight <= least) {
            return;
        }
        let place = self.items.partition_point(|known| known.0 >= weight);
        self.items.insert(place, (weight, item));
        self.items.truncate(self.most);
    }

    fn into_items(self) -> Vec<T> {
        self.items.into_iter().map(|(_, item)| item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrafficBuilder, parse_pattern};

    #[test]
    fn the_heaviest_come_first_and_of_equal_ones_the_lower() {
        let mut builder = TrafficBuilder::new(5);
        for worker in 1..4 {
            builder.add(0, worker, 1.0, 10.0);
        }
        builder.add(3, 0, 1.0, 20.0);
        builder.add(4, 4, 1.0, 1000.0);
        let balance = Balance::of(&builder.build(), Weight::Bytes, 2);
        // Rank 0 sends 30 and receives 20 of 50 in total; the mean is 100 / 5.
        assert_eq!(balance.imbalance, 50.0 / 20.0);
        let ranks: Vec<_> = balance.ranks.iter().map(|rank| (rank.rank, rank.share)).collect();
        assert_eq!(ranks, [(0, 0.5), (3, 0.3)]);
        let pairs: Vec<_> = balance.pairs.iter().map(|pair| (pair.from.0, pair.to.0)).collect();
        assert_eq!(pairs, [(3, 0), (0, 1)]);
    }

    #[test]
    fn a_ring_is_even_and_silence_has_nobody() {
        let of = |pattern| Balance::of(&parse_pattern(pattern).unwrap(), Weight::Messages, 3);
        assert_eq!(of("ring:8").imbalance, 1.0);
        assert_eq!(of("ring:1"), Balance { imbalance: 0.0, ranks: vec![], pairs: vec![] });
    }
}
