//! The same traffic in both directions.

use super::super::{Traffic, TrafficBuilder};
use super::builder_like;
use crate::ids::Rank;

/// What each direction of a pair gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BothWays {
    /// The mean of both: the total stays.
    #[default]
    Mean,
    /// The sum of both.
    Sum,
    /// The larger of both, for bytes and for messages.
    Largest,
}

impl Traffic {
    /// The same traffic with as much from b to a as from a to b. Self messages, rank weights and
    /// collectives stay as they are.
    pub fn symmetrized(&self, both_ways: BothWays) -> Traffic {
        let backwards = self.reversed();
        let mut builder = builder_like(self);
        let combined = |there: f64, back: f64| match both_ways {
            BothWays::Mean => 0.5 * there + 0.5 * back,
            BothWays::Sum => there + back,
            BothWays::Largest => there.max(back),
        };
        for rank in 0..self.num_ranks() as u32 {
            let mut there = self.flows_from(Rank(rank)).peekable();
            let mut back = backwards.flows_from(Rank(rank)).peekable();
            loop {
                let partners = [there.peek(), back.peek()];
                let Some(to) = partners.into_iter().flatten().map(|flow| flow.to).min() else {
                    break;
                };
                let own = there.next_if(|flow| flow.to == to);
                let other = back.next_if(|flow| flow.to == to);
                let of = |flow: Option<super::super::Flow>| {
                    flow.map_or((0.0, 0.0), |flow| (flow.messages, flow.bytes))
                };
                let (own, other) = (of(own), of(other));
                if to.0 == rank {
                    builder.add(rank, rank, own.0, own.1);
                } else {
                    let (messages, bytes) = (combined(own.0, other.0), combined(own.1, other.1));
                    builder.add(rank, to.0, messages, bytes);
                }
            }
        }
        let collectives = self.collectives().iter().cloned();
        collectives.for_each(|collective| builder.add_collective(collective));
        builder.build()
    }

    /// Every flow in the opposite direction, and nothing else.
    fn reversed(&self) -> Traffic {
        let mut builder = TrafficBuilder::with_capacity(self.num_ranks() as u32, self.num_flows());
        for flow in self.flows() {
            builder.add(flow.to.0, flow.from.0, flow.messages, flow.bytes);
        }
        builder.build()
    }
}
