//! Several traffics as one: added up, or side by side.

use std::collections::HashMap;

use thiserror::Error;

use super::super::{Collective, Operation, Traffic, TrafficBuilder};
use super::renumbered;
use crate::words::counted;

/// More ranks than any file may have.
const MOST_RANKS: u64 = 1 << 28;

/// Why traffics cannot be combined into one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MergeError {
    /// Adding up needs the same number of ranks in all.
    #[error(
        "{} in the first and {other} in number {number}: they must agree",
        counted(*first, "rank")
    )]
    RanksDiffer {
        /// The ranks of the first.
        first: usize,
        /// The ranks of one that differs.
        other: usize,
        /// Which one that is, counted from 1.
        number: usize,
    },
    /// Side by side there are too many ranks.
    #[error("{0} ranks side by side are too many; at most {MOST_RANKS} are possible")]
    TooManyRanks(u64),
    /// Sums that are no longer numbers.
    #[error("the values add up to more than a number can hold")]
    TooMuch,
}

impl Traffic {
    /// The sum of traffics of the same ranks: flows, rank weights if there are any, and all
    /// collectives. The calls of equal collectives add up.
    pub fn sum(all: &[Traffic]) -> Result<Traffic, MergeError> {
        let first = all.first().map_or(0, Traffic::num_ranks);
        let mut builder = TrafficBuilder::new(first as u32);
        let mut weights: Option<Vec<f64>> = None;
        let mut places = Places::new();
        let mut collectives: Vec<Collective> = Vec::new();
        for (position, traffic) in all.iter().enumerate() {
            let other = traffic.num_ranks();
            if other != first {
                return Err(MergeError::RanksDiffer { first, other, number: position + 1 });
            }
            for flow in traffic.flows() {
                builder.add(flow.from.0, flow.to.0, flow.messages, flow.bytes);
            }
            if let Some(more) = traffic.rank_weights() {
                let sums = weights.get_or_insert_with(|| vec![0.0; first]);
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
            for collective in traffic.collectives() {
                add_up(&mut collectives, &mut places, collective);
            }
        }
        finish(builder, weights, collectives)
    }

    /// Traffics side by side, like jobs on one machine: the ranks of each follow those of the one
    /// before. If only some have rank weights, the ranks of the others weigh 1.
    pub fn side_by_side(all: &[Traffic]) -> Result<Traffic, MergeError> {
        let ranks: u64 = all.iter().map(|traffic| traffic.num_ranks() as u64).sum();
        if ranks > MOST_RANKS {
            return Err(MergeError::TooManyRanks(ranks));
        }
        let mut builder = TrafficBuilder::new(ranks as u32);
        let mut weights = Vec::new();
        let mut collectives = Vec::new();
        let mut before = 0;
        for traffic in all {
            for flow in traffic.flows() {
                let (from, to) = (flow.from.0 + before, flow.to.0 + before);
                builder.add(from, to, flow.messages, flow.bytes);
            }
            let moved = |rank: u32| Some(rank + before);
            let of_traffic = traffic.collectives().iter();
            collectives.extend(of_traffic.filter_map(|collective| renumbered(collective, moved)));
            match traffic.rank_weights() {
                Some(own) => weights.extend_from_slice(own),
                None => weights.resize(weights.len() + traffic.num_ranks(), 1.0),
            }
            before += traffic.num_ranks() as u32;
        }
        let has_weights = all.iter().any(|traffic| traffic.rank_weights().is_some());
        finish(builder, Some(weights).filter(|_| has_weights), collectives)
    }
}

/// Adds a collective to a list. Calls of the same operation on the same group with the same size
/// add up.
fn add_up(collectives: &mut Vec<Collective>, places: &mut Places, more: &Collective) {
    if matches!(more.operation, Operation::AllToAllVariable(_)) {
        return collectives.push(more.clone());
    }
    // Few have the same size: these are searched for the same operation and members.
    let first = more.group.member(0);
    let alike = places.entry((more.bytes, first, more.group.size())).or_default();
    let same = |&&place: &&usize| {
        let known: &Collective = &collectives[place];
        known.operation == more.operation && known.group == more.group
    };
    match alike.iter().find(same) {
        Some(&place) => {
            let calls = &mut collectives[place].calls;
            *calls = calls.saturating_add(more.calls);
        }
        None => {
            alike.push(collectives.len());
            collectives.push(more.clone());
        }
    }
}

/// The positions of the collectives of this size whose group has this first member and this many
/// members.
type Places = HashMap<(u64, u32, u32), Vec<usize>>;

fn finish(
    mut builder: TrafficBuilder,
    weights: Option<Vec<f64>>,
    collectives: Vec<Collective>,
) -> Result<Traffic, MergeError> {
    if let Some(weights) = weights {
        builder.set_rank_weights(weights);
    }
    collectives.into_iter().for_each(|collective| builder.add_collective(collective));
    let traffic = builder.build();
    let is_finite = |weight| traffic.total(weight).is_finite();
    if is_finite(super::super::Weight::Bytes) && is_finite(super::super::Weight::Messages) {
        Ok(traffic)
    } else {
        Err(MergeError::TooMuch)
    }
}
