//! The list of all operations and the algorithms for each.

use super::transfer::Sink;
use super::{doubling, exchange, ring, trees};
use crate::traffic::collective::Operation;

/// One way to perform an operation.
pub struct Algorithm {
    /// The name in specifications.
    pub name: &'static str,
    /// Every message of one call among this many members, in any order; none for one member.
    pub messages: fn(u32, &mut Sink<'_>),
    /// The largest number of transfers that these can be.
    pub most_transfers: fn(u64) -> u64,
}

/// An operation and the ways to perform it.
pub struct Known {
    /// The name in specifications.
    pub name: &'static str,
    /// The first one is the direct way.
    pub algorithms: &'static [Algorithm],
}

impl Known {
    /// The position of the algorithm with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.algorithms.iter().position(|algorithm| algorithm.name == name)
    }

    pub fn names(&self) -> String {
        let names: Vec<&str> = self.algorithms.iter().map(|algorithm| algorithm.name).collect();
        names.join(", ")
    }
}

/// The operations that have more than one way, as numbers of [`KNOWN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Barrier,
    Broadcast,
    Reduce,
    Allreduce,
    AllToAll,
    Allgather,
    ReduceScatter,
    Gather,
    Scatter,
}

impl Kind {
    #[cfg(test)]
    pub(super) const ALL: [Kind; KNOWN.len()] = [
        Kind::Barrier,
        Kind::Broadcast,
        Kind::Reduce,
        Kind::Allreduce,
        Kind::AllToAll,
        Kind::Allgather,
        Kind::ReduceScatter,
        Kind::Gather,
        Kind::Scatter,
    ];

    /// None for the variable all-to-all, in which every pair exchanges its own number of bytes.
    pub fn of(operation: &Operation) -> Option<Kind> {
        Some(match operation {
            Operation::Barrier => Kind::Barrier,
            Operation::Broadcast => Kind::Broadcast,
            Operation::Reduce => Kind::Reduce,
            Operation::Allreduce => Kind::Allreduce,
            Operation::AllToAll => Kind::AllToAll,
            Operation::AllToAllVariable(_) => return None,
            Operation::Allgather => Kind::Allgather,
            Operation::ReduceScatter => Kind::ReduceScatter,
            Operation::Gather => Kind::Gather,
            Operation::Scatter => Kind::Scatter,
        })
    }

    pub fn known(self) -> &'static Known {
        &KNOWN[self as usize]
    }

    /// All the data that blocks are shares of, if a call is of `bytes`: see
    /// [`Collective::bytes`](crate::traffic::Collective::bytes).
    pub fn total_bytes(self, members: u32, bytes: u64) -> u128 {
        match self {
            Kind::Barrier => 0,
            Kind::Broadcast | Kind::Reduce | Kind::Allreduce => u128::from(bytes),
            Kind::AllToAll
            | Kind::Allgather
            | Kind::ReduceScatter
            | Kind::Gather
            | Kind::Scatter => u128::from(bytes) * u128::from(members),
        }
    }
}

const fn algorithm(
    name: &'static str,
    messages: fn(u32, &mut Sink<'_>),
    most_transfers: fn(u64) -> u64,
) -> Algorithm {
    Algorithm { name, messages, most_transfers }
}

/// Every algorithm, in the order of [`Kind`].
pub static KNOWN: [Known; 9] = [
    Known {
        name: "barrier",
        algorithms: &[
            algorithm("linear", trees::linear_up_and_down, two_a_member),
            algorithm("dissemination", exchange::dissemination, one_a_round),
            algorithm("recursive-doubling", doubling::allreduce, one_a_round),
        ],
    },
    Known {
        name: "broadcast",
        algorithms: &[
            algorithm("linear", trees::linear_down, one_a_member),
            algorithm("chain", trees::chain_down, one_a_member),
            algorithm("binary", trees::binary_down, one_a_member),
            algorithm("split-binary", trees::split_binary, two_a_member),
            algorithm("binomial", trees::binomial_down, one_a_member),
            algorithm("scatter-recursive-doubling", doubling::scatter_allgather, one_a_round),
            algorithm("scatter-ring", ring::scatter_allgather, two_a_member),
        ],
    },
    Known {
        name: "reduce",
        algorithms: &[
            algorithm("linear", trees::linear_up, one_a_member),
            algorithm("chain", trees::chain_up, one_a_member),
            algorithm("binary", trees::binary_up, one_a_member),
            algorithm("binomial", trees::binomial_up, one_a_member),
            algorithm("rabenseifner", doubling::rabenseifner_reduce, one_a_round),
        ],
    },
    Known {
        name: "allreduce",
        algorithms: &[
            algorithm("linear", trees::linear_up_and_down, two_a_member),
            algorithm("binomial", trees::binomial_up_and_down, two_a_member),
            algorithm("recursive-doubling", doubling::allreduce, one_a_round),
            algorithm("rabenseifner", doubling::rabenseifner, two_a_round),
            algorithm("ring", ring::allreduce, two_a_member),
        ],
    },
    Known {
        name: "alltoall",
        algorithms: &[
            algorithm("pairwise", exchange::pairwise, one_a_pair),
            algorithm("bruck", exchange::bruck_all_to_all, one_a_round),
        ],
    },
    Known {
        name: "allgather",
        algorithms: &[
            algorithm("pairwise", exchange::pairwise_allgather, one_a_pair),
            algorithm("bruck", exchange::bruck_allgather, one_a_round),
            algorithm("recursive-doubling", doubling::allgather, one_a_round),
            algorithm("ring", ring::allgather, one_a_member),
        ],
    },
    Known {
        name: "reduce-scatter",
        algorithms: &[
            algorithm("pairwise", exchange::pairwise, one_a_pair),
            algorithm("recursive-halving", doubling::reduce_scatter, one_a_round),
            algorithm("ring", ring::reduce_scatter, one_a_member),
        ],
    },
    Known {
        name: "gather",
        algorithms: &[
            algorithm("linear", trees::linear_gather, one_a_member),
            algorithm("binomial", trees::binomial_gather, one_a_member),
        ],
    },
    Known {
        name: "scatter",
        algorithms: &[
            algorithm("linear", trees::linear_scatter, one_a_member),
            algorithm("binomial", trees::binomial_scatter, one_a_member),
        ],
    },
];

fn one_a_member(members: u64) -> u64 {
    members
}

fn two_a_member(members: u64) -> u64 {
    2 * members
}

/// With one round to scatter or fold first, and one round for the result at the end.
fn one_a_round(members: u64) -> u64 {
    members * u64::from(members.max(1).ilog2() + 2)
}

fn two_a_round(members: u64) -> u64 {
    2 * one_a_round(members)
}

fn one_a_pair(members: u64) -> u64 {
    members * members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_algorithm_sends_more_than_its_bound_or_beyond_its_members() {
        for known in &KNOWN {
            for algorithm in known.algorithms {
                for members in 0..=70 {
                    let mut sends = 0;
                    (algorithm.messages)(members, &mut |send| {
                        assert!(send.from < members && send.to < members && send.from != send.to);
                        sends += 1;
                    });
                    let most = (algorithm.most_transfers)(u64::from(members));
                    let name = format!("{} {} {members}", known.name, algorithm.name);
                    assert!(sends <= most, "{name}: {sends} of {most}");
                    assert!(members > 1 || sends == 0, "{name}");
                }
            }
        }
    }
}
