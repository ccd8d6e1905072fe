//! Trees with member 0 at the root: stars, chains, binary and binomial trees.

use super::transfer::{Blocks, Sink, Transfer};

/// The root sends everything to each member.
pub(super) fn linear_down(members: u32, send: &mut Sink<'_>) {
    (1..members).for_each(|member| send(Transfer::once(0, 0, member, Blocks::ALL)));
}

/// Each member sends everything to the root.
pub(super) fn linear_up(members: u32, send: &mut Sink<'_>) {
    (1..members).for_each(|member| send(Transfer::once(0, member, 0, Blocks::ALL)));
}

/// To the root, then back.
pub(super) fn linear_up_and_down(members: u32, send: &mut Sink<'_>) {
    linear_up(members, send);
    linear_down(members, &mut |back| send(Transfer { round: 1, ..back }));
}

/// The root sends each member its block.
pub(super) fn linear_scatter(members: u32, send: &mut Sink<'_>) {
    (1..members).for_each(|to| send(Transfer::once(0, 0, to, Blocks::one(to, members))));
}

/// Each member sends the root its block.
pub(super) fn linear_gather(members: u32, send: &mut Sink<'_>) {
    (1..members).for_each(|from| send(Transfer::once(0, from, 0, Blocks::one(from, members))));
}

/// Each member passes everything on to the next. Libraries do it in segments, which are one message
/// here.
pub(super) fn chain_down(members: u32, send: &mut Sink<'_>) {
    (1..members).for_each(|to| send(Transfer::once(to - 1, to - 1, to, Blocks::ALL)));
}

/// From the last member to the root, with each adding its part.
pub(super) fn chain_up(members: u32, send: &mut Sink<'_>) {
    (1..members).for_each(|from| send(Transfer::once(members - from, from, from - 1, Blocks::ALL)));
}

/// The level and the parent of a member other than 0 in the binary tree of Open MPI, where the
/// root's left subtree holds the odd members and its right one the even ones: 0 has 1 and 2,
/// 1 has 3 and 5, 2 has 4 and 6.
fn binary_parent(member: u32) -> (u32, u32) {
    let level = (member + 1).ilog2();
    let width_above = 1 << (level - 1);
    // The level above ends with member 2 * width_above - 2.
    let left = member - width_above;
    (level, if left < 2 * width_above - 1 { left } else { left - width_above })
}

/// A binary tree, everything to each child.
pub(super) fn binary_down(members: u32, send: &mut Sink<'_>) {
    for child in 1..members {
        let (level, parent) = binary_parent(child);
        send(Transfer::once(level - 1, parent, child, Blocks::ALL));
    }
}

/// A binary tree, everything to the parent.
pub(super) fn binary_up(members: u32, send: &mut Sink<'_>) {
    for child in 1..members {
        let (level, parent) = binary_parent(child);
        send(Transfer::once(32 - level, child, parent, Blocks::ALL));
    }
}

/// One half of the data goes down the left half of a binary tree, the other down the right half.
/// Then members of both halves exchange them.
pub(super) fn split_binary(members: u32, send: &mut Sink<'_>) {
    let half_of = |member: u32| Blocks::one(1 - member % 2, 2);
    for child in 1..members {
        let (level, parent) = binary_parent(child);
        send(Transfer::once(level - 1, parent, child, half_of(child)));
        let partner = if child % 2 == 1 { child + 1 } else { child - 1 };
        // The last member may be without a partner; the root has both halves.
        let partner = if partner < members { partner } else { 0 };
        send(Transfer::once(32, partner, child, half_of(child + 1)));
    }
}

/// The member without its lowest bit, and that bit.
fn binomial_parent(member: u32) -> (u32, u32) {
    (member & (member - 1), member & member.wrapping_neg())
}

/// Far children first, because they have the larger subtrees.
fn binomial_down_with(members: u32, blocks: impl Fn(u32, u32) -> Blocks, send: &mut Sink<'_>) {
    for child in 1..members {
        let (parent, bit) = binomial_parent(child);
        send(Transfer::once(bit.leading_zeros(), parent, child, blocks(child, bit)));
    }
}

fn binomial_up_with(members: u32, blocks: impl Fn(u32, u32) -> Blocks, send: &mut Sink<'_>) {
    for child in 1..members {
        let (parent, bit) = binomial_parent(child);
        send(Transfer::once(bit.trailing_zeros(), child, parent, blocks(child, bit)));
    }
}

/// A binomial tree, everything to each child.
pub(super) fn binomial_down(members: u32, send: &mut Sink<'_>) {
    binomial_down_with(members, |_, _| Blocks::ALL, send);
}

/// A binomial tree, everything to the parent.
pub(super) fn binomial_up(members: u32, send: &mut Sink<'_>) {
    binomial_up_with(members, |_, _| Blocks::ALL, send);
}

/// To the root, then back.
pub(super) fn binomial_up_and_down(members: u32, send: &mut Sink<'_>) {
    binomial_up(members, send);
    binomial_down(members, &mut |back| send(Transfer { round: 32 + back.round, ..back }));
}

/// A binomial tree, to each child the blocks of its subtree.
pub(super) fn binomial_scatter(members: u32, send: &mut Sink<'_>) {
    binomial_down_with(members, |child, bit| subtree(child, bit, members), send);
}

/// A binomial tree, from each child the blocks of its subtree.
pub(super) fn binomial_gather(members: u32, send: &mut Sink<'_>) {
    binomial_up_with(members, |child, bit| subtree(child, bit, members), send);
}

fn subtree(child: u32, bit: u32, members: u32) -> Blocks {
    Blocks::between(child, child.saturating_add(bit).min(members), members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(messages: fn(u32, &mut Sink<'_>), members: u32) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        messages(members, &mut |send| pairs.push((send.from, send.to)));
        pairs
    }

    #[test]
    fn the_binomial_tree_of_six_reaches_everyone_once() {
        assert_eq!(pairs(binomial_down, 6), [(0, 1), (0, 2), (2, 3), (0, 4), (4, 5)]);
    }

    #[test]
    fn the_binary_tree_has_the_odd_members_on_the_left() {
        let tree = [(0, 1), (0, 2), (1, 3), (2, 4), (1, 5), (2, 6), (3, 7), (4, 8)];
        assert_eq!(pairs(binary_down, 9), tree);
    }
}
