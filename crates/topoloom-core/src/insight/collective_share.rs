//! The share of collectives in the traffic.

use super::moved;
use crate::traffic::{CollectiveMode, Traffic, Weight};

/// The share of collectives in the bytes and messages of the traffic, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollectiveShare {
    /// How they were treated. If they were left out, the shares say how much is missing.
    pub mode: CollectiveMode,
    /// Of all bytes.
    pub bytes: f64,
    /// Of all messages.
    pub messages: f64,
}

impl CollectiveShare {
    /// The share of collectives that `mode` has turned into messages: `without` has the messages of
    /// the other calls, `with` has all. `None` if collectives send nothing.
    pub fn counted(
        mode: CollectiveMode,
        without: &Traffic,
        with: &Traffic,
    ) -> Option<CollectiveShare> {
        let added = |weight| with.total(weight) - without.total(weight);
        CollectiveShare::of(
            mode,
            without,
            [added(Weight::Bytes), added(Weight::Messages)].map(|added| added.max(0.0)),
        )
    }

    /// The share of collectives that are left out, counted as if every pair sent separately
    /// (`direct`). No table of pairs is built.
    pub fn left_out(traffic: &Traffic) -> Option<CollectiveShare> {
        let mut left_out = [0.0; 2];
        for collective in traffic.collectives() {
            let moved = moved(collective);
            left_out[0] += moved.bytes;
            left_out[1] += moved.messages;
        }
        CollectiveShare::of(CollectiveMode::None, traffic, left_out)
    }

    fn of(
        mode: CollectiveMode,
        without: &Traffic,
        [bytes, messages]: [f64; 2],
    ) -> Option<CollectiveShare> {
        let share = |part: f64, weight| {
            let all = part + without.total(weight);
            if all > 0.0 { part / all } else { 0.0 }
        };
        (bytes > 0.0 || messages > 0.0).then(|| CollectiveShare {
            mode,
            bytes: share(bytes, Weight::Bytes),
            messages: share(messages, Weight::Messages),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Collective, Group, Operation, TrafficBuilder};

    /// 3 messages of 10 bytes, and an all-to-all of 5 bytes among 3 ranks: 6 messages, 30 bytes.
    fn traffic() -> Traffic {
        let mut builder = TrafficBuilder::new(3);
        builder.add(0, 1, 3.0, 30.0);
        builder.add_collective(Collective {
            operation: Operation::AllToAll,
            group: Group::first(3),
            calls: 1,
            bytes: 5,
        });
        builder.build()
    }

    #[test]
    fn half_of_the_bytes_and_two_thirds_of_the_messages_are_collectives() {
        let traffic = traffic();
        let with = traffic.with_collectives(CollectiveMode::Direct).unwrap();
        let share = CollectiveShare::counted(CollectiveMode::Direct, &traffic, &with).unwrap();
        assert_eq!((share.bytes, share.messages), (0.5, 6.0 / 9.0));
        let left_out = CollectiveShare::left_out(&traffic).unwrap();
        assert_eq!((left_out.bytes, left_out.messages), (0.5, 6.0 / 9.0));
        assert_eq!(left_out.mode, CollectiveMode::None);
    }

    #[test]
    fn traffic_without_collectives_has_no_share_of_them() {
        let mut builder = TrafficBuilder::new(2);
        builder.add(0, 1, 1.0, 8.0);
        let traffic = builder.build();
        assert_eq!(CollectiveShare::left_out(&traffic), None);
        let same = CollectiveShare::counted(CollectiveMode::Direct, &traffic, &traffic);
        assert_eq!(same, None);
    }
}
