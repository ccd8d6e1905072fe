//! How much is sent.

use crate::traffic::Traffic;

/// Numbers and sums over all messages.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// The number of ranks.
    pub ranks: usize,
    /// Ranks that send nothing, not even to themselves.
    pub send_nothing: usize,
    /// Ranks that receive nothing.
    pub receive_nothing: usize,
    /// Ordered pairs of different ranks that have messages.
    pub pairs: usize,
    /// Bytes in total, self messages included.
    pub bytes: f64,
    /// Messages in total, self messages included.
    pub messages: f64,
    /// Ranks that send to themselves.
    pub self_senders: usize,
    /// Bytes of self messages.
    pub self_bytes: f64,
    /// Self messages.
    pub self_messages: f64,
}

impl Totals {
    /// Adds up `traffic`.
    pub fn of(traffic: &Traffic) -> Totals {
        let ranks = traffic.num_ranks();
        let mut totals = Totals { ranks, ..Totals::default() };
        let mut sends = vec![false; ranks];
        let mut receives = vec![false; ranks];
        for flow in traffic.flows() {
            sends[flow.from.index()] = true;
            receives[flow.to.index()] = true;
            totals.bytes += flow.bytes;
            totals.messages += flow.messages;
            if flow.from == flow.to {
                totals.self_senders += 1;
                totals.self_bytes += flow.bytes;
                totals.self_messages += flow.messages;
            } else {
                totals.pairs += 1;
            }
        }
        let idle = |active: Vec<bool>| active.into_iter().filter(|active| !active).count();
        totals.send_nothing = idle(sends);
        totals.receive_nothing = idle(receives);
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrafficBuilder;

    #[test]
    fn self_messages_count_in_the_sums_and_not_among_the_pairs() {
        let mut builder = TrafficBuilder::new(4);
        builder.add(0, 1, 2.0, 10.0);
        builder.add(1, 1, 1.0, 5.0);
        let totals = Totals::of(&builder.build());
        let expected = Totals {
            ranks: 4,
            send_nothing: 2,
            receive_nothing: 3,
            pairs: 1,
            bytes: 15.0,
            messages: 3.0,
            self_senders: 1,
            self_bytes: 5.0,
            self_messages: 1.0,
        };
        assert_eq!(totals, expected);
    }
}
