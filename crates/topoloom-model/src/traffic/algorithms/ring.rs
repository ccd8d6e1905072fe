//! Rings: each member sends only to the next, one block per round.

use super::transfer::{Blocks, Sink, Transfer};
use super::trees::binomial_scatter;

/// Each member passes on what it got in the previous round, starting with its own block.
pub(super) fn allgather(members: u32, send: &mut Sink<'_>) {
    // All blocks except that of the next member, which already has it.
    pass_on(members, 0, 2, send);
}

/// Each member adds its part to the block it got in the previous round and passes it on. The first
/// block is that of the member before it.
pub(super) fn reduce_scatter(members: u32, send: &mut Sink<'_>) {
    // All blocks except its own, which stays.
    pass_on(members, 0, 1, send);
}

/// First the sums of blocks go around the ring, then the blocks.
pub(super) fn allreduce(members: u32, send: &mut Sink<'_>) {
    reduce_scatter(members, send);
    pass_on(members, members, 2, send);
}

/// A broadcast: the root deals out blocks in a binomial tree, and the ring carries them to all.
pub(super) fn scatter_allgather(members: u32, send: &mut Sink<'_>) {
    binomial_scatter(members, send);
    // The scatter is over after 32 rounds.
    pass_on(members, 32, 2, send);
}

/// Each member sends `members - 1` blocks to the next, one per round, the last of them first. The
/// first of them is `offset` after its own.
fn pass_on(members: u32, round: u32, offset: u32, send: &mut Sink<'_>) {
    if members < 2 {
        return;
    }
    for from in 0..members {
        let around = |step: u32| ((u64::from(from) + u64::from(step)) % u64::from(members)) as u32;
        let blocks = Blocks { first: around(offset), count: members - 1, of: members };
        send(Transfer { round, from, to: around(1), blocks, messages: members - 1 });
    }
}
