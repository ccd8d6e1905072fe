//! Which messages of a sender wait for each other: the queues in which it sends them one by one.

use std::str::FromStr;

/// The send queues of a rank. A queue sends one message at a time, in the order in which messages
/// leave. Queues share links with all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SendQueues {
    /// One for each rank that it sends to.
    #[default]
    Pair,
    /// This many. The ranks that it sends to are dealt out to them in turn, in the order of its
    /// first sends, so messages to one rank stay in order.
    Number(u32),
    /// Nothing waits: every message is sent as if it had its own connection.
    None,
}

impl SendQueues {
    /// The values that [`SendQueues::from_str`] accepts.
    pub(crate) const EXPECTED: &str = "pair, none or a whole number from 1 to 1000000";
    const MOST: u32 = 1_000_000;
}

impl FromStr for SendQueues {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "pair" => Ok(SendQueues::Pair),
            "none" => Ok(SendQueues::None),
            number => match number.parse() {
                Ok(number @ 1..=SendQueues::MOST) => Ok(SendQueues::Number(number)),
                _ => Err(()),
            },
        }
    }
}

/// The queue of a message that waits for no other.
pub(crate) const NO_QUEUE: u32 = u32::MAX;

const NOBODY: u32 = u32::MAX;

/// Which message waits behind which. A message is in its queue from its departure until all its
/// bytes have left. Every step takes constant time.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// By queue, the last message in it.
    last: Vec<u32>,
    /// By message, its queue and the message behind it.
    places: Vec<(u32, u32)>,
}

impl Lines {
    /// Adds a message to a queue. Returns whether it is its turn at once.
    pub fn join(&mut self, message: u32, queue: u32) -> bool {
        if self.places.len() <= message as usize {
            self.places.resize(message as usize + 1, (NO_QUEUE, NOBODY));
        }
        self.places[message as usize] = (queue, NOBODY);
        if queue == NO_QUEUE {
            return true;
        }
        if self.last.len() <= queue as usize {
            self.last.resize(queue as usize + 1, NOBODY);
        }
        match std::mem::replace(&mut self.last[queue as usize], message) {
            NOBODY => true,
            last => {
                self.places[last as usize].1 = message;
                false
            }
        }
    }

    /// Takes the first message from its queue. Returns the one behind it, whose turn it is now.
    pub fn leave(&mut self, message: u32) -> Option<u32> {
        let (queue, behind) = self.places[message as usize];
        if queue != NO_QUEUE && behind == NOBODY {
            self.last[queue as usize] = NOBODY;
        }
        (behind != NOBODY).then_some(behind)
    }
}

/// Messages between ranks of one node: those of one pair are copied one after the other. The
/// latency of one passes while others are copied.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// By queue: the ticks of copying that were left at a tick. Parts of a tick add up.
    left: Vec<(u64, f64)>,
}

impl Copies {
    /// When a message arrives that takes `latency_and_copy` ticks alone, `copy` of them for its
    /// bytes.
    pub fn arrival(&mut self, queue: u32, now: u64, latency_and_copy: f64, copy: f64) -> u64 {
        let mut wait = 0.0;
        if queue != NO_QUEUE {
            if self.left.len() <= queue as usize {
                self.left.resize(queue as usize + 1, (0, 0.0));
            }
            let (since, left) = &mut self.left[queue as usize];
            wait = (*left - (now - *since) as f64).max(0.0);
            (*since, *left) = (now, wait + copy);
        }
        now.saturating_add((wait + latency_and_copy).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_others_refused() {
        let read = |text: &str| text.parse::<SendQueues>();
        assert_eq!(read("pair"), Ok(SendQueues::Pair));
        assert_eq!(read("none"), Ok(SendQueues::None));
        assert_eq!(read("4"), Ok(SendQueues::Number(4)));
        for wrong in ["0", "-1", "1000001", "Pair", "", "1.5", "99999999999"] {
            assert_eq!(read(wrong), Err(()), "{wrong}");
        }
    }

    #[test]
    fn each_queue_is_first_in_first_out() {
        let mut lines = Lines::default();
        assert!(lines.join(7, 1));
        assert!(!lines.join(2, 1));
        assert!(lines.join(3, 0));
        assert!(!lines.join(4, 1));
        assert_eq!(lines.leave(7), Some(2));
        // The number of a message is used again.
        assert!(!lines.join(7, 1));
        assert_eq!(lines.leave(2), Some(4));
        assert_eq!(lines.leave(3), None);
        assert_eq!(lines.leave(4), Some(7));
        assert_eq!(lines.leave(7), None);
        assert!(lines.join(2, 1));
    }

    #[test]
    fn messages_without_a_queue_never_wait() {
        let mut lines = Lines::default();
        assert!(lines.join(0, NO_QUEUE));
        assert!(lines.join(1, NO_QUEUE));
        assert_eq!(lines.leave(0), None);
    }

    #[test]
    fn copies_of_a_pair_follow_each_other_and_their_latency_does_not() {
        // A latency of 5 ticks and copies of 1.25: they are done at 1.25, 2.5, 3.75 and 5 ticks.
        let mut copies = Copies::default();
        let there = [0, 0, 0, 0].map(|now| copies.arrival(0, now, 6.25, 1.25));
        assert_eq!(there, [6, 8, 9, 10]);
        // At tick 4 one tick is left; another pair and one without a queue do not wait.
        assert_eq!(copies.arrival(0, 4, 7.0, 2.0), 12);
        assert_eq!(copies.arrival(1, 4, 7.0, 2.0), 11);
        assert_eq!(copies.arrival(NO_QUEUE, 4, 7.0, 2.0), 11);
        assert_eq!(copies.arrival(0, 100, 7.0, 2.0), 107);
    }
}
