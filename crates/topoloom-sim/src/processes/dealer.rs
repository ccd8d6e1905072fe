//! Numbers of send queues for the pairs of ranks that send.

use std::collections::HashMap;

use crate::send_queues::{NO_QUEUE, SendQueues};

/// Gives queues to the partners of one sender after the other. Pairs on one node have their own
/// queues, which are numbered separately: they need no adapter.
#[derive(Debug)]
pub(super) struct Dealer<'a> {
    setting: SendQueues,
    node_of: &'a [u32],
    sender: u32,
    /// The queue of each partner that the sender has met.
    of_partner: HashMap<u32, u32>,
    /// The queues of the sender, if their number is limited.
    of_sender: Vec<u32>,
    /// Partners on other nodes.
    dealt: u32,
    on_links: u32,
    in_memory: u32,
}

impl<'a> Dealer<'a> {
    pub fn new(setting: SendQueues, node_of: &'a [u32]) -> Dealer<'a> {
        let (of_partner, of_sender) = (HashMap::new(), Vec::new());
        let (dealt, on_links, in_memory) = (0, 0, 0);
        Dealer { setting, node_of, sender: 0, of_partner, of_sender, dealt, on_links, in_memory }
    }

    /// Goes on with the partners of another rank.
    pub fn begin(&mut self, sender: u32) {
        (self.sender, self.dealt) = (sender, 0);
        self.of_sender.clear();
        // Clearing a map that was once large takes long for every rank that has few partners.
        self.of_partner = HashMap::new();
    }

    /// The queue for messages to a rank.
    pub fn queue_to(&mut self, receiver: u32) -> u32 {
        if self.setting == SendQueues::None {
            return NO_QUEUE;
        }
        if let Some(&queue) = self.of_partner.get(&receiver) {
            return queue;
        }
        let node = |rank: u32| self.node_of[rank as usize];
        let queue = match self.setting {
            _ if node(self.sender) == node(receiver) => next(&mut self.in_memory),
            SendQueues::Number(number) => {
                let turn = self.dealt % number;
                self.dealt += 1;
                if turn as usize == self.of_sender.len() {
                    self.of_sender.push(next(&mut self.on_links));
                }
                self.of_sender[turn as usize]
            }
            _ => next(&mut self.on_links),
        };
        self.of_partner.insert(receiver, queue);
        queue
    }
}

fn next(number: &mut u32) -> u32 {
    *number += 1;
    *number - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks 0 and 1 share a node.
    const NODES: [u32; 6] = [0, 0, 1, 2, 3, 4];

    fn queues(setting: SendQueues, sender: u32, receivers: &[u32]) -> Vec<u32> {
        let mut dealer = Dealer::new(setting, &NODES);
        dealer.begin(sender);
        receivers.iter().map(|&receiver| dealer.queue_to(receiver)).collect()
    }

    #[test]
    fn every_partner_has_a_queue_or_all_take_turns_at_some() {
        let partners = [5, 3, 4, 5, 2, 3];
        assert_eq!(queues(SendQueues::Pair, 0, &partners), [0, 1, 2, 0, 3, 1]);
        assert_eq!(queues(SendQueues::Number(2), 0, &partners), [0, 1, 0, 0, 1, 1]);
        assert_eq!(queues(SendQueues::Number(1), 0, &partners), [0; 6]);
        assert_eq!(queues(SendQueues::Number(9), 0, &partners), [0, 1, 2, 0, 3, 1]);
        assert_eq!(queues(SendQueues::None, 0, &partners), [NO_QUEUE; 6]);
    }

    #[test]
    fn partners_on_the_same_node_are_numbered_apart() {
        assert_eq!(queues(SendQueues::Number(1), 0, &[5, 1, 0, 3, 1]), [0, 0, 1, 0, 0]);
    }

    #[test]
    fn ranks_share_no_queue() {
        let mut dealer = Dealer::new(SendQueues::Number(2), &NODES);
        let mut of_rank = |rank: u32| {
            dealer.begin(rank);
            [5, 4, 3].map(|receiver| dealer.queue_to(receiver))
        };
        assert_eq!([of_rank(0), of_rank(1), of_rank(2)], [[0, 1, 0], [2, 3, 2], [4, 5, 4]]);
    }
}
