//! The collective operations of MPI and their nearest equivalents.

use topoloom_core::traffic::Operation;

use crate::traces::mpi_call::MpiCall;

/// What the members of one call sent and received, in bytes. Recorders count bytes that go to or
/// come from every member once per member.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    pub members: u64,
    pub all_sent: u64,
    pub all_received: u64,
    pub most_sent: u64,
    pub most_received: u64,
}

impl Sizes {
    /// The share of one member if `bytes` are for all members, or for all others, as when members
    /// already have their own part in place.
    fn share(self, bytes: u64) -> u64 {
        let others = (self.members - 1).max(1);
        match bytes % self.members {
            0 => bytes / self.members,
            _ if bytes.is_multiple_of(others) => bytes / others,
            _ => self.mean(bytes),
        }
    }

    /// `bytes` divided by the members, rounded.
    fn mean(self, bytes: u64) -> u64 {
        let rounded = (u128::from(bytes) + u128::from(self.members / 2)) / u128::from(self.members);
        rounded as u64
    }
}

/// What an operation becomes.
pub enum Nearest {
    /// Nothing: it creates or frees something.
    Nothing,
    /// An operation, and its bytes.
    Plain(Operation, fn(Sizes) -> u64),
    /// An all-to-all where every pair has its own size.
    Variable,
}

/// An operation of MPI.
pub struct Known {
    pub name: &'static str,
    /// Whether one member is the root.
    pub rooted: bool,
    pub nearest: Nearest,
}

/// The operation with this number.
pub fn known(number: u8) -> Option<&'static Known> {
    KNOWN.get(usize::from(number))
}

impl Known {
    /// Whether Score-P counts what a member sends or receives once per member.
    pub fn counts_for_each(&self) -> bool {
        matches!(self.name, "Allgather" | "Alltoall" | "Allreduce" | "Reduce_scatter_block")
    }
}

/// A call that becomes an operation of these bytes.
const fn plain(call: MpiCall, operation: Operation, bytes: fn(Sizes) -> u64) -> Known {
    let nearest = Nearest::Plain(operation, bytes);
    Known { name: call.name(), rooted: call.is_rooted(), nearest }
}

const fn variable(call: MpiCall) -> Known {
    Known { name: call.name(), rooted: call.is_rooted(), nearest: Nearest::Variable }
}

const fn nothing(name: &'static str) -> Known {
    Known { name, rooted: false, nearest: Nearest::Nothing }
}

/// By the number that stands for it in archives, which is that of [`MpiCall`] as far as those
/// numbers go.
static KNOWN: [Known; 23] = [
    plain(MpiCall::Barrier, Operation::Barrier, |_| 0),
    plain(MpiCall::Bcast, Operation::Broadcast, broadcast),
    plain(MpiCall::Gather, Operation::Gather, |sizes| sizes.most_sent),
    plain(MpiCall::Gatherv, Operation::Gather, |sizes| sizes.mean(sizes.all_sent)),
    plain(MpiCall::Scatter, Operation::Scatter, |sizes| sizes.most_received),
    plain(MpiCall::Scatterv, Operation::Scatter, |sizes| sizes.mean(sizes.all_received)),
    plain(MpiCall::Allgather, Operation::Allgather, |sizes| sizes.share(sizes.most_received)),
    plain(MpiCall::Allgatherv, Operation::Allgather, |sizes| sizes.mean(sizes.most_received)),
    plain(MpiCall::Alltoall, Operation::AllToAll, |sizes| sizes.share(sizes.most_sent)),
    variable(MpiCall::Alltoallv),
    variable(MpiCall::Alltoallw),
    plain(MpiCall::Allreduce, Operation::Allreduce, |sizes| sizes.share(sizes.most_sent)),
    plain(MpiCall::Reduce, Operation::Reduce, |sizes| sizes.most_sent),
    plain(MpiCall::ReduceScatter, Operation::ReduceScatter, |sizes| sizes.mean(sizes.most_sent)),
    plain(MpiCall::Scan, Operation::Allreduce, |sizes| sizes.share(sizes.most_received)),
    plain(MpiCall::Exscan, Operation::Allreduce, exclusive_scan),
    plain(MpiCall::ReduceScatterBlock, Operation::ReduceScatter, |sizes| {
        sizes.share(sizes.most_sent)
    }),
    nothing("creation of a handle"),
    nothing("end of a handle"),
    nothing("allocation"),
    nothing("end of an allocation"),
    nothing("creation of a handle with memory"),
    nothing("end of a handle with memory"),
];

/// All members receive the same. A recorder that leaves that out has what the root sent.
fn broadcast(sizes: Sizes) -> u64 {
    match sizes.most_received {
        0 => sizes.most_sent,
        received => received,
    }
}

/// The last member receives from all others.
fn exclusive_scan(sizes: Sizes) -> u64 {
    sizes.most_received / (sizes.members - 1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of an operation of 4 members with these sizes.
    fn bytes(name: &str, each: [(u64, u64); 4]) -> u64 {
        let known = KNOWN.iter().find(|known| known.name == name).unwrap();
        let mut sizes = Sizes { members: 4, ..Sizes::default() };
        for (sent, received) in each {
            sizes.all_sent += sent;
            sizes.all_received += received;
            sizes.most_sent = sizes.most_sent.max(sent);
            sizes.most_received = sizes.most_received.max(received);
        }
        match &known.nearest {
            Nearest::Plain(_, bytes) => bytes(sizes),
            _ => panic!("{name}"),
        }
    }

    #[test]
    fn four_bytes_of_each_member_are_found_in_what_score_p_records() {
        assert_eq!(bytes("Bcast", [(16, 4), (0, 4), (0, 4), (0, 4)]), 4);
        assert_eq!(bytes("Gather", [(4, 16), (4, 0), (4, 0), (4, 0)]), 4);
        assert_eq!(bytes("Scatter", [(16, 4), (0, 4), (0, 4), (0, 4)]), 4);
        assert_eq!(bytes("Reduce", [(4, 0), (4, 0), (4, 16), (4, 0)]), 4);
        for name in ["Allgather", "Alltoall", "Allreduce"] {
            assert_eq!(bytes(name, [(16, 16); 4]), 4, "{name}");
        }
        // The member's own part is in place.
        assert_eq!(bytes("Allreduce", [(15, 15); 4]), 5);
        assert_eq!(bytes("Scan", [(16, 4), (12, 8), (8, 12), (4, 16)]), 4);
        assert_eq!(bytes("Scan", [(15, 0), (10, 5), (5, 10), (0, 15)]), 5);
        assert_eq!(bytes("Exscan", [(12, 0), (8, 4), (4, 8), (0, 12)]), 4);
    }

    #[test]
    fn calls_have_the_numbers_of_the_archive() {
        for (call, known) in MpiCall::ALL.into_iter().zip(&KNOWN) {
            assert_eq!((call.name(), call.is_rooted()), (known.name, known.rooted));
        }
    }

    #[test]
    fn sizes_that_differ_are_their_mean() {
        assert_eq!(bytes("Gatherv", [(1, 10), (2, 0), (3, 0), (4, 0)]), 3);
        assert_eq!(bytes("Scatterv", [(10, 1), (0, 2), (0, 3), (0, 4)]), 3);
        assert_eq!(bytes("Allgatherv", [(4, 10), (8, 10), (12, 10), (16, 10)]), 3);
    }
}
