//! Exchanges with partners at distances of powers of two: recursive doubling and halving, and
//! algorithms that consist of them.
//!
//! If the number of members is not a power of two, the first ones fold: in each pair of neighbours
//! one hands its part to the other and gets the result at the end (Thakur, Rabenseifner and Gropp,
//! Optimization of collective communication operations in MPICH, 2005).

use super::transfer::{Blocks, Sink, Transfer};
use super::trees::binomial_scatter;

/// The members that stay after the first pairs of neighbours have folded, with new numbers.
struct Folded {
    /// The number of those that stay: a power of two.
    staying: u32,
    /// How many pairs fold.
    pairs: u32,
    /// 1: the odd members of pairs stay; 0: the even ones.
    stays: u32,
}

impl Folded {
    fn new(members: u32, stays: u32) -> Folded {
        let staying = 1 << members.max(1).ilog2();
        Folded { staying, pairs: members - staying.min(members), stays }
    }

    /// The member with this new number.
    fn member(&self, number: u32) -> u32 {
        if number < self.pairs { 2 * number + self.stays } else { number + self.pairs }
    }

    /// The first member that this new number stands for: itself, or the first of its pair.
    fn first_member(&self, number: u32) -> u32 {
        number + number.min(self.pairs)
    }

    /// The members that the new numbers `from` to `to - 1` stand for, as blocks.
    fn blocks(&self, from: u32, to: u32, members: u32) -> Blocks {
        Blocks::between(self.first_member(from), self.first_member(to), members)
    }

    /// Every pair that folds: the member that leaves and the one that stays.
    fn for_each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        for pair in 0..self.pairs {
            visit(2 * pair + 1 - self.stays, 2 * pair + self.stays);
        }
    }

    /// The powers of two below the number of those that stay.
    fn bits(&self) -> impl DoubleEndedIterator<Item = u32> + use<> {
        (0..self.staying.ilog2()).map(|bit| 1 << bit)
    }

    /// In the order of `bits`, every number exchanges `blocks` of (number, bit) with the number
    /// that differs in that bit. The first round is `round`.
    fn exchange(
        &self,
        round: u32,
        bits: impl Iterator<Item = u32>,
        blocks: impl Fn(u32, u32) -> Blocks,
        send: &mut Sink<'_>,
    ) {
        for (step, bit) in bits.enumerate() {
            for number in 0..self.staying {
                let (from, to) = (self.member(number), self.member(number ^ bit));
                send(Transfer::once(round + step as u32, from, to, blocks(number, bit)));
            }
        }
    }
}

/// Later than every exchange before it: there are at most 32 of them.
const SECOND_PASS: u32 = 40;
const END: u32 = 80;

/// An allreduce, or a barrier: partners exchange everything they have, near partners first.
pub(super) fn allreduce(members: u32, send: &mut Sink<'_>) {
    let folded = Folded::new(members, 1);
    folded.for_each_pair(|leaves, stays| send(Transfer::once(0, leaves, stays, Blocks::ALL)));
    folded.exchange(1, folded.bits(), |_, _| Blocks::ALL, send);
    folded.for_each_pair(|leaves, stays| send(Transfer::once(END, stays, leaves, Blocks::ALL)));
}

/// An allgather: partners exchange all blocks they have, near partners first.
pub(super) fn allgather(members: u32, send: &mut Sink<'_>) {
    allgather_from(0, members, send);
}

/// A broadcast: the root deals out blocks in a binomial tree, and an allgather brings them to all.
pub(super) fn scatter_allgather(members: u32, send: &mut Sink<'_>) {
    binomial_scatter(members, send);
    allgather_from(SECOND_PASS, members, send);
}

fn allgather_from(round: u32, members: u32, send: &mut Sink<'_>) {
    let folded = Folded::new(members, 1);
    folded.for_each_pair(|leaves, stays| {
        send(Transfer::once(round, leaves, stays, Blocks::one(leaves, members)));
    });
    let held = |number: u32, bit: u32| {
        let first = number & !(bit - 1);
        folded.blocks(first, first + bit, members)
    };
    folded.exchange(round + 1, folded.bits(), held, send);
    folded.for_each_pair(|leaves, stays| {
        let missing = Blocks { first: leaves + 1, count: members - 1, of: members };
        send(Transfer::once(round + END, stays, leaves, missing));
    });
}

