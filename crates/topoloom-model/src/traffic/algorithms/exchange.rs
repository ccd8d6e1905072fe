//! Exchanges around the circle of members: pairwise, Bruck's, dissemination.

use super::transfer::{Blocks, Sink, Transfer};

/// Each member sends every other one its block, in round k to the one k + 1 further on. This is the
/// same for an all-to-all and, with the sums made by the receivers, for a reduce-scatter.
pub(super) fn pairwise(members: u32, send: &mut Sink<'_>) {
    every_pair(members, |_, to| Blocks::one(to, members), send);
}

/// Each member sends every other one its own block.
pub(super) fn pairwise_allgather(members: u32, send: &mut Sink<'_>) {
    every_pair(members, |from, _| Blocks::one(from, members), send);
}

fn every_pair(members: u32, blocks: impl Fn(u32, u32) -> Blocks, send: &mut Sink<'_>) {
    for from in 0..members {
        for to in (0..members).filter(|&to| to != from) {
            let ahead = if to > from { to - from } else { members - (from - to) };
            send(Transfer::once(ahead - 1, from, to, blocks(from, to)));
        }
    }
}

/// In round k each member tells the one 2^k further on everything it has heard. Hensgen, Finkel and
/// Manber, Two algorithms for barrier synchronization, 1988.
pub(super) fn dissemination(members: u32, send: &mut Sink<'_>) {
    for_each_power(members, |round, distance| {
        for from in 0..members {
            send(Transfer::once(round, from, ahead(from, distance, members), Blocks::ALL));
        }
    });
}

/// In round k each member sends all blocks it has to the member 2^k before it, as far as they are
/// missing there. Bruck and others, Efficient algorithms for all-to-all communications, 1997.
pub(super) fn bruck_allgather(members: u32, send: &mut Sink<'_>) {
    for_each_power(members, |round, distance| {
        let count = distance.min(members - distance);
        for from in 0..members {
            let to = ahead(from, members - distance, members);
            send(Transfer::once(round, from, to, Blocks { first: from, count, of: members }));
        }
    });
}

/// In round k each member sends to the one 2^k further on every block whose way includes that power
/// of two. Same paper. The transfer does not say which blocks: all are equally large.
pub(super) fn bruck_all_to_all(members: u32, send: &mut Sink<'_>) {
    for_each_power(members, |round, distance| {
        let count = (0..members).filter(|way| way & distance != 0).count() as u32;
        for from in 0..members {
            let to = ahead(from, distance, members);
            send(Transfer::once(round, from, to, Blocks { first: 0, count, of: members }));
        }
    });
}

fn ahead(member: u32, distance: u32, members: u32) -> u32 {
    ((u64::from(member) + u64::from(distance)) % u64::from(members)) as u32
}

fn for_each_power(members: u32, mut visit: impl FnMut(u32, u32)) {
    (0..32).take_while(|&round| 1 << round < u64::from(members)).for_each(|round| {
        visit(round, 1 << round);
    });
}
