//! The data that recognisers use.

use super::candidate::Candidate;
use super::kinds::{RankOrder, Structure};
use crate::traffic::{CommunicationGraph, Traffic, TrafficBuilder, Weight};

/// This share of the bytes may be spread over the lightest pairs, which then do not matter.
const LIGHTEST: f64 = 0.01;

/// A structure must explain this share of the bytes,
const LEAST_SHARE: f64 = 0.6;

/// and this share of its pairs must exchange something.
const LEAST_PRESENT: f64 = 0.75;

/// A pair that exchanges less than this part of the mean over the structure's pairs does not count
/// as present: otherwise, if all ranks send a little to all, every structure would be complete.
const LEAST_OF_MEAN: f64 = 0.05;

/// Among fewer ranks
const FEW_RANKS: u32 = 12;

/// a structure must explain this much, because some structure fits any few pairs.
const LEAST_OF_FEW: f64 = 0.9;

/// From this many pairs on, a few ranks are examined before all are,
const MANY_PAIRS: usize = 1 << 18;

/// namely this many.
const SAMPLES: u32 = 1024;

/// Traffic under one weight.
pub(super) struct View<'a> {
    pub(super) traffic: &'a Traffic,
    pub(super) weight: Weight,
    pub(super) graph: &'a CommunicationGraph,
    /// What all pairs exchange.
    pub(super) total: f64,
    /// The weight of the lightest pair that matters.
    pub(super) least: f64,
}

impl<'a> View<'a> {
    pub(super) fn new(traffic: &'a Traffic, graph: &'a CommunicationGraph, weight: Weight) -> Self {
        let mut weights = Vec::with_capacity(graph.num_pairs());
        graph.for_each_pair(|_, _, weight| weights.push(weight));
        let total: f64 = weights.iter().sum();
        weights.sort_unstable_by(f64::total_cmp);
        let mut left_out = 0.0;
        let least = weights.into_iter().find(|weight| {
            left_out += weight;
            left_out > LIGHTEST * total
        });
        View { traffic, weight, graph, total, least: least.unwrap_or(0.0) }
    }

    pub(super) fn ranks(&self) -> u32 {
        self.graph.num_ranks() as u32
    }

    /// The number of pairs that there could be.
    pub(super) fn possible_pairs(&self) -> f64 {
        let ranks = f64::from(self.ranks());
        ranks * (ranks - 1.0) / 2.0
    }

    /// The partners of a rank over pairs that matter, in ascending order.
    pub(super) fn partners(&self, rank: u32) -> impl Iterator<Item = u32> + '_ {
        self.graph.edges(rank).filter(|edge| edge.1 >= self.least).map(|edge| edge.0)
    }

    /// The rank with most partners over pairs that matter; among equals, the lowest.
    pub(super) fn hub(&self) -> u32 {
        let partners = |&rank: &u32| (self.partners(rank).count(), std::cmp::Reverse(rank));
        (0..self.ranks()).max_by_key(partners).unwrap_or(0)
    }

    /// Measures `structure`, which has `expected` pairs, namely those for which `joins` is true;
    /// `None` if it is not convincing.
    pub(super) fn judge(
        &self,
        structure: Structure,
        expected: f64,
        joins: impl Fn(u32, u32) -> bool + 'static,
    ) -> Option<Candidate> {
        if self.looks_different(&joins) {
            return None;
        }
        let mut carried = 0.0;
        self.graph.for_each_pair(|a, b, weight| {
            carried += if joins(a, b) { weight } else { 0.0 };
        });
        // Most readings fail here, without a closer check.
        if carried < LEAST_SHARE * self.total {
            return None;
        }
        let least = self.least_present(carried, expected);
        let mut found = 0.0;
        self.graph.for_each_pair(|a, b, weight| {
            found += if weight >= least && joins(a, b) { 1.0 } else { 0.0 };
        });
        let (share, present) = (carried / self.total, found / expected);
        self.is_convincing(share, present, expected).then(|| Candidate {
            structure,
            order: RankOrder::Natural,
            ranks: self.ranks() as usize,
            share,
            present: present.min(1.0),
            talkers_only: false,
            joins: Box::new(joins),
        })
    }

    /// The weight from which a pair counts as present, among `expected` pairs that carry this much.
    pub(super) fn least_present(&self, carried: f64, expected: f64) -> f64 {
        self.least.max(least_of_mean(carried, expected))
    }

    /// Whether a few of many ranks are enough to see that a structure explains almost nothing.
    fn looks_different(&self, joins: impl Fn(u32, u32) -> bool) -> bool {
        if self.graph.num_pairs() < MANY_PAIRS {
            return false;
        }
        let (mut carried, mut all) = (0.0, 0.0);
        for rank in (0..self.ranks()).step_by(self.ranks().div_ceil(SAMPLES) as usize) {
            for (partner, weight) in self.graph.edges(rank) {
                all += weight;
                if joins(rank.min(partner), rank.max(partner)) {
                    carried += weight;
                }
            }
        }
        carried < 0.5 * LEAST_SHARE * all
    }

    /// Whether it explains enough. With few ranks, it has to explain more.
    pub(super) fn is_enough(&self, share: f64, present: f64) -> bool {
        self.ranks() >= FEW_RANKS || share * present.min(1.0) >= LEAST_OF_FEW
    }

    /// Whether it is a structure and not chance: clearly more than if every rank sent to every
    /// other, and each of its pairs carries many times as much as a pair outside it.
    pub(super) fn is_convincing(&self, share: f64, present: f64, expected: f64) -> bool {
        const TIMES_AS_MUCH: f64 = 8.0;
        let by_chance = (expected / self.possible_pairs()).min(1.0);
        let stands_out = share * (1.0 - by_chance) >= TIMES_AS_MUCH * (1.0 - share) * by_chance;
        self.is_enough(share, present)
            && share >= LEAST_SHARE
            && present >= LEAST_PRESENT
            && by_chance < 1.0
            && stands_out
            && share - by_chance >= 0.5 * (1.0 - by_chance)
    }
}

/// The weight that counts as little among `expected` pairs that carry this much.
pub(super) fn least_of_mean(carried: f64, expected: f64) -> f64 {
    LEAST_OF_MEAN * carried / expected.max(1.0)
}

/// The traffic among some ranks: rank r becomes `number[r]`, if it has one.
pub(super) fn among(traffic: &Traffic, number: &[Option<u32>], count: u32) -> Traffic {
    let mut builder = TrafficBuilder::new(count);
    for flow in traffic.flows() {
        if let (Some(from), Some(to)) = (number[flow.from.index()], number[flow.to.index()]) {
            builder.add(from, to, flow.messages, flow.bytes);
        }
    }
    builder.build()
}
