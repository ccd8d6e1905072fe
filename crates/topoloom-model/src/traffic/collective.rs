//! Collective operations, kept as such until their messages are needed.

use std::sync::Arc;

use super::VariableSizes;

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

    /// These members in this order: three numbers if the steps between them are all the same.
    pub fn of_members(members: Arc<[u32]>) -> Group {
        let stride = match *members {
            [_] => Some(1),
            [first, second, ..] => second.checked_sub(first),
            [] => None,
        };
        match stride {
            Some(stride)
                if members.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == stride) =>
            {
                Group::Strided { first: members[0], stride, size: members.len() as u32 }
            }
            _ => Group::List(members),
        }
    }

    /// The members in their order from the one with the number `root` on, and then those before it:
    /// the root is the first member of operations that have it as their root.
    pub fn from_root(&self, root: u32) -> Group {
        if root == 0 {
            return self.clone();
        }
        let numbers = (root..self.size()).chain(0..root);
        Group::List(numbers.map(|number| self.member(number)).collect())
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

/// What a collective does.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Everyone waits for everyone.
    Barrier,
    /// The root (member 0) sends `bytes` to everyone.
    Broadcast,
    /// Everyone contributes `bytes`, and the root (member 0) gets the result.
    Reduce,
    /// Everyone contributes `bytes`, and everyone gets the result.
    Allreduce,
    /// Everyone sends `bytes` to everyone.
    AllToAll,
    /// Everyone sends to everyone, as much as the table says.
    AllToAllVariable(VariableSizes),
    /// Everyone contributes `bytes`, and everyone gets all of them.
    Allgather,
    /// Everyone contributes `bytes` for everyone, and everyone gets the sum of its own part.
    ReduceScatter,
    /// Everyone contributes `bytes`, and the root (member 0) gets all of them.
    Gather,
    /// The root (member 0) sends different `bytes` to each member.
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
    /// The ranks that take part.
    pub group: Group,
    /// How often it is called in the whole run.
    pub calls: u64,
    /// Bytes of one call: sent by the root (broadcast), contributed by each member (reduce,
    /// allreduce, allgather, gather), sent to each member (all-to-all, scatter) or left with each
    /// (reduce-scatter). Not used by barrier and the variable all-to-all.
    pub bytes: u64,
}

impl Collective {
    /// This collective as one call, where `times` turns the bytes of one call into those of all
    /// calls. Sizes that differ by pair are kept for all calls together.
    pub(crate) fn in_all_calls(&self, times: impl Fn(f64) -> f64) -> Collective {
        let mut all = self.clone();
        if let Operation::AllToAllVariable(sizes) = &self.operation {
            all.operation = Operation::AllToAllVariable(sizes.map(times));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_first_member_and_the_others_follow_in_their_order() {
        let rising = Group::of_members(Arc::from([2, 4, 6]));
        assert_eq!(rising, Group::Strided { first: 2, stride: 2, size: 3 });
        assert_eq!(rising.from_root(0), rising);
        assert_eq!(rising.from_root(1), Group::List(Arc::from([4, 6, 2])));
        let falling: Arc<[u32]> = Arc::from([6, 4, 2]);
        assert_eq!(Group::of_members(falling.clone()), Group::List(falling.clone()));
        assert_eq!(Group::List(falling).from_root(2), Group::List(Arc::from([2, 6, 4])));
    }
}
