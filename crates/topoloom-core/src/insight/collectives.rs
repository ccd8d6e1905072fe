//! How much collectives send, by formulas: as messages they may need more memory than there is.

use crate::traffic::{Collective, Operation, VariableSizes};

/// What all calls of a collective send if every pair sends separately (`direct`).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moved {
    /// Messages between different members.
    pub messages: f64,
    /// Their bytes.
    pub bytes: f64,
    /// Whether both follow from the description alone. The keys of integer sort are only known when
    /// all are drawn, so an equal share is assumed to stay with each rank.
    pub is_exact: bool,
}

/// What a collective sends, as `direct` counts it. Takes O(1), or one pass over a table of sizes.
pub fn moved(collective: &Collective) -> Moved {
    let members = f64::from(collective.group.size());
    let (calls, bytes) = (collective.calls as f64, collective.bytes as f64);
    let others = (members - 1.0).max(0.0);
    let pairs = members * others;
    let (messages, bytes) = match &collective.operation {
        Operation::Barrier => (2.0 * others, 0.0),
        Operation::Broadcast | Operation::Reduce | Operation::Gather | Operation::Scatter => {
            (others, others * bytes)
        }
        Operation::Allreduce => (2.0 * others, 2.0 * others * bytes),
        Operation::AllToAll | Operation::Allgather | Operation::ReduceScatter => {
            (pairs, pairs * bytes)
        }
        Operation::AllToAllVariable(VariableSizes::Keys(keys)) => {
            let kept = 1.0 / members.max(1.0);
            let bytes = keys.bytes_in_all() * (1.0 - kept);
            return Moved { messages: calls * pairs, bytes, is_exact: false };
        }
        Operation::AllToAllVariable(sizes) => {
            let mut moved = Moved { is_exact: true, ..Moved::default() };
            sizes.for_each(collective.group.size(), |from, to, bytes| {
                if from != to {
                    moved.messages += calls;
                    moved.bytes += bytes;
                }
            });
            return moved;
        }
    };
    Moved { messages: calls * messages, bytes: calls * bytes, is_exact: true }
}

/// The collectives of one operation.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveUse {
    /// The name of the MPI call.
    pub name: &'static str,
    /// Calls, over all groups and sizes.
    pub calls: u64,
    /// The members of the smallest and of the largest group.
    pub members: (u32, u32),
    /// What they send.
    pub moved: Moved,
}

/// The collectives by operation, those that move most bytes first.
pub fn by_operation(collectives: &[Collective]) -> Vec<CollectiveUse> {
    let mut uses: Vec<CollectiveUse> = Vec::new();
    for collective in collectives {
        let name = collective.operation.mpi_name();
        let size = collective.group.size();
        let more = moved(collective);
        match uses.iter_mut().find(|known| known.name == name) {
            Some(known) => {
                known.calls = known.calls.saturating_add(collective.calls);
                known.members = (known.members.0.min(size), known.members.1.max(size));
                known.moved.messages += more.messages;
                known.moved.bytes += more.bytes;
                known.moved.is_exact &= more.is_exact;
            }
            None => uses.push(CollectiveUse {
                name,
                calls: collective.calls,
                members: (size, size),
                moved: more,
            }),
        }
    }
    uses.sort_by(|a, b| b.moved.bytes.total_cmp(&a.moved.bytes).then(a.name.cmp(b.name)));
    uses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Group;
    use crate::{CollectiveMode, TrafficBuilder, Weight, parse_pattern};

    #[test]
    fn formulas_give_what_expanding_gives() {
        let table: Vec<f64> = (0..25).map(|place| f64::from(place % 7)).collect();
        let operations = [
            Operation::Barrier,
            Operation::Broadcast,
            Operation::Reduce,
            Operation::Allreduce,
            Operation::AllToAll,
            Operation::AllToAllVariable(VariableSizes::Table(table.into())),
            Operation::Allgather,
            Operation::ReduceScatter,
            Operation::Gather,
            Operation::Scatter,
        ];
        for operation in operations {
            for size in [1, 5] {
                if size == 1 && matches!(operation, Operation::AllToAllVariable(_)) {
                    continue;
                }
                let group = Group::Strided { first: 1, stride: 2, size };
                let operation = operation.clone();
                let collective = Collective { operation, group, calls: 3, bytes: 1003 };
                let mut builder = TrafficBuilder::new(12);
                builder.add_collective(collective.clone());
                let direct = builder.build().with_collectives(CollectiveMode::Direct).unwrap();
                let found = moved(&collective);
                let name = collective.operation.mpi_name();
                assert_eq!(found.bytes, direct.total(Weight::Bytes), "{name} of {size}");
                assert_eq!(found.messages, direct.total(Weight::Messages), "{name} of {size}");
                assert!(found.is_exact);
            }
        }
    }

    #[test]
    fn keys_are_estimated_within_a_percent() {
        let traffic = parse_pattern("is:class=W,ranks=16").unwrap();
        let exact = traffic.with_collectives(CollectiveMode::Direct).unwrap();
        let uses = by_operation(traffic.collectives());
        let bytes: f64 = uses.iter().map(|operation| operation.moved.bytes).sum();
        let ratio = bytes / exact.total(Weight::Bytes);
        assert!((0.99..1.01).contains(&ratio), "{ratio}");
        assert!(uses.iter().any(|operation| !operation.moved.is_exact));
    }

    #[test]
    fn a_million_members_take_no_time() {
        let group = Group::first(1 << 20);
        let uses = by_operation(&[
            Collective {
                operation: Operation::Barrier,
                group: Group::first(7),
                calls: 5,
                bytes: 0,
            },
            Collective { operation: Operation::AllToAll, group, calls: 1, bytes: 1 },
            Collective {
                operation: Operation::AllToAll,
                group: Group::first(3),
                calls: 2,
                bytes: 10,
            },
        ]);
        // 2^20 (2^20 - 1) of the first, 2 x 6 x 10 of the second.
        assert_eq!((uses[0].name, uses[0].calls, uses[0].members), ("Alltoall", 3, (3, 1 << 20)));
        assert_eq!(uses[0].moved.bytes, (1u64 << 40) as f64 - (1u64 << 20) as f64 + 120.0);
        assert_eq!((uses[1].name, uses[1].moved.messages), ("Barrier", 60.0));
    }
}
