//! Collective operations, kept as such until someone asks for their messages.

use std::sync::Arc;

use super::patterns::npb::KeyExchange;

/// Which ranks take part, by their numbers in the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Group {
    /// `size` ranks: `first`, `first + stride`, ...
    Strided {
        /// The first member.
        first: u32,
        /// The step from one member to the next.
        stride: u32,
        /// How many take part.
        size: u32,
    },
    /// Any ranks, in the order of the communicator.
    List(Arc<[u32]>),
}

impl Group {
    /// The ranks 0 to `size - 1`.
    pub fn first(size: u32) -> Group {
        Group::Strided { first: 0, stride: 1, size }
    }

    /// How many ranks take part.
    pub fn size(&self) -> u32 {
        match self {
            Group::Strided { size, .. } => *size,
            Group::List(ranks) => ranks.len() as u32,
        }
    }

    /// The world rank of the member with this number.
    #[inline]
    pub fn member(&self, number: u32) -> u32 {
        match self {
            Group::Strided { first, stride, .. } => first + stride * number,
            Group::List(ranks) => ranks[number as usize],
        }
    }
}

/// How many bytes each ordered pair of members exchanges in all calls together.
#[derive(Debug, Clone, PartialEq)]
pub enum VariableSizes {
    /// By sender, then receiver.
    Table(Arc<[f64]>),
    /// The key exchange of integer sort, counted only when asked for.
    Keys(KeyExchange),
}

/// What a collective does.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Everyone waits for everyone.
    Barrier,
    /// The root (member 0) sends `bytes` to everyone.
    Broadcast,
    /// Everyone contributes `bytes`, the root (member 0) gets the result.
    Reduce,
    /// Everyone contributes `bytes`, everyone gets the result.
    Allreduce,
    /// Everyone sends `bytes` to everyone.
    AllToAll,
    /// Everyone sends to everyone, as much as the table says.
    AllToAllVariable(VariableSizes),
    /// Everyone contributes `bytes`, everyone gets all of them.
    Allgather,
    /// Everyone contributes `bytes` for everyone, and everyone gets the sum of its own.
    ReduceScatter,
    /// Everyone contributes `bytes`, the root (member 0) gets all of them.
    Gather,
    /// The root (member 0) sends each member other `bytes`.
    Scatter,
}

impl Operation {
    /// The name of the MPI call.
    pub fn mpi_name(&self) -> &'static str {
        match self {
            Operation::Barrier => "Barrier",
            Operation::Broadcast => "Bcast",
            Operation::Reduce => "Reduce",
            Operation::Allreduce => "Allreduce",
            Operation::AllToAll => "Alltoall",
            Operation::AllToAllVariable(_) => "Alltoallv",
            Operation::Allgather => "Allgather",
            Operation::ReduceScatter => "Reduce_scatter_block",
            Operation::Gather => "Gather",
            Operation::Scatter => "Scatter",
        }
    }
}

/// One collective operation on one group, called any number of times with the same size.
#[derive(Debug, Clone, PartialEq)]
pub struct Collective {
    /// What it does.
    pub operation: Operation,
    /// Who takes part.
    pub group: Group,
    /// How often it is called in the whole run.
    pub calls: u64,
    /// Bytes of one call: sent by the root (broadcast), contributed by each member (reduce,
    /// allreduce, allgather, gather), sent to each member (all-to-all, scatter) or left with each
    /// (reduce-scatter). Not used by barrier and the variable all-to-all.
    pub bytes: u64,
}

impl Collective {
    /// This collective of one call, where `times` makes the bytes of all calls from those of one.
    /// Sizes that differ by pair are kept for all calls together.
    pub(crate) fn in_all_calls(&self, times: impl Fn(f64) -> f64) -> Collective {
        let mut all = self.clone();
        if let Operation::AllToAllVariable(sizes) = &self.operation {
            let table: Vec<f64> = sizes.table().iter().map(|&bytes| times(bytes)).collect();
            all.operation = Operation::AllToAllVariable(VariableSizes::Table(table.into()));
        }
        all
    }
}
