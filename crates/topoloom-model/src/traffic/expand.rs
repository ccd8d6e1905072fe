//! Turns collective operations into messages.

use thiserror::Error;

use super::algorithms::Kind;
use super::{Collective, CollectiveMode, Operation, Traffic, TrafficBuilder};

impl Traffic {
    /// The same traffic with its collectives turned into messages, or dropped. Refuses what would
    /// be more flows than memory holds.
    pub fn with_collectives(&self, mode: CollectiveMode) -> Result<Traffic, TooManyFlows> {
        let all = match mode {
            CollectiveMode::None => &[],
            _ => self.collectives(),
        };
        let most = all.iter().map(|collective| most_flows(collective, mode));
        let flows: u64 = most.fold(0, u64::saturating_add);
        if flows > MOST_FLOWS {
            return Err(TooManyFlows(flows));
        }
        let mut builder = TrafficBuilder::with_capacity(self.num_ranks() as u32, self.num_flows());
        for flow in self.flows() {
            builder.add(flow.from.0, flow.to.0, flow.messages, flow.bytes);
        }
        if let Some(weights) = self.rank_weights() {
            builder.set_rank_weights(weights.to_vec());
        }
        for collective in all {
            expand(collective, mode, &mut builder);
        }
        Ok(builder.build())
    }
}

/// What collectives may become: 24 bytes a flow while they are collected, and as many after.
const MOST_FLOWS: u64 = 1 << 28;

/// Collectives that would be more messages than memory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the collectives are up to {0} flows between pairs; at most {MOST_FLOWS} are possible")]
pub struct TooManyFlows(pub u64);

/// The messages of a collective are no more flows than this.
fn most_flows(collective: &Collective, mode: CollectiveMode) -> u64 {
    let members = u64::from(collective.group.size());
    match Kind::of(&collective.operation) {
        Some(kind) => (mode.algorithm(kind, collective).most_transfers)(members),
        None => members * members,
    }
}

fn expand(collective: &Collective, mode: CollectiveMode, builder: &mut TrafficBuilder) {
    let Some(kind) = Kind::of(&collective.operation) else {
        return variable(collective, builder);
    };
    let members = collective.group.size();
    let calls = collective.calls as f64;
    let total = kind.total_bytes(members, collective.bytes);
    (mode.algorithm(kind, collective).messages)(members, &mut |transfer| {
        let from = collective.group.member(transfer.from);
        let to = collective.group.member(transfer.to);
        let bytes = transfer.blocks.bytes(total) as f64;
        builder.add(from, to, calls * f64::from(transfer.messages), calls * bytes);
    });
}

/// One message a pair that exchanges anything, whatever the mode.
fn variable(collective: &Collective, builder: &mut TrafficBuilder) {
    let Operation::AllToAllVariable(sizes) = &collective.operation else { return };
    let members = collective.group.size();
    let table = sizes.table();
    for from in 0..members {
        for to in (0..members).filter(|&to| to != from) {
            let bytes = table[from as usize * members as usize + to as usize];
            if bytes > 0.0 {
                let (from, to) = (collective.group.member(from), collective.group.member(to));
                builder.add(from, to, collective.calls as f64, bytes);
            }
        }
    }
}

impl super::VariableSizes {
    /// The sizes by sender, then receiver, in all calls together.
    pub fn table(&self) -> std::sync::Arc<[f64]> {
        match self {
            super::VariableSizes::Table(table) => table.clone(),
            super::VariableSizes::Keys(keys) => keys.bytes_of_pairs().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Group, Weight};

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
        // 2 (p - 1) messages of a member and 2 (p - 1) times the data in all, in each of 3 calls.
        assert_eq!(traffic.total(Weight::Messages), 3.0 * 8.0 * 5.0);
        assert_eq!(traffic.total(Weight::Bytes), 3.0 * 8.0 * 1003.0);
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
        assert_eq!(flows("direct"), Err(TooManyFlows(1 << 40)));
    }
}
