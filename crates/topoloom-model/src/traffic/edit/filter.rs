//! Part of the traffic: some ranks, heavy flows, the heaviest partners.

use super::super::{Flow, Traffic, TrafficBuilder, Weight};
use super::renumbered;

/// What is kept; by default everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// Whether each rank is kept; `None` if all are.
    pub ranks: Option<Vec<bool>>,
    /// Ranks that are left out stay as silent ones, and the others keep their numbers.
    pub keep_numbers: bool,
    /// The bytes that a flow from one rank to another must have.
    pub min_bytes: f64,
    /// The messages that it must have.
    pub min_messages: f64,
    /// Pairs are kept if either rank is among this many heaviest partners of the other, with both
    /// directions together. Among equal partners, lower ranks come first. Self messages stay.
    pub top_partners: Option<usize>,
    /// What makes a partner heavy.
    pub weight: Weight,
}

/// Traffic that was filtered.
#[derive(Debug, Clone, PartialEq)]
pub struct Filtered {
    /// The traffic.
    pub traffic: Traffic,
    /// Collectives of which nothing is left: a single member, or members without the root.
    pub dropped_collectives: usize,
    /// Collectives that have lost some of their members.
    pub reduced_collectives: usize,
}

impl Traffic {
    /// The part of the traffic that `filter` keeps. Limits of flows do not apply to collectives. If
    /// ranks are left out, the remaining ones go on without them. A list of ranks must have one
    /// entry per rank.
    pub fn filtered(&self, filter: &Filter) -> Filtered {
        let keeps = |rank: u32| filter.ranks.as_ref().is_none_or(|kept| kept[rank as usize]);
        let mut next = 0;
        let number: Vec<Option<u32>> = (0..self.num_ranks() as u32)
            .map(|rank| {
                let own = if filter.keep_numbers { rank } else { next };
                keeps(rank).then(|| {
                    next += 1;
                    own
                })
            })
            .collect();
        let ranks = if filter.keep_numbers { self.num_ranks() as u32 } else { next };
        let mut builder = TrafficBuilder::new(ranks);
        for flow in self.flows() {
            let is_heavy = flow.bytes >= filter.min_bytes && flow.messages >= filter.min_messages;
            if let (Some(from), Some(to), true) =
                (number[flow.from.index()], number[flow.to.index()], is_heavy)
            {
                builder.add(from, to, flow.messages, flow.bytes);
            }
        }
        if let Some(most) = filter.top_partners {
            builder = heaviest_partners(&builder.build(), most, filter.weight);
        }
        if let Some(weights) = self.rank_weights() {
            let kept = (0..).zip(weights).filter(|&(rank, _)| filter.keep_numbers || keeps(rank));
            builder.set_rank_weights(kept.map(|(_, &weight)| weight).collect());
        }
        let mut dropped_collectives = 0;
        let mut reduced_collectives = 0;
        for collective in self.collectives() {
            match renumbered(collective, |rank| number[rank as usize]) {
                Some(kept) => {
                    reduced_collectives += usize::from(kept.group.size() < collective.group.size());
                    builder.add_collective(kept);
                }
                None => dropped_collectives += 1,
            }
        }
        Filtered { traffic: builder.build(), dropped_collectives, reduced_collectives }
    }
}

fn heaviest_partners(traffic: &Traffic, most: usize, weight: Weight) -> TrafficBuilder {
    let graph = traffic.graph(weight);
    let ranks = traffic.num_ranks() as u32;
    let of_rank = |rank: u32| {
        let mut partners: Vec<(u32, f64)> = graph.edges(rank).collect();
        partners.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        partners.truncate(most);
        let mut heaviest: Vec<u32> = partners.into_iter().map(|(partner, _)| partner).collect();
        heaviest.sort_unstable();
        heaviest
    };
    let heaviest: Vec<Vec<u32>> = (0..ranks).map(of_rank).collect();
    let is_kept = |flow: &Flow| {
        let among = |a: u32, b: u32| heaviest[a as usize].binary_search(&b).is_ok();
        let (from, to) = (flow.from.0, flow.to.0);
        from == to || among(from, to) || among(to, from)
    };
    let mut builder = TrafficBuilder::new(ranks);
    for flow in traffic.flows().filter(is_kept) {
        builder.add(flow.from.0, flow.to.0, flow.messages, flow.bytes);
    }
    builder
}
