//! What the names of calls in traces mean.

use topoloom_core::training::Operation;

/// Said if there are reductions to one rank.
pub(super) const REDUCTIONS: &str = "reductions to one rank count as broadcasts of the same bytes";

/// What a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A group does this together.
    Together(Operation),
    /// Everyone's bytes go to one member. Around a ring this sends what a broadcast sends, in the
    /// other direction.
    Reduce,
    /// A message to another rank.
    Send,
    /// A message from another rank.
    Receive,
    /// It moves no data: waiting, barriers, and marks around other calls.
    Nothing,
    /// It is not supported.
    Unknown,
}

/// What a call of PyTorch is. There are several names for the same, such as `_allgather_base` and
/// `all_gather`.
pub(super) fn meaning(name: &str) -> Meaning {
    let name = name.replace('_', "").to_ascii_lowercase();
    let begins = |start: &str| name.starts_with(start);
    match name.as_str() {
        "" | "wait" | "barrier" | "init" => Meaning::Nothing,
        "send" | "isend" => Meaning::Send,
        "recv" | "irecv" | "receive" => Meaning::Receive,
        _ if begins("coalesc") || begins("startcoalesc") || begins("endcoalesc") => {
            Meaning::Nothing
        }
        _ if begins("allreduce") => Meaning::Together(Operation::AllReduce),
        _ if begins("allgather") => Meaning::Together(Operation::AllGather),
        _ if begins("reducescatter") => Meaning::Together(Operation::ReduceScatter),
        _ if begins("alltoall") => Meaning::Together(Operation::AllToAll),
        _ if begins("broadcast") => Meaning::Together(Operation::Broadcast),
        _ if begins("reduce") => Meaning::Reduce,
        _ => Meaning::Unknown,
    }
}

/// The bytes of a call as the operation counts them, of a call that gets `input` bytes from a member
/// and gives `output` bytes to it.
pub(super) fn bytes(operation: Operation, input: u64, output: u64, members: usize) -> u64 {
    let all = |part: u64| part.saturating_mul(members as u64);
    match operation {
        // Some versions write the part twice.
        Operation::AllGather if output <= input => all(input),
        Operation::AllGather => output,
        Operation::ReduceScatter if input <= output => all(output),
        Operation::ReduceScatter => input,
        _ => input.max(output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_calls_are_known_in_all_their_forms() {
        let gather = Meaning::Together(Operation::AllGather);
        assert_eq!(meaning("_allgather_base"), gather);
        assert_eq!(meaning("allgather_into_tensor_coalesced"), gather);
        assert_eq!(meaning("all_to_allv"), Meaning::Together(Operation::AllToAll));
        assert_eq!(meaning("_reduce_scatter_base"), Meaning::Together(Operation::ReduceScatter));
        assert_eq!(meaning("_reduce_oop"), Meaning::Reduce);
        assert_eq!(meaning("wait"), Meaning::Nothing);
        assert_eq!(meaning("gather"), Meaning::Unknown);
    }

    #[test]
    fn gathers_count_all_parts() {
        assert_eq!(bytes(Operation::AllGather, 10, 40, 4), 40);
        assert_eq!(bytes(Operation::AllGather, 10, 10, 4), 40);
        assert_eq!(bytes(Operation::ReduceScatter, 40, 10, 4), 40);
        assert_eq!(bytes(Operation::AllReduce, 10, 10, 4), 10);
    }
}
