//! Messages inside a group as operations of the group: between neighbours, and between its ends.

use std::collections::BTreeMap;

use topoloom_core::training::{Call, Operation};

/// The word for when a call of a trace happens.
pub(super) const WHEN: &str = "trace";

/// How many messages there are of each size.
pub(super) type Sizes = BTreeMap<u64, u64>;

/// The messages of a group, by the numbers of sender and receiver in it.
pub(super) type Pairs = BTreeMap<(usize, usize), Sizes>;

/// Messages as operations, and how many pairs were assumed to be like the known ones.
#[derive(Debug, PartialEq)]
pub(super) struct AsOperations {
    pub calls: Vec<Call>,
    pub assumed: usize,
}

/// The operation that sends from one member to another.
fn operation(from: usize, to: usize, members: usize) -> Option<Operation> {
    match (from, to) {
        _ if from + 1 == to => Some(Operation::Forward),
        _ if to + 1 == from => Some(Operation::Backward),
        _ if from + 1 == members && to == 0 => Some(Operation::LastToFirst),
        _ if to + 1 == members && from == 0 => Some(Operation::FirstToLast),
        _ => None,
    }
}

/// The operations of a group of this many members that send these messages. None if neighbours
/// differ or if others than neighbours send to each other. With `is_ring`, the last member sends to
/// the first what the others send to the next.
pub(super) fn as_operations(pairs: &Pairs, members: usize, is_ring: bool) -> Option<AsOperations> {
    let mut found: Vec<(Operation, &Sizes, usize)> = Vec::new();
    for (&(from, to), sizes) in pairs {
        let operation = operation(from, to, members)?;
        match found.iter_mut().find(|(known, _, _)| *known == operation) {
            Some((_, known, _)) if *known != sizes => return None,
            Some((_, _, count)) => *count += 1,
            None => found.push((operation, sizes, 1)),
        }
    }
    if is_ring && members > 2 {
        let sizes_of = |wanted: Operation| {
            found.iter().find(|(operation, _, _)| *operation == wanted).map(|(_, sizes, _)| *sizes)
        };
        let (next, around) = (sizes_of(Operation::Forward), sizes_of(Operation::LastToFirst));
        if let Some(next) = next
            && around.is_none_or(|around| around == next)
        {
            let both = [Operation::Forward, Operation::LastToFirst];
            let known = found.iter().filter(|(operation, _, _)| both.contains(operation));
            let known = known.map(|(_, _, count)| count).sum();
            found.retain(|(operation, _, _)| !both.contains(operation));
            found.push((Operation::Shift, next, known));
        }
    }
    let mut calls = Vec::new();
    let mut assumed = 0;
    for (operation, sizes, known) in found {
        assumed += (operation.senders(members as u32) as usize).saturating_sub(known);
        calls.extend(of_sizes(operation, sizes));
    }
    Some(AsOperations { calls, assumed })
}

/// A call for each size.
pub(super) fn of_sizes(operation: Operation, sizes: &Sizes) -> impl Iterator<Item = Call> + '_ {
    sizes.iter().map(move |(&bytes, &times)| Call {
        operation,
        when: WHEN,
        times: times as f64,
        bytes: bytes as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(usize, usize, u64)]) -> Pairs {
        list.iter().map(|&(from, to, bytes)| ((from, to), Sizes::from([(bytes, 8)]))).collect()
    }

    fn shown(
        list: &[(usize, usize, u64)],
        members: usize,
        is_ring: bool,
    ) -> Option<(String, usize)> {
        let found = as_operations(&pairs(list), members, is_ring)?;
        let names = found.calls.iter().map(|call| call.operation.name());
        Some((names.collect::<Vec<_>>().join(", "), found.assumed))
    }

    #[test]
    fn neighbours_of_a_pipeline_send_forward_and_backward() {
        let both = "send forward, send backward".to_string();
        assert_eq!(shown(&[(0, 1, 5), (1, 0, 5)], 2, false), Some((both.clone(), 0)));
        // One rank of four knows two of three pairs in each direction.
        let middle = [(0, 1, 5), (1, 0, 5), (1, 2, 5), (2, 1, 5)];
        assert_eq!(shown(&middle, 4, false), Some((both, 2)));
        let around = [(0, 1, 5), (3, 0, 4)];
        let expected = "send forward, send last to first".to_string();
        assert_eq!(shown(&around, 4, false), Some((expected, 2)));
    }

    #[test]
    fn a_ring_is_a_shift() {
        assert_eq!(shown(&[(1, 2, 5), (0, 1, 5)], 4, true), Some(("shift".into(), 2)));
        assert_eq!(shown(&[(0, 1, 5), (3, 0, 5)], 4, true), Some(("shift".into(), 2)));
    }

    #[test]
    fn others_stay_pairs() {
        assert_eq!(shown(&[(0, 2, 5)], 4, false), None);
        assert_eq!(shown(&[(0, 1, 5), (1, 2, 6)], 4, false), None);
    }
}