/// A reduce-scatter: partners send each other the blocks that the other's half needs, far partners
/// first.
pub(super) fn reduce_scatter(members: u32, send: &mut Sink<'_>) {
    let folded = Folded::new(members, 1);
    folded.for_each_pair(|leaves, stays| send(Transfer::once(0, leaves, stays, Blocks::ALL)));
    let of_partner = |number: u32, bit: u32| {
        let first = (number ^ bit) & !(bit - 1);
        folded.blocks(first, first + bit, members)
    };
    folded.exchange(1, folded.bits().rev(), of_partner, send);
    folded.for_each_pair(|leaves, stays| {
        send(Transfer::once(END, stays, leaves, Blocks::one(leaves, members)));
    });
}

/// What `number` still works on after it has halved the data at every bit up to `bit`: the upper
/// half wherever its bit is set. Near partners come first, so they carry most.
fn halved(number: u32, bit: u32, staying: u32) -> Blocks {
    let mut first = 0;
    let mut count = staying;
    for step in 0..=bit.trailing_zeros() {
        count /= 2;
        first += if number >> step & 1 == 1 { count } else { 0 };
    }
    Blocks { first, count, of: staying }
}

/// Rabenseifner's allreduce: partners halve what they sum up, near partners first. Then the way
/// back brings the sums to all.
pub(super) fn rabenseifner(members: u32, send: &mut Sink<'_>) {
    let folded = Folded::new(members, 1);
    halve(&folded, send);
    let held = |number: u32, bit: u32| halved(number, bit, folded.staying);
    folded.exchange(SECOND_PASS, folded.bits().rev(), held, send);
    folded.for_each_pair(|leaves, stays| send(Transfer::once(END, stays, leaves, Blocks::ALL)));
}

/// Rabenseifner's reduce: partners halve what they sum up, near partners first. Then one of each
/// pair hands over its sums.
pub(super) fn rabenseifner_reduce(members: u32, send: &mut Sink<'_>) {
    // The root stays.
    let folded = Folded::new(members, 0);
    halve(&folded, send);
    for (step, bit) in folded.bits().rev().enumerate() {
        for number in 0..bit {
            let (from, to) = (folded.member(number + bit), folded.member(number));
            let blocks = halved(number + bit, bit, folded.staying);
            send(Transfer::once(SECOND_PASS + step as u32, from, to, blocks));
        }
    }
}

fn halve(folded: &Folded, send: &mut Sink<'_>) {
    folded.for_each_pair(|leaves, stays| send(Transfer::once(0, leaves, stays, Blocks::ALL)));
    let of_partner = |number: u32, bit: u32| halved(number ^ bit, bit, folded.staying);
    folded.exchange(1, folded.bits(), of_partner, send);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_six_members_two_pairs_of_neighbours_fold() {
        let mut pairs = Vec::new();
        allreduce(6, &mut |send| pairs.push((send.round, send.from, send.to)));
        let fold = [(0, 0, 1), (0, 2, 3)];
        // 1, 3, 4 and 5 stay, as 0, 1, 2 and 3.
        let near = [(1, 1, 3), (1, 3, 1), (1, 4, 5), (1, 5, 4)];
        let far = [(2, 1, 4), (2, 3, 5), (2, 4, 1), (2, 5, 3)];
        let told = [(END, 1, 0), (END, 3, 2)];
        assert_eq!(pairs, [&fold[..], &near, &far, &told].concat());
    }

    #[test]
    fn rabenseifner_sends_most_to_the_nearest() {
        // 8 members, 800 bytes: 400 to the partner at distance 1, 200 and 100 further on, and the
        // same on the way back.
        let mut bytes = [0; 8];
        rabenseifner(8, &mut |send| {
            if send.from == 0 {
                bytes[send.to as usize] += send.blocks.bytes(800);
            }
        });
        assert_eq!(bytes, [0, 800, 400, 0, 200, 0, 0, 0]);
    }
}
