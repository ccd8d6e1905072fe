//! What members of a group send each other.

/// Consecutive blocks of the data, which are cut into `of` shares: `count` of them from `first` on.
/// After the last share comes the first one again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) of: u32,
}

impl Blocks {
    pub(super) const ALL: Blocks = Blocks { first: 0, count: 1, of: 1 };

    pub(super) fn one(number: u32, of: u32) -> Blocks {
        Blocks { first: number, count: 1, of }
    }

    /// The blocks `from` to `to - 1`.
    pub(super) fn between(from: u32, to: u32, of: u32) -> Blocks {
        Blocks { first: from, count: to - from, of }
    }

    /// Shares are whole bytes and differ by at most one; their sum is `total`.
    pub fn bytes(self, total: u128) -> u128 {
        let begin = |block: u64| total.saturating_mul(u128::from(block)) / u128::from(self.of);
        // Also correct around the end: block `of + i` begins `total` after block `i`.
        begin(u64::from(self.first) + u64::from(self.count)) - begin(u64::from(self.first))
    }
}

/// What one member sends to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The round. What was received in earlier rounds can be passed on.
    pub round: u32,
    /// The member that sends.
    pub from: u32,
    /// The member that receives.
    pub to: u32,
    /// What is sent.
    pub blocks: Blocks,
    /// 1: all blocks at once. As many as there are blocks: the last block in this round, the one
    /// before it in the next round, and so on, as rings do. It keeps rings of p members at O(p).
    pub messages: u32,
}

impl Transfer {
    pub(super) fn once(round: u32, from: u32, to: u32, blocks: Blocks) -> Transfer {
        Transfer { round, from, to, blocks, messages: 1 }
    }

    /// Visits the round and the bytes of every message, if all the data are `total` bytes.
    pub fn each_message(self, total: u128, visit: &mut dyn FnMut(u32, u128)) {
        if self.messages == 1 {
            return visit(self.round, self.blocks.bytes(total));
        }
        for step in 0..self.messages {
            let first = (self.blocks.first + self.blocks.count - 1 - step) % self.blocks.of;
            visit(self.round + step, Blocks::one(first, self.blocks.of).bytes(total));
        }
    }
}

/// Receives what an algorithm sends.
pub type Sink<'a> = dyn FnMut(Transfer) + 'a;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_whole_bytes_also_around_the_end() {
        // 10 bytes in 4 shares: 2, 3, 2, 3.
        let bytes = |first, count| Blocks { first, count, of: 4 }.bytes(10);
        assert_eq!([0, 1, 2, 3].map(|block| bytes(block, 1)), [2, 3, 2, 3]);
        assert_eq!(bytes(3, 2), 3 + 2);
        assert_eq!(bytes(2, 3), 2 + 3 + 2);
        assert_eq!(bytes(1, 4), 10);
    }
}
