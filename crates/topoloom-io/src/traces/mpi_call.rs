//! The collective calls of MPI, by their numbers in files.

use topoloom_core::traffic::Operation;

/// A collective call of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // They are MPI's own names.
pub enum MpiCall {
    Barrier,
    Bcast,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Alltoallw,
    Allreduce,
    Reduce,
    ReduceScatter,
    Scan,
    Exscan,
    ReduceScatterBlock,
}

impl MpiCall {
    /// Every call, by its number.
    pub const ALL: [MpiCall; 17] = [
        MpiCall::Barrier,
        MpiCall::Bcast,
        MpiCall::Gather,
        MpiCall::Gatherv,
        MpiCall::Scatter,
        MpiCall::Scatterv,
        MpiCall::Allgather,
        MpiCall::Allgatherv,
        MpiCall::Alltoall,
        MpiCall::Alltoallv,
        MpiCall::Alltoallw,
        MpiCall::Allreduce,
        MpiCall::Reduce,
        MpiCall::ReduceScatter,
        MpiCall::Scan,
        MpiCall::Exscan,
        MpiCall::ReduceScatterBlock,
    ];

    /// The name in MPI, without `MPI_`.
    pub const fn name(self) -> &'static str {
        match self {
            MpiCall::Barrier => "Barrier",
            MpiCall::Bcast => "Bcast",
            MpiCall::Gather => "Gather",
            MpiCall::Gatherv => "Gatherv",
            MpiCall::Scatter => "Scatter",
            MpiCall::Scatterv => "Scatterv",
            MpiCall::Allgather => "Allgather",
            MpiCall::Allgatherv => "Allgatherv",
            MpiCall::Alltoall => "Alltoall",
            MpiCall::Alltoallv => "Alltoallv",
            MpiCall::Alltoallw => "Alltoallw",
            MpiCall::Allreduce => "Allreduce",
            MpiCall::Reduce => "Reduce",
            MpiCall::ReduceScatter => "Reduce_scatter",
            MpiCall::Scan => "Scan",
            MpiCall::Exscan => "Exscan",
            MpiCall::ReduceScatterBlock => "Reduce_scatter_block",
        }
    }

    /// The number that stands for it in recordings, and in OTF2 archives.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The call with this number.
    pub fn from_number(number: u64) -> Option<MpiCall> {
        MpiCall::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Whether one member is the root.
    pub const fn is_rooted(self) -> bool {
        matches!(
            self,
            MpiCall::Bcast
                | MpiCall::Gather
                | MpiCall::Gatherv
                | MpiCall::Scatter
                | MpiCall::Scatterv
                | MpiCall::Reduce
        )
    }

    /// Whether sizes differ by member.
    pub const fn is_irregular(self) -> bool {
        matches!(
            self,
            MpiCall::Gatherv
                | MpiCall::Scatterv
                | MpiCall::Allgatherv
                | MpiCall::Alltoallv
                | MpiCall::Alltoallw
                | MpiCall::ReduceScatter
        )
    }

    /// The operation it becomes if all sizes are the same, or count as their mean; none if every
    /// pair keeps its own size.
    pub(crate) fn operation(self) -> Option<Operation> {
        Some(match self {
            MpiCall::Barrier => Operation::Barrier,
            MpiCall::Bcast => Operation::Broadcast,
            MpiCall::Gather => Operation::Gather,
            MpiCall::Scatter => Operation::Scatter,
            MpiCall::Allgather | MpiCall::Allgatherv => Operation::Allgather,
            MpiCall::Alltoall => Operation::AllToAll,
            MpiCall::Allreduce | MpiCall::Scan | MpiCall::Exscan => Operation::Allreduce,
            MpiCall::Reduce => Operation::Reduce,
            MpiCall::ReduceScatter | MpiCall::ReduceScatterBlock => Operation::ReduceScatter,
            MpiCall::Gatherv | MpiCall::Scatterv | MpiCall::Alltoallv | MpiCall::Alltoallw => {
                return None;
            }
        })
    }

    /// The call that an operation comes from.
    pub(crate) fn of(operation: &Operation) -> MpiCall {
        match operation {
            Operation::Barrier => MpiCall::Barrier,
            Operation::Broadcast => MpiCall::Bcast,
            Operation::Reduce => MpiCall::Reduce,
            Operation::Allreduce => MpiCall::Allreduce,
            Operation::AllToAll => MpiCall::Alltoall,
            Operation::AllToAllVariable(_) => MpiCall::Alltoallv,
            Operation::Allgather => MpiCall::Allgather,
            Operation::ReduceScatter => MpiCall::ReduceScatterBlock,
            Operation::Gather => MpiCall::Gather,
            Operation::Scatter => MpiCall::Scatter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_both_ways() {
        for (number, call) in MpiCall::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(call.number()), number);
            assert_eq!(MpiCall::from_number(number as u64), Some(call));
        }
        assert_eq!(MpiCall::from_number(17), None);
    }

    #[test]
    fn operations_go_both_ways() {
        for call in MpiCall::ALL {
            if let Some(operation) = call.operation() {
                assert_eq!(MpiCall::of(&operation).operation(), Some(operation));
            }
        }
    }
}
