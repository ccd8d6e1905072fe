//! Turns collective operations into messages.

use thiserror::Error;

use super::algorithms::Kind;
use super::{Collective, CollectiveMode, Operation, Traffic, TrafficBuilder};
use crate::budget::{self, BudgetError};

impl Traffic {
    /// The same traffic with its collectives turned into messages, or dropped. Refuses to make more
    /// flows than fit in memory.
    pub fn with_collectives(&self, mode: CollectiveMode) -> Result<Traffic, TooManyFlows> {
        let all = match mode {
            CollectiveMode::None => &[],
            _ => self.collectives(),
        };
        let most = all.iter().map(|collective| Transfers::of(collective, mode).most());
        let flows: u64 = most.fold(0, u64::saturating_add);
        if flows > MOST_FLOWS {
            return Err(TooManyFlows::Count(flows));
        }
        let all_flows = flows + self.num_flows() as u64;
        budget::memory().check_items("the messages of collectives", all_flows, BYTES_OF_FLOW)?;
        let mut builder = TrafficBuilder::with_capacity(self.num_ranks() as u32, self.num_flows());
        for flow in self.flows() {
            builder.add(flow.from.0, flow.to.0, flow.messages, flow.bytes);
        }
        if let Some(weights) = self.rank_weights() {
            builder.set_rank_weights(weights.to_vec());
        }
        if let Some(step) = self.step() {
            builder.set_step(step.clone());
        }
        for collective in all {
            expand(collective, mode, &mut builder);
        }
        Ok(builder.build())
    }
}

/// The most flows that collectives may become, however much memory there is.
const MOST_FLOWS: u64 = 1 << 28;

/// The memory of a flow while flows are collected.
const BYTES_OF_FLOW: u64 = 28;

/// Collectives that would be more messages than fit in memory.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TooManyFlows {
    /// More than can be counted.
    #[error(
        "the collectives make up to {0} flows between pairs; at most {MOST_FLOWS} are possible"
    )]
    Count(u64),
    /// More than the budget of this process allows.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

/// The messages of one call of a collective, among its members.
pub(crate) struct Transfers<'a> {
    collective: &'a Collective,
    mode: CollectiveMode,
}

impl<'a> Transfers<'a> {
    pub(crate) fn of(collective: &'a Collective, mode: CollectiveMode) -> Self {
        Transfers { collective, mode }
    }

    /// There are no more messages between different pairs than this.
    pub(crate) fn most(&self) -> u64 {
        let members = self.collective.group.size();
        match (Kind::of(&self.collective.operation), &self.collective.operation) {
            (Some(kind), _) => {
                (self.mode.algorithm(kind, self.collective).most_transfers)(u64::from(members))
            }
            (None, Operation::AllToAllVariable(sizes)) => sizes.most_pairs(members),
            (None, _) => 0,
        }
    }

    /// Visits (round, sender, receiver, bytes) of every message; members by their numbers.
    pub(crate) fn for_each(&self, visit: &mut dyn FnMut(u32, u32, u32, u64)) {
        let members = self.collective.group.size();
        let Some(kind) = Kind::of(&self.collective.operation) else {
            return self.for_each_variable(|from, to, bytes| {
                // Pairwise: in round k to the member k + 1 further on.
                let ahead = if to > from { to - from } else { members - (from - to) };
                visit(ahead - 1, from, to, bytes as u64);
            });
        };
        let total = kind.total_bytes(members, self.collective.bytes);
        (self.mode.algorithm(kind, self.collective).messages)(members, &mut |transfer| {
            transfer.each_message(total, &mut |round, bytes| {
                visit(round, transfer.from, transfer.to, bytes as u64);
            });
        });
    }

    /// Visits (sender, receiver, messages, bytes) of every pair in every round, for all calls
    /// together.
    fn for_each_flow(&self, visit: &mut dyn FnMut(u32, u32, f64, f64)) {
        let calls = self.collective.calls as f64;
        let Some(kind) = Kind::of(&self.collective.operation) else {
            return self.for_each_variable(|from, to, bytes| visit(from, to, calls, bytes));
        };
        let members = self.collective.group.size();
        let total = kind.total_bytes(members, self.collective.bytes);
        (self.mode.algorithm(kind, self.collective).messages)(members, &mut |transfer| {
            let bytes = transfer.blocks.bytes(total) as f64;
            let messages = calls * f64::from(transfer.messages);
            visit(transfer.from, transfer.to, messages, calls * bytes);
        });
    }

