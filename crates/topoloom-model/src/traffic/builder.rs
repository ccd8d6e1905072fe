//! Collects flows in any order and packs them into rows.

use std::sync::Arc;

use super::{Collective, Traffic, Values};
use crate::training::StepTraffic;

#[derive(Debug, Clone, Copy)]
struct Entry {
    to: u32,
    bytes: f64,
    messages: f64,
}

/// Collects flows in any order; flows of the same pair add up.
///
/// ```
/// use topoloom_model::TrafficBuilder;
/// let mut builder = TrafficBuilder::new(2);
/// builder.add(0, 1, 1.0, 100.0);
/// builder.add(0, 1, 1.0, 50.0);
/// let traffic = builder.build();
/// let flow = traffic.flows().next().unwrap();
/// assert_eq!((flow.messages, flow.bytes), (2.0, 150.0));
/// ```
#[derive(Debug, Clone)]
pub struct TrafficBuilder {
    num_ranks: u32,
    senders: Vec<u32>,
    entries: Vec<Entry>,
    rank_weights: Option<Vec<f64>>,
    collectives: Vec<Collective>,
    step: Option<Arc<StepTraffic>>,
}

impl TrafficBuilder {
    /// No traffic among `num_ranks` ranks.
    pub fn new(num_ranks: u32) -> Self {
        Self::with_capacity(num_ranks, 0)
    }

    /// No traffic, with room for `flows` entries.
    pub fn with_capacity(num_ranks: u32, flows: usize) -> Self {
        TrafficBuilder {
            num_ranks,
            senders: Vec::with_capacity(flows),
            entries: Vec::with_capacity(flows),
            rank_weights: None,
            collectives: Vec::new(),
            step: None,
        }
    }

    /// Adds what `from` sends to `to`. Ranks must be below the number of ranks, and weights finite
    /// and not negative. A flow of 0 messages and 0 bytes is not a flow.
    #[inline]
    pub fn add(&mut self, from: u32, to: u32, messages: f64, bytes: f64) {
        debug_assert!(from < self.num_ranks && to < self.num_ranks, "flow {from} -> {to}");
        debug_assert!(bytes >= 0.0 && bytes.is_finite(), "{bytes} bytes");
        debug_assert!(messages >= 0.0 && messages.is_finite(), "{messages} messages");
        if messages > 0.0 || bytes > 0.0 {
            self.senders.push(from);
            self.entries.push(Entry { to, bytes, messages });
        }
    }

    /// Adds `messages` and `bytes` in both directions.
    pub fn add_both_ways(&mut self, a: u32, b: u32, messages: f64, bytes: f64) {
        self.add(a, b, messages, bytes);
        self.add(b, a, messages, bytes);
    }

    /// Adds a collective operation.
    pub fn add_collective(&mut self, collective: Collective) {
        if collective.calls > 0 {
            self.collectives.push(collective);
        }
    }

    /// Sets the computing load of each rank.
    pub fn set_rank_weights(&mut self, weights: Vec<f64>) {
        debug_assert_eq!(weights.len(), self.num_ranks as usize);
        self.rank_weights = Some(weights);
    }

    /// Says what the groups of a training job send, of which the flows are the messages.
    pub fn set_step(&mut self, step: Arc<StepTraffic>) {
        self.step = Some(step);
    }

    /// Packs everything that was added. Takes O(flows log(flows of a rank)).
    pub fn build(self) -> Traffic {
        let TrafficBuilder { num_ranks, senders, entries, rank_weights, collectives, step } = self;
        let n = num_ranks as usize;
        let mut row_start = vec![0usize; n + 1];
        for &from in &senders {
            row_start[from as usize + 1] += 1;
        }
        for rank in 0..n {
            row_start[rank + 1] += row_start[rank];
        }
        // Files are mostly written in the order of senders: then the rows are already in place.
        let mut rows =
            if senders.is_sorted() { entries } else { scatter(&senders, &entries, &mut row_start) };
        drop(senders);

        let mut receiver: Vec<u32> = Vec::with_capacity(rows.len());
        let mut bytes: Vec<f64> = Vec::with_capacity(rows.len());
        let mut messages: Vec<f64> = Vec::with_capacity(rows.len());
        let mut begin = 0;
        for rank in 0..n {
            let end = row_start[rank + 1];
            let row = &mut rows[begin..end];
            begin = end;
            // Stable, so flows of the same pair add up in the order in which they came.
            if !row.is_sorted_by_key(|entry| entry.to) {
                row.sort_by_key(|entry| entry.to);
            }
            let row_begins = receiver.len();
            for entry in row.iter() {
                match receiver.last() {
                    Some(&last) if last == entry.to && receiver.len() > row_begins => {
                        *bytes.last_mut().expect("as long as receiver") += entry.bytes;
                        *messages.last_mut().expect("as long as receiver") += entry.messages;
                    }
                    _ => {
                        receiver.push(entry.to);
                        bytes.push(entry.bytes);
                        messages.push(entry.messages);
                    }
                }
            }
            // Shorter than before if flows of the same pair were added up.
            row_start[rank + 1] = receiver.len();
        }
        drop(rows);
        let (bytes, messages) = (Values::new(bytes), Values::new(messages));
        let traffic = Traffic::from_rows(row_start, receiver, bytes, messages, rank_weights);
        Traffic { collectives, step, ..traffic }
    }
}

/// The entries by sender, in the order in which they came. Uses `row_start` as the position where
/// each row grows, and restores it.
fn scatter(senders: &[u32], entries: &[Entry], row_start: &mut [usize]) -> Vec<Entry> {
    let mut rows = vec![Entry { to: 0, bytes: 0.0, messages: 0.0 }; entries.len()];
    for (&from, &entry) in senders.iter().zip(entries) {
        let place = &mut row_start[from as usize];
        rows[*place] = entry;
        *place += 1;
    }
    // Each start has moved to where the next row starts.
    row_start.copy_within(..row_start.len() - 1, 1);
    row_start[0] = 0;
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_equal_pairs_add_up() {
        let mut builder = TrafficBuilder::new(3);
        builder.add(2, 1, 1.0, 5.0);
        builder.add(0, 2, 1.0, 7.0);
        builder.add(0, 1, 2.0, 3.0);
        builder.add(0, 2, 1.0, 1.0);
        builder.add(1, 1, 0.0, 0.0);
        let flows: Vec<_> = builder
            .build()
            .flows()
            .map(|flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes))
            .collect();
        assert_eq!(flows, [(0, 1, 2.0, 3.0), (0, 2, 2.0, 8.0), (2, 1, 1.0, 5.0)]);
    }

    #[test]
    fn flows_by_sender_make_the_same_rows_as_flows_in_any_order() {
        let mut flows = [(0, 2, 1.0), (0, 1, 2.0), (1, 1, 3.0), (3, 0, 4.0), (3, 0, 5.0)];
        let build = |flows: &[(u32, u32, f64)]| {
            let mut builder = TrafficBuilder::new(5);
            flows.iter().for_each(|&(from, to, bytes)| builder.add(from, to, 1.0, bytes));
            builder.build()
        };
        let by_sender = build(&flows);
        flows.reverse();
        assert_eq!(by_sender, build(&flows));
        assert_eq!(by_sender.flows_from(crate::Rank(3)).count(), 1);
        assert_eq!(by_sender.flows_from(crate::Rank(4)).count(), 0);
    }
}
