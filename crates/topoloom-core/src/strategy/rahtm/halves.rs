//! The ways to cut the clusters of a cube in two, ordered by the traffic across the cut.

use std::collections::BinaryHeap;

/// One half of the clusters, and the traffic across the cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Half {
    /// The clusters on the far side, one bit each. The first cluster is never one of them.
    pub far: u32,
    /// The traffic across in the direction that has more of it.
    pub across: f64,
}

/// What clusters exchange, as a table.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub clusters: usize,
    /// Indexed by source, then destination.
    pub amounts: Vec<f64>,
}

impl Exchange {
    pub fn new(clusters: usize, flows: &[(u32, u32, f64)]) -> Exchange {
        let mut amounts = vec![0.0; clusters * clusters];
        for &(from, to, weight) in flows {
            amounts[from as usize * clusters + to as usize] += weight;
        }
        Exchange { clusters, amounts }
    }

    pub fn amount(&self, from: usize, to: usize) -> f64 {
        self.amounts[from * self.clusters + to]
    }
}

/// Halves with little traffic across, and a lower bound for those left out.
#[derive(Debug)]
pub struct Halves {
    /// Ordered by the traffic across.
    pub kept: Vec<Half>,
    /// Every half that is not kept has at least this much traffic across.
    pub left_out: f64,
    /// Partial halves that were examined.
    pub looks: u64,
}

/// All cuts into halves of at most `largest` clusters with less than `bar` across; if there are too
/// many, the `most` with the least across.
pub fn halves(exchange: &Exchange, largest: usize, bar: f64, most: usize, looks: u64) -> Halves {
    // Clusters with much traffic come first: then hopeless cuts are found early.
    let clusters = exchange.clusters;
    let volume = |cluster: usize| -> f64 {
        (0..clusters)
            .map(|other| exchange.amount(cluster, other) + exchange.amount(other, cluster))
            .sum()
    };
    let mut order: Vec<usize> = (1..clusters).collect();
    order.sort_by(|&a, &b| volume(b).total_cmp(&volume(a)).then(a.cmp(&b)));
    let mut search = Search {
        exchange,
        order,
        largest,
        most,
        bar,
        looks_left: looks,
        looks: 0,
        found: BinaryHeap::new(),
    };
    search.extend(0, 1, 0, 0.0, 0.0);
    let mut kept: Vec<Half> = search
        .found
        .into_iter()
        .map(|(bits, far)| Half { far, across: f64::from_bits(bits) })
        .collect();
    kept.sort_by(|a, b| a.across.total_cmp(&b.across).then(a.far.cmp(&b.far)));
    // A search that was stopped has seen only some of the halves, and knows nothing about the rest.
    let stopped = search.looks_left == 0;
    Halves { kept, left_out: if stopped { 0.0 } else { search.bar }, looks: search.looks }
}

struct Search<'a> {
    exchange: &'a Exchange,
    order: Vec<usize>,
    largest: usize,
    most: usize,
    bar: f64,
    looks_left: u64,
    looks: u64,
    /// The traffic across, as bits, which have the same order, and the far side.
    found: BinaryHeap<(u64, u32)>,
}

impl Search<'_> {
    fn extend(&mut self, position: usize, near: u32, far: u32, out: f64, back: f64) {
        if self.looks_left == 0 {
            return;
        }
        self.looks_left -= 1;
        self.looks += 1;
        let Some(&cluster) = self.order.get(position) else {
            self.found.push((out.max(back).to_bits(), far));
            if self.found.len() > self.most {
                self.found.pop();
                let worst = self.found.peek().map_or(self.bar, |&(bits, _)| f64::from_bits(bits));
                self.bar = self.bar.min(worst);
            }
            return;
        };
        for to_far in [false, true] {
            let (side, other) = if to_far { (far, near) } else { (near, far) };
            if side.count_ones() as usize >= self.largest {
                continue;
            }
            let (mut out, mut back) = (out, back);
            for partner in (0..self.exchange.clusters).filter(|&at| other >> at & 1 == 1) {
                let sent = self.exchange.amount(cluster, partner);
                let received = self.exchange.amount(partner, cluster);
                let (more_out, more_back) =
                    if to_far { (received, sent) } else { (sent, received) };
                out += more_out;
                back += more_back;
            }
            if out.max(back) >= self.bar {
                continue;
            }
            let bit = 1 << cluster;
            let (near, far) = if to_far { (near, far | bit) } else { (near | bit, far) };
            self.extend(position + 1, near, far, out, back);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    fn random_exchange(clusters: usize, seed: u64) -> Exchange {
        let mut rng = random::stream(seed, &[5]);
        let mut flows = Vec::new();
        for from in 0..clusters as u32 {
            for to in (0..clusters as u32).filter(|&to| to != from) {
                if random::below(&mut rng, 2) == 0 {
                    flows.push((from, to, f64::from(1 + random::below(&mut rng, 9))));
                }
            }
        }
        Exchange::new(clusters, &flows)
    }

    /// Every half below the bar, by trying all sets of clusters.
    fn by_trying_all(exchange: &Exchange, largest: usize, bar: f64) -> Vec<Half> {
        let clusters = exchange.clusters;
        let mut all = Vec::new();
        for far in (0..1u32 << clusters).filter(|far| far & 1 == 0) {
            let inside = far.count_ones() as usize;
            if inside > largest || clusters - inside > largest {
                continue;
            }
            let (mut out, mut back) = (0.0, 0.0);
            for a in 0..clusters {
                for b in (0..clusters).filter(|b| far >> b & 1 == 1 && far >> a & 1 == 0) {
                    out += exchange.amount(a, b);
                    back += exchange.amount(b, a);
                }
            }
            if out.max(back) < bar {
                all.push(Half { far, across: out.max(back) });
            }
        }
        all.sort_by(|a, b| a.across.total_cmp(&b.across).then(a.far.cmp(&b.far)));
        all
    }

    #[test]
    fn the_halves_below_a_bar_are_those_found_by_trying_all() {
        for (clusters, largest) in [(8, 4), (7, 4), (5, 4), (2, 1), (3, 2)] {
            for seed in 0..4 {
                let exchange = random_exchange(clusters, seed);
                for bar in [30.0, 60.0, f64::INFINITY] {
                    let found = halves(&exchange, largest, bar, usize::MAX, u64::MAX);
                    assert_eq!(found.kept, by_trying_all(&exchange, largest, bar));
                    assert_eq!(found.left_out, bar);
                }
            }
        }
    }

    #[test]
    fn of_too_many_halves_those_with_the_least_across_stay() {
        let exchange = random_exchange(8, 9);
        let all = by_trying_all(&exchange, 4, f64::INFINITY);
        let found = halves(&exchange, 4, f64::INFINITY, 10, u64::MAX);
        assert_eq!(found.kept.len(), 10);
        assert!(found.kept.iter().zip(&all).all(|(kept, one)| kept.across == one.across));
        assert!(found.left_out <= all[10].across);
        assert!(found.left_out >= found.kept[9].across);
    }

    #[test]
    fn a_search_without_looks_promises_nothing() {
        let found = halves(&random_exchange(8, 9), 4, f64::INFINITY, usize::MAX, 20);
        assert_eq!(found.left_out, 0.0);
    }
}