    /// One message for each pair that exchanges anything, whatever the mode.
    fn for_each_variable(&self, mut visit: impl FnMut(u32, u32, f64)) {
        let Operation::AllToAllVariable(sizes) = &self.collective.operation else { return };
        let members = self.collective.group.size();
        sizes.for_each(members, |from, to, bytes| {
            if from != to {
                visit(from, to, bytes);
            }
        });
    }
}

fn expand(collective: &Collective, mode: CollectiveMode, builder: &mut TrafficBuilder) {
    let member = |number| collective.group.member(number);
    Transfers::of(collective, mode).for_each_flow(&mut |from, to, messages, bytes| {
        builder.add(member(from), member(to), messages, bytes);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Group, VariableSizes, Weight};

    #[test]
    fn more_flows_than_memory_holds_are_refused() {
        let traffic = crate::parse_pattern("ft:class=D,ranks=1048576").unwrap();
        assert!(traffic.with_collectives(CollectiveMode::Direct).is_err());
        assert!(traffic.with_collectives(CollectiveMode::None).is_ok());
    }

    #[test]
    fn a_direct_all_to_all_is_one_message_a_pair_and_call() {
        let mut builder = TrafficBuilder::new(4);
        builder.add_collective(Collective {
            operation: Operation::AllToAll,
            group: Group::Strided { first: 1, stride: 2, size: 2 },
            calls: 3,
            bytes: 10,
        });
        let traffic = builder.build().with_collectives(CollectiveMode::Direct).unwrap();
        let flows: Vec<_> =
            traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
        assert_eq!(flows, [(1, 3, 3.0, 30.0), (3, 1, 3.0, 30.0)]);
    }

    #[test]
    fn a_ring_of_many_is_one_flow_a_member() {
        let mut builder = TrafficBuilder::new(5);
        let group = Group::first(5);
        builder.add_collective(Collective {
            operation: Operation::Allreduce,
            group,
            calls: 3,
            bytes: 1003,
        });
        let ring = "algorithm:allreduce=ring".parse().unwrap();
        let traffic = builder.build().with_collectives(ring).unwrap();
        assert_eq!(traffic.num_flows(), 5);
        // 2 (p - 1) messages per member and 2 (p - 1) times the data in total, in each of 3 calls.
        assert_eq!(traffic.total(Weight::Messages), 3.0 * 8.0 * 5.0);
        assert_eq!(traffic.total(Weight::Bytes), 3.0 * 8.0 * 1003.0);
    }

    #[test]
    fn few_partners_of_a_million_members_take_no_table() {
        let mut builder = TrafficBuilder::new(1 << 20);
        let pairs = [(0, 0, 9.0), (0, 1, 5.0), ((1 << 20) - 1, 0, 7.0)];
        builder.add_collective(Collective {
            operation: Operation::AllToAllVariable(VariableSizes::Pairs(pairs.into())),
            group: Group::first(1 << 20),
            calls: 2,
            bytes: 0,
        });
        let traffic = builder.build().with_collectives(CollectiveMode::Direct).unwrap();
        let flows: Vec<_> =
            traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
        assert_eq!(flows, [(0, 1, 2.0, 5.0), ((1 << 20) - 1, 0, 2.0, 7.0)]);
    }

    #[test]
    fn a_million_members_take_any_algorithm_but_those_of_all_pairs() {
        let mut builder = TrafficBuilder::new(1 << 20);
        let group = Group::first(1 << 20);
        builder.add_collective(Collective {
            operation: Operation::Allgather,
            group,
            calls: 1,
            bytes: 8,
        });
        let traffic = builder.build();
        let flows = |mode: &str| {
            let expanded = traffic.with_collectives(mode.parse().unwrap());
            expanded.map(|traffic| traffic.num_flows())
        };
        assert_eq!(flows("algorithm"), Ok(1 << 20));
        assert_eq!(flows("direct"), Err(TooManyFlows::Count(1 << 40)));
    }
}
